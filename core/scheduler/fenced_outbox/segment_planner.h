// How a segment's slots become ledger rows: on time, late, paused, overlapped, or closed.
//
// A SegmentPlanner is one segment as the leader sees it, with what it will write next and when. Rows follow one
// another without a gap from the cursor on, so that every slot is in exactly one of them. The rules:
//
//   1. A slot fires when it is due. Its row reaches to the slot after it, or to the segment's end, so that the tail
//      of a closed segment needs no row of its own, and the cursor of an idle one shows when it is due.
//   2. Later than grace, a slot is late, and the misfire policy decides. Late slots outside catchup_window, and
//      all but the latest max_catchup of them, are missed. Of the others every one fires, or one does and the
//      rest are coalesced into it, in one row: an end that is not known here fails all of them or none.
//   3. While paused nothing fires. A paused row speaks for many slots at once, and is written kPausedStep after
//      the first of them, or as soon as the segment is closed: light on the store, and complete in the end.
//   4. A closed segment in which no slot is left is drained by one missed row that holds no slot.
//   5. Overlap comes before lateness: while work of the schedule runs, a slot that is due is suppressed; or the first
//      one is held until the work ends, and fires then however late it is, and the others meanwhile are suppressed.
//      So after a fire, such a schedule rests until it is known to be committed: if an earlier commit, one that was
//      given up, fired that slot instead, its work may be over by now.
//
// A range row never reaches beyond now, because the store takes none that ends in its future.
//
// Thread rule: a value; one owner.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/hash.h"
#include "core/base/time.h"
#include "core/schedule/definition.h"
#include "core/store/reference/requests.h"

namespace tenure {

// A row of a paused schedule is written so long after its first slot: it speaks for many.
inline constexpr Duration kPausedStep = Duration::seconds(10);

class SegmentPlanner {
 public:
  // REQUIRES: segment.cursor < segment.end.
  SegmentPlanner(const reference::Segment& segment, const Definition& definition);

  ScheduleId schedule() const { return schedule_; }
  std::uint32_t version() const { return version_; }
  StoreTime cursor() const { return cursor_; }
  StoreTime end() const { return end_; }
  // When the next row can be written, in store time; max() for never, or for as long as it is held.
  StoreTime wake() const { return wake_; }
  bool drained() const { return cursor_ >= end_; }
  // Whether take() wants to know if work of the schedule is running.
  bool minds_overlap() const { return definition_.overlap != Overlap::allow; }
  // Whether take() may fire, and needs somebody to do the work. REQUIRES: as take().
  bool may_fire(bool busy) const {
    const bool suppressed = definition_.paused || (queued_until_ && due_ <= *queued_until_);
    return slot_ < end_ && !suppressed && !(busy && minds_overlap());
  }

  // Appends what is to be written next and moves the cursor beyond it; or appends nothing, and is held until
  // work_ended(). `busy`: work of the schedule is running. REQUIRES: wake() <= now, !drained().
  void take(StoreTime now, bool busy, std::vector<reference::LedgerRow>& rows);
  // What it fired is committed, and its work has begun.
  void committed();
  // Work of the schedule has ended.
  void work_ended();
  // The cursor is at `cursor` after all, or the segment ends at `end`.
  void move_to(StoreTime cursor);
  void close(StoreTime end);

  void hash(Hasher& hasher) const;

 private:
  // The next fire, alone in its row. REQUIRES: slot_ < end_.
  reference::LedgerRow fire();
  // One fire for all slots up to `last`.
  reference::LedgerRow fire_once(StoreTime last);
  reference::LedgerRow range(StoreTime to, reference::Disposition what);
  void hold();
  // What is due by now, as overlapped.
  reference::LedgerRow suppress(StoreTime now);
  void take_late(StoreTime now, std::vector<reference::LedgerRow>& rows);
  // The last slot of the segment that is due before `time`. REQUIRES: slot_ is.
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
  std::optional<StoreTime> queued_until_;  // slots that were due by then came while another was held
  Definition definition_;
};

}  // namespace tenure
