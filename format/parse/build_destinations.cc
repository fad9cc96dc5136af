// [[destination]]: the servers outside that events are sent to.

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/schedule/definition.h"
#include "format/parse/build.h"
#include "format/syntax/suggest.h"
#include "sim/faults/registry.h"

namespace tenure::format {

void build_destinations(Build& build) {
  for (const Item& item : build.tables("destination")) {
    const Section section =
        read_section(&item, *build.file.spec("destination").section, {}, build.diagnostics);
    sim::DestinationSetting setting;
    setting.name = section.text("name");
    if (setting.name.empty()) continue;
    if (setting.name == sim::kAllDestinations)
      build.diagnostics.add(section.place("name"), "no destination can be called `all`",
                            "faults mean all of them by that");
    const auto same = [&](const sim::DestinationSetting& other) { return other.name == setting.name; };
    if (std::ranges::any_of(build.scenario.destinations, same)) {
      build.diagnostics.add(section.place("name"),
                            fmt::format("there is a destination `{}` already", setting.name));
      continue;
    }
    setting.latency = quantiles_of(section, "latency", build, setting.name + " ");
    setting.concurrent = section.number("concurrent");
    setting.timeout = section.duration("timeout");
    setting.failing_ppm = section.number("failing");
    setting.answers_lost_ppm = section.number("answers_lost");
    setting.retry_after = section.duration("retry_after");
    build.scenario.destinations.push_back(std::move(setting));
  }
}

bool find_destination(const Section& section, std::string_view name, Build& build) {
  std::vector<std::string_view> names;
  for (const sim::DestinationSetting& destination : build.scenario.destinations)
    names.push_back(destination.name);
  if (std::ranges::find(names, name) != names.end()) return true;
  build.diagnostics.add(section.place("destination"),
                        fmt::format("unknown destination `{}`", printable(name, 60)),
                        names.empty() ? "a [[destination]] makes one" : suggestion(name, names));
  return false;
}

}  // namespace tenure::format
