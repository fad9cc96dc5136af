// [[schedule]] and [[change]]: definitions, and how clients edit them over time.

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "sim/scenario/toml/build.h"
#include "sim/scenario/toml/suggest.h"

namespace tenure::sim {
namespace {

constexpr std::size_t kMaxSchedules = 100'000;
constexpr std::int64_t kMicro = 1'000;
constexpr std::string_view kDefinitionKeys[] = {"every", "start", "misfire", "grace", "paused"};

Misfire::Policy policy_of(std::string_view name) {
  if (name == "fire_once") return Misfire::Policy::fire_once;
  return name == "skip" ? Misfire::Policy::skip : Misfire::Policy::fire_all;
}

ChangeAction action_of(std::string_view name) {
  if (name == "create") return ChangeAction::create;
  if (name == "delete") return ChangeAction::remove;
  if (name == "pause") return ChangeAction::pause;
  if (name == "resume") return ChangeAction::resume;
  return name == "trigger" ? ChangeAction::trigger : ChangeAction::update;
}

// What a section says of a definition, over what it was. False when it is not good.
bool lay_over(const Section& section, Definition& definition, Diagnostics& diagnostics) {
  bool good = true;
  Interval interval = std::get<Interval>(definition.recurrence);
  const auto whole_micros = [&](std::string_view key, std::int64_t ns) {
    if (ns % kMicro == 0) return;
    good = false;
    diagnostics.add(section.place(key), fmt::format("`{}` must be in whole microseconds", key),
                    "a store keeps no more");
  };
  for (const std::string_view key : kDefinitionKeys)
    if (section.given(key) && !section.good(key)) good = false;
  if (section.given("every")) {
    interval.period = section.duration("every");
    whole_micros("every", interval.period.ns());
  }
  if (section.given("start")) {
    interval.start = StoreTime::from_ns(section.number("start"));
    whole_micros("start", section.number("start"));
  }
  if (section.given("misfire")) definition.misfire.policy = policy_of(section.text("misfire"));
  if (section.given("grace")) definition.misfire.grace = section.duration("grace");
  if (section.given("paused")) definition.paused = section.flag("paused");
  definition.recurrence = interval;
  return good;
}

Definition fresh_definition(const Scenario& scenario) {
  Definition definition;
  definition.recurrence = Interval{StoreTime::from_ns(scenario.start_ns), Duration::seconds(1)};
  return definition;
}

// The schedules as the changes find them.
struct Existing {
  ScheduleId id;
  Definition definition;
};
using Schedules = std::map<std::string, Existing, std::less<>>;

std::string hint_for_schedule(std::string_view name, const Schedules& schedules) {
  constexpr std::size_t kSearched = 1'000;
  std::vector<std::string_view> names;
  for (const auto& [known, existing] : schedules)
    if (names.size() < kSearched) names.push_back(known);
  return suggestion(name, names);
}

bool takes_definition(ChangeAction action) {
  return action == ChangeAction::create || action == ChangeAction::update;
}

// Applies one change to `schedules`; nullopt, and an error, when it cannot be.
std::optional<ChangeSetting> build_change(const Section& section, Schedules& schedules,
                                          std::uint32_t& next_id, Build& build) {
  ChangeSetting change;
  change.at = section.duration("at");
  change.action = action_of(section.text("action"));
  change.schedule_name = section.text("schedule");
  const auto existing = schedules.find(change.schedule_name);
  if (change.action == ChangeAction::create) {
    if (existing != schedules.end()) {
      build.diagnostics.add(section.place("schedule"),
                            fmt::format("there is a schedule `{}` already", change.schedule_name));
      return std::nullopt;
    }
    if (!section.given("every")) {
      if (section.has_later()) return std::nullopt;
      build.diagnostics.add(section.place(), "missing key `every` in [[change]]",
                            "a created schedule needs a period");
      return std::nullopt;
    }
    change.schedule = ScheduleId{next_id++};
    change.definition = fresh_definition(build.scenario);
  } else if (existing == schedules.end()) {
    if (build.schedules_known && !build.diagnostics.full())
      build.diagnostics.add(section.place("schedule"),
                            fmt::format("unknown schedule `{}` at this time", change.schedule_name),
                            hint_for_schedule(change.schedule_name, schedules));
    return std::nullopt;
  } else {
    change.schedule = existing->second.id;
    change.definition = existing->second.definition;
  }

  bool good = true;
  for (const std::string_view key : kDefinitionKeys) {
    if (!section.given(key) || takes_definition(change.action)) continue;
    build.diagnostics.add(section.key_place(key),
                          fmt::format("`{}` means nothing to `{}`", key, section.text("action")));
    good = false;
  }
  good = lay_over(section, change.definition, build.diagnostics) && good;
  if (change.action == ChangeAction::update && !section.has_later() &&
      std::none_of(std::begin(kDefinitionKeys), std::end(kDefinitionKeys),
                   [&](auto key) { return section.given(key); })) {
    build.diagnostics.add(section.place(), "an update that changes nothing",
                          "give it every, start, misfire, grace or paused");
    good = false;
  }
  const SchedulerKind* scheduler = build.scenario.scheduler;
  if (change.action == ChangeAction::trigger && scheduler != nullptr && scheduler->store != "house") {
    build.diagnostics.add(section.place("action"),
                          fmt::format("`{}` has no manual runs to trigger", scheduler->name),
                          "its table knows the next run only; fenced-outbox has them");
    good = false;
  }
  if (change.action == ChangeAction::pause) change.definition.paused = true;
  if (change.action == ChangeAction::resume) change.definition.paused = false;
  if (change.action == ChangeAction::remove)
    schedules.erase(change.schedule_name);
  else
    schedules.insert_or_assign(change.schedule_name, Existing{change.schedule, change.definition});
  return good ? std::optional(change) : std::nullopt;
}

bool needs_scheduler(std::string_view key, Build& build) {
  if (!build.cluster_known || build.scenario.scheduler != nullptr || build.tables(key).empty()) return false;
  build.diagnostics.add(build.tables(key).front().place, fmt::format("a [[{}]] needs a scheduler", key),
                        "[cluster] scheduler is `none`");
  return true;
}

}  // namespace

void build_schedules(Build& build) {
  build.schedules_known = true;
  needs_scheduler("schedule", build);
  std::set<std::string, std::less<>> names;
  for (const Item& item : build.tables("schedule")) {
    const Section section = read_section(&item, *build.file.spec("schedule").section, {}, build.diagnostics);
    Definition definition = fresh_definition(build.scenario);
    lay_over(section, definition, build.diagnostics);
    const std::string name = section.text("name");
    if (name.empty()) {
      build.schedules_known = false;
      continue;
    }
    const std::int64_t count = section.given("count") ? section.number("count") : 0;
    if (build.scenario.schedules.size() + static_cast<std::size_t>(count) > kMaxSchedules) {
      build.diagnostics.add(section.place("count"), fmt::format("more than {} schedules", kMaxSchedules));
      build.schedules_known = false;
      return;
    }
    for (std::int64_t i = 1; i <= std::max<std::int64_t>(count, 1); ++i) {
      std::string each = count == 0 ? name : fmt::format("{}-{}", name, i);
      if (!names.insert(each).second) {
        build.diagnostics.add(section.place("name"), fmt::format("there is a schedule `{}` already", each));
        break;
      }
      build.scenario.schedules.push_back({std::move(each), definition});
    }
  }
}

void build_changes(Build& build) {
  needs_scheduler("change", build);
  std::vector<Section> sections;
  for (const Item& item : build.tables("change")) {
    Section section = read_section(&item, *build.file.spec("change").section, {}, build.diagnostics);
    if (!section.given("at") || !section.good("at") || !section.given("action") || !section.good("action") ||
        !section.given("schedule") || !section.good("schedule"))
      continue;
    if (build.duration_known && section.duration("at") >= build.scenario.duration)
      build.diagnostics.add(section.place("at"), "a change after the fault phase",
                            "[sim] duration is when that ends");
    sections.push_back(std::move(section));
  }
  // What a partial update merges over depends on the order in time, not in the file.
  std::stable_sort(sections.begin(), sections.end(),
                   [](const Section& a, const Section& b) { return a.duration("at") < b.duration("at"); });
  Schedules schedules;
  std::uint32_t next_id = 0;
  for (const ScheduleSetting& schedule : build.scenario.schedules)
    schedules.emplace(schedule.name, Existing{ScheduleId{next_id++}, schedule.definition});
  for (const Section& section : sections)
    if (auto change = build_change(section, schedules, next_id, build))
      build.scenario.changes.push_back(std::move(*change));
}

}  // namespace tenure::sim
