#include "sim/checkers/trackers/schedule_tracker.h"

#include <algorithm>
#include <utility>

#include "sim/checkers/trackers/applied.h"
#include "sim/stores/schedule_table/requests.h"
#include "sim/stores/statements/requests.h"

namespace tenure::sim {

ScheduleTracker::Change ScheduleTracker::see(const Applied& applied) {
  if (const auto* reference = std::get_if<reference::Request>(&applied.request))
    return see_reference(applied, *reference);
  if (const auto* table = message_as<schedule_table::Request>(applied.request))
    return see_table(applied, *table);
  if (const auto* own = message_as<statements::Request>(applied.request))
    return see_own_tables(applied, *own);
  return {};
}

ScheduleTracker::Change ScheduleTracker::see_reference(const Applied& applied,
                                                       const reference::Request& request) {
  if (std::holds_alternative<reference::ClearHold>(request) &&
      reference_reply<reference::HoldSet>(applied.reply)) {
    for (std::uint32_t id = 0; id < schedule_count(); ++id) draw_back({id}, applied.store_now);
    return {};
  }
  if (const auto* named = reference_reply<reference::NamedEdited>(applied.reply)) {
    const auto* put = std::get_if<reference::PutNamed>(&request);
    if (put == nullptr) return {};
    const auto known = versions(named->edition.schedule);
    Definition definition = put->definition;
    definition.paused = !known.empty() && known.back().paused;
    return see_put(named->edition.schedule, named->edition.version, definition, applied.store_now);
  }
  const auto* edited = reference_reply<reference::Edited>(applied.reply);
  if (edited == nullptr) return {};
  if (const auto* put = std::get_if<reference::PutSchedule>(&request))
    return see_put(put->schedule, edited->version, put->definition, applied.store_now);
  if (const auto* removed = std::get_if<reference::DeleteSchedule>(&request)) {
    const auto known = versions(removed->schedule);
    if (known.empty() || known.back().end != StoreTime::max()) return {};
    cut(removed->schedule, std::max(applied.store_now, covered_until(removed->schedule)));
    return note_deleted(removed->schedule);
  }
  if (const auto* trigger = std::get_if<reference::TriggerSchedule>(&request)) {
    return {Edit::triggered, trigger->schedule, is_deleted(trigger->schedule)};
  }
  if (const auto* backfill = std::get_if<reference::BackfillSchedule>(&request)) {
    return {Edit::backfilled, backfill->schedule, is_deleted(backfill->schedule)};
  }
  return {};
}

ScheduleTracker::Change ScheduleTracker::see_put(ScheduleId schedule, std::uint32_t number,
                                                 const Definition& definition, StoreTime now) {
  const auto known = versions(schedule);
  if (!known.empty() && known.back().number >= number) return {};  // applied again
  const StoreTime begin = std::max(now, covered_until(schedule));
  const bool after_delete = is_deleted(schedule);
  cut(schedule, begin);
  open(schedule, number, definition, begin);
  return {Edit::opened, schedule, after_delete};
}

ScheduleTracker::Change ScheduleTracker::see_table(const Applied& applied,
                                                   const schedule_table::Request& request) {
  if (const auto* put = std::get_if<schedule_table::PutRow>(&request)) {
    const auto number = static_cast<std::uint32_t>(versions(put->schedule).size()) + 1;
    close_last(put->schedule, applied.store_now);
    open(put->schedule, number, put->definition, applied.store_now);
    return {Edit::opened, put->schedule};
  }
  if (const auto* removed = std::get_if<schedule_table::DeleteRow>(&request)) {
    if (versions(removed->schedule).empty()) return {};
    close_last(removed->schedule, applied.store_now);
    return note_deleted(removed->schedule);
  }
  return {};
}

ScheduleTracker::Change ScheduleTracker::see_own_tables(const Applied& applied,
                                                        const statements::Request& request) {
  const auto* edit = std::get_if<statements::EditSchedule>(&request);
  const auto* reply = message_as<statements::Reply>(applied.reply);
  if (edit == nullptr || reply == nullptr || !std::holds_alternative<statements::Executed>(*reply)) return {};
  const auto known = versions(edit->schedule);
  if (!edit->definition && known.empty()) return {};
  close_last(edit->schedule, applied.store_now);
  if (!edit->definition) return note_deleted(edit->schedule);
  const auto number = static_cast<std::uint32_t>(known.size()) + 1;
  open(edit->schedule, number, *edit->definition, edit->from);
  return {Edit::opened, edit->schedule};
}

void ScheduleTracker::open(ScheduleId schedule, std::uint32_t number, const Definition& definition,
                           StoreTime begin) {
  if (schedules_.size() <= schedule.value) schedules_.resize(schedule.value + 1);
  auto& known = schedules_[schedule.value];
  ScheduleVersion version;
  version.schedule = schedule;
  version.number = number;
  version.index = version_count_++;
  version.begin = begin;
  version.slots = Slots(definition);
  version.misfire = definition.misfire;
  version.overlap = definition.overlap;
  version.paused = definition.paused;
  version.covered_until = version.begin;
  known.push_back(version);
}

bool ScheduleTracker::is_deleted(ScheduleId schedule) const {
  const auto known = versions(schedule);
  return !known.empty() && known.back().end != StoreTime::max();
}

void ScheduleTracker::close_last(ScheduleId schedule, StoreTime end) {
  if (versions(schedule).empty()) return;
  ScheduleVersion& last = schedules_[schedule.value].back();
  if (last.end == StoreTime::max()) last.end = end;
}

ScheduleTracker::Change ScheduleTracker::note_deleted(ScheduleId schedule) {
  Change change{Edit::deleted, schedule};
  for (ScheduleVersion& version : schedules_[schedule.value])
    if (std::exchange(version.is_deleted, true)) change.first_deleted = version.index + 1;
  return change;
}

StoreTime ScheduleTracker::covered_until(ScheduleId schedule) const {
  StoreTime latest;
  for (const ScheduleVersion& version : versions(schedule))
    if (version.covered_until > version.begin) latest = std::max(latest, version.covered_until);
  return latest;
}

void ScheduleTracker::cut(ScheduleId schedule, StoreTime at) {
  if (versions(schedule).empty()) return;
  for (ScheduleVersion& version : schedules_[schedule.value]) {
    version.end = std::min(version.end, at);
    if (version.begin <= at) continue;
    version.begin = at;  // it never was in force, and covered nothing
    version.covered_until = at;
  }
}

void ScheduleTracker::draw_back(ScheduleId schedule, StoreTime now) {
  const StoreTime at = std::max(now, covered_until(schedule));
  if (versions(schedule).empty() || is_deleted(schedule) || versions(schedule).back().begin <= at) return;
  cut(schedule, at);
  schedules_[schedule.value].back().end = StoreTime::max();
}

ScheduleVersion* ScheduleTracker::cover(const reference::LedgerRow& row) {
  if (schedules_.size() <= row.schedule.value) return nullptr;
  auto& known = schedules_[row.schedule.value];
  for (auto version = known.rbegin(); version != known.rend(); ++version) {
    if (version->number != row.version) continue;
    version->covered_until = std::max(version->covered_until, reference::covered_end(row));
    return &*version;
  }
  return nullptr;
}

std::span<const ScheduleVersion> ScheduleTracker::versions(ScheduleId schedule) const {
  if (schedules_.size() <= schedule.value) return {};
  return schedules_[schedule.value];
}

const ScheduleVersion* ScheduleTracker::find(ScheduleId schedule, std::uint32_t number) const {
  for (const ScheduleVersion& version : versions(schedule)) {
    if (version.number == number) return &version;
  }
  return nullptr;
}

const ScheduleVersion* ScheduleTracker::in_force_at(ScheduleId schedule, StoreTime slot) const {
  const auto known = versions(schedule);
  for (auto version = known.rbegin(); version != known.rend(); ++version) {
    if (version->begin <= slot && slot < version->end) return &*version;
  }
  return nullptr;
}

const ScheduleVersion* ScheduleTracker::owner(ScheduleId schedule, StoreTime slot) const {
  const ScheduleVersion* version = in_force_at(schedule, slot);
  return version != nullptr && version->slots.has(slot) ? version : nullptr;
}

StoreTime ScheduleTracker::due(const reference::EventId& event) const {
  const ScheduleVersion* version = event.run == 0 ? in_force_at(event.schedule, event.slot) : nullptr;
  const bool is_later = version != nullptr && version->slots.jittered() && version->slots.has(event.slot);
  return is_later ? version->due(event.slot) : event.slot;
}

bool ScheduleTracker::queues(const reference::EventId& event) const {
  const ScheduleVersion* version = event.run == 0 ? owner(event.schedule, event.slot) : nullptr;
  return version != nullptr && version->overlap == Overlap::queue_one;
}

const ScheduleVersion* ScheduleTracker::any_with(ScheduleId schedule, StoreTime slot) const {
  if (const ScheduleVersion* version = owner(schedule, slot)) return version;
  const auto known = versions(schedule);
  const auto found = std::find_if(known.rbegin(), known.rend(),
                                  [slot](const ScheduleVersion& version) { return version.slots.has(slot); });
  return found != known.rend() ? &*found : nullptr;
}

// A pause is recorded so long after its first slot.
constexpr Duration kRecordedAfter = Duration::seconds(10);

bool ScheduleTracker::owes_fires_before(const ScheduleVersion& paused, StoreTime from,
                                        const std::map<std::uint32_t, StoreTime>& over) const {
  const auto first = paused.slots.at_or_after(from);
  const StoreTime time = first ? std::min(*first + kRecordedAfter, paused.end) : paused.end;
  const auto owes = [&](const ScheduleVersion& version) {
    if (version.paused || over.contains(version.index)) return false;
    const auto next = version.slots.at_or_after(std::max(version.begin, version.covered_until));
    // What is due at the same time goes by its schedule's number.
    const bool before = next && (version.schedule < paused.schedule ? *next <= time : *next < time);
    return before && *next < version.end;
  };
  return std::any_of(schedules_.begin(), schedules_.end(), [&](const std::vector<ScheduleVersion>& versions) {
    return std::any_of(versions.begin(), versions.end(), owes);
  });
}

}  // namespace tenure::sim
