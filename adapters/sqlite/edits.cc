// What clients do to schedules by number: put, delete, trigger.
#include <sqlite3.h>

#include <algorithm>

#include "adapters/sqlite/partition.h"
#include "adapters/store/slot_search.h"
#include "core/base/check.h"
#include "core/journal/definition_codec.h"
#include "core/store/reference/history.h"

namespace tenure::sqlite {

using reference::EditDenial;
using reference::EditRefused;

reference::Reply SqlitePartition::apply(const reference::PutSchedule& asked) {
  const std::string problem = problem_of_delivery(asked.definition);
  CHECK(problem.empty(), problem);
  Schedule schedule = find(asked.schedule);
  if (schedule.version == 0 && asked.expected_version != 0)
    return EditRefused{EditDenial::no_such_schedule, 0};
  const std::string definition = encode(asked.definition);
  const bool repeated = !schedule.deleted && schedule.version != 0 &&
                        schedule.version == asked.expected_version + 1 &&
                        definition_text(schedule.change_seq) == definition;
  if (repeated) return edited(schedule);
  if (const auto why = refusal(schedule, asked.expected_version)) return *why;

  schedule.pause = {};
  edit(asked.schedule, schedule, asked.definition, definition, {});
  return edited(schedule);
}

reference::Reply SqlitePartition::apply(const reference::DeleteSchedule& asked) {
  Schedule schedule = find(asked.schedule);
  if (schedule.version == 0) return EditRefused{EditDenial::no_such_schedule, 0};
  const bool repeated = schedule.deleted && schedule.version == asked.expected_version;
  if (repeated) return edited(schedule);
  if (const auto why = refusal(schedule, asked.expected_version)) return *why;

  remove(asked.schedule, schedule, {});
  return edited(schedule);
}

void SqlitePartition::edit(ScheduleId id, Schedule& schedule, const Definition& definition,
                           std::string_view text, const Note& note) {
  const StoreTime covered = covered_until(id);
  const StoreTime at = schedule.version == 0 ? now_ : close(id, schedule);
  schedule.version += 1;
  schedule.since = at;
  if (schedule.pause == reference::Pause{}) schedule.pause.since = at;
  const reference::Segment segment{.schedule = id,
                                   .version = schedule.version,
                                   .begin = at,
                                   .end = StoreTime::max(),
                                   .cursor = search_slot(definition, at).slot};
  const bool work = definition.delivery.kind == Delivery::Kind::work;
  queries_.add_segment.run(resource_, segment.schedule, segment.version, segment.begin, segment.end,
                           segment.cursor, covered, work ? "" : encode(reference::rules_of(definition)));
  schedule.change_seq = append_change(segment, text, false, note);
  save(id, schedule);
}

void SqlitePartition::remove(ScheduleId id, Schedule& schedule, const Note& note) {
  const StoreTime at = close(id, schedule);
  std::vector<reference::Segment> left;
  {
    Rows rows = queries_.segments_of.with(resource_, id);
    while (rows.next()) {
      reference::Segment& segment = left.emplace_back();
      segment.schedule = {rows.small()};
      segment.version = rows.small();
      segment.begin = rows.time();
      segment.end = rows.time();
      segment.cursor = rows.time();
    }
  }
  for (const reference::Segment& segment : left) {
    queries_.forget_segment.run(resource_, segment.schedule, segment.version);
    const reference::LedgerRow row{.schedule = segment.schedule,
                                   .version = segment.version,
                                   .from = segment.cursor,
                                   .to = segment.end,
                                   .slot = {},
                                   .what = reference::Disposition::deleted,
                                   .slots = 0};
    add_exception(row);
    add_history(reference::history_row(row, now_));
  }
  const reference::Segment segment{
      .schedule = id, .version = schedule.version, .begin = at, .end = at, .cursor = at};
  queries_.close_payload.run(resource_, id, schedule.version, at);
  schedule.deleted = true;
  schedule.since = at;
  schedule.change_seq = append_change(segment, definition_text(schedule.change_seq), true, note);
  save(id, schedule);
}

reference::Reply SqlitePartition::apply(const reference::TriggerSchedule& asked) {
  CHECK(asked.run != 0, "0 is no manual run");
  const Schedule schedule = find(asked.schedule);
  if (schedule.version == 0) return EditRefused{EditDenial::no_such_schedule, 0};
  if (schedule.deleted) return EditRefused{EditDenial::deleted, schedule.version};
  return begin_run(asked, {asked.at}, schedule);
}

reference::Reply SqlitePartition::apply(const reference::BackfillSchedule& asked) {
  CHECK(asked.run != 0, "0 is no manual run");
  const Schedule schedule = find(asked.schedule);
  if (schedule.version == 0) return EditRefused{EditDenial::no_such_schedule, 0};
  if (schedule.deleted) return EditRefused{EditDenial::deleted, schedule.version};
  const bool early =
      std::any_of(asked.slots.begin(), asked.slots.end(), [&](StoreTime slot) { return slot > now_; });
  if (early) return EditRefused{EditDenial::in_future, schedule.version};
  return begin_run(asked, asked.slots, schedule);
}

SqlitePartition::Schedule SqlitePartition::find(ScheduleId id) {
  Rows rows = queries_.schedule.with(resource_, id);
  Schedule schedule;
  if (!rows.next()) return schedule;
  schedule.version = rows.small();
  schedule.change_seq = rows.natural();
  schedule.since = rows.time();
  schedule.deleted = rows.flag();
  schedule.name = rows.text();
  schedule.pause.actor = rows.text();
  schedule.pause.why = rows.text();
  schedule.pause.since = rows.time();
  return schedule;
}

void SqlitePartition::save(ScheduleId id, const Schedule& schedule) {
  queries_.save_schedule.run(resource_, id, schedule.version, schedule.change_seq, schedule.since,
                             schedule.deleted, schedule.name, schedule.pause.actor, schedule.pause.why,
                             schedule.pause.since);
  wrote_ = true;
}

std::optional<EditRefused> SqlitePartition::refusal(const Schedule& schedule,
                                                    std::uint32_t expected_version) {
  if (schedule.deleted) return EditRefused{EditDenial::deleted, schedule.version};
  if (schedule.version != expected_version)
    return EditRefused{EditDenial::version_conflict, schedule.version};
  return std::nullopt;
}

StoreTime SqlitePartition::close(ScheduleId id, const Schedule& schedule) {
  StoreTime cursor;
  {
    Rows rows = queries_.segment.with(resource_, id, schedule.version);
    if (!rows.next()) throw SqliteFailure{SQLITE_CORRUPT, "a schedule without a segment in force"};
    rows.integer();
    rows.integer();
    rows.time();
    rows.time();
    cursor = rows.time();
  }
  const StoreTime end = std::max(now_, covered_until(id));
  const auto decoded = decode_definition(definition_text(schedule.change_seq), zones_);
  const auto* definition = std::get_if<Definition>(&decoded);
  // Of one that cannot be read there may be a slot left: it is for whoever leads to say what becomes of it.
  const StoreTime left = definition != nullptr ? search_slot(*definition, cursor).slot : cursor;
  if (left < end)
    queries_.close_segment.run(resource_, id, schedule.version, end);
  else
    queries_.forget_segment.run(resource_, id, schedule.version);
  cut(id, end);
  queries_.close_change.run(resource_, schedule.change_seq, end);
  return end;
}

StoreTime SqlitePartition::covered_until(ScheduleId id) {
  Rows rows = queries_.covered_until.with(resource_, id);
  return rows.next() ? rows.time() : StoreTime{};
}

void SqlitePartition::cut(ScheduleId id, StoreTime at) {
  queries_.cut_segments.run(resource_, id, at, StoreTime::max());
  queries_.forget_drained.run(resource_, id, StoreTime::max());
}

// reference_store.h, rule 9.
void SqlitePartition::draw_back() {
  struct Begin {
    ScheduleId schedule;
    std::uint32_t version;
    StoreTime at;
  };
  std::vector<Begin> begins;
  {
    Rows rows = queries_.false_begins.with(resource_, now_, StoreTime::max());
    while (rows.next()) {
      Begin& begin = begins.emplace_back();
      begin.schedule = {rows.small()};
      begin.version = rows.small();
      begin.at = rows.time();
    }
  }
  for (const Begin& begin : begins) {
    const StoreTime covered = covered_until(begin.schedule);
    const StoreTime at = std::max(now_, covered);
    if (begin.at <= at) continue;
    queries_.draw_back.run(resource_, begin.schedule, begin.version, at, covered);
    cut(begin.schedule, at);
    Schedule schedule = find(begin.schedule);
    schedule.since = at;
    save(begin.schedule, schedule);
  }
}

std::string SqlitePartition::definition_text(std::uint64_t change_seq) {
  Rows rows = queries_.definition.with(resource_, change_seq);
  if (!rows.next()) throw SqliteFailure{SQLITE_CORRUPT, "a schedule without its definition"};
  return std::string(rows.text());
}

std::uint64_t SqlitePartition::append_change(const reference::Segment& segment, std::string_view definition,
                                             bool deleted, const Note& note) {
  const std::uint64_t seq = ++head_.change_seq;
  queries_.add_change.run(resource_, seq, segment.schedule, segment.version, segment.begin, segment.end,
                          segment.cursor, deleted, definition, static_cast<std::int64_t>(note.what),
                          note.actor, note.why);
  notifications_.push_back({Notification::What::schedules_changed, resource_});
  return seq;
}

template <class Asked>
reference::Reply SqlitePartition::begin_run(const Asked& asked, const std::vector<StoreTime>& slots,
                                            const Schedule& schedule) {
  reference::Edited answer = edited(schedule);
  if (queries_.add_run.run(resource_, asked.schedule, asked.run, now_, asked.at, asked.digest) > 0) {
    wrote_ = true;
    for (const StoreTime slot : slots) add_manual({asked.schedule, slot, asked.run}, schedule.version);
    tell_of_events();
    return answer;
  }
  Rows rows = queries_.run.with(resource_, asked.schedule, asked.run);
  if (!rows.next()) throw SqliteFailure{SQLITE_CORRUPT, "a run that is neither there nor can be added"};
  const std::uint64_t digest = rows.natural();
  if (asked.digest != digest && asked.digest != 0 && digest != 0)
    return EditRefused{EditDenial::other_request, schedule.version};
  const StoreTime first_at = rows.time();
  if (first_at != asked.at) answer.first_at = first_at;
  return answer;
}

}  // namespace tenure::sqlite
