// What a scenario sets up, for the head of a page.
#include <fmt/format.h>

#include <algorithm>

#include "cli/reports/html/sections.h"
#include "cli/reports/text/text_format.h"
#include "format/print/print.h"
#include "format/syntax/units.h"

namespace tenure::cli {
namespace {

// A section of a file in one line: `at = "1m"` and `action = "pause"` are "at 1m, action pause".
std::string in_a_line(std::string_view toml) {
  std::string text;
  for (std::size_t at = 0; at < toml.size();) {
    const std::size_t end = std::min(toml.find('\n', at), toml.size());
    std::string line(toml.substr(at, end - at));
    at = end + 1;
    if (line.empty() || line.front() == '[' || line.front() == '#') continue;
    if (line.starts_with("id = ")) continue;
    std::erase_if(line, [](char c) { return c == '"' || c == '{' || c == '}' || c == '='; });
    for (std::size_t twice = line.find("  "); twice != std::string::npos; twice = line.find("  "))
      line.erase(twice, 1);
    if (line.ends_with(' ')) line.pop_back();
    text += (text.empty() ? "" : ", ") + line;
  }
  return text;
}

}  // namespace

PageFacts what_was_run(const sim::Scenario& scenario) {
  PageFacts facts;
  facts.emplace_back(
      "design", std::string(scenario.protocol->name) +
                    (scenario.scheduler == nullptr ? "" : fmt::format(" + {}", scenario.scheduler->name)));
  facts.emplace_back("replicas", fmt::format("{}", scenario.instances.size()));
  if (const std::string set = in_a_line(format::print_parameters(scenario.instances.front().election));
      !set.empty())
    facts.emplace_back("settings", set);
  if (!scenario.schedules.empty())
    facts.emplace_back("schedules", counted(scenario.schedules.size(), "schedule"));
  facts.emplace_back("simulated",
                     fmt::format("{} with faults, then {} without", print_duration(scenario.duration),
                                 print_duration(scenario.tail)));
  std::size_t place = 0;
  for (const sim::FaultSetting& fault : scenario.faults)
    facts.emplace_back(fmt::format("fault {}", ++place), in_a_line(format::print_fault(fault)));
  if (scenario.faults.empty()) facts.emplace_back("faults", "none");
  return facts;
}

}  // namespace tenure::cli
