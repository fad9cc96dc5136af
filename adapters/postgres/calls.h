// Requests as calls of the functions of schema/*.sql, and their rows as replies.
//
// One call is one round trip and one transaction. A put or a delete first reads the schedule
// (adapters/store/slot_search.h), because recurrences are computed here. So do those by name, and a pause.
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
#include "adapters/store/store_backend.h"
#include "core/schedule/definition.h"
#include "core/schedule/time_zone.h"
#include "core/store/reference/fields.h"

namespace tenure::postgres {

struct StatementCall {
  const char* sql;  // a literal
  Params params;
};

// What needs a first look: it begins or ends a version.
using Edit = std::variant<reference::PutSchedule, reference::DeleteSchedule, reference::PutNamed,
                          reference::DeleteNamed, reference::PauseNamed>;

// What the first read found of a schedule.
struct Looked {
  StoreTime now;
  std::uint32_t version = 0;  // 0: there is no such schedule
  bool in_force = false;
  StoreTime cursor;
  StoreTime covered_until;
  std::string definition;
  std::int64_t schedule = -1;  // looked for by name; -1: there is none
};

// REQUIRES: no Edit. Waits for no lock longer than `wait_ms`. CHECKs the caller's part.
StatementCall call_of(const reference::Request& request, std::int64_t wait_ms);
// Fills in the answer of an applied request. Throws Failure.
void read_answer(const reference::Request& request, ResultRow row, const TimeZones& zones, Answer& answer);

StatementCall look_call(const Edit& edit);
Looked read_look(const Edit& edit, ResultRow row);
// Throws Failure when the definition in force cannot be read.
StatementCall edit_call(const Edit& edit, const Looked& looked, const TimeZones& zones, std::int64_t wait_ms);
// False: the schedule has changed since it was read, and nothing was written.
bool read_edit(const Edit& edit, ResultRow row, Answer& answer);

// Of the version in force, the next slot that is not covered.
StoreTime left_of(const Looked& looked, const TimeZones& zones);
// The second calls of edits by name, and their replies (calls_by_name.cc).
StatementCall named_call(const reference::PutNamed& asked, const Looked& looked, const TimeZones& zones,
                         std::int64_t wait_ms);
StatementCall named_call(const reference::DeleteNamed& asked, const Looked& looked, const TimeZones& zones,
                         std::int64_t wait_ms);
StatementCall named_call(const reference::PauseNamed& asked, const Looked& looked, const TimeZones& zones,
                         std::int64_t wait_ms);
reference::Reply named_reply(ResultRow& row, std::int64_t& outcome);
reference::NamedSchedules read_schedules(ResultRow& row, std::uint32_t limit, const TimeZones& zones,
                                         std::vector<std::string>& warnings);
reference::Payloads read_payloads(ResultRow& row, const std::vector<reference::EventId>& asked);
reference::Log read_log(ResultRow& row, std::uint32_t limit);

// What becomes of events, the history, and instances (calls_delivery.cc).
StatementCall delivery_call(const reference::ClaimExecutions& asked, std::int64_t wait_ms);
StatementCall delivery_call(const reference::ExtendExecutions& asked, std::int64_t wait_ms);
StatementCall delivery_call(const reference::EndExecutions& asked, std::int64_t wait_ms);
StatementCall delivery_call(const reference::ReleaseExecutions& asked, std::int64_t wait_ms);
StatementCall delivery_call(const reference::ReadWaiting& asked, std::int64_t wait_ms);
StatementCall delivery_call(const reference::ReadDepths& asked, std::int64_t wait_ms);
StatementCall delivery_call(const reference::ReadHistory& asked, std::int64_t wait_ms);
StatementCall delivery_call(const reference::RegisterNode& asked, std::int64_t wait_ms);
StatementCall delivery_call(const reference::ReadNodes& asked, std::int64_t wait_ms);
reference::Reply delivery_reply(const reference::ClaimExecutions& asked, ResultRow& row, Answer& answer);
reference::Reply delivery_reply(const reference::ExtendExecutions& asked, ResultRow& row, Answer& answer);
reference::Reply delivery_reply(const reference::EndExecutions& asked, ResultRow& row, Answer& answer);
reference::Reply delivery_reply(const reference::ReleaseExecutions& asked, ResultRow& row, Answer& answer);
reference::Reply delivery_reply(const reference::ReadWaiting& asked, ResultRow& row, Answer& answer);
reference::Reply delivery_reply(const reference::ReadDepths& asked, ResultRow& row, Answer& answer);
reference::Reply delivery_reply(const reference::ReadHistory& asked, ResultRow& row, Answer& answer);
reference::Reply delivery_reply(const reference::RegisterNode& asked, ResultRow& row, Answer& answer);
reference::Reply delivery_reply(const reference::ReadNodes& asked, ResultRow& row, Answer& answer);

// Of a list of one more than `limit`: is there more?
template <class List>
bool cut(List& list, std::uint32_t limit) {
  const bool more = list.size() > limit;
  if (more) list.resize(limit);
  return more;
}

StatementCall audit_call(ResourceId resource);
StoreAudit read_audit(ResultRow row);

}  // namespace tenure::postgres
