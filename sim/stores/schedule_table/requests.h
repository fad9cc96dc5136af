// Requests to a plain schedule table: rows with next_run, polled and then advanced with no guard, as in simple
// schedulers (reference: the tickers of published designs).
//
// Thread rule: values.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "core/base/fields.h"
#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/schedule/definition.h"
#include "core/store/message.h"

namespace tenure::schedule_table {

struct ScheduleRow {
  ScheduleId schedule;
  Definition definition;
  StoreTime next_run;
};

// SELECT … WHERE next_run <= now ORDER BY next_run LIMIT n, on the store's clock. Paused rows are left out.
struct ReadRuns {
  ResourceId resource;
  std::uint32_t limit = 1000;
};
struct Runs {
  std::vector<ScheduleRow> rows;
};
// UPDATE … SET next_run = ? WHERE id = ?: no version, no token.
struct SetNextRun {
  ResourceId resource;
  ScheduleId schedule;
  StoreTime next_run;
};
// Client edits: insert or replace; next_run becomes the first slot at or after now.
struct PutRow {
  ResourceId resource;
  ScheduleId schedule;
  Definition definition;
};
struct DeleteRow {
  ResourceId resource;
  ScheduleId schedule;
};
struct Written {
  bool found = true;
};

using Request = std::variant<ReadRuns, SetNextRun, PutRow, DeleteRow>;
using Reply = std::variant<Runs, Written>;

// Their fields (core/base/fields.h).
TENURE_FIELDS(ScheduleRow, schedule, definition, next_run)
TENURE_FIELDS(ReadRuns, resource, limit)
TENURE_FIELDS(Runs, rows)
TENURE_FIELDS(SetNextRun, resource, schedule, next_run)
TENURE_FIELDS(PutRow, resource, schedule, definition)
TENURE_FIELDS(DeleteRow, resource, schedule)
TENURE_FIELDS(Written, found)

const MessageKind& kind_of(const Request*);
const MessageKind& kind_of(const Reply*);

}  // namespace tenure::schedule_table
