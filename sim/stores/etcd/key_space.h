// The keys of etcd: values with revisions, and the history that watches resume from.
//
//   I1. The revision counts writes that changed something: all that a request changes has one and the same.
//   I2. The history has each change since the last compaction, in order, with the revision that made it. Of the
//       compaction's own revision it has what was put, and not what was deleted.
//
// Thread rule: a value.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/hash.h"
#include "sim/stores/etcd/requests.h"

namespace tenure::etcd {

class KeySpace {
 public:
  // What a request has changed so far counts for the rest of it; end_of_request() makes it a revision of its own.
  GetResponse range(const Get& asked) const;
  PutResponse put(const Put& asked);
  DeleteRangeResponse erase(const DeleteRange& asked);
  void erase_keys_of(std::int64_t lease);
  void end_of_request();

  // REQUIRES: it compares one thing, and `result` is one that there is.
  bool holds(const Compare& compare) const;
  std::int64_t revision() const { return revision_; }
  // Of these keys, from this revision on.
  std::vector<KeyEvent> events(const std::string& key, const std::optional<std::string>& range_end,
                               std::int64_t from) const;
  std::int64_t compacted() const { return compacted_; }
  void compact(std::int64_t revision);
  void hash(Hasher& hasher) const;

 private:
  using Keys = std::map<std::string, KeyValue>;
  // Of the changes under way, or the last one.
  std::int64_t seen_revision() const { return revision_ + (changed_ ? 1 : 0); }
  Keys::iterator erase(Keys::iterator place);

  Keys keys_;
  std::vector<KeyEvent> history_;
  std::int64_t revision_ = 1;
  std::int64_t compacted_ = 0;  // what was before is forgotten
  bool changed_ = false;
};

bool is_in_range(const std::string& name, const std::string& key,
                 const std::optional<std::string>& range_end);

}  // namespace tenure::etcd
