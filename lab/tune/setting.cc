#include "lab/tune/setting.h"

#include <fmt/format.h>

#include <utility>

#include "core/base/check.h"
#include "format/parse/parse.h"
#include "lab/tune/closed_form.h"
#include "sim/kernel/keyed_rng.h"

namespace tenure::lab {

MadeSetting make_setting(const TuneFile& file, std::vector<format::Override> overrides) {
  std::vector<format::Override> sets = file.sets;
  sets.insert(sets.end(), overrides.begin(), overrides.end());
  format::ParseResult parsed =
      format::parse_scenario(file.path, file.text, sets, *file.zones, file.own_protocol, file.engines,
                             file.data_files, format::Unsafe::is_taken, file.designs);
  if (!parsed.scenario) return {std::nullopt, std::move(parsed.diagnostics)};
  Setting setting;
  setting.overrides = std::move(overrides);
  setting.scenario = std::move(*parsed.scenario);
  setting.unsafe = std::move(setting.scenario.unsafe);
  setting.scenario.expect.fails.reset();
  for (sim::UnsafeNote& note : faults_beyond_theory(setting.scenario))
    setting.unsafe.push_back(std::move(note));
  return {std::move(setting), {}};
}

sim::Scenario scenario_of(const Setting& setting, std::uint64_t seed) {
  sim::Scenario scenario = setting.scenario;
  if (!setting.moment) return scenario;
  CHECK(!scenario.faults.empty(), "a moment is that of a fault");
  const DrawnMoment& moment = *setting.moment;
  const Duration at = Duration::nanos(
      sim::KeyedRng(seed).of("tune").of("moment").between(moment.earliest.ns(), moment.latest.ns()));
  auto& when = scenario.faults.front().when;
  if (auto* on = std::get_if<sim::FaultSetting::On>(&when))
    on->after = at;
  else
    when = sim::FaultSetting::At{at};
  return scenario;
}

std::vector<format::Override> overrides_to_apply(const Setting& setting, const Setting& file) {
  std::vector<format::Override> overrides = setting.overrides;
  const auto accept = [&](std::string_view section, const std::vector<std::string>& needed,
                          const std::vector<std::string>& there) {
    if (needed == there) return;
    std::string names;
    for (const std::string& name : needed) names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", name);
    overrides.push_back({fmt::format("{}.accept", section), fmt::format("[{}]", names)});
  };
  accept("election", setting.scenario.accepted, file.scenario.accepted);
  accept("scheduling", setting.scenario.scheduling_accepted, file.scenario.scheduling_accepted);
  return overrides;
}

}  // namespace tenure::lab
