// acts-within-belief: nobody acts as the leader outside the belief that it has declared, or under another token.
//
// One-believer trusts declarations; this holds nodes to them. Without it a protocol could declare short and act
// long. The moment that counts is the step's own: what a step decided may leave, and land, much later. A token that is
// not the belief's says nothing about it: a resource that takes it cannot tell this leader from the next. An act that
// shows none is judged by fenced-writes.
// A request that only a leader may make is an act whatever it says of itself, and has to say so. Who has looked whether
// it leads has relied on it; that is no opportunity.
// Reads: requests submitted as the leader, work and writes asked for, looks, against the beliefs in the journal
// (belief_tracker.h).
// Not applicable: an election without a scheduler that writes nothing either, since nobody acts.
// One opportunity: one such act.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/describe.h"
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
      const WorkItem& item = asked->item;
      act(now, {asked->who, item.resource, item.token, {item.event.schedule}},
          [&] { return fmt::format("asked for the work of {}", names_.event(item.event)); });
    } else if (const auto* write = std::get_if<WriteAsked>(&record)) {
      act(now, {write->who, write->item.resource, write->item.token, {}},
          [] { return "wrote to the resource"; });
    } else if (const auto* submitted = std::get_if<Submitted>(&record)) {
      const Request& request = submitted->submission.request;
      const bool as_leader = submitted->submission.as_leader;
      if (!as_leader && !is_a_leaders(request)) return;
      if (!as_leader)
        blame(now, submitted->who, "submitted a leader's request", "and did not say that only a leader may");
      act(now, {submitted->who, resource_of(request), token_shown(request), {}},
          [] { return "submitted a leader's request"; });
    } else if (const auto* noted = std::get_if<Noted>(&record)) {
      if (const auto* checked = std::get_if<LeadershipChecked>(&noted->note))
        judge(now, {noted->who, checked->resource, std::nullopt, {}}, [] { return "relied on leading"; });
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

  struct Act {
    Incarnation who;
    ResourceId resource;
    std::optional<Token> token;
    std::vector<ScheduleId> schedules;
  };

  static bool is_a_leaders(const Request& request) {
    return reference_request<reference::CommitFires>(request) != nullptr ||
           reference_request<reference::SetHold>(request) != nullptr ||
           reference_request<reference::ClearHold>(request) != nullptr;
  }

  template <class What>
  void act(TrueTime now, Act act, What&& what) {
    examined();
    judge(now, std::move(act), what);
  }
  template <class What>
  void judge(TrueTime now, Act act, What&& what) {
    const Belief* belief = tracker_.lasting(act.who, act.resource);
    if (belief != nullptr && (!act.token || act.token == belief->token)) return;
    blame(now, act.who, what(), belief != nullptr ? under_another(*act.token, *belief) : outside(act),
          std::move(act.schedules));
  }
  void blame(TrueTime now, Incarnation who, std::string_view what, std::string_view why,
             std::vector<ScheduleId> schedules = {}) {
    violate([&] {
      return Violation{now,
                       fmt::format("{} {} at {}, {}", names_.who(who), what, time_text(now), why),
                       {who},
                       std::move(schedules)};
    });
  }
  static std::string under_another(const Token& token, const Belief& belief) {
    return fmt::format("under {}, while it believed to lead {}", describe(token),
                       belief.token ? "under " + describe(*belief.token) : "without a token");
  }
  std::string outside(const Act& act) const {
    const auto last = std::find_if(ended_.rbegin(), ended_.rend(), [&](const Ended& e) {
      return e.who == act.who && e.resource == act.resource;
    });
    return last == ended_.rend() ? std::string{"before it had believed to lead"}
                                 : "when its belief had ended at " + time_text(last->at);
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
