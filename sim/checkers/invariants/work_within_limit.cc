// work-within-limit: no instance has more work running at once than the scheduler's `max_running`.
//
// Counted is work that has begun in the outside world and is not over there; a leader counts a piece for longer, from
// its asking to its answer.
// Reads: work that begins and ends.
// Not applicable: no fires, or a scheduler without such a limit.
// One opportunity: work that begins.
#include <fmt/format.h>

#include <algorithm>

#include "sim/checkers/invariants/checker_of.h"

namespace tenure::sim {
namespace {

class WorkWithinLimit final : public CheckerOf<WorkWithinLimit> {
 public:
  explicit WorkWithinLimit(const CheckerSetup& setup)
      : CheckerOf(setup), limit_(setup.scenario.scheduling.number("max_running")) {}

  void on(TrueTime now, const WorkArrived& landed) {
    if (landed.landing == DeliveryOutcome::begun) begun(now, landed);
  }

 private:
  void begun(TrueTime now, const WorkArrived& landed) {
    examined();
    for (const Worker& worker : run_.work().workers(landed.item.resource)) {
      if (worker.who != landed.who || worker.running <= limit_) continue;
      violate(now, {landed.who}, {landed.item.event.schedule},
              fmt::format("{} began {} at {}, and had {} pieces of work running; at most {} may be",
                          names_.who(landed.who), names_.event(landed.item.event), time_text(now),
                          worker.running, limit_));
    }
  }

  std::int64_t limit_;
};

}  // namespace

const char* work_within_limit::not_applicable(const Scenario& scenario) {
  if (const char* why = lacks_own_work(scenario)) return why;
  return scheduling_number(scenario, "max_running", -1) >= 0 ? nullptr
                                                             : "the scheduler sets its work no limit";
}

TENURE_MADE_AS(work_within_limit, WorkWithinLimit)

}  // namespace tenure::sim
