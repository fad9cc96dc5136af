// What an executed request tells a checker, for any store.
//
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "core/store/reference/segments.h"
#include "core/store/store_machine.h"
#include "sim/world/record.h"

namespace tenure::sim {

// The resource that a request is about; the first one, of a store that knows keys and no resources.
ResourceId resource_of(const Request& request);

// The fencing token that a request shows, if it shows one.
std::optional<Token> token_shown(const Request& request);

// The reference store's part of a request or a reply; nullptr when it is of another kind.
template <class Message>
const Message* reference_request(const Request& request) {
  const auto* reference = std::get_if<reference::Request>(&request);
  return reference != nullptr ? std::get_if<Message>(reference) : nullptr;
}
template <class Message>
const Message* reference_reply(const Reply& reply) {
  const auto* reference = std::get_if<reference::Reply>(&reply);
  return reference != nullptr ? std::get_if<Message>(reference) : nullptr;
}

// Calls `see(event)` for each event that the request is to take from the outbox, delivered or dead. False if it is no
// such request.
template <class See>
bool for_each_taken(const Request& request, See&& see) {
  if (const auto* ack = reference_request<reference::AckEvents>(request)) {
    for (const reference::DeliveredEvent& had : ack->events) see(had.id);
    return true;
  }
  const auto* given_up = reference_request<reference::GiveUpEvents>(request);
  if (given_up == nullptr) return false;
  for (const reference::DeadEvent& dead : given_up->events) see(dead.id);
  return true;
}

inline bool takes_events(const Request& request) {
  return for_each_taken(request, [](const reference::EventId&) {});
}

// The same without those that somebody else has had than who gets them by `rules`, an EventRules: the store keeps them.
template <class Rules, class See>
void for_each_taken(const Request& request, const Rules& rules, See&& see) {
  const auto* ack = reference_request<reference::AckEvents>(request);
  if (ack == nullptr) return static_cast<void>(for_each_taken(request, see));
  for (const reference::DeliveredEvent& had : ack->events)
    if (rules.is_for(had)) see(had.id);
}

// Calls `see(event)` for each event that this request took from the outbox, if it is the last record that `rules` has
// seen.
template <class Rules, class See>
void for_each_taken(const Applied& applied, const Rules& rules, See&& see) {
  if (reference_request<reference::AckEvents>(applied.request) != nullptr)
    return for_each_taken(applied.request, rules, see);
  for (const reference::EventId& event : rules.died()) see(event);
}

// What a worker says of an attempt.
enum class Said : std::uint8_t { lives, completed, failed, released };
struct SaidOfAttempt {
  const reference::ExecutionToken* token = nullptr;
  Said said = Said::lives;
};
// All that it says with this request, in its order; the store's answers are in that order, too.
std::vector<SaidOfAttempt> said_of_attempts(const Request& request);

// Calls `see(token, said, state)` for each of them that the store has answered.
template <class See>
void for_each_answer(const Applied& applied, See&& see) {
  const auto* answer = reference_reply<reference::ExecutionStates>(applied.reply);
  if (answer == nullptr) return;
  const std::vector<SaidOfAttempt> all = said_of_attempts(applied.request);
  for (std::size_t i = 0; i < all.size() && i < answer->executions.size(); ++i)
    see(*all[i].token, all[i].said, answer->executions[i]);
}

// Calls `see(token, standing)` for each attempt of which a worker has said that it is over, or given back, and what the
// store answered.
template <class See>
void for_each_end(const Applied& applied, See&& see) {
  for_each_answer(applied, [&](const reference::ExecutionToken& token, Said said, const auto& state) {
    if (said != Said::lives) see(token, state.standing);
  });
}

// Calls `see(event)` for each event that is over by what the store answered to a worker: completed, dead or replaced.
// An attempt that gives way to a later event is over when it is given back, too.
template <class See>
void for_each_executed(const Applied& applied, See&& see) {
  for_each_end(applied, [&](const reference::ExecutionToken& token, reference::Standing now) {
    if (now == reference::Standing::completed || now == reference::Standing::dead ||
        now == reference::Standing::replaced)
      see(token.event);
  });
}

// Whether the store gave the leadership to the caller, or left it there.
bool grants_leadership(const Applied& applied);

// Calls `see(row)` for each ledger row that this request wrote. A fire that the store judged to overlap was written as
// that; it ends where the fire would, and not at the next slot: an edit may come before that.
template <class See>
void for_each_covered(const Applied& applied, See&& see) {
  const auto* asked = reference_request<reference::CommitFires>(applied.request);
  if (asked == nullptr) return;
  const auto* answer = reference_reply<reference::Committed>(applied.reply);
  if (answer == nullptr) return;
  for (std::size_t i = 0; i < asked->rows.size() && i < answer->rows.size(); ++i) {
    if (answer->rows[i] == reference::RowResult::covered) see(asked->rows[i]);
    if (answer->rows[i] != reference::RowResult::overlapped) continue;
    reference::LedgerRow row = asked->rows[i];
    row.to = reference::covered_end(row);
    see(reference::as_overlapped(row));
  }
}

}  // namespace tenure::sim
