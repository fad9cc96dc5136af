// What each leadership has sent to destinations: of each event its attempts, and what the destination made of them.
//
// A leadership counts from the beginning, and so does one that has an event sent again that it had acknowledged. What
// it gave up, an operator may have sent again: then it waits for nothing, and its attempts go on.
//
// Thread rule: one belongs to one run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "core/store/reference/event_map.h"
#include "sim/checkers/trackers/applied.h"
#include "sim/checkers/trackers/event_rules.h"
#include "sim/checkers/trackers/per_incarnation.h"
#include "sim/checkers/trackers/record_kinds.h"
#include "sim/scenario/scenario.h"
#include "sim/world/record.h"

namespace tenure::sim {

struct SentEvent {
  std::optional<Token> token;
  TrueTime first = {};
  TrueTime last = {};
  std::uint32_t attempt = 0;  // the last one's number
  // Attempts that may have failed: not those of which the destination said in time that it refuses the token, or works
  // on another one.
  std::uint32_t attempts = 0;

  // By the sender's clock, and since this leadership has it in hand.
  bool is_in_hand = false;
  MonoTime first_mono = {};
  MonoTime last_mono = {};
  std::uint32_t failures = 0;     // attempts that came to the destination, and are over if it is sent again
  std::uint32_t in_a_row = 0;     // of these, since the destination was at work on another attempt
  std::uint32_t counted = 0;      // the latest attempt of these
  bool works_on_another = false;  // so the destination has said, or refused the token

  // What the destination asks for since the last attempt.
  Duration wait = {};
  MonoTime wait_until = {};
};

class SentEvents {
 public:
  // `rules`: sees each record before.
  SentEvents(const Scenario& scenario, const View& view, const EventRules& rules)
      : view_(view), rules_(rules) {
    for (const DestinationSetting& each : scenario.destinations) timeouts_[each.name] = each.timeout;
  }

  void see(TrueTime now, const Record& record) { show_to(*this, now, record); }
  void on(TrueTime now, const DeliveryAsked& asked) {
    const MonoTime mono = view_.mono_now(asked.who.node);
    const bool is_new = find(asked.who, asked.item) == nullptr;
    SentEvent& sent = lives_[asked.who].add(asked.item.event);
    if (is_new) sent = {.token = asked.item.token, .first = now};
    if (!std::exchange(sent.is_in_hand, true)) {
      sent.first_mono = mono;
      sent.failures = sent.in_a_row = sent.counted = 0;
    }
    sent.last = now;
    sent.last_mono = mono;
    sent.attempt = asked.item.attempt;
    ++sent.attempts;
    sent.works_on_another = false;
    sent.wait = {};
  }
  void on(TrueTime now, const DeliveryArrived& landed) {
    asks_to_wait(landed.who, landed.item, landed.retry_after);
    SentEvent* const sent = find(landed.who, landed.item);
    if (sent == nullptr) return;
    if (landed.landing == DeliveryOutcome::running || landed.landing == DeliveryOutcome::fenced) {
      sent->works_on_another = true;
      sent->in_a_row = 0;
      const auto timeout = timeouts_.find(landed.item.destination);
      const bool in_time = timeout != timeouts_.end() && now < sent->last + timeout->second;
      if (in_time && sent->attempt == landed.item.attempt && sent->attempts > 0) --sent->attempts;
    } else if (landed.landing != DeliveryOutcome::duplicate && landed.item.attempt > sent->counted) {
      ++sent->failures;
      ++sent->in_a_row;
      sent->counted = landed.item.attempt;
    }
  }
  void on(TrueTime, const Submitted& submitted) {
    Events* const events = lives_.find(submitted.who);
    if (events == nullptr) return;
    const Request& request = submitted.submission.request;
    const bool delivered = reference_request<reference::AckEvents>(request) != nullptr;
    for_each_taken(request, rules_, [&](const reference::EventId& event) {
      if (delivered)
        events->erase(event);
      else if (SentEvent* const sent = events->find(event))
        sent->is_in_hand = false;
    });
  }
  void on(TrueTime, const DeliveryEnded& ended) { asks_to_wait(ended.who, ended.item, ended.retry_after); }
  void on(TrueTime, const Noted& noted) {
    Events* const events = lives_.find(noted.who);
    if (events == nullptr || !std::holds_alternative<StepsDown>(noted.note)) return;
    events->for_each([events](const reference::EventId& event, const SentEvent&) {
      events->find(event)->is_in_hand = false;
    });
  }
  void on(TrueTime, const NodeDied& died) { lives_.erase(died.who); }

  // What this life has sent under this token; nullptr: nothing.
  const SentEvent* find(Incarnation who, const reference::EventId& event,
                        const std::optional<Token>& token) const {
    const Events* const events = lives_.find(who);
    const SentEvent* const sent = events != nullptr ? events->find(event) : nullptr;
    return sent != nullptr && sent->token == token ? sent : nullptr;
  }
  // What the leadership has sent that sent it last, of those that live; nullptr: none has.
  const SentEvent* last(const reference::EventId& event) const {
    const SentEvent* last = nullptr;
    for (const auto& [who, events] : lives_) {
      const SentEvent* const sent = events.find(event);
      if (sent != nullptr && (last == nullptr || last->last < sent->last)) last = sent;
    }
    return last;
  }

 private:
  using Events = reference::EventMap<SentEvent>;

  void asks_to_wait(Incarnation who, const WorkItem& item, Duration wait) {
    SentEvent* const sent = wait != Duration{} ? find(who, item) : nullptr;
    if (sent == nullptr) return;
    sent->wait = wait;
    sent->wait_until = view_.mono_now(who.node) + wait;
  }
  SentEvent* find(Incarnation who, const WorkItem& item) {
    return const_cast<SentEvent*>(std::as_const(*this).find(who, item.event, item.token));
  }

  const View& view_;
  const EventRules& rules_;
  std::map<std::string, Duration> timeouts_;  // of destinations
  PerIncarnation<Events> lives_;
};

}  // namespace tenure::sim
