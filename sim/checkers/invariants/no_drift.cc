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
#include <map>
#include <utility>
#include <vector>

#include "core/model/describe.h"
#include "sim/checkers/invariants/kinds.h"
#include "sim/checkers/names.h"
#include "sim/checkers/trackers/applied.h"
#include "sim/checkers/trackers/schedule_tracker.h"
#include "sim/checkers/trackers/store_history.h"
#include "sim/checkers/trackers/unread_tracker.h"

namespace tenure::sim {
namespace {

class NoDrift final : public Checker {
 public:
  explicit NoDrift(const CheckerSetup& setup) : names_(setup.scenario, setup.nodes) {}

  std::uint32_t wants() const override {
    return StoreHistory<Known>::kReads | UnreadTracker::kReads | record_mask<WorkLanded, Applied>();
  }

  void see(TrueTime now, const Record& record) override {
    history_.see(record);
    unread_.see(record);
    if (const auto* landed = std::get_if<WorkLanded>(&record)) {
      if (landed->landing != DeliveryOutcome::begun) return;
      const reference::EventId& event = landed->item.event;
      if (event.run != 0) return judge_run(now, *landed);
      const ScheduleVersion* version =
          history_.known_under(landed->item.token).tracker.owner(event.schedule, event.slot);
      // Who still believes under a token of an earlier branch reads the outbox of this one.
      const ScheduleVersion* now_known = history_->tracker.owner(event.schedule, event.slot);
      if (version == nullptr || (version->paused && now_known != nullptr)) version = now_known;
      judge(now, landed->who, event.schedule, event.slot, version, "executed");
    } else if (const auto* applied = std::get_if<Applied>(&record)) {
      const ScheduleTracker::Change change = history_->tracker.see(*applied);
      judge_edit(now, *applied, change);
      take_run(*applied, change);
      for_each_covered(*applied, [&](const reference::LedgerRow& row) {
        const ScheduleVersion* version = history_->tracker.cover(row);
        if (version != nullptr) judge_due(now, *applied, row, *version);
        if (row.what != reference::Disposition::fired) return;
        const bool owned = version != nullptr && version->owns(row.slot);
        judge(now, applied->who, row.schedule, row.slot, owned ? version : nullptr, "committed");
      });
    }
  }

 private:
  struct Known : KnownSchedules {
    std::map<std::pair<ScheduleId, std::uint64_t>, std::vector<StoreTime>> runs;  // by hand, in order
    bool has(const reference::EventId& event) const {
      const auto run = runs.find({event.schedule, event.run});
      return run != runs.end() && std::binary_search(run->second.begin(), run->second.end(), event.slot);
    }
  };

  void take_run(const Applied& applied, const ScheduleTracker::Change& change) {
    if (change.what == ScheduleTracker::Edit::triggered) {
      if (const auto* trigger = reference_request<reference::TriggerSchedule>(applied.request))
        add_runs(trigger->schedule, trigger->run, {trigger->at});
    } else if (change.what == ScheduleTracker::Edit::backfilled) {
      if (const auto* backfill = reference_request<reference::BackfillSchedule>(applied.request))
        add_runs(backfill->schedule, backfill->run, backfill->slots);
    }
  }
  void add_runs(ScheduleId schedule, std::uint64_t run, const std::vector<StoreTime>& slots) {
    std::vector<StoreTime>& known = history_->runs[{schedule, run}];
    known.insert(known.end(), slots.begin(), slots.end());
    std::sort(known.begin(), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
  }
  void judge_run(TrueTime now, const WorkLanded& landed) {
    const reference::EventId& event = landed.item.event;
    if (history_.known_under(landed.item.token).has(event) || history_->has(event)) return;
    violate([&] {
      return Violation{now,
                       fmt::format("{} executed {} at {}, which nobody asked for", names_.who(landed.who),
                                   names_.event(event), time_text(now)),
                       {landed.who},
                       {event.schedule}};
    });
  }

  void judge(TrueTime now, Incarnation who, ScheduleId schedule, StoreTime slot,
             const ScheduleVersion* version, const char* what) {
    examined();
    if (version != nullptr && !version->paused) return;
    violate([&] {
      const char* why =
          version != nullptr ? "while the schedule was paused" : "which is no slot of the version in force";
      return Violation{now,
                       fmt::format("{} {} {} at {}, {}", names_.who(who), what, names_.slot(schedule, slot),
                                   time_text(now), why),
                       {who},
                       {schedule}};
    });
  }

  void judge_edit(TrueTime now, const Applied& applied, const ScheduleTracker::Change& change) {
    if (!change.after_delete) return;
    violate([&] {
      return Violation{now,
                       fmt::format("{} edited {} or had it run at {}, after it was deleted",
                                   names_.who(applied.who), names_.schedule(change.schedule), time_text(now)),
                       {applied.who},
                       {change.schedule}};
    });
  }

  // A row is due with the last slot that it speaks for.
  void judge_due(TrueTime now, const Applied& applied, const reference::LedgerRow& row,
                 const ScheduleVersion& version) {
    if (row.what == reference::Disposition::paused || unread_.excuses(applied, row)) return;
    const bool single = row.what == reference::Disposition::fired && row.slots == 1;
    const auto last = single ? std::optional(row.slot) : version.slots.before(row.to);
    if (!last || *last < row.from || !version.owns(*last) || row.due == version.due(*last)) return;
    violate([&] {
      return Violation{now,
                       fmt::format("{} committed {} at {}, as due at {}, and it is due at {}",
                                   names_.who(applied.who), names_.slot(row.schedule, *last), time_text(now),
                                   describe(row.due), describe(version.due(*last))),
                       {applied.who},
                       {row.schedule}};
    });
  }

  Names names_;
  StoreHistory<Known> history_;
  UnreadTracker unread_;
};

}  // namespace

const char* no_drift::not_applicable(const Scenario& scenario) { return lacks_fires(scenario); }

std::unique_ptr<Checker> no_drift::make(const CheckerSetup& setup) {
  return std::make_unique<NoDrift>(setup);
}

}  // namespace tenure::sim
