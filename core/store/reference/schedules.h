// The schedules, by number and by name, and their manual runs.
//
// Thread rule: a value.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "core/base/hash.h"
#include "core/store/reference/tables.h"

namespace tenure::reference {

class ScheduleIndex final : public ScheduleRows {
 public:
  Schedule* find(ScheduleId id) override;
  Schedule* find(const std::string& name) override;
  std::uint32_t largest_number() override { return rows_.empty() ? 0 : rows_.rbegin()->first.value; }
  Schedule* add(ScheduleId id, const std::string& name) override;
  void save(const Schedule& schedule) override;

  // Tombstones included.
  const std::map<ScheduleId, Schedule>& all() const { return rows_; }
  void hash(Hasher& hasher) const;

 private:
  std::map<ScheduleId, Schedule> rows_;
  std::map<std::string, ScheduleId> names_;  // given by clients, of schedules that are not deleted
};

class RunTable final : public RunRows {
 public:
  std::optional<ManualRun> find_or_add(const ManualRun& run) override;
  // Forgets runs that were committed before `before`: at most `limit`, the earliest first. Returns how many.
  std::uint64_t prune(StoreTime before, std::uint64_t limit);
  void hash(Hasher& hasher) const;

 private:
  std::map<std::pair<ScheduleId, std::uint64_t>, ManualRun> rows_;
};

}  // namespace tenure::reference
