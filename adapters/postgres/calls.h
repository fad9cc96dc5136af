// Requests as calls of the functions of schema/*.sql, and their rows as replies.
//
// One call is one round trip and one transaction. A put and a delete need a look before (adapters/store/slot_search.h),
// because recurrences are computed here.
//
// Thread rule: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "adapters/postgres/failure.h"
#include "adapters/postgres/params.h"
#include "adapters/store/answer.h"
#include "adapters/store/house_database.h"
#include "core/schedule/definition.h"
#include "core/schedule/time_zone.h"
#include "core/store/house/requests.h"

namespace tenure::postgres {

struct Call {
  const char* sql;  // a literal
  Params params;
};

using Edit = std::variant<house::PutSchedule, house::DeleteSchedule>;

// What a look found of a schedule.
struct Looked {
  StoreTime now;
  std::uint32_t version = 0;  // 0: there is none
  bool in_force = false;
  StoreTime cursor;
  StoreTime covered_until;
  std::string definition;
};

// REQUIRES: no put and no delete. No lock is waited for longer than `wait_ms`. CHECKs what the caller must get right.
Call call_of(const house::Request& request, std::int64_t wait_ms);
// Fills in what an applied answer has. Throws Failure.
void read_answer(const house::Request& request, Row row, const TimeZones& zones, Answer& answer);

Call look_call(const Edit& edit);
Looked read_look(Row row);
// Throws Failure when the definition in force cannot be read.
Call edit_call(const Edit& edit, const Looked& looked, const TimeZones& zones, std::int64_t wait_ms);
// False: what was looked at has changed, and nothing was written.
bool read_edit(const Edit& edit, Row row, Answer& answer);

Call audit_call(ResourceId resource);
HouseAudit read_audit(Row row);

}  // namespace tenure::postgres
