// never-early: nothing fires before its slot, by the store's clock.
//
// A ledger row is held against the store time of its own commit: a fired slot, and the last instant of a range. Work
// is held against the greatest store time that anybody was shown by then, because a slot stays due when the store's
// clock is set back between the commit and the work.
// Reads: what the store applied, work that begins; manual runs are left out.
// Not applicable: no fires.
// One opportunity: one row, or beginning.
#include <fmt/format.h>

#include <algorithm>

#include "core/model/describe.h"
#include "sim/checkers/applied.h"
#include "sim/checkers/kinds.h"
#include "sim/checkers/names.h"
#include "sim/checkers/slot_grid.h"

namespace tenure::sim {
namespace {

class NeverEarly final : public Checker {
 public:
  explicit NeverEarly(const CheckerSetup& setup) : names_(setup.scenario) {}

  void see(TrueTime now, const Record& record) override {
    if (const auto* landed = std::get_if<WorkLanded>(&record)) {
      if (landed->landing != Landing::begun || landed->item.event.run != 0) return;
      shown_ = std::max(shown_, landed->store_now);
      judge(now, landed->who, landed->item.event.schedule, landed->item.event.slot, shown_, "executed");
    } else if (const auto* applied = std::get_if<Applied>(&record)) {
      shown_ = std::max(shown_, applied->store_now);
      for_each_covered(*applied, [&](const house::Covering& row) {
        const bool fired = row.what == house::Disposition::fired;
        judge(now, applied->who, row.schedule, fired ? row.slot : row.to - kStoreResolution,
              applied->store_now, fired ? "committed" : "written off");
      });
    }
  }

 private:
  void judge(TrueTime now, Incarnation who, ScheduleId schedule, StoreTime slot, StoreTime store_now,
             const char* what) {
    examined();
    if (slot <= store_now) return;
    violate([&] {
      return Violation{now,
                       fmt::format("{} was {} by {} at {}, {} early", names_.slot(schedule, slot), what,
                                   who_text(who), time_text(now), describe(slot - store_now)),
                       {who},
                       {schedule}};
    });
  }

  Names names_;
  StoreTime shown_ = StoreTime::min();
};

}  // namespace

const char* never_early::not_applicable(const Scenario& scenario) { return lacks_fires(scenario); }

std::unique_ptr<Checker> never_early::make(const CheckerSetup& setup) {
  return std::make_unique<NeverEarly>(setup);
}

}  // namespace tenure::sim
