// no-drift: every fire is at a slot of the version in force, exactly, whatever happened before; and due at that slot
// or later by its jitter, which is the same on every node.
//
// Slots and jitter are recomputed apart from the core (slots.h), versions from the edits (schedule_tracker.h). A
// version that is paused has no slots to fire. Manual runs and backfills have times of their own: those that a
// client asked for, and no others; and once a schedule is deleted, it takes neither, and no edit.
// Reads: edits and manual runs, ledger rows that say fired, work that begins.
// Not applicable: no fires.
// One opportunity: one such row, or beginning.
#include <fmt/format.h>

#include <algorithm>

#include "core/model/describe.h"
#include "sim/checkers/invariants/checker_of.h"
#include "sim/checkers/trackers/applied.h"

namespace tenure::sim {
namespace {

class NoDrift final : public CheckerOf<NoDrift> {
 public:
  using CheckerOf::CheckerOf;

  void on(TrueTime now, const WorkArrived& landed) {
    if (landed.landing != DeliveryOutcome::begun) return;
    const reference::EventId& event = landed.item.event;
    if (event.run != 0) return judge_run(now, landed);
    const ScheduleVersion* version =
        run_.store().known_under(landed.item.token).tracker.owner(event.schedule, event.slot);
    if (version == nullptr || version->paused) {
      // Who still believes under a token of an earlier branch reads the outbox of this one.
      const ScheduleVersion* now_known = run_.schedules().owner(event.schedule, event.slot);
      if (version == nullptr || now_known != nullptr) version = now_known;
    }
    judge(now, landed.who, event.schedule, event.slot, version, "executed");
  }
  void on(TrueTime now, const Applied& applied) {
    judge_edit(now, applied, run_.edit());
    for (const auto& [row, version, covered_until] : run_.rows()) {
      if (version != nullptr) judge_due(now, applied, row, *version);
      if (row.what != reference::Disposition::fired) continue;
      const bool owned = version != nullptr && version->owns(row.slot);
      judge(now, applied.who, row.schedule, row.slot, owned ? version : nullptr, "committed");
    }
  }

 private:
  void judge_run(TrueTime now, const WorkArrived& landed) {
    const reference::EventId& event = landed.item.event;
    if (run_.store().known_under(landed.item.token).committed.contains(event) ||
        run_.store()->committed.contains(event))
      return;
    violate(now, {landed.who}, {event.schedule},
            fmt::format("{} executed {} at {}, which nobody asked for", names_.who(landed.who),
                        names_.event(event), time_text(now)));
  }

  void judge(TrueTime now, Incarnation who, ScheduleId schedule, StoreTime slot,
             const ScheduleVersion* version, const char* what) {
    examined();
    if (version != nullptr && !version->paused) return;
    const char* why =
        version != nullptr ? "while the schedule was paused" : "which is no slot of the version in force";
    violate(now, {who}, {schedule},
            fmt::format("{} {} {} at {}, {}", names_.who(who), what, names_.slot(schedule, slot),
                        time_text(now), why));
  }

  void judge_edit(TrueTime now, const Applied& applied, const ScheduleTracker::Change& change) {
    if (!change.after_delete) return;
    violate(now, {applied.who}, {change.schedule},
            fmt::format("{} edited {} or had it run at {}, after it was deleted", names_.who(applied.who),
                        names_.schedule(change.schedule), time_text(now)));
  }

  // A row is due with the last slot that it speaks for.
  void judge_due(TrueTime now, const Applied& applied, const reference::LedgerRow& row,
                 const ScheduleVersion& version) {
    if (row.what == reference::Disposition::paused || run_.unread().excuses(applied, row)) return;
    const bool single = row.what == reference::Disposition::fired && row.slots == 1;
    const auto last = single ? std::optional(row.slot) : version.slots.before(row.to);
    if (!last || *last < row.from || !version.owns(*last) || row.due == version.due(*last)) return;
    violate(now, {applied.who}, {row.schedule},
            fmt::format("{} committed {} at {}, as due at {}, and it is due at {}", names_.who(applied.who),
                        names_.slot(row.schedule, *last), time_text(now), describe(row.due),
                        describe(version.due(*last))));
  }
};

}  // namespace

TENURE_MADE_UNLESS(lacks_fires, no_drift, NoDrift)

}  // namespace tenure::sim
