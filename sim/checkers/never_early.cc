// never-early: nothing fires before it is due, by the store's clock: before its slot, or that and its jitter.
//
// A ledger row is held against the store time of its own commit: a fired slot, and of a range the last instant, and
// the last slot that it gives up. Work is held against the greatest store time that anybody was shown by then, because
// a slot stays due when the store's clock is set back between the commit and the work. And work that comes before the
// ledger speaks of its slot is early whatever the time: should the commit come to nothing, it was nobody's.
// Without a ledger there is no jitter: designs of that kind know of none.
// Reads: edits, what the store applied, work that begins; manual runs and backfills are left out.
// Not applicable: no fires.
// One opportunity: one row, or beginning.
#include <fmt/format.h>

#include <algorithm>

#include "core/model/describe.h"
#include "sim/checkers/applied.h"
#include "sim/checkers/kinds.h"
#include "sim/checkers/names.h"
#include "sim/checkers/schedule_book.h"
#include "sim/checkers/store_history.h"

namespace tenure::sim {
namespace {

class NeverEarly final : public Checker {
 public:
  explicit NeverEarly(const CheckerSetup& setup)
      : names_(setup.scenario, setup.nodes), has_ledger_(keeps_ledger(setup.scenario)) {}

  void see(TrueTime now, const Record& record) override {
    history_.see(record);
    if (const auto* landed = std::get_if<WorkLanded>(&record)) {
      if (landed->landing != Landing::begun || landed->item.event.run != 0) return;
      shown_ = std::max(shown_, landed->store_now);
      const house::EventId& event = landed->item.event;
      const ScheduleBook& book = history_.known_under(landed->item.token).book;
      const ScheduleVersion* version = has_ledger_ ? book.in_force_at(event.schedule, event.slot) : nullptr;
      const StoreTime due = version != nullptr ? version->due(event.slot) : event.slot;
      const bool early = judge(now, landed->who, event.schedule, event.slot, due, shown_, "executed");
      if (!early && version != nullptr && version->covered_until <= event.slot && !committed_now(event))
        uncommitted(now, *landed);
    } else if (const auto* applied = std::get_if<Applied>(&record)) {
      shown_ = std::max(shown_, applied->store_now);
      history_->book.see(*applied);
      for_each_covered(*applied, [&](const house::Covering& row) { covered(now, *applied, row); });
    }
  }

 private:
  // Who still believes under a token of an earlier branch reads the outbox of this one.
  bool committed_now(const house::EventId& event) const {
    const ScheduleVersion* version = history_->book.in_force_at(event.schedule, event.slot);
    return version != nullptr && version->covered_until > event.slot;
  }

  void covered(TrueTime now, const Applied& applied, const house::Covering& row) {
    const ScheduleVersion* version = history_->book.cover(row);
    const bool fired = row.what == house::Disposition::fired;
    StoreTime slot = fired ? row.slot : row.to - kStoreResolution;
    StoreTime due = slot;
    if (version != nullptr && version->slots.jittered()) {
      // A pause suppresses slots as they come, due or not.
      const auto last = row.what != house::Disposition::paused ? version->slots.before(row.to) : std::nullopt;
      if (fired) {
        due = version->due(slot);
      } else if (last && *last >= row.from && version->due(*last) > due) {
        slot = *last;
        due = version->due(slot);
      }
    }
    judge(now, applied.who, row.schedule, slot, due, applied.store_now, fired ? "committed" : "written off");
  }

  void uncommitted(TrueTime now, const WorkLanded& landed) {
    violate([&] {
      return Violation{now,
                       fmt::format("{} was executed by {} at {}, before it was committed",
                                   names_.event(landed.item.event), names_.who(landed.who), time_text(now)),
                       {landed.who},
                       {landed.item.event.schedule}};
    });
  }

  // Whether it was early.
  bool judge(TrueTime now, Incarnation who, ScheduleId schedule, StoreTime slot, StoreTime due,
             StoreTime store_now, const char* what) {
    examined();
    if (due <= store_now) return false;
    violate([&] {
      return Violation{now,
                       fmt::format("{} was {} by {} at {}, {} early", names_.slot(schedule, slot), what,
                                   names_.who(who), time_text(now), describe(due - store_now)),
                       {who},
                       {schedule}};
    });
    return true;
  }

  Names names_;
  bool has_ledger_;
  StoreHistory<KnownSchedules> history_;
  StoreTime shown_ = StoreTime::min();
};

}  // namespace

const char* never_early::not_applicable(const Scenario& scenario) { return lacks_fires(scenario); }

std::unique_ptr<Checker> never_early::make(const CheckerSetup& setup) {
  return std::make_unique<NeverEarly>(setup);
}

}  // namespace tenure::sim
