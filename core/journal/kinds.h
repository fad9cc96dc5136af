// The kinds of request and reply of the reference store, by their names in journals.
//
// Thread rule: pure functions.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <variant>

#include "core/base/one_of.h"
#include "core/store/reference/fields.h"

namespace tenure::journal {

// The names of a variant's types, in its order: "put-schedule" of PutSchedule.
template <class... Kind>
std::array<std::string, sizeof...(Kind)> kinds_of(const std::variant<Kind...>*) {
  std::array kinds{snake_case(names_of(Kind{}).type)...};
  for (std::string& kind : kinds) std::replace(kind.begin(), kind.end(), '_', '-');
  return kinds;
}
inline const auto kRequestKinds = kinds_of(static_cast<reference::Request::Alternatives*>(nullptr));
inline const auto kReplyKinds = kinds_of(static_cast<reference::Reply::Alternatives*>(nullptr));

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
