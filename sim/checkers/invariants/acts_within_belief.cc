// acts-within-belief: nobody acts as the leader outside the belief that it has declared, or under another token.
//
// One-believer trusts declarations; this holds nodes to them. Without it a protocol could declare short and act
// long. The moment that counts is the step's own: what a step decided may leave, and land, much later. A token that is
// not the belief's says nothing about it: a resource that takes it cannot tell this leader from the next. An act that
// shows none is judged by fenced-writes.
// Reads: requests submitted as the leader, work and writes asked for, against the beliefs in the journal (belief.h).
// Not applicable: an election without a scheduler that writes nothing either, since nobody acts.
// One opportunity: one such act.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/model/describe.h"
#include "sim/checkers/invariants/checker_of.h"
#include "sim/checkers/trackers/applied.h"

namespace tenure::sim {
namespace {

class ActsWithinBelief final : public CheckerOf<ActsWithinBelief> {
 public:
  using CheckerOf::CheckerOf;

  void on(const BeliefChange& change) {
    if (change.what != BeliefChange::What::ended) return;
    ended_.push_back({change.belief.who, change.belief.resource, change.at});
    if (ended_.size() > kRemembered) ended_.erase(ended_.begin());
  }
  void on(TrueTime now, const WorkAsked& asked) {
    const WorkItem& item = asked.item;
    act(now, {asked.who, item.resource, item.token, item.event.schedule},
        [&] { return fmt::format("asked for the work of {}", names_.event(item.event)); });
  }
  void on(TrueTime now, const WriteAsked& write) {
    act(now, {write.who, write.item.resource, write.item.token, {}}, [] { return "wrote to the resource"; });
  }
  void on(TrueTime now, const Submitted& submitted) {
    if (!submitted.submission.as_leader) return;
    const Request& request = submitted.submission.request;
    act(now, {submitted.who, resource_of(request), token_shown(request), {}},
        [] { return "submitted a leader's request"; });
  }

 private:
  static constexpr std::size_t kRemembered = 64;

  struct Ended {
    Incarnation who;
    ResourceId resource;
    TrueTime at;
  };

  struct Act {
    Incarnation who;
    ResourceId resource;
    std::optional<Token> token;
    std::optional<ScheduleId> schedule;
  };

  template <class What>
  void act(TrueTime now, Act act, What&& what) {
    examined();
    const Belief* belief = run_.beliefs().lasting(act.who, act.resource);
    if (belief != nullptr && (!act.token || act.token == belief->token)) return;
    violate(now, {act.who}, act.schedule ? std::vector{*act.schedule} : std::vector<ScheduleId>{},
            fmt::format("{} {} at {}, {}", names_.who(act.who), what(), time_text(now),
                        belief != nullptr ? under_another(*act.token, *belief) : outside(act)));
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

  std::vector<Ended> ended_;  // the last few, for messages
};

}  // namespace

const char* acts_within_belief::not_applicable(const Scenario& scenario) {
  const bool acts = leaders_write(scenario) || places_nothing(scenario) == nullptr;
  return acts ? nullptr : lacks_fires(scenario);
}

TENURE_MADE_AS(acts_within_belief, ActsWithinBelief)

}  // namespace tenure::sim
