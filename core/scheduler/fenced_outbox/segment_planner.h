// How a segment's slots become ledger rows: on time, late, paused, overlapped, or closed.
//
// A SegmentPlanner is one segment as the leader sees it. It knows which row the leader writes next, and when. Rows
// follow one another without a gap from the cursor on, so every slot is in exactly one row. The rules:
//
//   1. A slot fires when it is due. Its row reaches to the next slot, or to the segment's end. So the tail of a closed
//      segment needs no row of its own, and the cursor of an idle segment shows when it is due.
//   2. After its grace, a slot is late, and the misfire policy decides. Late slots outside catchup_window are missed,
//      and so are all but the latest max_catchup of the others. Of the remaining slots, either all fire, or one fires
//      and the rest are coalesced into it in one row. One row, because an edit that is not known here then fails all of
//      them or none. If none remains, a slot that is not late yet fires at once after the missed ones: it would be late
//      when its turn came, if many segments are.
//   3. While paused nothing fires. One paused row stands for many slots. It is written kPausedStep after the first of
//      them, or as soon as the segment is closed: light on the store, and complete in the end.
//   4. A segment in which no slot is left is drained by one missed row that holds no slot: a closed one at its end, the
//      one in force at once, so that the store can delete a schedule that is finished. Of a definition that cannot be
//      read, which has no slot here, nobody knows that none is left: while it is in force, it stays.
//   5. Overlap comes before lateness. While work of the schedule runs, a slot that is due is suppressed. Under
//      queue_one, the first such slot is held until the work ends, and then fires, however late it is; the others are
//      suppressed. After a fire, such a schedule waits until the fire is known to be committed: an earlier commit that
//      was given up may have fired that slot, and its work may be over by now.
//
// A range row never reaches beyond now, because the store refuses a row that ends in its future.
//
// Thread rule: a value; one owner.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/fold.h"
#include "core/base/time.h"
#include "core/schedule/definition.h"
#include "core/store/reference/requests.h"

namespace tenure {

// A row of a paused schedule is written this long after its first slot, so that it stands for many.
inline constexpr Duration kPausedStep = Duration::seconds(10);

class SegmentPlanner {
 public:
  // REQUIRES: segment.cursor < segment.end.
  SegmentPlanner(const reference::Segment& segment, const Definition& definition);

  ScheduleId schedule() const { return schedule_; }
  std::uint32_t version() const { return version_; }
  StoreTime cursor() const { return cursor_; }
  StoreTime end() const { return end_; }
  // When the next row can be written, in store time; max() for never, or while it is held.
  StoreTime wake() const { return wake_; }
  bool drained() const { return cursor_ >= end_; }
  // Whether take() wants to know if work of the schedule is running.
  bool minds_overlap() const { return definition_.overlap != Overlap::allow; }
  const Delivery& delivery() const { return definition_.delivery; }
  // Whether a fire needs a worker of the leader's own.
  bool wants_worker() const { return definition_.delivery.kind == Delivery::Kind::work; }
  // Whether take() fires. REQUIRES: as take().
  bool fires(StoreTime now, bool busy) const;

  // Appends the rows to write next, and moves the cursor beyond them; or appends nothing, and is held until
  // work_ended(). `busy`: work of the schedule is running. REQUIRES: wake() <= now, !drained().
  void take(StoreTime now, bool busy, std::vector<reference::LedgerRow>& rows);
  // Its last fire is committed, and the work has begun.
  void committed();
  // Work of the schedule has ended.
  void work_ended();
  // The store's cursor is at `cursor`, or the segment ends at `end`.
  void move_to(StoreTime cursor);
  void close(StoreTime end);

  void hash(auto& sink) const {
    fold(sink, schedule_, version_, rest_, cursor_, end_, queued_until_, definition_);
  }

 private:
  // One from the cursor on.
  reference::LedgerRow row(StoreTime to, reference::Disposition what) const;
  // The next fire, alone in its row. REQUIRES: slot_ < end_.
  reference::LedgerRow fire();
  // One fire for all slots up to `last`.
  reference::LedgerRow fire_once(StoreTime last);
  reference::LedgerRow range(StoreTime to, reference::Disposition what);
  void hold();
  // Everything due by now, as overlapped.
  reference::LedgerRow suppress(StoreTime now);
  void take_late(StoreTime now, std::vector<reference::LedgerRow>& rows);
  // Whether there is such a slot of the segment, and it is due by now.
  bool is_due(std::optional<StoreTime> slot, StoreTime now) const;
  // The last slot of the segment that is due before `time`. REQUIRES: slot_ is due before `time`.
  StoreTime last_due_before(StoreTime time) const;
  // The first late slot that may still fire; nullopt when none may.
  std::optional<StoreTime> first_to_catch_up(StoreTime now, StoreTime last) const;
  void find_slot(std::optional<StoreTime> slot);
  void find_wake();

  ScheduleId schedule_;
  std::uint32_t version_;
  enum class Rest : std::uint8_t { none, committing, held, released };
  Rest rest_ = Rest::none;  // rule 5
  StoreTime cursor_;
  StoreTime end_;
  StoreTime slot_;  // the first one at or after the cursor; max() for none
  StoreTime due_;   // when that is due
  StoreTime wake_;
  std::optional<StoreTime> queued_until_;  // slots due by then came while another slot was held
  Definition definition_;
};

}  // namespace tenure
