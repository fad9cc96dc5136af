// no-stale-assignment: no assignment overwrites one that its leader had not seen.
//
// A leader that stood still, or a request that was held up, undoes what was decided since. The versions are counted
// here anew, from what the store carried out.
// Reads: assignments as they are applied, failovers of the store.
// Not applicable: schedulers that place nothing.
// One opportunity: an assignment that was carried out.
#include <fmt/format.h>

#include <map>

#include "sim/checkers/invariants/checker_of.h"
#include "sim/checkers/trackers/placement_tracker.h"
#include "sim/checkers/trackers/store_history.h"
#include "sim/stores/placement/requests.h"

namespace tenure::sim {
namespace {

class NoStaleAssignment final : public CheckerOf<NoStaleAssignment> {
 public:
  using CheckerOf::CheckerOf;

  std::uint32_t wants() const override { return StoreHistory<Known>::kReads | CheckerOf::wants(); }
  void before(TrueTime, const Record& record) { history_.see(record); }
  void on(TrueTime now, const Applied& applied) {
    const auto* assign = placement_request<placement::AssignItem>(applied.request);
    if (assign == nullptr || placement_reply<placement::Assigned>(applied.reply) == nullptr) return;
    examined();
    Last& last = history_->items[assign->item];
    if (assign->seen != last.version) report(now, applied, *assign, last);
    last = {last.version + 1, assign->worker, applied.who, now};
  }

 private:
  struct Last {
    std::int64_t version = 0;
    std::int64_t worker = 0;
    Incarnation who;
    TrueTime at;
  };
  struct Known {
    std::map<std::int64_t, Last> items;
  };

  void report(TrueTime now, const Applied& applied, const placement::AssignItem& assign, const Last& last) {
    violate(now, {applied.who, last.version == 0 ? applied.who : last.who}, {},
            last.version == 0
                ? fmt::format("{} assigned item {} to worker {} at {}, by a version of it that was lost",
                              names_.who(applied.who), assign.item, assign.worker, time_text(now))
                : fmt::format(
                      "{} assigned item {} to worker {} at {}, and had not seen that {} had assigned it to "
                      "worker {} at {}",
                      names_.who(applied.who), assign.item, assign.worker, time_text(now),
                      names_.who(last.who), last.worker, time_text(last.at)));
  }

  StoreHistory<Known> history_;
};

}  // namespace

TENURE_MADE_UNLESS(places_nothing, no_stale_assignment, NoStaleAssignment)

}  // namespace tenure::sim
