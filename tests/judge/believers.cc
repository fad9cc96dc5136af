// Who believes to lead: nobody beside another, and whoever acts as the leader.
#include <algorithm>

#include "core/model/describe.h"
#include "tests/judge/beliefs.h"
#include "tests/judge/invariants.h"
#include "tests/judge/tokens.h"

namespace tenure::judging {

// No two incarnations believe at once that they lead.
std::vector<Wrong> one_believer(const Case& run) {
  // A belief that was extended is one: the pieces touch, and say the same of who believes.
  std::vector<Belief> whole;
  for (const Belief& piece : beliefs(run.history)) {
    const auto before = std::find_if(whole.begin(), whole.end(), [&](const Belief& belief) {
      return belief.who == piece.who && belief.resource == piece.resource && belief.end == piece.begin;
    });
    if (before != whole.end())
      before->end = piece.end;
    else
      whole.push_back(piece);
  }
  std::vector<Wrong> wrongs;
  for (const Belief& a : whole)
    for (const Belief& b : whole)
      if (a.who < b.who && a.resource == b.resource && std::max(a.begin, b.begin) < std::min(a.end, b.end))
        wrongs.push_back(
            {std::max(a.begin, b.begin), describe(a.who) + " and " + describe(b.who) + " believe"});
  return wrongs;
}

// Whoever acts as the leader believes at that moment, by what it has declared, and shows the token that it declared.
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
