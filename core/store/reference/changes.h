// The change feed: every edit of a schedule, numbered in commit order.
//
// A follower reads from 0, and goes on from the last number that it got. The commit itself takes the number, so no
// number appears after a later one (a database's plain sequence does not promise that).
//
// Thread rule: a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/hash.h"
#include "core/store/reference/segments.h"

namespace tenure::reference {

class ChangeLog final : public ChangeRows {
 public:
  std::uint64_t append(Change change, LogNote note, std::uint64_t before) override;
  void close(std::uint64_t seq, StoreTime end) override;
  const Definition* definition(std::uint64_t seq) override { return &definition_of(seq); }
  bool is(std::uint64_t seq, const Definition& definition) override {
    return definition_of(seq) == definition;
  }
  bool is_paused(std::uint64_t seq) override { return definition_of(seq).paused; }
  // REQUIRES: as definition().
  const Definition& definition_of(std::uint64_t seq) const;

  // The last number given; 0 when there was none.
  std::uint64_t last() const { return last_; }
  // Fills `changes` with what follows `asked.seq`.
  void read(const ChangesSince& asked, Changes& changes) const;
  // The same for people; the names are left to the caller.
  void read(const ReadLog& asked, Log& log) const;

  // Forgets changes whose segments ended by `before` and are drained: at most `limit`, the earliest end first. Returns
  // how many. The newest change always stays. From it a follower learns that it has caught up with last(), and from its
  // number that some changes were forgotten.
  std::uint64_t prune(StoreTime before, std::uint64_t limit, const SegmentTable& live);
  void hash(Hasher& hasher) const;

 private:
  struct Record {
    Change change;
    StoreTime end;  // the present end of its segment; max() while the version is in force
    LogNote note;
  };

  // REQUIRES: it is kept.
  std::size_t place_of(std::uint64_t seq) const;

  std::vector<Record> records_;  // by seq, which has gaps after a prune
  std::uint64_t last_ = 0;
};

}  // namespace tenure::reference
