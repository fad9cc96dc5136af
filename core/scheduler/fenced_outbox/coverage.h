// How a segment's slots become ledger rows: on time, late, paused, or closed.
//
// A Coverage is one segment as the leader sees it, with what it will write next and when. Rows follow one
// another without a gap from the cursor on, so that every slot is in exactly one of them. The rules:
//
//   1. A slot fires at its time. Its row reaches to the slot after it, or to the segment's end, so that the tail
//      of a closed segment needs no row of its own, and the cursor of an idle one shows when it is due.
//   2. Later than grace, the misfire policy decides: every late slot fires, the latest one does and those
//      before it are coalesced into it, or all of them are missed.
//   3. While paused nothing fires. A paused row speaks for many slots at once, and is written kPausedStep after
//      the first of them, or as soon as the segment is closed: light on the store, and complete in the end.
//   4. A closed segment in which no slot is left is drained by one missed row that holds no slot.
//
// A range row never reaches beyond now, because the store takes none that ends in its future.
//
// Thread rule: a value; one owner.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/hash.h"
#include "core/base/time.h"
#include "core/schedule/recurrence.h"
#include "core/store/house/requests.h"

namespace tenure {

class Coverage {
 public:
  static constexpr Duration kPausedStep = Duration::seconds(10);

  // REQUIRES: segment.cursor < segment.end.
  Coverage(const house::Segment& segment, const Definition& definition);

  ScheduleId schedule() const { return schedule_; }
  std::uint32_t version() const { return version_; }
  StoreTime cursor() const { return cursor_; }
  StoreTime end() const { return end_; }
  // When the next row can be written, in store time; max() for never.
  StoreTime wake() const { return wake_; }
  bool drained() const { return cursor_ >= end_; }

  // Appends what is to be written next, one row or two that belong together, and moves the cursor beyond it.
  // REQUIRES: wake() <= now, !drained().
  void take(StoreTime now, std::vector<house::Covering>& rows);
  // The cursor is at `cursor` after all, or the segment ends at `end`.
  void move_to(StoreTime cursor);
  void close(StoreTime end);

  void hash(Hasher& hasher) const;

 private:
  house::Covering range(StoreTime to, house::Disposition what);
  // A row up to the slot after it, but not beyond `reach`. REQUIRES: slot < reach <= end().
  house::Covering fire(StoreTime slot, StoreTime reach);
  void take_late(StoreTime now, std::vector<house::Covering>& rows);
  void find_slot();
  void find_wake();

  ScheduleId schedule_;
  std::uint32_t version_;
  StoreTime cursor_;
  StoreTime end_;
  StoreTime slot_;  // the first one at or after the cursor; max() for none
  StoreTime wake_;
  Definition definition_;
};

}  // namespace tenure
