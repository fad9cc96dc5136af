// The change feed: every edit of a schedule, numbered in commit order.
//
// A follower reads from 0 and goes on from the last number it was given. Numbers are taken by the commit
// itself, so none appears after a later one (a database's plain sequence does not promise that).
//
// Thread rule: a value.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/hash.h"
#include "core/store/reference/segments.h"

namespace tenure::reference {

class ChangeLog {
 public:
  // Appends `change` under the next number, and returns that.
  std::uint64_t append(Change change);
  // The segment of change `seq` was closed. REQUIRES: it was in force, so the change is kept.
  void close(std::uint64_t seq, StoreTime end);

  // The last number given; 0 when there was none.
  std::uint64_t last() const { return last_; }
  // Fills `changes` with what follows `asked.seq`.
  void read(const ChangesSince& asked, Changes& changes) const;

  // Forgets the changes whose segments ended by `before` and are drained, at most `limit`, the first to end first;
  // returns how many. The newest one always stays: a follower learns from it that it has caught up with last(), and
  // from its number that some were forgotten.
  std::uint64_t prune(StoreTime before, std::uint64_t limit, const SegmentTable& live);
  void hash(Hasher& hasher) const;

 private:
  struct Record {
    Change change;
    StoreTime end;  // of its segment as it is now; max() while the version is in force
  };

  std::vector<Record> records_;  // by seq, which has gaps once something was pruned
  std::uint64_t last_ = 0;
};

}  // namespace tenure::reference
