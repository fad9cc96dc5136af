// A term of leadership, which is an epoch on a branch of a resource, belongs to one incarnation, by one grant: in the
// grants of the store, in what nodes declare, and in the writes and the work that they ask for and that land. Another
// nonce is another grant. It begins with a grant or, where the store grants none, with a belief: nothing else shows a
// token that nobody was given.
#include <tuple>

#include "core/model/describe.h"
#include "tests/judge/invariants.h"
#include "tests/judge/tokens.h"

namespace tenure::judging {
namespace {

struct Use {
  sim::TrueTime at;
  ResourceId resource;
  Token token;
  Incarnation who;
  bool is_given = false;
};

std::vector<Use> uses_of_tokens(const History& history, bool from_store) {
  std::vector<Use> uses;
  for (const Kept& kept : history.facts) {
    const auto use = [&](ResourceId resource, const std::optional<Token>& token, Incarnation who,
                         bool is_given = false) {
      if (token) uses.push_back({kept.at, resource, *token, who, is_given});
    };
    if (const auto* note = std::get_if<KeptNote>(&kept.fact)) {
      if (const auto* believes = std::get_if<Believes>(&note->note))
        use(believes->resource, believes->token, note->who, !from_store);
    } else if (const auto* submitted = std::get_if<KeptSubmission>(&kept.fact)) {
      const Request& request = submitted->submission.request;
      use(resource_of(request), token_of(request), submitted->who);
    } else if (const auto* asked = std::get_if<KeptWorkAsked>(&kept.fact)) {
      use(asked->item.resource, asked->item.token, asked->who);
    } else if (const auto* landed = std::get_if<KeptArrival>(&kept.fact)) {
      use(landed->item.resource, landed->item.token, landed->who);
    } else if (const auto* asks = std::get_if<sim::WriteAsked>(&kept.fact)) {
      use(asks->item.resource, asks->item.token, asks->who);
    } else if (const auto* written = std::get_if<sim::WriteLanded>(&kept.fact)) {
      use(written->item.resource, written->item.token, written->who);
    } else if (const auto* applied = std::get_if<KeptApplied>(&kept.fact)) {
      const auto* granted = as_reference<reference::Granted>(applied->reply);
      if (granted != nullptr) use(resource_of(applied->request), granted->token, applied->who, true);
      if (as_reference<reference::Committed>(applied->reply) != nullptr)
        use(resource_of(applied->request), token_of(applied->request), applied->who);
    }
  }
  return uses;
}

}  // namespace

std::vector<Wrong> one_holder_per_epoch(const Case& run) {
  std::vector<Wrong> wrongs;
  std::map<std::tuple<ResourceId, std::uint32_t, std::uint64_t>, Use> first;
  const bool from_store = offers(run.scenario.protocol->store, &StoreKind::issues_tokens);
  for (const Use& use : uses_of_tokens(run.history, from_store)) {
    const std::tuple term{use.resource, use.token.branch, use.token.epoch};
    const auto [known, begins] = first.try_emplace(term, use);
    const Use& holder = known->second;
    if (begins && !use.is_given)
      wrongs.push_back(
          {use.at, describe(use.who) + " shows " + describe(use.token) + ", which nobody was given"});
    if (holder.who != use.who || holder.token.nonce != use.token.nonce)
      wrongs.push_back(
          {use.at, describe(use.token) + " is of " + describe(holder.who) + " and of " + describe(use.who)});
  }
  return wrongs;
}

}  // namespace tenure::judging
