// What statements and schemas have in common on the way in.
//
// Thread rule: pure functions.
#pragma once

#include <string_view>

#include "adapters/sql/refusal.h"
#include "adapters/sql/statement_errors.h"
#include "adapters/sql/tree.h"

namespace tenure::sql {

// For a node that is no SELECT, INSERT, UPDATE or DELETE: says what it is. Throws RefusedError.
[[noreturn]] void refuse_statement(const TreeNode& statement, int at);

// The same for whoever wrote `text`; `at` is an offset in it.
Refusal refusal_at(const RefusedError& refused, std::string_view text, int at);

}  // namespace tenure::sql
