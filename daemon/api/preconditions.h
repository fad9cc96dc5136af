// Which edition of a schedule an edit is based on, and what is said when it is another one; internal to this room.
//
// Thread rule: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/store/reference/named.h"
#include "daemon/api/call.h"

namespace tenure::daemon {

struct Precondition {
  std::optional<reference::Edition> edition;  // none: it must not exist
};
// From If-Match, or If-None-Match: *. `If-Match: *` is the edition that the store has. Throws HttpProblem.
Precondition precondition_of(Call& call);

// Whether a list of ETags has this one, or is *.
bool names_edition(std::string_view etags, const reference::Edition& edition);

HttpProblem precondition_required(std::string detail);
HttpProblem no_such_schedule(const std::string& name);
HttpProblem invalid_schedule(std::vector<FieldError> errors);
// Of a definition that only a newer program can read.
std::string unreadable(const std::string& name);
// 409.
HttpProblem not_possible(std::string detail);
HttpProblem refusal(const reference::NamedRefused& refused, const std::string& name);

}  // namespace tenure::daemon
