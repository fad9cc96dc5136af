// Schedules by name: the second calls of edits, and all replies.
#include <algorithm>

#include "adapters/postgres/calls.h"
#include "adapters/store/payload_codec.h"
#include "adapters/store/slot_search.h"
#include "core/base/check.h"
#include "core/journal/definition_codec.h"

namespace tenure::postgres {
namespace {

void check_asked(const auto& asked) {
  const std::string problem = problem_of(asked);
  CHECK(problem.empty(), problem);
}

// The numbers of tenure.pause_named's p_todo.
enum class Todo : std::int64_t { edit, nothing, unreadable };

struct PayloadRow {
  std::string topic;
  std::string type;
  std::string data;
  std::string labels;
  std::string description;

  reference::Payload read() const { return {topic, type, data, decode_labels(labels), description}; }
};
TENURE_FIELDS(PayloadRow, topic, type, data, labels, description)

// A schedule as tenure.schedules_covered gives it.
struct NamedRow {
  std::string name;
  reference::Edition edition;
  StoreTime since;
  reference::Pause pause;
  std::string definition;
  PayloadRow payload;
  StoreTime covered;
};
TENURE_FIELDS(NamedRow, name, edition, since, pause, definition, payload, covered)

// And an event's payload, as tenure.payloads does.
struct EventRow {
  std::int64_t version = 0;  // -1: it is not found
  std::string name;
  PayloadRow payload;
};
TENURE_FIELDS(EventRow, version, name, payload)

}  // namespace

StatementCall named_call(const reference::PutNamed& asked, const Looked& looked, const TimeZones& zones,
                         std::int64_t wait_ms) {
  check_asked(asked);
  Definition definition = asked.definition;
  definition.paused = looked.in_force && says_paused(looked.definition);
  const SlotSearch first = search_slot(definition, std::max(looked.now, looked.covered_until));
  const auto& [topic, type, data, labels, description] = asked.payload;
  return {
      "SELECT * FROM tenure.put_named($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, "
      "$17, $18)",
      Params(wait_ms, asked.resource, asked.name,
             asked.expected ? std::int64_t{asked.expected->schedule.value} : -1,
             asked.expected ? asked.expected->version : 0, encode(definition), topic, type, data,
             encode_labels(labels), description, asked.actor, looked.schedule, looked.version, looked.cursor,
             left_of(looked, zones), first.from, first.slot)};
}

StatementCall named_call(const reference::DeleteNamed& asked, const Looked& looked, const TimeZones& zones,
                         std::int64_t wait_ms) {
  check_asked(asked);
  return {"SELECT * FROM tenure.remove_named($1, $2, $3, $4, $5, $6, $7, $8, $9)",
          Params(wait_ms, asked.resource, asked.name, asked.expected.schedule, asked.expected.version,
                 asked.actor, looked.version, looked.cursor, left_of(looked, zones))};
}

StatementCall named_call(const reference::PauseNamed& asked, const Looked& looked, const TimeZones& zones,
                         std::int64_t wait_ms) {
  check_asked(asked);
  const std::string text = with_paused(looked.definition, asked.paused);
  const auto decoded = decode_definition(text, zones);
  const auto* definition = std::get_if<Definition>(&decoded);
  const StoreTime from = std::max(looked.now, looked.covered_until);
  const SlotSearch first = definition != nullptr ? search_slot(*definition, from) : SlotSearch{from, from};
  const Todo todo = says_paused(looked.definition) == asked.paused ? Todo::nothing
                    : definition == nullptr                        ? Todo::unreadable
                                                                   : Todo::edit;
  const auto what = asked.paused ? reference::LogAction::paused : reference::LogAction::resumed;
  return {
      "SELECT * FROM tenure.pause_named($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
      Params(wait_ms, asked.resource, asked.name, todo, what, text, asked.actor, asked.why, looked.schedule,
             looked.version, looked.cursor, left_of(looked, zones), first.from, first.slot)};
}

reference::Reply named_reply(ResultRow& row, std::int64_t& outcome) {
  outcome = row.integer();
  const auto why = static_cast<reference::EditDenial>(row.integer());
  reference::Edition edition;
  edition.version = row.small();
  const std::uint64_t change_seq = row.natural();
  const StoreTime since = row.time();
  edition.schedule = {row.small()};
  if (outcome == 2) return reference::NamedRefused{why, edition};
  return reference::NamedEdited{edition, change_seq, since};
}

reference::NamedSchedules read_schedules(ResultRow& row, std::uint32_t limit, const TimeZones& zones,
                                         std::vector<std::string>& warnings) {
  reference::NamedSchedules read;
  auto rows = row.structs<NamedRow>();
  read.more = cut(rows, limit);
  for (const NamedRow& row_of : rows) {
    reference::NamedSchedule& one = read.schedules.emplace_back();
    one.name = row_of.name;
    one.edition = row_of.edition;
    one.since = row_of.since;
    one.covered = row_of.covered;
    if (says_paused(row_of.definition)) one.pause = row_of.pause;
    one.payload = row_of.payload.read();
    auto decoded = decode_definition(row_of.definition, zones);
    if (auto* definition = std::get_if<Definition>(&decoded)) {
      one.definition = std::move(*definition);
    } else {
      one.unreadable = true;
      warnings.push_back(
          warning_of(std::get<CodecError>(decoded), one.edition.schedule, one.edition.version));
    }
  }
  return read;
}

reference::Payloads read_payloads(ResultRow& row, const std::vector<reference::EventId>& asked) {
  const auto rows = row.structs<EventRow>();
  reference::Payloads read;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const EventRow& found = rows.at(i);
    reference::EventPayload& one = read.events.emplace_back();
    one.event = asked[i];
    one.found = found.version >= 0;
    if (!one.found) continue;
    one.version = static_cast<std::uint32_t>(found.version);
    one.name = found.name;
    one.payload = found.payload.read();
  }
  return read;
}

reference::Log read_log(ResultRow& row, std::uint32_t limit) {
  reference::Log read{row.structs<reference::LogEntry>()};
  read.more = cut(read.entries, limit);
  return read;
}

}  // namespace tenure::postgres
