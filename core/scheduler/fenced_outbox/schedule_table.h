// The definitions of all schedules by version, as the change feed tells them.
//
// Every instance keeps its table up to date, leading or not. So a new leader can fire as soon as it has read what is
// due (a leader with an empty table fires nothing: tuist#10679). Old versions stay as long as their segments may still
// be drained, usually for kDrainedAfter. If that was too short, the feed is read again from its beginning, and nothing
// is forgotten until the leader has what it needs (edits-while-nobody-leads).
//
// Invariant: every change of branch()'s feed up to seq() has been applied once, in order.
//
// Thread rule: a value; one owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/base/fold.h"
#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/schedule/definition.h"
#include "core/store/reference/requests.h"

namespace tenure {

// Stands for a definition that this program cannot read: one without slots.
Definition unreadable_definition();
bool is_unreadable(const Definition& definition);

class ScheduleTable {
 public:
  // A version that ended this long before its schedule's newest version began counts as drained.
  static constexpr Duration kDrainedAfter = Duration::hours(1);

  std::uint64_t seq() const { return seq_; }
  // The branch of the store whose feed this is; meaningless while seq() is 0.
  std::uint32_t branch() const { return branch_; }
  // Whether an answer of `branch` belongs to the same feed as this table.
  bool goes_with(std::uint32_t branch) const { return seq_ == 0 || branch_ == branch; }
  std::size_t size() const { return versions_.size(); }

  // The feed has been read to its end. From now on its numbers follow one another, unless changes were pruned before
  // they were read.
  void caught_up() { caught_up_ = true; }
  bool lacks_changes_before(const std::vector<reference::Change>& changes) const;

  // Ignores a change that was applied before. Returns whether it was new. REQUIRES: goes_with(branch).
  bool apply(const reference::Change& change, std::uint32_t branch);
  // nullptr when there is none.
  const Definition* find(ScheduleId schedule, std::uint32_t version) const;
  bool is_unreadable(ScheduleId schedule, std::uint32_t version) const {
    const Definition* const found = find(schedule, version);
    return found != nullptr && tenure::is_unreadable(*found);
  }
  // Where the version's segment ends, as far as is known: where the next version begins, or max().
  StoreTime end_of(ScheduleId schedule, std::uint32_t version) const;

  // Forgets everything, to read the feed again. `keep_all`: from then on, forgets no version until forget_again().
  void reset(bool keep_all = false);
  void forget_again() { keep_all_ = false; }

  void hash(auto& sink) const { fold(sink, seq_, branch_, keep_all_, caught_up_, versions_); }

 private:
  using Key = std::pair<ScheduleId, std::uint32_t>;
  struct Version {
    StoreTime begin;
    Definition definition;
    void hash(auto& sink) const { fold(sink, begin, definition); }
  };
  using Versions = std::map<Key, Version>;

  void forget_long_ended(ScheduleId schedule, StoreTime newest_begin);

  std::uint64_t seq_ = 0;
  std::uint32_t branch_ = 0;
  bool keep_all_ = false;
  bool caught_up_ = false;
  Versions versions_;
};

}  // namespace tenure
