// What is sent to destinations, what is handed to workers, and how events end (docs/deliveries.md, docs/executions.md).
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "core/model/describe.h"
#include "tests/judge/delivery_model.h"
#include "tests/judge/invariants.h"
#include "tests/judge/outbox.h"
#include "tests/judge/tokens.h"

namespace tenure::judging {

using reference::EventId;
using reference::Standing;

// ---- topic-isolation ------------------------------------------------------------------------------------------

std::vector<Wrong> topic_isolation(const Case& run) {
  std::map<ScheduleId, std::set<std::string>> topics;  // that a schedule has, at some time
  for (std::uint32_t i = 0; i < run.scenario.schedules.size(); ++i)
    topics[ScheduleId{i}].insert(run.scenario.schedules[i].payload.topic);
  for (const sim::ChangeSetting& change : run.scenario.changes)
    topics[change.schedule].insert(change.payload.topic);
  std::vector<Wrong> wrongs;
  for (const Kept& kept : run.history.facts) {
    const auto* applied = std::get_if<KeptApplied>(&kept.fact);
    if (applied == nullptr) continue;
    const auto* asked = as_reference<reference::ClaimExecutions>(applied->request);
    const auto* claimed = as_reference<reference::ClaimedExecutions>(applied->reply);
    if (asked == nullptr || claimed == nullptr) continue;
    for (const reference::Execution& each : claimed->executions) {
      const std::set<std::string>& own = topics[each.token.event.schedule];
      const bool has_one = own.size() > own.count("");
      if (asked->topic.empty() ? has_one : !own.contains(asked->topic))
        wrongs.push_back({kept.at, describe(each.token.event) + " is handed to a worker of another topic"});
    }
  }
  return wrongs;
}

// ---- one-live-attempt, no-stale-completion ----------------------------------------------------------------

// No event is handed out while an attempt at it is live, before its back-off is over, or when it is over. What a
// failover loses is with its worker all the same. Of what was over it may bring something back: that is in nobody's
// hands.
std::vector<Wrong> one_live_attempt(const Case& run) {
  std::vector<Wrong> wrongs;
  const auto failed_over =
      std::find_if(run.history.facts.begin(), run.history.facts.end(),
                   [](const Kept& kept) { return std::holds_alternative<sim::StoreFailedOver>(kept.fact); });
  const auto went_back = static_cast<std::size_t>(failed_over - run.history.facts.begin());
  follow(run, true,
         [&](const Kept& kept, std::size_t place, const KeptApplied& applied, DeliveryModel& store) {
           const auto* claimed = as_reference<reference::ClaimedExecutions>(applied.reply);
           if (claimed == nullptr) return;
           store.before_claim(as_reference<reference::ClaimExecutions>(applied.request)->topic,
                              applied.store_now);
           std::vector<EventId> given;
           for (const reference::Execution& each : claimed->executions) {
             const EventId& event = each.token.event;
             const Rules* rules = store.committed(event);
             if (rules == nullptr) continue;
             const Departure* gone = store.find(event) == nullptr ? store.departure(event) : nullptr;
             std::string why;
             if (gone == nullptr)
               why = store.why_not(each.token, given, applied.store_now);
             else if (rules->is_single() && store.has_to_wait(event, given, applied.store_now))
               why = "is one of two of its schedule";
             else if (place < went_back && gone->how != Standing::replaced)
               why = "is over";
             given.push_back(event);
             if (!why.empty())
               wrongs.push_back({kept.at, describe(event) + " " + why + ", and a worker is given it"});
           }
         });
  return wrongs;
}

// What a worker says of the last attempt that was handed out counts, however late and however often, and what it says
// of an older one does not.
//
// Until when claims stand and events wait, and what a claim may leave lying, is the checker's to say.
std::vector<Wrong> no_stale_completion(const Case& run) {
  std::vector<Wrong> wrongs;
  follow(run, false, [&](const Kept& kept, std::size_t, const KeptApplied& applied, DeliveryModel& store) {
    for (const Answer& answer : answers_in(applied))
      if (!store.is_right(answer))
        wrongs.push_back(
            {kept.at, describe(answer.token.event) + " has a worker that is given a wrong answer"});
  });
  return wrongs;
}

// ---- dead-or-delivered -------------------------------------------------------------------------------------

namespace {

using AllWaiting = std::map<ScheduleId, std::vector<Waiting>>;

// A worker's event is completed by who has done it, and dead after as many tries as it has.
void judge_answers(const Case& run, const Deliveries& deliveries, std::vector<Wrong>& wrongs) {
  follow(run, false,
         [&](const Kept& kept, std::size_t place, const KeptApplied& applied, DeliveryModel& store) {
           for (const Answer& answer : answers_in(applied)) {
             const EventId& event = answer.token.event;
             if (answer.word == Word::lives) continue;
             if (answer.standing == Standing::completed && !was_delivered(deliveries, event, {}, place))
               wrongs.push_back({kept.at, describe(event) + " is done by nobody"});
             const HeldEvent* piece = store.find(event);
             if (answer.standing == Standing::dead && piece != nullptr && piece->last &&
                 piece->tries(answer.token.attempt) < piece->rules.delivery.attempts)
               wrongs.push_back({kept.at, describe(event) + " is dead too early"});
           }
         });
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

// A leader takes from the outbox what was delivered. It gives up what it has sent as often, or for as long, as it may:
// to be sure, each attempt counts, and the longest wait that was asked for.
void judge_what_is_taken(const Case& run, const AllWaiting& waiting, const Deliveries& deliveries,
                         std::vector<Wrong>& wrongs) {
  struct Tried {
    std::optional<Token> token;
    std::uint32_t attempts = 0;
    sim::TrueTime first;
    Duration asked;
  };
  std::map<std::pair<Incarnation, EventId>, Tried> tried;
  std::set<EventId> own_work;
  // By the slowest clock that there is.
  const Duration age = run.scenario.scheduling.duration("destination_age") * 999 / 1'000;
  std::uint32_t branch = 0;
  const auto may_give_up = [&](sim::TrueTime now, const Tried& so_far,
                               const reference::GiveUpEvents& given_up, const Rules& rules) {
    if (rules.is_pulled() && given_up.token.branch < branch) return true;
    if (so_far.token != given_up.token) return false;
    return so_far.attempts >= rules.delivery.attempts || now - so_far.first + so_far.asked >= age;
  };
  for (std::size_t place = 0; place < run.history.facts.size(); ++place) {
    const auto& [at, store_now, fact] = run.history.facts[place];
    if (const auto* over = std::get_if<sim::StoreFailedOver>(&fact)) {
      branch = over->branch;
    } else if (const auto* sent = std::get_if<KeptDeliveryAsked>(&fact)) {
      Tried& own = tried[{sent->who, sent->item.event}];
      if (own.attempts == 0 || own.token != sent->item.token) own = {sent->item.token, 0, at, {}};
      ++own.attempts;
    } else if (const auto* landed = std::get_if<KeptDeliveryLanding>(&fact)) {
      Duration& asked = tried[{landed->who, landed->item.event}].asked;
      asked = std::max(asked, landed->retry_after);
    } else if (const auto* ended = std::get_if<KeptDeliveryEnding>(&fact)) {
      Duration& asked = tried[{ended->who, ended->item.event}].asked;
      asked = std::max(asked, ended->retry_after);
    }
    if (const auto* work = std::get_if<KeptWorkAsked>(&fact)) own_work.insert(work->item.event);
    const auto* submitted = std::get_if<KeptSubmission>(&fact);
    if (submitted == nullptr) continue;
    if (const auto* ack = as_reference<reference::AckEvents>(submitted->submission.request))
      for (const auto& [event, kind, to] : ack->events) {
        const auto rules = rules_before(waiting, event, place);
        // What it had once taken as delivered and finds again begins anew.
        if (rules && rules->is_for({event, kind, to})) tried[{submitted->who, event}] = {};
        const bool is_own = kind == Delivery::Kind::work;
        if (is_own && (own_work.contains(event) || !rules)) continue;
        if (is_own || !was_delivered(deliveries, event, to, place))
          wrongs.push_back({at, describe(event) + " is taken as delivered, and was not"});
      }
    const auto* given_up = as_reference<reference::GiveUpEvents>(submitted->submission.request);
    if (given_up == nullptr) continue;
    for (const EventId& event : taken_by(submitted->submission.request)) {
      const auto rules = rules_before(waiting, event, place);
      if (rules && !may_give_up(at, tried[{submitted->who, event}], *given_up, *rules))
        wrongs.push_back({at, describe(event) + " is given up too early"});
    }
  }
}

}  // namespace

// An event is over when it was delivered, or was tried as often as its version says. How soon and how often it may be
// sent again, and how long it has to wait if it is asked to, is the checker's to say.
std::vector<Wrong> dead_or_delivered(const Case& run) {
  std::vector<Wrong> wrongs;
  const AllWaiting waiting = waiting_events(run.history);
  const Deliveries deliveries = deliveries_of(run.history);
  judge_answers(run, deliveries, wrongs);
  judge_who_delivers(run, waiting, wrongs);
  judge_what_is_taken(run, waiting, deliveries, wrongs);
  return wrongs;
}

}  // namespace tenure::judging
