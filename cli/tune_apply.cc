#include "cli/tune_apply.h"

#include <fmt/format.h>

#include "sim/scenario/toml/print.h"
#include "sim/scenario/toml/units.h"

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
  const auto flag = [&](std::string_view name) { return sim::print_duration(p.duration(name)); };
  return fmt::format(
      "config.Timeout = {}  // rest.Config\n"
      "leaderelection.LeaderElectionConfig{{\n"
      "\tLeaseDuration:   {},\n\tRenewDeadline:   {},\n\tRetryPeriod:     {},\n\tReleaseOnCancel: {},\n}}\n"
      "--leader-elect-lease-duration={} --leader-elect-renew-deadline={} --leader-elect-retry-period={}\n",
      go("request_timeout"), go("lease_duration"), go("renew_deadline"), go("retry_period"),
      p.flag("release_on_cancel"), flag("lease_duration"), flag("renew_deadline"), flag("retry_period"));
}

}  // namespace

std::string configuration_of(const sim::Scenario& scenario, std::string_view indent) {
  const Parameters& parameters = scenario.instances.front().election;
  const std::string text = scenario.protocol->name == "client-go"
                               ? client_go(parameters)
                               : "[election]\n" + sim::print_parameters(parameters);
  std::string indented;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    indented += fmt::format("{}{}\n", indent, text.substr(at, end - at));
    at = end + 1;
  }
  return indented;
}

}  // namespace tenure::cli
