#include "sim/faults/effective_definitions.h"

#include <algorithm>
#include <map>

namespace tenure::sim {

std::vector<EffectiveDefinition> effective_definitions(const Scenario& scenario) {
  const StoreTime start = StoreTime::from_ns(scenario.start_ns);
  const StoreTime end = start + scenario.duration + scenario.tail;
  std::vector<EffectiveDefinition> all;
  std::map<ScheduleId, std::size_t> now;  // its place in `all`
  const auto begin = [&](ScheduleId schedule, std::string_view name, const Definition& definition,
                         StoreTime from) {
    if (definition.paused) return;
    now[schedule] = all.size();
    all.push_back({schedule, name, &definition, from, end});
  };
  for (std::uint32_t i = 0; i < scenario.schedules.size(); ++i)
    begin(ScheduleId{i}, scenario.schedules[i].name, scenario.schedules[i].definition, start);
  for (const ChangeSetting& change : scenario.changes) {
    using enum ChangeAction;
    if (change.action == trigger || change.action == backfill) continue;
    if (const auto before = now.find(change.schedule); before != now.end()) {
      all[before->second].to = start + change.at;
      now.erase(before);
    }
    if (change.action != remove && change.action != pause)
      begin(change.schedule, change.schedule_name, change.definition, start + change.at);
  }
  return all;
}

Duration least_gap(const EffectiveDefinition& effective) {
  constexpr int kLooked = 100;
  Duration least = Duration::max();
  auto slot = slot_at_or_after(*effective.definition, effective.from);
  for (int i = 0; i < kLooked && slot && *slot < effective.to; ++i) {
    const auto next = slot_after(*effective.definition, *slot);
    if (next) least = std::min(least, *next - *slot);
    slot = next;
  }
  return least;
}

}  // namespace tenure::sim
