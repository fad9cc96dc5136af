// never-early: nothing fires before it is due, by the store's clock: before its slot, or that and its jitter.
//
// With a ledger, a row is held against the store time of its own commit: a fired slot, and of a range, or of a fire
// that others are coalesced into, the last instant, and the last slot that it speaks for. Work is early if no row
// says that its slot fired: should the commit come to nothing, the work was nobody's. The time does not count any
// more: a slot that was committed stays due when the store's clock is set back. Without one, work is early if its
// slot was due neither when it was asked for nor when it began: what the clock showed before, and took back, makes
// no slot due. There is no jitter: designs of that kind know of none.
// Reads: edits, what the store applied, work that begins; manual runs and backfills are left out.
// Not applicable: no fires.
// One opportunity: one row, or beginning.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/model/describe.h"
#include "sim/checkers/invariants/checker_of.h"
#include "sim/checkers/trackers/applied.h"

namespace tenure::sim {
namespace {

class NeverEarly final : public CheckerOf<NeverEarly> {
 public:
  explicit NeverEarly(const CheckerSetup& setup)
      : CheckerOf(setup), has_ledger_(keeps_ledger(setup.scenario)) {}

  std::uint32_t wants() const override {
    return has_ledger_ ? CheckerOf::wants() & ~record_mask<WorkAsked>() : CheckerOf::wants();
  }
  void on(TrueTime now, const WorkArrived& landed) { began(now, landed); }
  void on(TrueTime, const WorkAsked& work) {
    if (!has_ledger_ && work.item.event.run == 0)
      asked_[{work.who, work.item.event}] = view_.store_now(StoreId{});
  }
  void on(TrueTime now, const Applied& applied) {
    shown_ = std::max(shown_, applied.store_now);
    for (const auto& [row, version, covered_until] : run_.rows()) covered(now, applied, row, version);
  }

 private:
  void began(TrueTime now, const WorkArrived& landed) {
    const reference::EventId& event = landed.item.event;
    if (event.run != 0) return;
    const auto asked = asked_.find({landed.who, event});
    StoreTime shown = landed.store_now;
    if (asked != asked_.end()) {
      shown = std::max(shown, asked->second);
      asked_.erase(asked);
    }
    if (landed.landing != DeliveryOutcome::begun) return;
    if (!has_ledger_) {
      judge(now, landed.who, event.schedule, event.slot, event.slot, shown, "executed");
      return;
    }
    const RunHistory::Known& known = run_.store().known_under(landed.item.token);
    // Who still believes under a token of an earlier branch reads the outbox of this one.
    if (known.committed.contains(event) || run_.store()->committed.contains(event)) {
      examined();
      return;
    }
    const ScheduleVersion* version = known.tracker.in_force_at(event.schedule, event.slot);
    const StoreTime due = version != nullptr ? version->due(event.slot) : event.slot;
    // Who knows no definitions does not know all commits either, and has no clock but what the store said.
    if (version == nullptr) shown = std::max(shown, shown_);
    const bool early = judge(now, landed.who, event.schedule, event.slot, due, shown, "executed");
    if (!early && version != nullptr) uncommitted(now, landed, *version);
  }

  void covered(TrueTime now, const Applied& applied, const reference::LedgerRow& row,
               const ScheduleVersion* version) {
    const bool fired = row.what == reference::Disposition::fired;
    // Of one slot, whether it fired or the store found that it overlaps, `to` is only where the next one is.
    const bool single = row.slots == 1 && row.slot >= row.from;
    StoreTime slot = single ? row.slot : reference::covered_end(row) - kStoreResolution;
    StoreTime due = slot;
    if (version != nullptr && version->slots.jittered()) {
      // A pause suppresses slots as they come, due or not; and what cannot be read has no due time.
      const bool as_they_come =
          row.what == reference::Disposition::paused || run_.unread().excuses(applied, row);
      const auto last = !as_they_come ? version->slots.before(row.to) : std::nullopt;
      if (single) {
        due = version->due(slot);
      } else if (last && *last >= row.from && version->due(*last) > due) {
        slot = *last;
        due = version->due(slot);
      }
    }
    judge(now, applied.who, row.schedule, slot, due, applied.store_now, fired ? "committed" : "written off");
  }

  void uncommitted(TrueTime now, const WorkArrived& landed, const ScheduleVersion& version) {
    const bool otherwise = version.covered_until > landed.item.event.slot;
    violate(
        now, {landed.who}, {landed.item.event.schedule},
        fmt::format("{} was executed by {} at {}, {}", names_.event(landed.item.event),
                    names_.who(landed.who), time_text(now),
                    otherwise ? "although its row does not say that it fired" : "before it was committed"));
  }

  // Whether it was early.
  bool judge(TrueTime now, Incarnation who, ScheduleId schedule, StoreTime slot, StoreTime due,
             StoreTime store_now, const char* what) {
    examined();
    if (due <= store_now) return false;
    violate(now, {who}, {schedule},
            fmt::format("{} was {} by {} at {}, {} early", names_.slot(schedule, slot), what, names_.who(who),
                        time_text(now), describe(due - store_now)));
    return true;
  }

  bool has_ledger_;
  StoreTime shown_ = StoreTime::min();  // by the store's answers
  std::map<std::pair<Incarnation, reference::EventId>, StoreTime>
      asked_;  // when work on its way was asked for
};

}  // namespace

TENURE_MADE_UNLESS(lacks_fires, never_early, NeverEarly)

}  // namespace tenure::sim
