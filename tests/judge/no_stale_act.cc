// What is done in the outside world belongs to the leadership in which it was asked for, the last time before it began.
// It does not begin once somebody else has done something there in a later leadership. That no leader is refused while
// it leads alone is the checker's to say.
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
  if (const auto* it = std::get_if<KeptArrival>(&fact)) return work(it->who, it->item);
  if (const auto* it = std::get_if<sim::WriteLanded>(&fact)) return write(it->who, it->item);
  return std::nullopt;
}
bool has_begun(const Fact& fact) {
  if (const auto* work = std::get_if<KeptArrival>(&fact)) return work->landing == sim::DeliveryOutcome::begun;
  return !std::get<sim::WriteLanded>(fact).fenced;
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
    if (!has_begun(fact)) continue;
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
