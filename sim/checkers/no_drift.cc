// no-drift: every fire is at a slot of the version in force, exactly, whatever happened before; and due at that slot
// or later by its jitter, which is the same on every node.
//
// Slots and jitter are recomputed apart from the core (slots.h), versions from the edits (schedule_book.h). A version
// that is paused has no slots to fire. Manual runs and backfills have times of their own; but once a schedule is
// deleted, it takes neither, and no edit.
// Reads: edits and manual runs, ledger rows that say fired, work that begins.
// Not applicable: no fires.
// One opportunity: one such row, or beginning.
#include <fmt/format.h>

#include "core/model/describe.h"
#include "sim/checkers/applied.h"
#include "sim/checkers/kinds.h"
#include "sim/checkers/names.h"
#include "sim/checkers/schedule_book.h"
#include "sim/checkers/store_history.h"

namespace tenure::sim {
namespace {

class NoDrift final : public Checker {
 public:
  explicit NoDrift(const CheckerSetup& setup) : names_(setup.scenario, setup.nodes) {}

  void see(TrueTime now, const Record& record) override {
    history_.see(record);
    if (const auto* landed = std::get_if<WorkLanded>(&record)) {
      if (landed->landing != Landing::begun || landed->item.event.run != 0) return;
      const house::EventId& event = landed->item.event;
      const ScheduleVersion* version =
          history_.known_under(landed->item.token).book.owner(event.schedule, event.slot);
      // Who still believes under a token of an earlier branch reads the outbox of this one.
      const ScheduleVersion* now_known = history_->book.owner(event.schedule, event.slot);
      if (version == nullptr || (version->paused && now_known != nullptr)) version = now_known;
      judge(now, landed->who, event.schedule, event.slot, version, "executed");
    } else if (const auto* applied = std::get_if<Applied>(&record)) {
      judge_edit(now, *applied, history_->book.see(*applied));
      for_each_covered(*applied, [&](const house::Covering& row) {
        const ScheduleVersion* version = history_->book.cover(row);
        if (version != nullptr) judge_due(now, applied->who, row, *version);
        if (row.what != house::Disposition::fired) return;
        const bool owned = version != nullptr && version->owns(row.slot);
        judge(now, applied->who, row.schedule, row.slot, owned ? version : nullptr, "committed");
      });
    }
  }

 private:
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

  void judge_edit(TrueTime now, const Applied& applied, const ScheduleBook::Change& change) {
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
  void judge_due(TrueTime now, Incarnation who, const house::Covering& row, const ScheduleVersion& version) {
    if (row.what == house::Disposition::paused) return;
    const bool single = row.what == house::Disposition::fired && row.slots == 1;
    const auto last = single ? std::optional(row.slot) : version.slots.before(row.to);
    if (!last || *last < row.from || !version.owns(*last) || row.due == version.due(*last)) return;
    violate([&] {
      return Violation{now,
                       fmt::format("{} committed {} at {}, as due at {}, and it is due at {}",
                                   names_.who(who), names_.slot(row.schedule, *last), time_text(now),
                                   describe(row.due), describe(version.due(*last))),
                       {who},
                       {row.schedule}};
    });
  }

  Names names_;
  StoreHistory<KnownSchedules> history_;
};

}  // namespace

const char* no_drift::not_applicable(const Scenario& scenario) { return lacks_fires(scenario); }

std::unique_ptr<Checker> no_drift::make(const CheckerSetup& setup) {
  return std::make_unique<NoDrift>(setup);
}

}  // namespace tenure::sim
