// A term that begins has a newer token than all terms before it. It begins when somebody first has its token: the store
// grants it or, where no store grants any, a node declares that it leads under it.
#include "core/model/describe.h"
#include "tests/judge/invariants.h"
#include "tests/judge/tokens.h"

namespace tenure::judging {
namespace {

struct Term {
  ResourceId resource;
  Token token;
  Incarnation who;
};

// Tokens of the reference store begin with a grant, those of other protocols with a belief. Who believes in a token
// that was given to another is one-holder-per-epoch's.
std::optional<Term> term_in(const Fact& fact, bool from_store) {
  if (const auto* applied = std::get_if<KeptApplied>(&fact)) {
    const auto* granted = as_reference<reference::Granted>(applied->reply);
    if (granted != nullptr) return Term{resource_of(applied->request), granted->token, applied->who};
  } else if (const auto* note = std::get_if<KeptNote>(&fact)) {
    const auto* believes = std::get_if<Believes>(&note->note);
    if (!from_store && believes != nullptr && believes->token)
      return Term{believes->resource, *believes->token, note->who};
  }
  return std::nullopt;
}

}  // namespace

std::vector<Wrong> epochs_increase(const Case& run) {
  std::vector<Wrong> wrongs;
  std::vector<Term> before;
  const bool from_store = run.scenario.protocol->store == &kReferenceStore;
  for (const Kept& kept : run.history.facts) {
    const std::optional<Term> term = term_in(kept.fact, from_store);
    if (!term) continue;
    bool known = false;
    const Term* not_below = nullptr;
    for (const Term& other : before) {
      if (other.resource != term->resource) continue;
      known = known || (other.token == term->token && other.who == term->who);
      if (!other.token.older_than(term->token)) not_below = &other;
    }
    if (known) continue;
    if (not_below != nullptr)
      wrongs.push_back({kept.at, describe(term->token) + " comes after " + describe(not_below->token)});
    before.push_back(*term);
  }
  return wrongs;
}

}  // namespace tenure::judging
