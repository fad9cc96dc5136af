// The passes that take whole things away.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <set>
#include <variant>

#include "format/parse/tail.h"
#include "lab/hunt/shrinker.h"
#include "lab/hunt/simplify_definition.h"

namespace tenure::lab {
namespace {

// Takes away as many elements of `list(scenario)` as it can: halves first, then ever smaller pieces.
template <class List>
bool drop_elements(Shrinker& shrinker, List list) {
  bool dropped = false;
  for (std::size_t size = list(shrinker.best()).size(); size > 0; size /= 2) {
    std::size_t from = 0;
    while (from < list(shrinker.best()).size()) {
      const std::size_t to = std::min(from + size, list(shrinker.best()).size());
      sim::Scenario candidate = shrinker.best();
      auto& elements = list(candidate);
      elements.erase(elements.begin() + static_cast<std::ptrdiff_t>(from),
                     elements.begin() + static_cast<std::ptrdiff_t>(to));
      if (shrinker.accept(candidate))
        dropped = true;
      else
        from = to;
    }
  }
  return dropped;
}

// A schedule goes with the edits that name it.
bool drop_schedule(Shrinker& shrinker, std::size_t place) {
  sim::Scenario candidate = shrinker.best();
  const std::string name = candidate.schedules[place].name;
  candidate.schedules.erase(candidate.schedules.begin() + static_cast<std::ptrdiff_t>(place));
  std::erase_if(candidate.changes,
                [&](const sim::ChangeSetting& change) { return change.schedule_name == name; });
  return shrinker.accept(candidate);
}

void keep_instances(sim::Scenario& scenario, std::size_t count) {
  scenario.instances.resize(count, scenario.instances.front());
  for (sim::FaultSetting& fault : scenario.faults)
    if (fault.target.kind == sim::Target::Kind::named)
      std::erase_if(fault.target.nodes, [&](NodeId node) { return node.value >= count; });
  std::erase_if(scenario.faults, [](const sim::FaultSetting& fault) {
    return fault.target.kind == sim::Target::Kind::named && fault.target.nodes.empty();
  });
}

void end_faults_at(sim::Scenario& scenario, Duration duration) {
  scenario.duration = duration;
  std::erase_if(scenario.faults, [&](const sim::FaultSetting& fault) {
    const auto* at = std::get_if<sim::FaultSetting::At>(&fault.when);
    return at != nullptr && at->at >= duration;
  });
  std::erase_if(scenario.changes, [&](const sim::ChangeSetting& change) { return change.at >= duration; });
}

// When faults strike and edits are made, in order.
std::set<Duration> moments_of(const sim::Scenario& scenario) {
  std::set<Duration> moments;
  for (const sim::FaultSetting& fault : scenario.faults)
    if (const auto* at = std::get_if<sim::FaultSetting::At>(&fault.when)) moments.insert(at->at);
  for (const sim::ChangeSetting& change : scenario.changes) moments.insert(change.at);
  return moments;
}

// What happens from `from` on happens earlier, and the run ends earlier.
void advance(sim::Scenario& scenario, Duration from, Duration by) {
  for (sim::FaultSetting& fault : scenario.faults)
    if (auto* at = std::get_if<sim::FaultSetting::At>(&fault.when); at != nullptr && at->at >= from)
      at->at = at->at - by;
  for (sim::ChangeSetting& change : scenario.changes)
    if (change.at >= from) change.at = change.at - by;
  scenario.duration = scenario.duration - by;
}

// The gap before the moment of this number is the best one's, divided, as far as it goes.
bool close_gap(Shrinker& shrinker, std::size_t number) {
  bool closed = false;
  for (const std::int64_t divisor : {16, 4, 2})
    for (;;) {
      const std::set<Duration> moments = moments_of(shrinker.best());
      const auto moment = std::next(moments.begin(), static_cast<std::ptrdiff_t>(number));
      const Duration gap = number == 0 ? *moment : *moment - *std::prev(moment);
      const Duration left = round_up(gap / divisor);
      if (left * 2 > gap) break;
      if (!shrinker.try_change([&](sim::Scenario& scenario) { advance(scenario, *moment, gap - left); }))
        break;
      closed = true;
    }
  return closed;
}

}  // namespace

bool drop_faults(Shrinker& shrinker) {
  return drop_elements(
      shrinker, [](auto& scenario) -> auto& { return scenario.faults; });
}

bool drop_schedules(Shrinker& shrinker) {
  bool dropped = drop_elements(
      shrinker, [](auto& scenario) -> auto& { return scenario.changes; });
  for (std::size_t place = shrinker.best().schedules.size(); place-- > 0;)
    dropped |= drop_schedule(shrinker, place);
  return dropped;
}

// Whom a schedule that is left needs stays: without it the file is not valid.
bool drop_receivers(Shrinker& shrinker) {
  bool dropped = drop_elements(
      shrinker, [](auto& scenario) -> auto& { return scenario.destinations; });
  dropped |= drop_elements(
      shrinker, [](auto& scenario) -> auto& { return scenario.workers; });
  for (std::size_t place = 0; place < shrinker.best().workers.size(); ++place)
    if (shrinker.best().workers[place].count > 1)
      dropped |= shrinker.try_change([&](sim::Scenario& scenario) { scenario.workers[place].count = 1; });
  return dropped;
}

bool drop_instances(Shrinker& shrinker) {
  bool dropped = false;
  while (shrinker.best().instances.size() > 1 && shrinker.try_change([](sim::Scenario& scenario) {
    keep_instances(scenario, scenario.instances.size() - 1);
  }))
    dropped = true;
  return dropped;
}

bool advance_faults(Shrinker& shrinker) {
  bool advanced = false;
  for (std::size_t number = 0; number < moments_of(shrinker.best()).size(); ++number)
    advanced |= close_gap(shrinker, number);
  return advanced;
}

bool shorten_run(Shrinker& shrinker) {
  bool shortened = false;
  const Duration before = shrinker.best().duration;
  // Just after the failure, or, when that lies in the tail, half as long as it was.
  for (const Duration wanted :
       {round_up(shrinker.failed_at() - sim::TrueTime{} + Duration::millis(1)), before / 2, before * 3 / 4}) {
    const Duration duration = round_up(wanted);
    if (duration < shrinker.best().duration)
      shortened |= shrinker.try_change([&](sim::Scenario& scenario) { end_faults_at(scenario, duration); });
  }
  if (!shrinker.may_shorten_tail()) return shortened;
  const Duration tail = round_up(format::needed_tail(shrinker.best()));
  if (tail < shrinker.best().tail)
    shortened |= shrinker.try_change([&](sim::Scenario& scenario) { scenario.tail = tail; });
  return shortened;
}

}  // namespace tenure::lab
