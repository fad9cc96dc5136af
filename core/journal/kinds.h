// The kinds of request and reply of the reference store, by their names in journals.
//
// Thread rule: pure functions.
#pragma once

#include <array>
#include <string_view>
#include <variant>

#include "core/base/one_of.h"
#include "core/store/reference/requests.h"

namespace tenure::journal {

// In the order of reference::Request and of reference::Reply.
inline constexpr std::array<std::string_view, std::variant_size_v<reference::Request>> kRequestKinds = {
    "acquire",
    "renew",
    "release",
    "put-schedule",
    "delete-schedule",
    "trigger-schedule",
    "backfill-schedule",
    "read-due",
    "commit-fires",
    "read-outbox",
    "ack-events",
    "changes-since",
    "set-hold",
    "clear-hold",
    "prune",
    "read-dead",
    "redrive",
    "give-up-events",
    "put-named",
    "delete-named",
    "pause-named",
    "read-named",
    "list-named",
    "read-payloads",
    "read-log",
    "read-history",
    "read-waiting",
    "read-depths",
    "claim-executions",
    "extend-executions",
    "end-executions",
    "register-node",
    "read-nodes",
    "discard-dead",
    "release-executions"};
inline constexpr std::array<std::string_view, std::variant_size_v<reference::Reply>> kReplyKinds = {
    "granted",
    "refused",
    "released",
    "edited",
    "edit-refused",
    "due",
    "committed",
    "commit-refused",
    "outbox",
    "acknowledged",
    "changes",
    "hold-set",
    "pruned",
    "dead",
    "redriven",
    "given-up",
    "named-edited",
    "named-refused",
    "named-schedules",
    "payloads",
    "log",
    "history-page",
    "waiting-events",
    "depths",
    "claimed-executions",
    "execution-states",
    "node-registered",
    "registered-nodes",
    "discarded"};

// For these kinds a journal keeps only the name, because no judgement depends on more. A kind that is neither here nor
// in line.cc field by field does not compile.
template <class Kind>
inline constexpr bool kHasNameOnly = kIsOneOf<
    Kind, reference::PutSchedule, reference::DeleteSchedule, reference::TriggerSchedule,
    reference::BackfillSchedule, reference::ReadDue, reference::ReadOutbox, reference::Prune,
    reference::Released, reference::Edited, reference::EditRefused, reference::Due, reference::Outbox,
    reference::Acknowledged, reference::HoldSet, reference::Pruned, reference::ReadDead, reference::Redrive,
    reference::Dead, reference::Redriven, reference::GivenUp, reference::PutNamed, reference::DeleteNamed,
    reference::PauseNamed, reference::ReadNamed, reference::ListNamed, reference::ReadPayloads,
    reference::ReadLog, reference::NamedEdited, reference::NamedRefused, reference::NamedSchedules,
    reference::Payloads, reference::Log, reference::ReadHistory, reference::ReadWaiting,
    reference::ReadDepths, reference::ClaimExecutions, reference::ExtendExecutions, reference::EndExecutions,
    reference::RegisterNode, reference::ReadNodes, reference::HistoryPage, reference::WaitingEvents,
    reference::Depths, reference::ClaimedExecutions, reference::ExecutionStates, reference::NodeRegistered,
    reference::RegisteredNodes, reference::DiscardDead, reference::Discarded, reference::ReleaseExecutions>;

// Whether the request shows a holder of the lease, or who wants to be it: nodes do, and clients do not.
template <class Kind>
inline constexpr bool kShowsHolder = requires(const Kind& request) {
  request.holder;
};

// Whether clients change something with such a request.
inline bool clients_change_with(const reference::Request& request) {
  return !reference::only_reads(request) &&
         std::visit([]<class Kind>(const Kind&) { return !kShowsHolder<Kind>; }, request);
}

}  // namespace tenure::journal
