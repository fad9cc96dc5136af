// The fields of this store's requests and replies (core/base/fields.h).
//
// Thread rule: pure functions.
#pragma once

#include "core/base/fields.h"
#include "sim/stores/schedule_table/requests.h"

namespace tenure::schedule_table {

TENURE_FIELDS(ScheduleRow, schedule, definition, next_run)
TENURE_FIELDS(ReadRuns, resource, limit)
TENURE_FIELDS(Runs, rows)
TENURE_FIELDS(SetNextRun, resource, schedule, next_run)
TENURE_FIELDS(PutRow, resource, schedule, definition)
TENURE_FIELDS(DeleteRow, resource, schedule)
TENURE_FIELDS(Written, found)

}  // namespace tenure::schedule_table
