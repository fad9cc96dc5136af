// Settings that theory calls unsafe: who took them on purpose, and who took what nobody needs.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "format/parse/build.h"
#include "format/syntax/suggest.h"
#include "format/syntax/units.h"

namespace tenure::format {
namespace {

// Of a recurrence that repeats, as far as it is looked at.
constexpr int kSlotsSeen = 1'000;

// The shortest time between two slots; max() where there is none, or only a list of them.
Duration shortest_gap(const Definition& definition, StoreTime from) {
  if (const auto* interval = std::get_if<Interval>(&definition.recurrence)) return interval->period;
  if (!std::holds_alternative<CronRule>(definition.recurrence)) return Duration::max();
  Duration shortest = Duration::max();
  std::optional<StoreTime> slot = slot_at_or_after(definition, from);
  for (int i = 0; slot && i < kSlotsSeen; ++i) {
    const std::optional<StoreTime> next = slot_after(definition, *slot);
    if (next) shortest = std::min(shortest, *next - *slot);
    slot = next;
  }
  return shortest;
}

template <class T>
void add_new(T item, std::vector<T>& to) {
  if (std::find(to.begin(), to.end(), item) == to.end()) to.push_back(std::move(item));
}

void take(Part of, const Build::UnsafePart& part, std::vector<std::string>& accepted,
          sim::Scenario& scenario) {
  for (const Build::Unsafe& each : part.settings) {
    add_new(each.accept, accepted);
    add_new(sim::UnsafeNote{of, each.accept, each.text}, scenario.unsafe);
  }
}

void judge_part(const Build::UnsafePart& part, std::string_view section, Build& build) {
  std::vector<std::string_view> needed;
  for (const Build::Unsafe& unsafe : part.settings) needed.push_back(unsafe.accept);
  std::vector<std::string_view> accepted;
  for (const Word& word : part.accepted) accepted.push_back(word.text);
  const Acceptance found = judge(needed, accepted);
  for (const std::size_t i : found.refused) {
    const Build::Unsafe& unsafe = part.settings[i];
    const std::string hint =
        fmt::format("accept = [\"{}\"] in {} takes it on purpose", unsafe.accept, section);
    if (!unsafe.warning) {
      build.diagnostics.add(unsafe.place, "unsafe: " + unsafe.text, {}, hint);
      continue;
    }
    add_new(fmt::format("unsafe: {}; {}", unsafe.text, hint), build.scenario.warnings);
  }
  if (!build.parameters_known) return;
  for (const std::size_t i : found.unneeded) {
    const Word& word = part.accepted[i];
    build.diagnostics.add(
        word.place, fmt::format("`{}` is accepted, and no setting here needs it", printable(word.text, 60)),
        suggestion(word.text, needed));
  }
  for (const std::size_t i : found.repeated)
    build.diagnostics.add(part.accepted[i].place, fmt::format("`{}` is accepted twice", accepted[i]));
}

// Schedules that are faster than a scheduler that sees one slot of them a tick.
void judge_ticks(Build& build) {
  const SchedulerKind* kind = build.scenario.scheduler;
  if (kind == nullptr || kind->one_slot_each.empty() || !build.scheduling || !build.scheduling->good) return;
  if (!build.schedules_known) return;
  const Duration tick = build.scheduling->parameters.duration(kind->one_slot_each);
  const StoreTime start = StoreTime::from_ns(build.scenario.start_ns);
  const auto see = [&](std::string_view name, const Definition& definition) {
    const Duration gap = shortest_gap(definition, start);
    if (gap >= tick) return;
    const auto place = build.scheduling->places.find(kind->one_slot_each);
    build.unsafe_scheduling.settings.push_back(
        {place == build.scheduling->places.end() ? build.scheduling->otherwise : place->second,
         "slots-within-a-tick",
         fmt::format("{} ({}) is longer than it is between two slots of `{}` ({}): one is done in each",
                     kind->one_slot_each, print_duration(tick), name, print_duration(gap))});
  };
  for (const sim::ScheduleSetting& schedule : build.scenario.schedules)
    see(schedule.name, schedule.definition);
  for (const sim::ChangeSetting& change : build.scenario.changes)
    if (change.action == sim::ChangeAction::create || change.action == sim::ChangeAction::update)
      see(change.schedule_name, change.definition);
}

}  // namespace

void judge_unsafe(Build& build) {
  judge_ticks(build);
  sim::Scenario& scenario = build.scenario;
  if (build.takes_unsafe) {
    take(Part::elector, build.unsafe_election, scenario.accepted, scenario);
    take(Part::scheduler, build.unsafe_scheduling, scenario.scheduling_accepted, scenario);
    return;
  }
  judge_part(build.unsafe_election, "[election]", build);
  judge_part(build.unsafe_scheduling, "[scheduling]", build);
  for (const Word& word : build.unsafe_election.accepted) scenario.accepted.push_back(word.text);
  for (const Word& word : build.unsafe_scheduling.accepted) scenario.scheduling_accepted.push_back(word.text);
}

}  // namespace tenure::format
