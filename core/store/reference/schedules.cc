#include "core/store/reference/schedules.h"

#include "core/store/reference/prune.h"

namespace tenure::reference {

Schedule* ScheduleIndex::find(ScheduleId id) {
  const auto found = rows_.find(id);
  return found == rows_.end() ? nullptr : &found->second;
}

Schedule* ScheduleIndex::find(const std::string& name) {
  if (const auto given = names_.find(name); given != names_.end()) return find(given->second);
  // Of a schedule that was put by number, if there is one with exactly these digits.
  if (name.empty() || name.size() > 10) return nullptr;
  std::uint64_t number = 0;
  for (const char c : name) {
    if (c < '0' || c > '9') return nullptr;
    number = number * 10 + static_cast<std::uint64_t>(c - '0');
  }
  if (number > UINT32_MAX) return nullptr;
  Schedule* const found = find(ScheduleId{static_cast<std::uint32_t>(number)});
  return found != nullptr && !found->deleted && found->called() == name ? found : nullptr;
}

Schedule* ScheduleIndex::add(ScheduleId id, const std::string& name) {
  if (!name.empty()) names_.emplace(name, id);
  Schedule& schedule = rows_[id];
  schedule.id = id;
  schedule.name = name;
  return &schedule;
}

void ScheduleIndex::save(const Schedule& schedule) {
  if (schedule.deleted) names_.erase(schedule.name);
}

void ScheduleIndex::hash(Hasher& hasher) const {
  hasher.add(rows_.size());
  for (const auto& [id, schedule] : rows_) {
    hasher.add(id).add(schedule.version).add(schedule.change_seq).add(schedule.deleted).add(schedule.name);
    hasher.add(schedule.pause.actor).add(schedule.pause.why);
  }
}

std::optional<ManualRun> RunTable::find_or_add(const ManualRun& run) {
  const auto [known, is_new] = rows_.try_emplace({run.schedule, run.run}, run);
  return is_new ? std::nullopt : std::optional(known->second);
}

std::uint64_t RunTable::prune(StoreTime before, std::uint64_t limit) {
  return prune_earliest(rows_, limit, [&](const auto&, const ManualRun& run) {
    return run.committed < before ? std::optional(run.committed) : std::nullopt;
  });
}

void RunTable::hash(Hasher& hasher) const {
  hasher.add(rows_.size());
  for (const auto& [key, run] : rows_)
    hasher.add(run.schedule).add(run.run).add(run.committed).add(run.at).add(run.digest);
}

}  // namespace tenure::reference
