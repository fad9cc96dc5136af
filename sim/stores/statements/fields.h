// The fields of what this store is asked and answers (core/base/fields.h).
//
// Thread rule: pure functions.
#pragma once

#include "core/base/fields.h"
#include "sim/stores/statements/requests.h"

namespace tenure::statements {

TENURE_NO_FIELDS(Null)
TENURE_FIELDS(SqlStatement, text, parameters)
TENURE_FIELDS(Execute, resource, statements)
TENURE_FIELDS(EditSchedule, resource, schedule, definition, from, statements)
TENURE_FIELDS(SqlRows, columns, rows, count)
TENURE_FIELDS(Executed, results)
TENURE_FIELDS(SqlFailed, sqlstate, message)

}  // namespace tenure::statements
