// no-lost-fire: every slot that came due by the end of the fault phase is accounted for when the run ends.
//
// What is owed: the slots of each version in [begin, end), enumerated apart from the core, up to the store's time
// at the heal. What accounts for them:
//   with the house store: ledger rows. A fired row accounts for its own slot only; a range, for what the version's
//     misfire policy (missed, coalesced) or its pause lets it; a delete, for what it left. And the work of each
//     fired slot, and of each manual run, has begun by the end of the run.
//   with a plain schedule table: the work has begun. A schedule that gives up late slots by policy owes nothing
//     here, because no ledger would say what it gave up; nor does one that was paused or, since its last fire,
//     deleted.
// Reads: edits, ledger rows, work that begins, the heal.
// Not applicable: no fires.
// One opportunity: a slot, or a manual run, that was owed.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/model/describe.h"
#include "sim/checkers/applied.h"
#include "sim/checkers/kinds.h"
#include "sim/checkers/names.h"
#include "sim/checkers/pending_fires.h"
#include "sim/checkers/range_set.h"
#include "sim/checkers/schedule_book.h"
#include "sim/checkers/slot_set.h"

namespace tenure::sim {
namespace {

using house::Disposition;

class NoLostFire final : public Checker {
 public:
  explicit NoLostFire(const CheckerSetup& setup)
      : names_(setup.scenario), view_(setup.view), has_ledger_(keeps_ledger(setup.scenario)) {}

  void see(TrueTime now, const Record& record) override {
    if (const auto* landed = std::get_if<WorkLanded>(&record)) {
      if (landed->landing == Landing::begun) begun(landed->item.event);
    } else if (const auto* applied = std::get_if<Applied>(&record)) {
      take_edit(now, *applied);
      for_each_covered(*applied, [&](const house::Covering& row) { covered(now, applied->who, row); });
    } else if (std::holds_alternative<Healed>(record)) {
      owed_until_ = view_.store_now(StoreId{}) + kStoreResolution;
      healed_ = true;
    }
  }

  void finish(TrueTime now) override {
    if (!healed_) return;
    for (std::uint32_t id = 0; id < book_.schedule_count(); ++id) {
      for (const ScheduleVersion& version : book_.versions(ScheduleId{id})) {
        if (has_ledger_) {
          judge_ledger(now, version);
        } else {
          judge_work(now, version);
        }
      }
    }
    pending_.for_each([&](const PendingFire& fire) { judge_pending(now, fire); });
  }

 private:
  void take_edit(TrueTime now, const Applied& applied) {
    const ScheduleBook::Change change = book_.see(applied);
    if (change.what == ScheduleBook::Edit::deleted) {
      deleted(change.schedule);
    } else if (change.what == ScheduleBook::Edit::triggered && !healed_) {
      const auto* trigger = house_request<house::TriggerSchedule>(applied.request);
      examined();
      pending_.add({{trigger->schedule, applied.store_now, trigger->run}, applied.who, now});
    }
  }

  void deleted(ScheduleId schedule) {
    for (const ScheduleVersion& version : book_.versions(schedule)) {
      coverage_of(version).add({version.begin, version.end});
    }
    if (!has_ledger_) forgiven_from_[schedule] = begun_of(schedule).last().value_or(StoreTime::min());
  }

  void begun(const house::EventId& event) {
    if (has_ledger_) {
      pending_.begun(event);
      return;
    }
    const ScheduleVersion* version = book_.in_force_at(event.schedule, event.slot);
    begun_of(event.schedule).add(event.slot, version != nullptr ? version->grid.period() : Duration{});
  }

  void covered(TrueTime now, Incarnation who, const house::Covering& row) {
    const ScheduleVersion* version = book_.cover(row);
    if (version == nullptr) return;
    if (row.what == Disposition::fired) {
      coverage_of(*version).add(reach_of_fired(row, *version));
      pending_.add({{row.schedule, row.slot, 0}, who, now});
      return;
    }
    if (!allowed(row.what, *version)) {
      const auto slot = version->grid.at_or_after(row.from);
      if (slot && *slot < row.to) {
        violate([&] {
          return Violation{
              now,
              fmt::format("{} was recorded as {} by {} at {}, which its definition does not allow",
                          names_.slot(row.schedule, *slot), name_of(row.what), who_text(who), time_text(now)),
              {who},
              {row.schedule}};
        });
      }
    }
    coverage_of(*version).add({row.from, row.to});
  }

  // A fired row that spans more than its own slot accounts for no more than that.
  static StoreRange reach_of_fired(const house::Covering& row, const ScheduleVersion& version) {
    const Duration period = version.grid.period();
    const bool alone =
        row.slot - row.from < period && row.to - row.slot <= period && version.grid.has(row.slot);
    return alone ? StoreRange{row.from, row.to} : StoreRange{row.slot, row.slot + kStoreResolution};
  }

  static bool allowed(Disposition what, const ScheduleVersion& version) {
    switch (what) {
      case Disposition::fired: return true;
      case Disposition::coalesced: return version.policy == Misfire::Policy::fire_once;
      case Disposition::missed: return version.policy == Misfire::Policy::skip;
      case Disposition::paused: return version.paused;
      case Disposition::overlapped: return false;
      case Disposition::deleted: return false;  // the store's to say, not a leader's
    }
    return false;
  }

  void judge_ledger(TrueTime now, const ScheduleVersion& version) {
    StoreRange owed{version.begin, std::min(version.end, owed_until_)};
    examined(version.grid.count(owed.from, owed.to));
    while (owed.from < owed.to) {
      const StoreRange gap = coverage_of(version).first_gap(owed);
      lost(now, version, gap, "is not in the ledger", "are not in the ledger");
      owed.from = gap.to;
    }
  }

  void judge_work(TrueTime now, const ScheduleVersion& version) {
    if (version.paused || version.policy != Misfire::Policy::fire_all) return;
    StoreRange owed{version.begin, std::min(version.end, owed_until_)};
    const auto forgiven = forgiven_from_.find(version.schedule);
    if (forgiven != forgiven_from_.end()) owed.to = std::min(owed.to, forgiven->second);
    examined(version.grid.count(owed.from, owed.to));
    const SlotSet& begun = begun_of(version.schedule);
    const Duration period = version.grid.period();
    auto slot = version.grid.at_or_after(owed.from);
    while (slot && *slot < owed.to) {
      const StoreTime first = begun.first_missing(*slot, owed.to, period);
      StoreTime next = first;
      while (next < owed.to && !begun.contains(next)) next += period;
      lost(now, version, {first, std::min(next, owed.to)}, "was never executed", "were never executed");
      slot = next;
    }
  }

  void lost(TrueTime now, const ScheduleVersion& version, StoreRange range, const char* one,
            const char* many) {
    const std::uint64_t count = version.grid.count(range.from, range.to);
    if (count == 0) return;
    violate([&] {
      const std::string first = names_.slot(version.schedule, *version.grid.at_or_after(range.from));
      const std::string text = count == 1
                                   ? fmt::format("{} {}", first, one)
                                   : fmt::format("{} and the slots up to {} ({} in all) {}", first,
                                                 describe(*version.grid.before(range.to)), count, many);
      return Violation{now, text, {}, {version.schedule}};
    });
  }

  void judge_pending(TrueTime now, const PendingFire& fire) {
    if (fire.event.run == 0 && fire.event.slot >= owed_until_) return;
    violate([&] {
      const std::string_view what = fire.event.run == 0 ? "was committed" : "was asked for";
      return Violation{now,
                       fmt::format("{} {} by {} at {}, but its work never began", names_.event(fire.event),
                                   what, who_text(fire.who), time_text(fire.at)),
                       {fire.who},
                       {fire.event.schedule}};
    });
  }

  RangeSet& coverage_of(const ScheduleVersion& version) {
    if (coverage_.size() <= version.index) coverage_.resize(version.index + 1);
    return coverage_[version.index];
  }
  SlotSet& begun_of(ScheduleId schedule) {
    if (begun_.size() <= schedule.value) begun_.resize(schedule.value + 1);
    return begun_[schedule.value];
  }

  Names names_;
  const View& view_;
  bool has_ledger_;
  bool healed_ = false;
  StoreTime owed_until_;  // excluded
  ScheduleBook book_;
  std::vector<RangeSet> coverage_;  // with a ledger, by version
  PendingFires pending_;            // with a ledger
  std::vector<SlotSet> begun_;      // without one, by schedule
  std::map<ScheduleId, StoreTime> forgiven_from_;
};

}  // namespace

const char* no_lost_fire::not_applicable(const Scenario& scenario) { return lacks_fires(scenario); }

std::unique_ptr<Checker> no_lost_fire::make(const CheckerSetup& setup) {
  return std::make_unique<NoLostFire>(setup);
}

}  // namespace tenure::sim
