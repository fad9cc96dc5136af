// Any bytes as a scenario file: they are errors that can be shown, or a scenario that prints and parses to the same.

#include <cstddef>
#include <cstdint>
#include <string>

#include "format/parse/parse.h"
#include "format/print/print.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/zones.h"

namespace tenure::sim {
namespace {

using testing::demand;

std::string shown(const format::ParseResult& result) {
  std::string text;
  for (const format::Diagnostic& diagnostic : result.diagnostics) text += format::render(diagnostic);
  return text;
}

void check(const std::string& text) {
  const format::ParseResult first = format::parse_scenario("x", text, {}, testing::few_zones());
  demand(first.scenario.has_value() == first.diagnostics.empty(), "there are errors or a scenario", text);
  const std::string errors = shown(first);
  for (const char c : errors)
    demand(c == '\n' || static_cast<unsigned char>(c) >= 0x20, "errors are fit for a terminal", text);
  if (!first.scenario) return demand(!errors.empty(), "an error is shown", text);

  const std::string printed = format::print_scenario(first.file());
  const format::ParseResult second = format::parse_scenario("x", printed, {}, testing::few_zones());
  demand(second.scenario.has_value(), "what is printed is a scenario", shown(second) + printed);
  demand(format::print_scenario(second.file()) == printed, "and prints the same", text);
  const Scenario& a = *first.scenario;
  const Scenario& b = *second.scenario;
  demand(a.schedules.size() == b.schedules.size() && a.changes.size() == b.changes.size(), "as much of it",
         text);
  for (std::size_t i = 0; i < a.schedules.size(); ++i)
    demand(a.schedules[i].definition == b.schedules[i].definition, "with the same definitions", text);
  for (std::size_t i = 0; i < a.changes.size(); ++i)
    demand(a.changes[i].slots == b.changes[i].slots, "and the same backfills", text);
}

}  // namespace
}  // namespace tenure::sim

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tenure::sim::check(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
