// one-believer: no two incarnations believe at once that they lead the same resource.
//
// A belief ends at the earliest of its `until` (through that node's clock, again after each change of it), a
// step-down, and a death (belief.h). So a paused leader whose lease ran out does not count, and one that goes on
// after its deadline does not get away with a short declaration: acts-within-belief sees that.
// Reads: notes, deaths and clock changes. Applies always.
// A violation is told when the overlap begins; how long it can last is said if it is known by then.
// One opportunity: a belief that begins, compared with all others.
#include <fmt/format.h>

#include <algorithm>

#include "core/model/describe.h"
#include "sim/checkers/invariants/kinds.h"
#include "sim/checkers/names.h"
#include "sim/checkers/trackers/belief_tracker.h"

namespace tenure::sim {
namespace {

class OneBeliever final : public Checker {
 public:
  explicit OneBeliever(const CheckerSetup& setup)
      : names_(setup.scenario, setup.nodes), tracker_(setup.view) {}

  std::uint32_t wants() const override { return BeliefTracker::kReads; }

  void see(TrueTime now, const Record& record) override {
    tracker_.see(now, record);
    for (const BeliefChange& change : tracker_.changes()) {
      if (change.what == BeliefChange::What::began) began(change.at, change.belief);
    }
  }

 private:
  void began(TrueTime now, const Belief& fresh) {
    examined();
    for (const Belief& other : tracker_.beliefs()) {
      if (!other.lasts || other.resource != fresh.resource || other.who == fresh.who) continue;
      const TrueTime end = std::min(other.end, fresh.end);
      const std::string length =
          end == TrueTime::max() ? "until one of them steps down" : "for up to " + describe(end - now);
      violate({now,
               fmt::format("{} began to believe that it leads at {}, while {} still did, since {}: {}",
                           names_.who(fresh.who), time_text(now), names_.who(other.who),
                           time_text(other.since), length),
               {other.who, fresh.who},
               {}});
    }
  }

  Names names_;
  BeliefTracker tracker_;
};

}  // namespace

const char* one_believer::not_applicable(const Scenario&) { return nullptr; }

std::unique_ptr<Checker> one_believer::make(const CheckerSetup& setup) {
  return std::make_unique<OneBeliever>(setup);
}

}  // namespace tenure::sim
