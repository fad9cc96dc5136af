#include "sim/checkers/names.h"

#include <fmt/format.h>

#include <utility>

#include "sim/scenario/worker_processes.h"
#include "sim/world/record.h"

namespace tenure::sim {

std::string time_text(TrueTime time) {
  if (time == TrueTime::max()) return "never";
  if (time < TrueTime{}) return "before the start";
  const std::int64_t ms = time.ns() / 1'000'000;
  const std::int64_t seconds = ms / 1'000 % 60;
  const std::int64_t minutes = ms / 60'000 % 60;
  const std::int64_t hours = ms / 3'600'000;
  if (hours > 0) return fmt::format("{}h{:02}m{:02}.{:03}s", hours, minutes, seconds, ms % 1'000);
  if (minutes > 0) return fmt::format("{}m{:02}.{:03}s", minutes, seconds, ms % 1'000);
  return fmt::format("{}.{:03}s", seconds, ms % 1'000);
}

std::string length_text(Duration length) {
  const Duration rest = Duration::nanos(length.ns() % 1'000'000);
  return describe(rest == length ? length : length - rest);
}

std::string who_text(Incarnation who, NodeNames nodes) {
  if (is_worker(who.node)) return fmt::format("worker {}", who.node.value - kFirstWorkerNode.value + 1);
  return who.node == kClientNode ? "a client" : describe(who, nodes);
}

Names::Names(const Scenario& scenario, NodeNames nodes)
    : nodes_(nodes), stores_(scenario.protocol != nullptr ? scenario.protocol->stores : 1) {
  std::uint32_t next = 0;
  for (const ScheduleSetting& schedule : scenario.schedules) schedules_[ScheduleId{next++}] = schedule.name;
  for (const ChangeSetting& change : scenario.changes)
    schedules_.try_emplace(change.schedule, change.schedule_name);
  for (WorkerProcess& each : worker_processes(scenario.workers)) workers_.push_back(std::move(each.name));
}

std::string Names::who(Incarnation who) const {
  if (!is_worker(who.node)) return who_text(who, nodes_);
  const std::size_t index = who.node.value - kFirstWorkerNode.value;
  return index < workers_.size() ? workers_[index] : who_text(who, nodes_);
}

std::string Names::store(StoreId store) const {
  return stores_ == 1 ? "store" : fmt::format("store {}", store.value);
}

std::string Names::schedule(ScheduleId schedule) const {
  const auto it = schedules_.find(schedule);
  return it != schedules_.end() ? it->second : fmt::format("schedule {}", schedule.value);
}

std::string Names::slot(ScheduleId schedule, StoreTime slot) const {
  return fmt::format("{} {}", this->schedule(schedule), describe(slot));
}

std::string Names::event(const reference::EventId& event) const {
  if (event.run != 0) return fmt::format("{} run {}", schedule(event.schedule), event.run);
  return slot(event.schedule, event.slot);
}

}  // namespace tenure::sim
