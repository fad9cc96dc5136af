#include <algorithm>
#include <string>
#include <utility>

#include "core/base/hash.h"
#include "tests/judge/forge.h"
#include "tests/judge/forging.h"
#include "tests/judge/tokens.h"

namespace tenure::judging {
namespace {

using reference::EventId;

Places sendings(const History& history) {
  return places_of<KeptDeliveryAsked>(history, [](const KeptDeliveryAsked&) { return true; });
}
Places ends(const History& history, sim::Ending how) {
  return places_of<KeptDeliveryEnding>(history,
                                       [&](const KeptDeliveryEnding& end) { return end.ending == how; });
}
Places acknowledgements(const History& history) {
  return places_of<KeptSubmission>(history, [](const KeptSubmission& sent) {
    const auto* ack = as_reference<reference::AckEvents>(sent.submission.request);
    return ack != nullptr && !ack->events.empty();
  });
}

// At the time of what is there.
void move_to(Kept& kept, const History& history, std::size_t place) {
  kept.at = history.facts[place].at;
  kept.store_now = history.facts[place].store_now;
}

std::size_t first_after(const History& history, sim::TrueTime at) {
  std::size_t place = 0;
  while (place < history.facts.size() && history.facts[place].at < at) ++place;
  return place;
}

bool sent_later(History& history, std::uint64_t draw) {
  const Places places = sendings(history);
  if (places.empty()) return false;
  const std::size_t from = drawn(places, draw);
  const std::size_t after = draw % 2 == 0 ? 400 : history.facts.size() - from;
  const std::size_t to = std::min(from + 1 + reduce(mix64(draw, 4), after), history.facts.size() - 1);
  Kept sent = history.facts[from];
  move_to(sent, history, to);
  put_in(history, to + 1, sent);
  take_out(history, from);
  return true;
}
bool sent_again(History& history, std::uint64_t draw) {
  const Places places = sendings(history);
  if (places.empty()) return false;
  const std::size_t from = drawn(places, draw);
  const std::size_t to = std::min(from + 1 + reduce(mix64(draw, 4), 60), history.facts.size() - 1);
  Kept sent = history.facts[from];
  std::get<KeptDeliveryAsked>(sent.fact).mono += history.facts[to].at - sent.at;
  move_to(sent, history, to);
  put_in(history, to + 1, sent);
  return true;
}
bool never_sent(History& history, std::uint64_t draw) {
  const Places places = sendings(history);
  if (places.empty()) return false;
  take_out(history, drawn(places, draw));
  return true;
}
// Two events of one schedule, one for the other.
bool sent_in_another_order(History& history, std::uint64_t draw) {
  const Places places = sendings(history);
  if (places.empty()) return false;
  const std::size_t first = drawn(places, draw);
  auto& one = std::get<KeptDeliveryAsked>(history.facts[first].fact);
  for (const std::size_t place : places) {
    auto& other = std::get<KeptDeliveryAsked>(history.facts[place].fact);
    if (place <= first || other.item.event.schedule != one.item.event.schedule || other.who != one.who ||
        other.item.event == one.item.event)
      continue;
    std::swap(one.item, other.item);
    return true;
  }
  return false;
}
bool failed_instead(History& history, std::uint64_t draw) {
  const Places places = ends(history, sim::Ending::done);
  if (places.empty()) return false;
  std::get<KeptDeliveryEnding>(history.facts[drawn(places, draw)].fact).ending = sim::Ending::failed;
  return true;
}
bool done_instead(History& history, std::uint64_t draw) {
  const Places places = ends(history, sim::Ending::failed);
  if (places.empty()) return false;
  std::get<KeptDeliveryEnding>(history.facts[drawn(places, draw)].fact).ending = sim::Ending::done;
  return true;
}
bool asks_for_longer(History& history, std::uint64_t draw) {
  const Places places = places_of<KeptDeliveryLanding>(
      history, [](const KeptDeliveryLanding& landed) { return landed.retry_after > Duration{}; });
  const Places failed = ends(history, sim::Ending::failed);
  const Duration longer = draw % 3 == 0 ? Duration::seconds(3) : Duration::minutes(1);
  if (!places.empty() && (failed.empty() || draw % 2 == 0))
    std::get<KeptDeliveryLanding>(history.facts[drawn(places, draw)].fact).retry_after += longer;
  else if (!failed.empty())
    std::get<KeptDeliveryEnding>(history.facts[drawn(failed, draw)].fact).retry_after += longer;
  else
    return false;
  return true;
}
// What was delivered is given up.
bool given_up(History& history, std::uint64_t draw) {
  const Places places = acknowledgements(history);
  if (places.empty()) return false;
  const std::size_t from = drawn(places, draw);
  auto& sent = std::get<KeptSubmission>(history.facts[from].fact);
  const auto ack = *as_reference<reference::AckEvents>(sent.submission.request);
  reference::GiveUpEvents instead;
  instead.resource = ack.resource;
  for (const std::size_t place : sendings(history)) {
    const auto& asked = std::get<KeptDeliveryAsked>(history.facts[place].fact);
    if (place < from && asked.who == sent.who && asked.item.token) instead.token = *asked.item.token;
  }
  for (const EventId& event : ack.events) instead.events.push_back({.id = event});
  sent.submission.request = reference::Request(instead);
  return true;
}
// Sent once more, instead.
bool not_given_up(History& history, std::uint64_t) {
  const Places places = places_of<KeptSubmission>(history, [](const KeptSubmission& sent) {
    const auto* given_up = as_reference<reference::GiveUpEvents>(sent.submission.request);
    return given_up != nullptr && !given_up->events.empty();
  });
  // Of the one that was tried most often.
  std::size_t from = 0;
  std::size_t most = 0;
  std::optional<Kept> again;
  for (const std::size_t place : places) {
    const auto& sent = std::get<KeptSubmission>(history.facts[place].fact);
    const EventId id = as_reference<reference::GiveUpEvents>(sent.submission.request)->events.front().id;
    const Places tried = places_of<KeptDeliveryAsked>(history, [&](const KeptDeliveryAsked& asked) {
      return asked.who == sent.who && asked.item.event == id;
    });
    if (tried.size() <= most) continue;
    most = tried.size();
    from = place;
    again = history.facts[tried.back()];
  }
  if (!again) return false;
  const std::size_t to = first_after(history, history.facts[from].at + Duration::seconds(15));
  if (to >= history.facts.size()) return false;
  std::get<KeptDeliveryAsked>(again->fact).mono += history.facts[to].at - again->at;
  move_to(*again, history, to);
  put_in(history, to + 1, *again);
  take_out(history, from);
  return true;
}
// The event stays in the outbox.
void never_taken(History& history, const EventId& event) {
  for (Kept& kept : history.facts) {
    auto* applied = std::get_if<KeptApplied>(&kept.fact);
    auto* request = applied != nullptr ? std::get_if<reference::Request>(&applied->request) : nullptr;
    if (request == nullptr) continue;
    if (auto* ack = std::get_if<reference::AckEvents>(request)) std::erase(ack->events, event);
    if (auto* given_up = std::get_if<reference::GiveUpEvents>(request))
      std::erase_if(given_up->events, [&](const reference::DeadEvent& dead) { return dead.id == event; });
  }
}
// The first attempt of all comes that late.
bool begun_at(History& history, std::size_t from, std::size_t to) {
  if (to >= history.facts.size()) return false;
  Kept sent = history.facts[from];
  const EventId event = std::get<KeptDeliveryAsked>(sent.fact).item.event;
  never_taken(history, event);
  const Places of_event = places_of<KeptDeliveryAsked>(
      history, [&](const KeptDeliveryAsked& other) { return other.item.event == event; });
  move_to(sent, history, to);
  put_in(history, to + 1, sent);
  for (auto it = of_event.rbegin(); it != of_event.rend(); ++it)
    if (*it <= to) take_out(history, *it);
  return true;
}
bool sent_long_after(History& history, std::uint64_t draw) {
  const Places places = sendings(history);
  if (places.empty()) return false;
  const std::size_t from = drawn(places, draw);
  return begun_at(history, from, first_after(history, history.facts[from].at + Duration::seconds(45)));
}
// At the end of a fault that lasts, an event of its beginning.
bool sent_after_a_fault(History& history, std::uint64_t) {
  const Places faults = places_of<KeptFault>(
      history, [](const KeptFault& fault) { return !fault.action.starts_with("destination-"); });
  std::size_t first = 0;
  std::size_t last = 0;
  for (const std::size_t begin : faults)
    for (const std::size_t end : faults)
      if (std::get<KeptFault>(history.facts[begin].fact).id ==
              std::get<KeptFault>(history.facts[end].fact).id &&
          history.facts[end].at - history.facts[begin].at >
              history.facts[last].at - history.facts[first].at) {
        first = begin;
        last = end;
      }
  for (const std::size_t place : sendings(history))
    if (place > first && place < last) return begun_at(history, place, last - 1);
  return false;
}
// Of one schedule, nothing is ever done.
bool fails_for_ever(History& history, std::uint64_t draw) {
  const Places places = ends(history, sim::Ending::done);
  if (places.empty()) return false;
  const auto schedule_at = [&](std::size_t place) -> ScheduleId {
    return std::get<KeptDeliveryEnding>(history.facts[place].fact).item.event.schedule;
  };
  const ScheduleId schedule = schedule_at(drawn(places, draw));
  for (const std::size_t place : places)
    if (schedule_at(place) == schedule)
      std::get<KeptDeliveryEnding>(history.facts[place].fact).ending = sim::Ending::failed;
  return true;
}
bool dead_instead(History& history, std::uint64_t draw) {
  const Places places = places_of<KeptApplied>(history, [](const KeptApplied& applied) {
    const auto* states = as_reference<reference::ExecutionStates>(applied.reply);
    return as_reference<reference::EndExecutions>(applied.request) != nullptr && states != nullptr &&
           !states->executions.empty() && states->executions.front().standing == reference::Standing::failed;
  });
  if (places.empty()) return false;
  auto& reply = std::get<KeptApplied>(history.facts[drawn(places, draw)].fact).reply;
  std::get<reference::ExecutionStates>(std::get<reference::Reply>(reply)).executions.front().standing =
      reference::Standing::dead;
  return true;
}
// Events that were taken from the outbox stay there.
bool not_taken(History& history, std::uint64_t draw) {
  const Places places = places_of<KeptApplied>(history, [](const KeptApplied& applied) {
    const auto* ack = as_reference<reference::AckEvents>(applied.request);
    return ack != nullptr && !ack->events.empty();
  });
  if (places.empty()) return false;
  const std::size_t from = drawn(places, draw);
  const EventId event =
      as_reference<reference::AckEvents>(std::get<KeptApplied>(history.facts[from].fact).request)
          ->events.front();
  for (const std::size_t place : places)
    std::erase(std::get<reference::AckEvents>(
                   std::get<reference::Request>(std::get<KeptApplied>(history.facts[place].fact).request))
                   .events,
               event);
  return true;
}
// What a worker was answered of an end is forgotten, so that its event waits for ever.
bool end_not_answered(History& history, std::uint64_t draw) {
  const Places places = places_of<KeptApplied>(history, [](const KeptApplied& applied) {
    return as_reference<reference::EndExecutions>(applied.request) != nullptr;
  });
  if (places.empty()) return false;
  take_out(history, drawn(places, draw));
  return true;
}
bool done_by_nobody(History& history, std::uint64_t draw) {
  const Places places = places_of<sim::WorkerExecution>(
      history, [](const sim::WorkerExecution& worked) { return worked.ending == sim::Ending::done; });
  if (places.empty()) return false;
  std::get<sim::WorkerExecution>(history.facts[drawn(places, draw)].fact).ending = sim::Ending::failed;
  return true;
}
bool claim_of_another_topic(History& history, std::uint64_t draw) {
  const Places places = places_of<KeptApplied>(history, [](const KeptApplied& applied) {
    const auto* claimed = as_reference<reference::ClaimedExecutions>(applied.reply);
    return claimed != nullptr && !claimed->executions.empty();
  });
  if (places.empty()) return false;
  auto& request = std::get<KeptApplied>(history.facts[drawn(places, draw)].fact).request;
  std::string& topic = std::get<reference::ClaimExecutions>(std::get<reference::Request>(request)).topic;
  topic = draw % 2 == 0 || topic.empty() ? "another" : "";
  return true;
}
// Its destination works on another attempt, and says so.
bool refused_instead(History& history, std::uint64_t draw) {
  const Places places = ends(history, sim::Ending::failed);
  std::size_t chosen = history.facts.size();
  const Places dead = places_of<KeptSubmission>(history, [](const KeptSubmission& sent) {
    const auto* given_up = as_reference<reference::GiveUpEvents>(sent.submission.request);
    return given_up != nullptr && !given_up->events.empty();
  });
  if (places.empty() || dead.empty()) return false;
  const auto& sent = std::get<KeptSubmission>(history.facts[drawn(dead, draw)].fact);
  const EventId event = as_reference<reference::GiveUpEvents>(sent.submission.request)->events.front().id;
  for (const std::size_t place : places)
    if (std::get<KeptDeliveryEnding>(history.facts[place].fact).item.event == event) chosen = place;
  if (chosen == history.facts.size()) return false;
  const WorkItem item = std::get<KeptDeliveryEnding>(history.facts[chosen].fact).item;
  take_out(history, chosen);
  for (Kept& kept : history.facts)
    if (auto* landed = std::get_if<KeptDeliveryLanding>(&kept.fact))
      if (landed->item.event == event && landed->item.token == item.token &&
          landed->item.attempt == item.attempt)
        landed->landing = sim::DeliveryOutcome::running;
  return true;
}
bool answer_lost(History& history, std::uint64_t draw) {
  const Places places = ends(history, sim::Ending::done);
  if (places.empty()) return false;
  std::get<KeptDeliveryEnding>(history.facts[drawn(places, draw)].fact).answers = false;
  return true;
}
// One of these facts names the destination of another one.
template <class DeliveryFact>
bool moved_elsewhere(History& history, const Places& places, std::uint64_t draw) {
  if (places.empty()) return false;
  std::string& destination = std::get<DeliveryFact>(history.facts[drawn(places, draw)].fact).item.destination;
  for (const std::size_t place : places) {
    const std::string& other = std::get<DeliveryFact>(history.facts[place].fact).item.destination;
    if (other == destination) continue;
    destination = other;
    return true;
  }
  return false;
}
// To another destination.
bool sent_elsewhere(History& history, std::uint64_t draw) {
  return moved_elsewhere<KeptDeliveryAsked>(history, sendings(history), draw);
}
// Another destination has done it, and not its own.
bool done_elsewhere(History& history, std::uint64_t draw) {
  return moved_elsewhere<KeptDeliveryEnding>(history, ends(history, sim::Ending::done), draw);
}
// Its leader does itself what it should send: all of the first attempt that is done.
bool done_by_its_leader(History& history, std::uint64_t draw) {
  const Places places = ends(history, sim::Ending::done);
  if (places.empty()) return false;
  const EventId event = std::get<KeptDeliveryEnding>(history.facts[drawn(places, draw)].fact).item.event;
  const Places attempts = places_of<KeptDeliveryAsked>(
      history, [&](const KeptDeliveryAsked& asked) { return asked.item.event == event; });
  if (attempts.size() != 1) return false;
  for (Kept& kept : history.facts) {
    if (const auto* asked = std::get_if<KeptDeliveryAsked>(&kept.fact)) {
      if (asked->item.event == event) kept.fact = KeptWorkAsked{asked->who, asked->item};
    } else if (const auto* landed = std::get_if<KeptDeliveryLanding>(&kept.fact)) {
      if (landed->item.event == event)
        kept.fact = KeptLanding{landed->who, landed->item, sim::DeliveryOutcome::begun, landed->store_now};
    } else if (const auto* ended = std::get_if<KeptDeliveryEnding>(&kept.fact)) {
      if (ended->item.event == event) kept.fact = KeptEnding{ended->who, ended->item, ended->ending};
    }
  }
  return true;
}
// Nobody has committed it.
bool sent_of_itself(History& history, std::uint64_t draw) {
  const Places places = sendings(history);
  if (places.empty()) return false;
  auto& asked = std::get<KeptDeliveryAsked>(history.facts[drawn(places, draw)].fact);
  asked.item.event.slot += Duration::millis(1);
  return true;
}
// A leader acknowledges what workers are to do.
bool acknowledged_for_a_worker(History& history, std::uint64_t draw) {
  const Places places = acknowledgements(history);
  const Places claims = places_of<KeptApplied>(history, [](const KeptApplied& applied) {
    const auto* claimed = as_reference<reference::ClaimedExecutions>(applied.reply);
    return claimed != nullptr && !claimed->executions.empty();
  });
  if (places.empty() || claims.empty()) return false;
  const std::size_t claim = drawn(claims, draw);
  const auto& applied = std::get<KeptApplied>(history.facts[claim].fact);
  const EventId event =
      as_reference<reference::ClaimedExecutions>(applied.reply)->executions.front().token.event;
  const auto after = std::upper_bound(places.begin(), places.end(), claim);
  if (after == places.end()) return false;
  auto& sent = std::get<KeptSubmission>(history.facts[*after].fact);
  std::get<reference::AckEvents>(std::get<reference::Request>(sent.submission.request))
      .events.push_back(event);
  return true;
}
// It gives up what workers are to do.
bool given_up_for_a_worker(History& history, std::uint64_t draw) {
  return acknowledged_for_a_worker(history, draw) && given_up(history, draw);
}
bool calm(History& history, std::uint64_t draw) {
  const Places places = places_of<KeptFault>(history, [](const KeptFault& fault) { return fault.begins; });
  if (places.empty()) return false;
  const std::uint64_t id = std::get<KeptFault>(history.facts[drawn(places, draw)].fact).id;
  std::erase_if(history.facts, [&](const Kept& kept) {
    const auto* fault = std::get_if<KeptFault>(&kept.fact);
    return fault != nullptr && fault->id == id;
  });
  return true;
}

}  // namespace

const std::vector<Forgery>& forgeries_of_deliveries() {
  static const std::vector<Forgery> kAll = {
      {"sent later", sent_later},
      {"sent again", sent_again},
      {"never sent", never_sent},
      {"sent in another order", sent_in_another_order},
      {"failed instead", failed_instead},
      {"done instead", done_instead},
      {"asks for longer", asks_for_longer},
      {"given up", given_up},
      {"not given up", not_given_up},
      {"sent long after", sent_long_after},
      {"sent after a fault", sent_after_a_fault},
      {"fails for ever", fails_for_ever},
      {"dead instead", dead_instead},
      {"not taken", not_taken},
      {"an end is not answered", end_not_answered},
      {"done by nobody", done_by_nobody},
      {"an answer is lost", answer_lost},
      {"refused instead", refused_instead},
      {"sent elsewhere", sent_elsewhere},
      {"done elsewhere", done_elsewhere},
      {"done by its leader", done_by_its_leader},
      {"sent of itself", sent_of_itself},
      {"acknowledged for a worker", acknowledged_for_a_worker},
      {"given up for a worker", given_up_for_a_worker},
      {"claimed by another topic", claim_of_another_topic},
      {"a fault that nobody saw", calm},
  };
  return kAll;
}

}  // namespace tenure::judging
