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
  bool any = false;                           // the edition is the one that the store had
};
// From If-Match, or If-None-Match: *. `If-Match: *` is the edition that the store has. Throws HttpProblem.
Precondition precondition_of(Call& call);

// Until then an edit that names no edition of its own is asked for again when somebody else's came first.
inline constexpr Duration kTimeToAskAgain = Duration::seconds(5);  // from when the request came: it has 10 s

// The edition in force, if the store refused the edit because it expects another one.
std::optional<reference::Edition> came_second_to(const Answer& answer);
// The answer to an edit under this condition. `If-Match: *` names nothing that could be out of date: while others edit the
// schedule it is asked again.
template <class Edit>
Answer ask_under(const Precondition& condition, Call& call, Edit& edit) {
  Answer answer = call.store->ask(edit);
  while (condition.any && call.took() < kTimeToAskAgain) {
    const auto in_force = came_second_to(answer);
    if (!in_force) break;
    edit.expected = *in_force;
    answer = call.store->ask(edit);
  }
  return answer;
}

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
// What an edit has made of the schedule. Throws HttpProblem if it was refused, or not executed.
const reference::NamedEdited& expect_edited(const Answer& answer, const std::string& name);

}  // namespace tenure::daemon
