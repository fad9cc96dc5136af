// What is sent to destinations, what is handed to workers, and how events end (docs/deliveries.md, docs/executions.md).
// Each question about an attempt is answered by going back through what its sender did with that event.
#include <algorithm>
#include <set>

#include "core/model/describe.h"
#include "tests/judge/executions.h"
#include "tests/judge/invariants.h"
#include "tests/judge/outbox.h"
#include "tests/judge/tokens.h"
#include "tests/judge/work.h"

namespace tenure::judging {
namespace {

using reference::EventId;
using reference::Standing;

// By sender and event, the places at which it sent it, had an answer, or took it from the outbox.
using Files = std::map<std::pair<Incarnation, EventId>, std::vector<std::size_t>>;
Files files_of(const History& history) {
  Files files;
  for (std::size_t place = 0; place < history.facts.size(); ++place) {
    const Fact& fact = history.facts[place].fact;
    if (const auto* asked = std::get_if<KeptDeliveryAsked>(&fact))
      files[{asked->who, asked->item.event}].push_back(place);
    else if (const auto* landed = std::get_if<KeptDeliveryLanding>(&fact))
      files[{landed->who, landed->item.event}].push_back(place);
    else if (const auto* ended = std::get_if<KeptDeliveryEnding>(&fact))
      files[{ended->who, ended->item.event}].push_back(place);
    else if (const auto* submitted = std::get_if<KeptSubmission>(&fact))
      for (const EventId& event : taken_by(submitted->submission.request))
        files[{submitted->who, event}].push_back(place);
  }
  return files;
}

// A wish of a destination not to be sent the event again; nullopt: no such answer.
struct Wish {
  Duration wait;
  MonoTime heard;
};
std::optional<Wish> wish_in(const Fact& fact, const std::optional<Token>& token) {
  if (const auto* landed = std::get_if<KeptDeliveryLanding>(&fact))
    if (landed->item.token == token && landed->retry_after != Duration{})
      return Wish{landed->retry_after, landed->mono};
  if (const auto* ended = std::get_if<KeptDeliveryEnding>(&fact))
    if (ended->item.token == token && ended->retry_after != Duration{})
      return Wish{ended->retry_after, ended->mono};
  return std::nullopt;
}

// What a leadership had done with an event before a place, going back.
struct Tried {
  std::uint32_t attempts = 0;        // those that may have failed
  std::optional<std::size_t> first;  // places
  std::optional<std::size_t> last;
  std::optional<Wish> wish;  // in the answer to the last attempt
};
// `forgets(fact)`: what lies before it does not count. `timeout(item)`: how long its sender waits for an answer.
template <class Forgets, class Timeout>
Tried tried_before(const History& history, const std::vector<std::size_t>& file, std::size_t before,
                   const std::optional<Token>& token, Timeout timeout, Forgets forgets) {
  Tried tried;
  std::map<std::uint32_t, sim::TrueTime> refused;  // when the destination said so, by attempt
  for (auto it = std::lower_bound(file.begin(), file.end(), before); it != file.begin();) {
    const std::size_t place = *--it;
    const Fact& fact = history.facts[place].fact;
    if (forgets(place)) break;
    if (!tried.last && !tried.wish) tried.wish = wish_in(fact, token);
    if (const auto* landed = std::get_if<KeptDeliveryLanding>(&fact);
        landed != nullptr && landed->item.token == token &&
        (landed->landing == sim::DeliveryOutcome::running || landed->landing == sim::DeliveryOutcome::fenced))
      refused[landed->item.attempt] = history.facts[place].at;
    const auto* asked = std::get_if<KeptDeliveryAsked>(&fact);
    if (asked == nullptr) continue;
    if (asked->item.token != token) break;
    // What its sender had given up waiting for had failed, as far as that knows.
    const auto answer = refused.find(asked->item.attempt);
    const bool is_heard =
        answer != refused.end() && answer->second < history.facts[place].at + timeout(asked->item);
    if (!is_heard) ++tried.attempts;
    refused.clear();
    tried.first = place;
    if (!tried.last) tried.last = place;
  }
  if (!tried.last) tried.wish.reset();
  return tried;
}

// How long the sender of an item waits for its answer.
auto timeouts_of(const Case& run) {
  return [&run](const WorkItem& item) {
    for (const sim::DestinationSetting& each : run.scenario.destinations)
      if (each.name == item.destination) return each.timeout;
    return Duration{};
  };
}

using AllWaiting = std::map<ScheduleId, std::vector<Waiting>>;

std::uint32_t branch_at(const History& history, std::size_t before) {
  std::uint32_t branch = 0;
  for (std::size_t place = 0; place < before; ++place)
    if (const auto* over = std::get_if<sim::StoreFailedOver>(&history.facts[place].fact))
      branch = over->branch;
  return branch;
}

// No failover has lost a commit by other rules.
bool is_by_one_version(const AllWaiting& waiting, const EventId& event, std::size_t place) {
  const auto rules = rules_before(waiting, event, place);
  const std::vector<Waiting>& own = waiting.at(event.schedule);
  return rules && std::all_of(own.begin(), own.end(), [&](const Waiting& each) {
           return each.event != event || each.from >= place || each.rules.is_own_work() ||
                  (each.rules.delivery == rules->delivery && each.rules.overlap == rules->overlap);
         });
}

// By the version that fired the event; a failover may have lost the commit of another one.
std::uint32_t attempts_allowed(const AllWaiting& waiting, const EventId& event, std::size_t place) {
  std::uint32_t least = UINT32_MAX;
  for (const Waiting& each : waiting.at(event.schedule))
    if (each.event == event && each.from < place && !each.rules.is_own_work())
      least = std::min(least, each.rules.delivery.attempts);
  return least;
}

}  // namespace

// ---- topics-apart ------------------------------------------------------------------------------------------

std::vector<Wrong> topics_apart(const Case& run) {
  std::map<std::string, std::set<ScheduleId>> schedules;  // that have a topic
  std::set<ScheduleId> with_one;
  const auto add = [&](ScheduleId schedule, const std::string& topic) {
    if (topic.empty()) return;
    schedules[topic].insert(schedule);
    with_one.insert(schedule);
  };
  for (std::uint32_t i = 0; i < run.scenario.schedules.size(); ++i)
    add(ScheduleId{i}, run.scenario.schedules[i].payload.topic);
  for (const sim::ChangeSetting& change : run.scenario.changes) add(change.schedule, change.payload.topic);
  std::vector<Wrong> wrongs;
  for (const Kept& kept : run.history.facts) {
    const auto* applied = std::get_if<KeptApplied>(&kept.fact);
    if (applied == nullptr) continue;
    const auto* asked = as_reference<reference::ClaimExecutions>(applied->request);
    const auto* claimed = as_reference<reference::ClaimedExecutions>(applied->reply);
    if (asked == nullptr || claimed == nullptr) continue;
    for (const reference::Execution& each : claimed->executions) {
      const ScheduleId schedule = each.token.event.schedule;
      const bool fits =
          asked->topic.empty() ? !with_one.contains(schedule) : schedules[asked->topic].contains(schedule);
      if (!fits)
        wrongs.push_back({kept.at, describe(each.token.event) + " is handed to a worker of another topic"});
    }
  }
  return wrongs;
}

// ---- dead-or-delivered -------------------------------------------------------------------------------------

namespace {

void judge_executions(const KeptApplied& applied, std::size_t place, const Case& run,
                      const std::map<std::size_t, std::vector<EventId>>& early, const Deliveries& deliveries,
                      std::vector<Wrong>& wrongs) {
  for (const auto& [token, standing] : ends_in(applied))
    if (standing == Standing::completed && !was_delivered(deliveries, token.event, {}, place))
      wrongs.push_back({run.history.facts[place].at, describe(token.event) + " is done by nobody"});
  const auto dead = early.find(place);
  if (dead == early.end()) return;
  for (const EventId& event : dead->second)
    wrongs.push_back({run.history.facts[place].at, describe(event) + " is dead too early"});
}

// What a leadership has sent, it does not send again after as many failures as are allowed, nor before half of its
// back-off is over. Attempts that came to the destination failed, if it is sent again. But a destination that is at
// work on another attempt may be asked at once, and then counts anew.
void judge_sent_again(const Case& run, const AllWaiting& waiting, const Files& files,
                      std::vector<Wrong>& wrongs) {
  const auto& facts = run.history.facts;
  std::map<Incarnation, std::size_t> over;  // where its last leadership ended
  for (std::size_t place = 0; place < facts.size(); ++place) {
    if (const auto* died = std::get_if<sim::NodeDied>(&facts[place].fact)) over[died->who] = place;
    if (const auto* note = std::get_if<KeptNote>(&facts[place].fact);
        note != nullptr && std::holds_alternative<StepsDown>(note->note))
      over[note->who] = place;
    const auto* sent = std::get_if<KeptDeliveryAsked>(&facts[place].fact);
    if (sent == nullptr) continue;
    const EventId& event = sent->item.event;
    const auto rules = rules_before(waiting, event, place);
    if (!rules || !is_by_one_version(waiting, event, place)) continue;
    const std::vector<std::size_t>& file = files.at({sent->who, event});
    const auto ended = over.find(sent->who);
    const KeptDeliveryAsked* before = nullptr;
    bool at_another = false;  // said after it was sent before
    bool at_another_ever = false;
    std::set<std::uint32_t> failed;
    std::set<std::uint32_t> failed_in_a_row;
    for (auto it = std::lower_bound(file.begin(), file.end(), place); it != file.begin();) {
      const Fact& fact = facts[*--it].fact;
      if (std::holds_alternative<KeptSubmission>(fact) || (ended != over.end() && *it < ended->second)) break;
      if (const auto* asked = std::get_if<KeptDeliveryAsked>(&fact)) {
        if (asked->item.token != sent->item.token) break;
        if (before == nullptr) before = asked;
      }
      const auto* landed = std::get_if<KeptDeliveryLanding>(&fact);
      if (landed == nullptr || landed->item.token != sent->item.token) continue;
      if (landed->landing == sim::DeliveryOutcome::running ||
          landed->landing == sim::DeliveryOutcome::fenced) {
        at_another = at_another || before == nullptr;
        at_another_ever = true;
      } else if (landed->landing != sim::DeliveryOutcome::duplicate) {
        failed.insert(landed->item.attempt);
        if (!at_another_ever) failed_in_a_row.insert(landed->item.attempt);
      }
    }
    if (before == nullptr || at_another) continue;
    const auto in_a_row = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(failed_in_a_row.size()));
    if (failed.size() >= rules->delivery.attempts)
      wrongs.push_back({facts[place].at, describe(event) + " is sent once more than it may"});
    else if (sent->mono < before->mono + wait_after(rules->delivery, in_a_row) / 2)
      wrongs.push_back({facts[place].at, describe(event) + " is sent again before its back-off is over"});
  }
}

// What others deliver, its leader sends where the version says that fired it, and nowhere else; and it does none of it
// itself. A leader of an earlier branch may not know what has become of it since.
void judge_who_delivers(const Case& run, const AllWaiting& waiting, std::vector<Wrong>& wrongs) {
  std::uint32_t branch = 0;
  const auto is_old = [&](const WorkItem& item) { return item.token && item.token->branch < branch; };
  for (std::size_t place = 0; place < run.history.facts.size(); ++place) {
    const Kept& kept = run.history.facts[place];
    if (const auto* over = std::get_if<sim::StoreFailedOver>(&kept.fact)) branch = over->branch;
    if (const auto* work = std::get_if<KeptWorkAsked>(&kept.fact))
      if (!is_old(work->item) && rules_before(waiting, work->item.event, place))
        wrongs.push_back({kept.at, describe(work->item.event) + " is done by its leader, and is for others"});
    const auto* sent = std::get_if<KeptDeliveryAsked>(&kept.fact);
    if (sent == nullptr || is_old(sent->item)) continue;
    const auto rules = rules_before(waiting, sent->item.event, place);
    if (!rules || rules->delivery.destination != sent->item.destination)
      wrongs.push_back({kept.at, describe(sent->item.event) + " is sent to " + sent->item.destination +
                                     ", and does not go there"});
  }
}

}  // namespace

std::vector<Wrong> dead_or_delivered(const Case& run) {
  std::vector<Wrong> wrongs;
  const AllWaiting waiting = waiting_events(run.history);
  const auto deliveries = deliveries_of(run.history);
  const auto early = dead_too_early(run);
  const Files files = files_of(run.history);
  // By the slowest clock that there is.
  const Duration age =
      Duration::nanos(run.scenario.scheduling.duration("destination_age").ns() / 1'000 * 999);
  const auto& facts = run.history.facts;
  judge_sent_again(run, waiting, files, wrongs);
  judge_who_delivers(run, waiting, wrongs);
  for (std::size_t place = 0; place < facts.size(); ++place) {
    if (const auto* applied = std::get_if<KeptApplied>(&facts[place].fact))
      judge_executions(*applied, place, run, early, deliveries, wrongs);
    const auto* submitted = std::get_if<KeptSubmission>(&facts[place].fact);
    if (submitted == nullptr) continue;
    if (const auto* ack = as_reference<reference::AckEvents>(submitted->submission.request))
      for (const EventId& event : ack->events)
        if (const auto rules = rules_before(waiting, event, place);
            rules && !was_delivered(deliveries, event, rules->delivery.destination, place))
          wrongs.push_back({facts[place].at, describe(event) + " is taken as delivered, and was not"});
    const auto* given_up = as_reference<reference::GiveUpEvents>(submitted->submission.request);
    if (given_up == nullptr) continue;
    for (const reference::DeadEvent& dead : given_up->events) {
      const auto rules = rules_before(waiting, dead.id, place);
      if (!rules || (rules->is_pulled() && given_up->token.branch < branch_at(run.history, place))) continue;
      // What it had once taken as delivered and finds again begins anew.
      const Tried tried =
          tried_before(run.history, files.at({submitted->who, dead.id}), place, given_up->token,
                       timeouts_of(run), [&](std::size_t earlier) {
                         const auto* other = std::get_if<KeptSubmission>(&facts[earlier].fact);
                         return other != nullptr &&
                                as_reference<reference::AckEvents>(other->submission.request) != nullptr;
                       });
      if (tried.attempts >= attempts_allowed(waiting, dead.id, place)) continue;
      const Duration asked = tried.wish ? tried.wish->wait : Duration{};
      if (tried.first && facts[place].at - facts[*tried.first].at + asked >= age) continue;
      wrongs.push_back({facts[place].at, describe(dead.id) + " is given up too early"});
    }
  }
  return wrongs;
}

// ---- waits-as-asked ----------------------------------------------------------------------------------------

std::vector<Wrong> waits_as_asked(const Case& run) {
  std::vector<Wrong> wrongs;
  const Files files = files_of(run.history);
  const auto& facts = run.history.facts;
  const Duration age = run.scenario.scheduling.duration("destination_age");
  std::map<Incarnation, std::size_t> over;  // where its last leadership ended
  for (std::size_t place = 0; place < facts.size(); ++place) {
    if (const auto* died = std::get_if<sim::NodeDied>(&facts[place].fact)) over[died->who] = place;
    if (const auto* note = std::get_if<KeptNote>(&facts[place].fact);
        note != nullptr && std::holds_alternative<StepsDown>(note->note))
      over[note->who] = place;
    const auto* sent = std::get_if<KeptDeliveryAsked>(&facts[place].fact);
    if (sent == nullptr) continue;
    const auto ended = over.find(sent->who);
    const Tried tried = tried_before(run.history, files.at({sent->who, sent->item.event}), place,
                                     sent->item.token, timeouts_of(run), [&](std::size_t earlier) {
                                       return (ended != over.end() && earlier < ended->second) ||
                                              std::holds_alternative<KeptSubmission>(facts[earlier].fact);
                                     });
    if (!tried.wish) continue;
    const MonoTime first = std::get<KeptDeliveryAsked>(facts[*tried.first].fact).mono;
    if (sent->mono < tried.wish->heard + tried.wish->wait)
      wrongs.push_back({facts[place].at, describe(sent->item.event) + " is sent again too early"});
    else if (tried.wish->heard + tried.wish->wait - first >= age)
      wrongs.push_back({facts[place].at, describe(sent->item.event) + " is sent again, and is too old"});
  }
  return wrongs;
}

}  // namespace tenure::judging
