// Schedules by name: the second calls of edits, and all replies.
#include <algorithm>

#include "adapters/postgres/calls.h"
#include "adapters/store/slot_search.h"
#include "core/base/check.h"
#include "core/journal/definition_codec.h"
#include "core/journal/payload_codec.h"

namespace tenure::postgres {
namespace {

void check_asked(const auto& asked) {
  const std::string problem = problem_of(asked);
  CHECK(problem.empty(), problem);
}

// The numbers of tenure.pause_named's p_todo.
enum class Todo : std::int64_t { edit, nothing, unreadable };

reference::Payload payload_at(std::size_t i, const std::vector<std::string>& topics,
                              const std::vector<std::string>& types, const std::vector<std::string>& datas,
                              const std::vector<std::string>& labels,
                              const std::vector<std::string>& descriptions) {
  return {topics.at(i), types.at(i), datas.at(i), decode_labels(labels.at(i)), descriptions.at(i)};
}

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
      Params()
          .add(wait_ms)
          .add(asked.resource.value)
          .add(asked.name)
          .add(asked.expected ? std::int64_t{asked.expected->schedule.value} : -1)
          .add(asked.expected ? asked.expected->version : 0)
          .add(encode(definition))
          .add(topic)
          .add(type)
          .add(data)
          .add(encode_labels(labels))
          .add(description)
          .add(asked.actor)
          .add(looked.schedule)
          .add(looked.version)
          .add(looked.cursor)
          .add(left_of(looked, zones))
          .add(first.from)
          .add(first.slot)};
}

StatementCall named_call(const reference::DeleteNamed& asked, const Looked& looked, const TimeZones& zones,
                         std::int64_t wait_ms) {
  check_asked(asked);
  return {"SELECT * FROM tenure.remove_named($1, $2, $3, $4, $5, $6, $7, $8, $9)",
          Params()
              .add(wait_ms)
              .add(asked.resource.value)
              .add(asked.name)
              .add(asked.expected.schedule.value)
              .add(asked.expected.version)
              .add(asked.actor)
              .add(looked.version)
              .add(looked.cursor)
              .add(left_of(looked, zones))};
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
  return {"SELECT * FROM tenure.pause_named($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
          Params()
              .add(wait_ms)
              .add(asked.resource.value)
              .add(asked.name)
              .add(static_cast<std::int64_t>(todo))
              .add(static_cast<std::int64_t>(what))
              .add(text)
              .add(asked.actor)
              .add(asked.why)
              .add(looked.schedule)
              .add(looked.version)
              .add(looked.cursor)
              .add(left_of(looked, zones))
              .add(first.from)
              .add(first.slot)};
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
  const auto names = row.texts();
  const auto numbers = row.integers();
  const auto versions = row.integers();
  const auto since = row.integers();
  const auto actors = row.texts();
  const auto whys = row.texts();
  const auto pauses = row.integers();
  const auto definitions = row.texts();
  const auto topics = row.texts();
  const auto types = row.texts();
  const auto datas = row.texts();
  const auto labels = row.texts();
  const auto descriptions = row.texts();
  const auto covered = row.integers();
  reference::NamedSchedules read;
  read.more = names.size() > limit;
  for (std::size_t i = 0; i < names.size() && i < limit; ++i) {
    reference::NamedSchedule& one = read.schedules.emplace_back();
    one.name = names[i];
    one.edition = {{static_cast<std::uint32_t>(numbers.at(i))}, static_cast<std::uint32_t>(versions.at(i))};
    one.since = store_time(since.at(i));
    one.covered = store_time(covered.at(i));
    if (says_paused(definitions.at(i))) one.pause = {actors.at(i), whys.at(i), store_time(pauses.at(i))};
    one.payload = payload_at(i, topics, types, datas, labels, descriptions);
    auto decoded = decode_definition(definitions.at(i), zones);
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
  const auto versions = row.integers();
  const auto names = row.texts();
  const auto topics = row.texts();
  const auto types = row.texts();
  const auto datas = row.texts();
  const auto labels = row.texts();
  const auto descriptions = row.texts();
  reference::Payloads read;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    reference::EventPayload& one = read.events.emplace_back();
    one.event = asked[i];
    one.found = versions.at(i) >= 0;
    if (!one.found) continue;
    one.version = static_cast<std::uint32_t>(versions[i]);
    one.name = names.at(i);
    one.payload = payload_at(i, topics, types, datas, labels, descriptions);
  }
  return read;
}

reference::Log read_log(ResultRow& row, std::uint32_t limit) {
  const auto seqs = row.integers();
  const auto names = row.texts();
  const auto numbers = row.integers();
  const auto versions = row.integers();
  const auto whats = row.integers();
  const auto actors = row.texts();
  const auto whys = row.texts();
  const auto since = row.integers();
  reference::Log read;
  read.more = seqs.size() > limit;
  for (std::size_t i = 0; i < seqs.size() && i < limit; ++i)
    read.entries.push_back(
        {as_unsigned(seqs[i]),
         names.at(i),
         {{static_cast<std::uint32_t>(numbers.at(i))}, static_cast<std::uint32_t>(versions.at(i))},
         static_cast<reference::LogAction>(whats.at(i)),
         actors.at(i),
         whys.at(i),
         store_time(since.at(i))});
  return read;
}

}  // namespace tenure::postgres
