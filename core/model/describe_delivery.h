// Requests and replies of core/store/reference/executions.h, and of the history, in words.
//
// Thread rule: pure functions.
#pragma once

#include <string>
#include <string_view>

#include "core/store/reference/requests.h"

namespace tenure {

std::string describe_delivery(const reference::ReadHistory& it);
std::string describe_delivery(const reference::ReadWaiting& it);
std::string describe_delivery(const reference::ReadDepths& it);
std::string describe_delivery(const reference::ClaimExecutions& it);
std::string describe_delivery(const reference::ExtendExecutions& it);
std::string describe_delivery(const reference::EndExecutions& it);
std::string describe_delivery(const reference::ReleaseExecutions& it);
std::string describe_delivery(const reference::DiscardDead& it);
std::string describe_delivery(const reference::Discarded& it);
std::string describe_delivery(const reference::RegisterNode& it);
std::string describe_delivery(const reference::ReadNodes& it);
std::string describe_delivery(const reference::HistoryPage& it);
std::string describe_delivery(const reference::WaitingEvents& it);
std::string describe_delivery(const reference::Depths& it);
std::string describe_delivery(const reference::ClaimedExecutions& it);
std::string describe_delivery(const reference::ExecutionStates& it);
std::string describe_delivery(const reference::NodeRegistered& it);
std::string describe_delivery(const reference::RegisteredNodes& it);

std::string_view name_of(Delivery::Kind kind);           // "work", "pull", "push"
std::string_view name_of(reference::Standing standing);  // "claimed", …

}  // namespace tenure
