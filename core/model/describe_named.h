// Schedules by name in words: requests and replies of core/store/reference/named.h. A payload is shown by its size and
// hash, and never itself.
//
// Thread rule: pure functions.
#pragma once

#include <string>
#include <string_view>

#include "core/store/reference/requests.h"

namespace tenure {

std::string describe_named(const reference::PutNamed& it);
std::string describe_named(const reference::DeleteNamed& it);
std::string describe_named(const reference::PauseNamed& it);
std::string describe_named(const reference::ReadNamed& it);
std::string describe_named(const reference::ListNamed& it);
std::string describe_named(const reference::ReadPayloads& it);
std::string describe_named(const reference::ReadLog& it);
std::string describe_named(const reference::NamedEdited& it);
std::string describe_named(const reference::NamedRefused& it);
std::string describe_named(const reference::NamedSchedules& it);
std::string describe_named(const reference::Payloads& it);
std::string describe_named(const reference::Log& it);

std::string_view name_of(reference::EditDenial denial);
std::string describe(const Definition& definition);
// " (resource 2)"; nothing for number 0.
std::string in_resource(ResourceId resource);

}  // namespace tenure
