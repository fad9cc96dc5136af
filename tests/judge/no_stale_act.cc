// What is done in the outside world belongs to the leadership in which it was asked for, the last time before it began.
// It does not begin once somebody else has done something there in a later leadership.
//
// Without tokens alone; fenced-writes has the others. Writes that are no work do not occur in the runs that are judged.
#include <algorithm>

#include "core/model/describe.h"
#include "tests/judge/beliefs.h"
#include "tests/judge/invariants.h"

namespace tenure::judging {
namespace {

struct Done {
  Incarnation who;
  ResourceId resource;
  sim::TrueTime leads_since;
};

bool is_of(const KeptLanding& landed, Incarnation who, const WorkItem& item) {
  return landed.who == who && landed.item.resource == item.resource && landed.item.event == item.event &&
         landed.item.attempt == item.attempt;
}

// The place at which the work was asked for, the last time before this one; nullopt: it has arrived as often by then as
// it was asked for.
std::optional<std::size_t> asked_before(const History& history, std::size_t place,
                                        const KeptLanding& landed) {
  std::optional<std::size_t> last;
  std::int64_t on_its_way = 0;
  for (std::size_t earlier = 0; earlier < place; ++earlier) {
    const Fact& fact = history.facts[earlier].fact;
    if (const auto* asked = std::get_if<KeptWorkAsked>(&fact);
        asked && is_of(landed, asked->who, asked->item)) {
      last = earlier;
      ++on_its_way;
    }
    if (const auto* other = std::get_if<KeptLanding>(&fact);
        other && is_of(landed, other->who, other->item) && on_its_way > 0)
      --on_its_way;
  }
  return on_its_way > 0 ? last : std::nullopt;
}

// When the last leadership of `who` began that had begun by this place; the beginning of time: none had.
sim::TrueTime led_since(const std::vector<Belief>& all, Incarnation who, ResourceId resource,
                        std::size_t place) {
  std::optional<sim::TrueTime> since;
  std::size_t last_end = 0;
  for (const Belief& belief : all) {
    if (belief.who != who || belief.resource != resource || belief.from > place) continue;
    if (belief.end <= belief.begin) continue;  // it was over when it was declared
    // A belief that goes on under another token is the same leadership.
    const bool goes_on = since && belief.from == last_end;
    if (!goes_on) since = belief.begin;
    last_end = belief.until;
  }
  return since.value_or(sim::TrueTime{});
}

}  // namespace

std::vector<Wrong> no_stale_act(const Case& run) {
  const std::vector<Belief> all = beliefs(run.history);
  std::vector<Wrong> wrongs;
  std::vector<Done> done;
  for (std::size_t place = 0; place < run.history.facts.size(); ++place) {
    const auto* landed = std::get_if<KeptLanding>(&run.history.facts[place].fact);
    if (landed == nullptr || landed->landing != sim::DeliveryOutcome::begun) continue;
    const auto asked = asked_before(run.history, place, *landed);
    if (!asked) continue;
    const Done act{landed->who, landed->item.resource,
                   led_since(all, landed->who, landed->item.resource, *asked)};
    const bool stale = std::any_of(done.begin(), done.end(), [&act](const Done& other) {
      return other.who != act.who && other.resource == act.resource && other.leads_since > act.leads_since;
    });
    if (stale)
      wrongs.push_back({run.history.facts[place].at,
                        describe(act.who) + " has something done that its successor has done since"});
    done.push_back(act);
  }
  return wrongs;
}

}  // namespace tenure::judging
