// Whoever acts as the leader believes at that moment, by what it has declared, and shows the token that it declared.
#include "core/model/describe.h"
#include "tests/judge/beliefs.h"
#include "tests/judge/invariants.h"
#include "tests/judge/tokens.h"

namespace tenure::judging {

std::vector<Wrong> acts_within_belief(const Case& run) {
  const std::vector<Belief> all = beliefs(run.history);
  std::vector<Wrong> wrongs;
  const auto act = [&](std::size_t place, Incarnation who, ResourceId resource, std::optional<Token> token) {
    const Belief* belief = belief_at(all, run.history, who, resource, place);
    if (belief == nullptr)
      wrongs.push_back({run.history.facts[place].at, describe(who) + " acts and does not believe"});
    else if (token && token != belief->token)
      wrongs.push_back({run.history.facts[place].at, describe(who) + " acts under another token"});
  };
  for (std::size_t place = 0; place < run.history.facts.size(); ++place) {
    const Fact& fact = run.history.facts[place].fact;
    if (const auto* submitted = std::get_if<KeptSubmission>(&fact);
        submitted && submitted->submission.as_leader)
      act(place, submitted->who, resource_of(submitted->submission.request),
          token_of(submitted->submission.request));
    if (const auto* asked = std::get_if<KeptWorkAsked>(&fact))
      act(place, asked->who, asked->item.resource, asked->item.token);
    if (const auto* asked = std::get_if<sim::WriteAsked>(&fact))
      act(place, asked->who, asked->item.resource, asked->item.token);
  }
  return wrongs;
}

}  // namespace tenure::judging
