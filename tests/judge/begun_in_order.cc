// In one leadership the first attempts at a schedule's events for one destination are made in the order of their
// commits. Under strict order none is made before all earlier ones for it were delivered there, or are gone: while they
// wait for that, those of a version that is not strict pass them. What was gone until a failover gave it back is so for
// work under a token from before.
#include <algorithm>

#include "core/model/describe.h"
#include "tests/judge/invariants.h"
#include "tests/judge/outbox.h"

namespace tenure::judging {
namespace {

using reference::EventId;

struct Attempt {
  std::size_t place = 0;
  Incarnation who;
  WorkItem item;
  const Waiting* waiting = nullptr;
};

// Attempts at events, and where those were in the outbox, if they were. Manual runs of the leader's own work have no
// order.
std::map<ScheduleId, std::vector<Attempt>> attempts_of(
    const History& history, const std::map<ScheduleId, std::vector<Waiting>>& waiting) {
  std::map<ScheduleId, std::vector<Attempt>> all;
  for (std::size_t place = 0; place < history.facts.size(); ++place) {
    Attempt attempt;
    attempt.place = place;
    if (const auto* work = std::get_if<KeptWorkAsked>(&history.facts[place].fact)) {
      if (work->item.event.run != 0) continue;
      attempt.who = work->who;
      attempt.item = work->item;
    } else if (const auto* sent = std::get_if<KeptDeliveryAsked>(&history.facts[place].fact)) {
      attempt.who = sent->who;
      attempt.item = sent->item;
    } else {
      continue;
    }
    attempt.waiting = waiting_at(waiting, attempt.item.event, place);
    all[attempt.item.event.schedule].push_back(attempt);
  }
  return all;
}

std::size_t last_failover(const History& history, std::size_t before) {
  for (std::size_t place = before; place-- > 0;)
    if (std::holds_alternative<sim::StoreFailedOver>(history.facts[place].fact)) return place;
  return 0;
}

}  // namespace

std::vector<Wrong> begun_in_order(const Case& run) {
  std::vector<Wrong> wrongs;
  const auto waiting = waiting_events(run.history);
  const auto deliveries = deliveries_of(run.history);
  for (const auto& [schedule, attempts] : attempts_of(run.history, waiting)) {
    std::vector<const Attempt*> firsts;
    std::map<EventId, std::vector<const Attempt*>> of_event;
    for (const Attempt& attempt : attempts) {
      std::vector<const Attempt*>& own = of_event[attempt.item.event];
      const std::size_t since = last_failover(run.history, attempt.place);
      // A failover takes back no attempt, also where it loses the event until that is committed again.
      const bool is_first = std::none_of(own.begin(), own.end(), [&](const Attempt* other) {
        return other->who == attempt.who && (other->place < since || attempt.waiting == nullptr ||
                                             attempt.waiting->was_here(other->place));
      });
      own.push_back(&attempt);
      if (!is_first || attempt.waiting == nullptr) continue;
      for (const Attempt* other : firsts)
        if (other->place > since && other->who == attempt.who && other->item.token == attempt.item.token &&
            other->waiting->position > attempt.waiting->position &&
            other->waiting->rules.shares_queue(attempt.waiting->rules) &&
            (other->waiting->rules.delivery.strict_order || !attempt.waiting->rules.delivery.strict_order))
          wrongs.push_back({run.history.facts[attempt.place].at,
                            describe(attempt.item.event) + " begins after a later one of its schedule"});
      firsts.push_back(&attempt);
      if (attempt.waiting->rules.is_own_work() || !attempt.waiting->rules.delivery.strict_order) continue;
      const auto* failed = std::get_if<sim::StoreFailedOver>(&run.history.facts[since].fact);
      const std::optional<Token>& shown = attempt.item.token;
      const bool is_old = failed != nullptr && shown && shown->branch < failed->branch;
      for (const Waiting& earlier : waiting.at(schedule))
        if (earlier.is_here(attempt.place) && !(is_old && earlier.given_back) &&
            earlier.rules.shares_queue(attempt.waiting->rules) &&
            earlier.position < attempt.waiting->position &&
            !was_delivered(deliveries, earlier.event, earlier.rules.delivery.destination, attempt.place))
          wrongs.push_back({run.history.facts[attempt.place].at,
                            describe(attempt.item.event) + " begins, and an earlier one is not over"});
    }
  }
  return wrongs;
}

}  // namespace tenure::judging
