// What is done in the outside world belongs to the leadership in which it was asked for, the last time before it began.
// It does not begin once somebody else has done something there in a later leadership.
//
// And a leader is not refused what it has asked for in the leadership that still lasts, under its own token, while
// nobody believes beside it or ever did under a newer token.
#include <algorithm>
#include <optional>

#include "core/model/describe.h"
#include "tests/judge/beliefs.h"
#include "tests/judge/invariants.h"

namespace tenure::judging {
namespace {

// Work, or a write, of somebody.
struct Act {
  Incarnation who;
  ResourceId resource;
  std::optional<reference::EventId> event;  // none: a write
  std::uint64_t number = 0;                 // of the attempt, or of the write
  bool operator==(const Act&) const = default;
};
Act work(Incarnation who, const WorkItem& item) { return {who, item.resource, item.event, item.attempt}; }
Act write(Incarnation who, const WriteItem& item) { return {who, item.resource, std::nullopt, item.number}; }

std::optional<Act> asked_for(const Fact& fact) {
  if (const auto* asked = std::get_if<KeptWorkAsked>(&fact)) return work(asked->who, asked->item);
  if (const auto* asked = std::get_if<sim::WriteAsked>(&fact)) return write(asked->who, asked->item);
  return std::nullopt;
}
std::optional<Act> landed(const Fact& fact) {
  if (const auto* it = std::get_if<KeptLanding>(&fact)) return work(it->who, it->item);
  if (const auto* it = std::get_if<sim::WriteLanded>(&fact)) return write(it->who, it->item);
  return std::nullopt;
}
sim::DeliveryOutcome outcome(const Fact& fact) {
  if (const auto* work = std::get_if<KeptLanding>(&fact)) return work->landing;
  return std::get<sim::WriteLanded>(fact).fenced ? sim::DeliveryOutcome::fenced : sim::DeliveryOutcome::begun;
}
std::optional<Token> token_shown(const Fact& fact) {
  const auto* work = std::get_if<KeptLanding>(&fact);
  return work != nullptr ? work->item.token : std::get<sim::WriteLanded>(fact).item.token;
}

struct Done {
  Act act;
  sim::TrueTime leads_since;
};

// The place at which the act was asked for, the last time before this one; nullopt: it has arrived as often by then as
// it was asked for.
std::optional<std::size_t> asked_before(const History& history, std::size_t place, const Act& act) {
  std::optional<std::size_t> last;
  std::int64_t on_its_way = 0;
  for (std::size_t earlier = 0; earlier < place; ++earlier) {
    const Fact& fact = history.facts[earlier].fact;
    if (asked_for(fact) == act) {
      last = earlier;
      ++on_its_way;
    }
    if (landed(fact) == act && on_its_way > 0) --on_its_way;
  }
  return on_its_way > 0 ? last : std::nullopt;
}

// When the last leadership of `who` began that had begun by this place; the beginning of time: none had.
sim::TrueTime led_since(const std::vector<Belief>& all, Incarnation who, ResourceId resource,
                        std::size_t place) {
  sim::TrueTime since;
  for (const Belief& belief : all)
    if (belief.who == who && belief.resource == resource && belief.from <= place && belief.began())
      since = belief.leads_since;
  return since;
}

// Should the act not have been refused? It was asked for by a leader since `leads_since`.
bool is_of_sitting_leader(const Case& run, const std::vector<Belief>& all, std::size_t place, const Done& it,
                          const std::optional<Token>& shown) {
  const Belief* own = belief_at(all, run.history, it.act.who, it.act.resource, place);
  if (own == nullptr || own->leads_since > it.leads_since || !shown || shown != own->token) return false;
  return std::none_of(all.begin(), all.end(), [&](const Belief& other) {
    if (other.resource != it.act.resource || other.from > place || !other.began()) return false;
    const bool is_beside = other.who != it.act.who && lasts_at(other, run.history, place);
    return is_beside || (other.token && own->token->older_than(*other.token));
  });
}

}  // namespace

std::vector<Wrong> no_stale_act(const Case& run) {
  const std::vector<Belief> all = beliefs(run.history);
  std::vector<Wrong> wrongs;
  std::vector<Done> done;
  for (std::size_t place = 0; place < run.history.facts.size(); ++place) {
    const Fact& fact = run.history.facts[place].fact;
    const std::optional<Act> act = landed(fact);
    if (!act) continue;
    const auto asked = asked_before(run.history, place, *act);
    if (!asked) continue;
    const Done it{*act, led_since(all, act->who, act->resource, *asked)};
    if (outcome(fact) == sim::DeliveryOutcome::fenced &&
        is_of_sitting_leader(run, all, place, it, token_shown(fact)))
      wrongs.push_back({run.history.facts[place].at, describe(act->who) + " is refused, and alone leads"});
    if (outcome(fact) != sim::DeliveryOutcome::begun) continue;
    const bool stale = std::any_of(done.begin(), done.end(), [&it](const Done& other) {
      return other.act.who != it.act.who && other.act.resource == it.act.resource &&
             other.leads_since > it.leads_since;
    });
    if (stale)
      wrongs.push_back({run.history.facts[place].at,
                        describe(act->who) + " has something done after its successor has done something"});
    done.push_back(it);
  }
  return wrongs;
}

}  // namespace tenure::judging
