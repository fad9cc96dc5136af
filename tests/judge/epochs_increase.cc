// A term that begins has a newer token than all terms before it, and the first one's epoch is above 0. The store begins
// it with a grant. Where no store grants any, it begins with a belief, or with another token in one that lasts. Who is
// given the newest token of all once more goes on with the term.
#include "core/model/describe.h"
#include "tests/judge/beliefs.h"
#include "tests/judge/invariants.h"
#include "tests/judge/tokens.h"

namespace tenure::judging {
namespace {

struct Term {
  sim::TrueTime at;
  ResourceId resource;
  Token token;
  Incarnation who;
};

std::vector<Term> granted_terms(const History& history) {
  std::vector<Term> terms;
  for (const Kept& kept : history.facts)
    if (const auto* applied = std::get_if<KeptApplied>(&kept.fact);
        applied != nullptr && as_reference<reference::Acquire>(applied->request) != nullptr)
      if (const auto* granted = as_reference<reference::Granted>(applied->reply))
        terms.push_back({kept.at, resource_of(applied->request), granted->token, applied->who});
  return terms;
}

std::vector<Term> believed_terms(const History& history) {
  std::vector<Term> terms;
  std::map<std::pair<Incarnation, ResourceId>, std::pair<sim::TrueTime, Token>>
      shown;  // last, in a leadership
  for (const Belief& belief : beliefs(history)) {
    if (!belief.token || !belief.began()) continue;
    const std::pair now{belief.leads_since, *belief.token};
    const auto [last, first] = shown.try_emplace({belief.who, belief.resource}, now);
    if (!first && last->second == now) continue;
    last->second = now;
    terms.push_back({belief.begin, belief.resource, *belief.token, belief.who});
  }
  return terms;
}

}  // namespace

std::vector<Wrong> epochs_increase(const Case& run) {
  std::vector<Wrong> wrongs;
  std::map<ResourceId, Term> newest;
  const bool from_store = offers(run.scenario.protocol->store, &StoreKind::issues_tokens);
  for (const Term& term : from_store ? granted_terms(run.history) : believed_terms(run.history)) {
    const auto before = newest.find(term.resource);
    const bool is_first = before == newest.end();
    if (!is_first && before->second.token == term.token && before->second.who == term.who) continue;
    if (is_first ? term.token.epoch > 0 : before->second.token.older_than(term.token))
      newest.insert_or_assign(term.resource, term);
    else
      wrongs.push_back({term.at, describe(term.token) + " is no newer than those before it"});
  }
  return wrongs;
}

}  // namespace tenure::judging
