// acts-within-belief: nobody acts as the leader outside the belief that it has declared.
//
// One-believer trusts declarations; this holds nodes to them. Without it a protocol could declare short and act
// long. The moment that counts is the step's own: what a step decided may leave, and land, much later.
// Reads: requests submitted as the leader, work and writes asked for, against the beliefs in the journal (belief.h).
// Not applicable: an election without a scheduler that writes nothing either, since nobody acts.
// One opportunity: one such act.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "sim/checkers/invariants/kinds.h"
#include "sim/checkers/names.h"
#include "sim/checkers/trackers/applied.h"
#include "sim/checkers/trackers/belief_tracker.h"

namespace tenure::sim {
namespace {

class ActsWithinBelief final : public Checker {
 public:
  explicit ActsWithinBelief(const CheckerSetup& setup)
      : names_(setup.scenario, setup.nodes), tracker_(setup.view) {}

  std::uint32_t wants() const override {
    return BeliefTracker::kReads | record_mask<WorkAsked, WriteAsked, Submitted>();
  }

  void see(TrueTime now, const Record& record) override {
    if (!tracker_.passes_over(now, record)) {
      tracker_.see(now, record);
      for (const BeliefChange& change : tracker_.changes()) remember(change);
    }
    if (const auto* asked = std::get_if<WorkAsked>(&record)) {
      examined();
      if (tracker_.believes(asked->who, asked->item.resource)) return;
      violate([&] {
        return violation(now, asked->who, asked->item.resource,
                         fmt::format("asked for the work of {}", names_.event(asked->item.event)),
                         {asked->item.event.schedule});
      });
    } else if (const auto* write = std::get_if<WriteAsked>(&record)) {
      examined();
      if (tracker_.believes(write->who, write->item.resource)) return;
      violate([&] { return violation(now, write->who, write->item.resource, "wrote to the resource", {}); });
    } else if (const auto* submitted = std::get_if<Submitted>(&record)) {
      if (!submitted->submission.as_leader) return;
      examined();
      const ResourceId resource = resource_of(submitted->submission.request);
      if (tracker_.believes(submitted->who, resource)) return;
      violate([&] { return violation(now, submitted->who, resource, "submitted a leader's request", {}); });
    }
  }

 private:
  static constexpr std::size_t kRemembered = 64;

  struct Ended {
    Incarnation who;
    ResourceId resource;
    TrueTime at;
  };

  void remember(const BeliefChange& change) {
    if (change.what != BeliefChange::What::ended) return;
    ended_.push_back({change.belief.who, change.belief.resource, change.at});
    if (ended_.size() > kRemembered) ended_.erase(ended_.begin());
  }

  Violation violation(TrueTime now, Incarnation who, ResourceId resource, const std::string& act,
                      std::vector<ScheduleId> schedules) const {
    const auto last = std::find_if(ended_.rbegin(), ended_.rend(),
                                   [&](const Ended& e) { return e.who == who && e.resource == resource; });
    const std::string since = last == ended_.rend() ? std::string{"before it had believed to lead"}
                                                    : "when its belief had ended at " + time_text(last->at);
    return {now,
            fmt::format("{} {} at {}, {}", names_.who(who), act, time_text(now), since),
            {who},
            std::move(schedules)};
  }

  Names names_;
  BeliefTracker tracker_;
  std::vector<Ended> ended_;  // the last few, for messages
};

}  // namespace

const char* acts_within_belief::not_applicable(const Scenario& scenario) {
  const bool acts = leaders_write(scenario) || places_nothing(scenario) == nullptr;
  return acts ? nullptr : lacks_fires(scenario);
}

std::unique_ptr<Checker> acts_within_belief::make(const CheckerSetup& setup) {
  return std::make_unique<ActsWithinBelief>(setup);
}

}  // namespace tenure::sim
