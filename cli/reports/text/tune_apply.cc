// A setting as those who run it write it down.
#include <fmt/format.h>

#include <algorithm>

#include "cli/reports/tune_report.h"
#include "format/print/print.h"
#include "format/syntax/units.h"

namespace tenure::cli {
namespace {

// As Go writes it: 15 * time.Second.
std::string go_duration(Duration duration) {
  struct Unit {
    Duration length;
    std::string_view name;
  };
  const Unit units[] = {{Duration::seconds(1), "Second"},
                        {Duration::millis(1), "Millisecond"},
                        {Duration::micros(1), "Microsecond"}};
  for (const Unit& unit : units)
    if (duration.ns() % unit.length.ns() == 0)
      return fmt::format("{} * time.{}", duration / unit.length, unit.name);
  return fmt::format("{} * time.Nanosecond", duration.ns());
}

std::string client_go(const Parameters& p) {
  const auto go = [&](std::string_view name) { return go_duration(p.duration(name)); };
  const auto flag = [&](std::string_view name) { return print_duration(p.duration(name)); };
  return fmt::format(
      "config.Timeout = {}  // rest.Config\n"
      "leaderelection.LeaderElectionConfig{{\n"
      "\tLeaseDuration:   {},\n\tRenewDeadline:   {},\n\tRetryPeriod:     {},\n\tReleaseOnCancel: {},\n}}\n"
      "--leader-elect-lease-duration={} --leader-elect-renew-deadline={} --leader-elect-retry-period={}\n",
      go("request_timeout"), go("lease_duration"), go("renew_deadline"), go("retry_period"),
      p.flag("release_on_cancel"), flag("lease_duration"), flag("renew_deadline"), flag("retry_period"));
}

// What a scenario has to say to take what theory calls unsafe.
std::string accept_line(const lab::Setting& setting, Part part) {
  std::vector<std::string> names;
  for (const sim::UnsafeNote& note : setting.unsafe)
    if (note.part == part) names.push_back(fmt::format("\"{}\"", note.name));
  return names.empty() ? std::string{} : fmt::format("accept = [{}]\n", fmt::join(names, ", "));
}

}  // namespace

std::string configuration_of(const lab::Setting& setting, std::string_view indent) {
  const sim::Scenario& scenario = setting.scenario;
  const Parameters& parameters = scenario.instances.front().election;
  std::string text =
      scenario.protocol->name == "client-go"
          ? client_go(parameters)
          : "[election]\n" + format::print_parameters(parameters) + accept_line(setting, Part::elector);
  const bool schedules =
      std::any_of(setting.overrides.begin(), setting.overrides.end(),
                  [](const format::Override& set) { return set.key.starts_with(format::kTuneScheduling); });
  if (schedules)
    text += "[scheduling]\n" + format::print_parameters(scenario.scheduling) +
            accept_line(setting, Part::scheduler);
  std::string indented;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    indented += fmt::format("{}{}\n", indent, text.substr(at, end - at));
    at = end + 1;
  }
  return indented;
}

}  // namespace tenure::cli
