#include <algorithm>

#include "sim/stores/placement/requests.h"
#include "tests/judge/delivery_model.h"
#include "tests/judge/forge.h"
#include "tests/judge/forging.h"
#include "tests/judge/outbox.h"

namespace tenure::judging {
namespace {

using reference::EventId;
using reference::Standing;

// ---- what is sent ------------------------------------------------------------------------------------------

constexpr auto kDone = [](const KeptDeliveryEnding& f) { return f.ending == sim::Ending::done; };
constexpr auto kTakes = [](const KeptSubmission& f) {
  const auto* ack = as_reference<reference::AckEvents>(f.submission.request);
  return ack != nullptr && !ack->events.empty();
};

// Later, and perhaps before as well.
bool sent_later(History& history, std::uint64_t draw) {
  return change_one<KeptDeliveryAsked>(history, draw, kAny, [&](const KeptDeliveryAsked&, std::size_t place) {
    const std::size_t to = later(history, place, draw, draw % 2 == 0 ? 60 : history.facts.size());
    Kept sent = again_at(history, place, to);
    std::get<KeptDeliveryAsked>(sent.fact).mono += sent.at - history.facts[place].at;
    put_in(history, to, sent);
    if (draw % 3 == 0) take_out(history, place);
  });
}
// Two events of one schedule, one for the other.
bool sent_in_another_order(History& history, std::uint64_t draw) {
  return change_one<KeptDeliveryAsked>(history, draw, kAny, [&](KeptDeliveryAsked& one, std::size_t place) {
    for (std::size_t after = place; after < history.facts.size(); ++after) {
      auto* other = std::get_if<KeptDeliveryAsked>(&history.facts[after].fact);
      if (other == nullptr || other->who != one.who || other->item.event == one.item.event ||
          other->item.event.schedule != one.item.event.schedule)
        continue;
      std::swap(one.item, other->item);
      return true;
    }
    return false;
  });
}
bool failed_instead(History& history, std::uint64_t draw) {
  return change_one<KeptDeliveryEnding>(
      history, draw, kDone, [](KeptDeliveryEnding& end, std::size_t) { end.ending = sim::Ending::failed; });
}
// What was delivered is given up.
bool given_up(History& history, std::uint64_t draw) {
  return change_one<KeptSubmission>(history, draw, kTakes, [&](KeptSubmission& sent, std::size_t place) {
    const auto ack = message_in<reference::AckEvents>(sent.submission.request);
    reference::GiveUpEvents instead;
    instead.resource = ack.resource;
    for (const std::size_t before : places_of<KeptDeliveryAsked>(history)) {
      const auto& asked = std::get<KeptDeliveryAsked>(history.facts[before].fact);
      if (before < place && asked.who == sent.who && asked.item.token) instead.token = *asked.item.token;
    }
    for (const reference::DeliveredEvent& had : ack.events) instead.events.push_back({.id = had.id});
    sent.submission.request = reference::Request(instead);
  });
}
// Another one of these names the destination of the first.
template <class Delivery, class Wanted>
bool moved_elsewhere(History& history, std::uint64_t draw, Wanted wanted) {
  return change_one<Delivery>(history, draw, wanted, [&](Delivery& moved, std::size_t) {
    for (const std::size_t place : places_of<Delivery>(history, wanted)) {
      const std::string& other = std::get<Delivery>(history.facts[place].fact).item.destination;
      if (other == moved.item.destination) continue;
      moved.item.destination = other;
      return true;
    }
    return false;
  });
}
bool sent_elsewhere(History& history, std::uint64_t draw) {
  return moved_elsewhere<KeptDeliveryAsked>(history, draw, kAny);
}
bool done_elsewhere(History& history, std::uint64_t draw) {
  return moved_elsewhere<KeptDeliveryEnding>(history, draw, kDone);
}
// Its leader does itself what it should send.
bool done_by_its_leader(History& history, std::uint64_t draw) {
  return change_one<KeptDeliveryAsked>(history, draw, kAny,
                                       [&](const KeptDeliveryAsked& sent, std::size_t place) {
                                         const KeptWorkAsked instead{sent.who, sent.item};
                                         history.facts[place].fact = instead;
                                       });
}

// ---- executions --------------------------------------------------------------------------------------------

constexpr auto kClaims = [](const KeptApplied& f) {
  const auto* claimed = as_reference<reference::ClaimedExecutions>(f.reply);
  return claimed != nullptr && !claimed->executions.empty();
};
constexpr auto kAnswers = [](const KeptApplied& f) { return !answers_in(f).empty(); };

using Executions = std::vector<reference::Execution>;
Executions& claimed_in(Fact& fact) {
  return message_in<reference::ClaimedExecutions>(std::get<KeptApplied>(fact).reply).executions;
}
template <class Change>
bool change_claim(History& history, std::uint64_t draw, Change change) {
  return change_one<KeptApplied>(history, draw, kClaims, [&](KeptApplied&, std::size_t place) {
    return change(claimed_in(history.facts[place].fact), place);
  });
}

// To somebody else, soon after or at any time after.
bool handed_out_again(History& history, std::uint64_t draw) {
  return change_claim(history, draw, [&](const Executions&, std::size_t place) {
    const std::size_t to = later(history, place, draw, draw % 2 == 0 ? 50 : history.facts.size());
    Kept again = again_at(history, place, to);
    auto& applied = std::get<KeptApplied>(again.fact);
    applied.store_now = again.store_now;
    applied.who.number += 1'000;
    for (reference::Execution& each : claimed_in(again.fact)) {
      each.token.attempt += draw % 3 == 0 ? 0 : 1;
      each.token.nonce ^= 1;
    }
    put_in(history, to, again);
  });
}
bool another_attempt(History& history, std::uint64_t draw) {
  return change_claim(history, draw, [draw](Executions& executions, std::size_t) {
    drawn(executions, draw).token.attempt += draw % 2 == 0 ? 1 : 7;
  });
}
// The same one in the same answer; or another event of its schedule.
bool handed_out_together(History& history, std::uint64_t draw) {
  return change_claim(history, draw, [draw](Executions& executions, std::size_t) {
    executions.push_back(reference::Execution(executions.back()));
    if (draw % 2 == 0) return;
    executions.back().token.event.slot += Duration::millis(1);
    executions.back().token.attempt = 1;
  });
}
bool claimed_by_another_topic(History& history, std::uint64_t draw) {
  return change_one<KeptApplied>(history, draw, kClaims, [draw](KeptApplied& applied, std::size_t) {
    std::string& topic = message_in<reference::ClaimExecutions>(applied.request).topic;
    topic = draw % 2 == 0 || topic.empty() ? "another" : "";
  });
}
bool answer_forgotten(History& history, std::uint64_t draw) {
  return forget_one<KeptApplied>(history, draw, kAnswers);
}
bool another_answer(History& history, std::uint64_t draw) {
  return change_one<KeptApplied>(history, draw, kAnswers, [draw](KeptApplied& applied, std::size_t) {
    auto& states = message_in<reference::ExecutionStates>(applied.reply).executions;
    drawn(states, mix64(draw, 2)).standing =
        static_cast<Standing>(reduce(mix64(draw, 5), static_cast<std::uint64_t>(Standing::released) + 1));
  });
}
// Of an event that has an attempt left.
bool dead_too_early(History& history, std::uint64_t draw) {
  const auto fails = [](const KeptApplied& f) {
    const auto answers = answers_in(f);
    return std::any_of(answers.begin(), answers.end(),
                       [](const Answer& answer) { return answer.standing == Standing::failed; });
  };
  return change_one<KeptApplied>(history, draw, fails, [](KeptApplied& applied, std::size_t) {
    for (reference::ExecutionState& state : message_in<reference::ExecutionStates>(applied.reply).executions)
      if (state.standing == Standing::failed) state.standing = Standing::dead;
  });
}
bool done_by_nobody(History& history, std::uint64_t draw) {
  return change_one<sim::WorkerExecution>(
      history, draw, [](const sim::WorkerExecution& f) { return f.ending == sim::Ending::done; },
      [](sim::WorkerExecution& worked, std::size_t) { worked.ending = sim::Ending::failed; });
}
// The store says of a slot that fired that it overlaps, or the other way round.
bool overlaps_otherwise(History& history, std::uint64_t draw) {
  return change_one<KeptApplied>(
      history, draw, kReplies<reference::Committed>, [draw](KeptApplied& applied, std::size_t) {
        const auto& asked = message_in<reference::CommitFires>(applied.request).rows;
        auto& rows = message_in<reference::Committed>(applied.reply).rows;
        const std::size_t row = reduce(mix64(draw, 2), rows.size());
        if (asked[row].what != reference::Disposition::fired || asked[row].slots != 1) return false;
        using reference::RowResult;
        if (rows[row] != RowResult::covered && rows[row] != RowResult::overlapped) return false;
        rows[row] = rows[row] == RowResult::covered ? RowResult::overlapped : RowResult::covered;
        return true;
      });
}

// What a request says of its execution number `one`, and the answer to that.
void take_out_of_answer(KeptApplied& applied, std::size_t one) {
  const auto place = static_cast<std::ptrdiff_t>(one);
  const auto erase = [place](auto& those) { those.erase(those.begin() + place); };
  erase(message_in<reference::ExecutionStates>(applied.reply).executions);
  if (as_reference<reference::ExtendExecutions>(applied.request) != nullptr)
    erase(message_in<reference::ExtendExecutions>(applied.request).executions);
  if (as_reference<reference::EndExecutions>(applied.request) != nullptr)
    erase(message_in<reference::EndExecutions>(applied.request).ends);
  if (as_reference<reference::ReleaseExecutions>(applied.request) != nullptr)
    erase(message_in<reference::ReleaseExecutions>(applied.request).executions);
}
// From its commit on, an event for others is heard of no more: nobody tries it, and it stays in the store.
bool left_alone(History& history, std::uint64_t draw) {
  std::vector<EventId> all;
  for (const auto& [schedule, own] : waiting_events(history))
    for (const Waiting& each : own)
      if (!each.rules.is_own_work()) all.push_back(each.event);
  if (all.empty()) return false;
  const EventId event = drawn(all, draw);
  const auto about = [&](const auto& one) { return one.item.event == event; };
  const auto forget = [&](auto& those, auto id) {
    std::erase_if(those, [&](const auto& one) { return id(one) == event; });
  };
  std::erase_if(history.facts, [&](const Kept& kept) {
    const auto* asked = std::get_if<KeptDeliveryAsked>(&kept.fact);
    const auto* landed = std::get_if<KeptDeliveryLanding>(&kept.fact);
    const auto* ended = std::get_if<KeptDeliveryEnding>(&kept.fact);
    const auto* worked = std::get_if<sim::WorkerExecution>(&kept.fact);
    return (asked != nullptr && about(*asked)) || (landed != nullptr && about(*landed)) ||
           (ended != nullptr && about(*ended)) || (worked != nullptr && worked->token.event == event);
  });
  for (Kept& kept : history.facts) {
    auto* applied = std::get_if<KeptApplied>(&kept.fact);
    if (applied == nullptr) continue;
    if (as_reference<reference::ClaimedExecutions>(applied->reply) != nullptr)
      forget(claimed_in(kept.fact), [](const reference::Execution& one) { return one.token.event; });
    if (as_reference<reference::AckEvents>(applied->request) != nullptr)
      forget(message_in<reference::AckEvents>(applied->request).events,
             [](const reference::DeliveredEvent& one) { return one.id; });
    if (as_reference<reference::GiveUpEvents>(applied->request) != nullptr)
      forget(message_in<reference::GiveUpEvents>(applied->request).events,
             [](const reference::DeadEvent& one) { return one.id; });
    auto answers = answers_in(*applied);
    for (std::size_t one = answers.size(); one-- > 0;)
      if (answers[one].token.event == event) take_out_of_answer(*applied, one);
  }
  return true;
}

// ---- items that are placed ---------------------------------------------------------------------------------

// What is held of another store never changes: a changed copy takes its place.
template <class Asked, class Change>
void change_placement(Request& request, Change change) {
  auto changed = std::get<Asked>(*message_as<placement::Request>(request));
  change(changed);
  request = placement::Request{changed};
}
constexpr auto kAssigns = [](const KeptApplied& f) {
  const auto* reply = message_as<placement::Reply>(f.reply);
  return reply != nullptr && std::holds_alternative<placement::Assigned>(*reply);
};

bool assigned_by_another_version(History& history, std::uint64_t draw) {
  return change_one<KeptApplied>(history, draw, kAssigns, [draw](KeptApplied& applied, std::size_t) {
    change_placement<placement::AssignItem>(applied.request, [draw](placement::AssignItem& assignment) {
      assignment.seen += draw % 2 == 0 ? 1 : -1;
    });
  });
}
bool assignment_forgotten(History& history, std::uint64_t draw) {
  return forget_one<KeptApplied>(history, draw, kAssigns);
}
// One of them reports it from some moment on.
bool runs_another_item(History& history, std::uint64_t draw) {
  const std::int64_t item = 1 + static_cast<std::int64_t>(reduce(mix64(draw, 3), 5));
  const auto reports = [](const KeptSubmission& f) {
    const auto* family = message_as<placement::Request>(f.submission.request);
    return family != nullptr && std::holds_alternative<placement::ReportWork>(*family);
  };
  return change_one<KeptSubmission>(
      history, draw, reports, [&](const KeptSubmission& first, std::size_t from) {
        const Incarnation who = first.who;
        for (const std::size_t place : places_of<KeptSubmission>(history, reports))
          if (auto& sent = std::get<KeptSubmission>(history.facts[place].fact);
              place >= from && sent.who == who)
            change_placement<placement::ReportWork>(
                sent.submission.request, [&](placement::ReportWork& report) { report.runs.push_back(item); });
      });
}

constexpr Forgery kOfDeliveries[] = {
    {"sent later", sent_later},
    {"sent in another order", sent_in_another_order},
    {"failed instead", failed_instead},
    {"given up", given_up},
    {"sent elsewhere", sent_elsewhere},
    {"done elsewhere", done_elsewhere},
    {"done by its leader", done_by_its_leader},
    {"handed out again", handed_out_again},
    {"another attempt", another_attempt},
    {"handed out together", handed_out_together},
    {"claimed by another topic", claimed_by_another_topic},
    {"an answer is forgotten", answer_forgotten},
    {"another answer to a worker", another_answer},
    {"dead too early", dead_too_early},
    {"done by nobody", done_by_nobody},
    {"overlaps otherwise", overlaps_otherwise},
    {"left alone", left_alone},
    {"assigned by another version", assigned_by_another_version},
    {"an assignment is forgotten", assignment_forgotten},
    {"runs another item", runs_another_item},
};

}  // namespace

std::span<const Forgery> forgeries_of_deliveries() { return kOfDeliveries; }

}  // namespace tenure::judging
