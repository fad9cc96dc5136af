// [hunt], [exhaustive] and [regression].

#include <fmt/format.h>

#include <algorithm>

#include "format/parse/build.h"
#include "format/syntax/suggest.h"
#include "sim/checkers/checker.h"
#include "sim/faults/registry.h"

namespace tenure::format {
namespace {

std::vector<std::string> build_families(const Section& hunt, Build& build) {
  std::vector<std::string_view> known;
  for (std::size_t i = 0; i < sim::kFaultFamilies; ++i)
    known.push_back(name_of(static_cast<sim::FaultFamily>(i)));
  std::vector<std::string> families;
  for (const Word& word : hunt.words("families")) {
    if (std::find(known.begin(), known.end(), word.text) == known.end())
      build.diagnostics.add(word.place,
                            fmt::format("unknown family of faults `{}`", printable(word.text, 60)),
                            suggestion(word.text, known));
    else if (std::find(families.begin(), families.end(), word.text) != families.end())
      build.diagnostics.add(word.place, fmt::format("`{}` is named twice", word.text));
    families.push_back(word.text);
  }
  if (hunt.good("families") && families.empty())
    build.diagnostics.add(hunt.place("families"), "no family of faults at all",
                          "leave the key out for all of them; `faults = 0` draws none");
  return families;
}

}  // namespace

void build_hunt(Build& build) {
  if (!build.file.given("hunt")) return;
  const Section hunt = build.section("hunt");
  HuntSetting setting;
  setting.families = build_families(hunt, build);
  setting.faults = hunt.numbers("faults");
  if (hunt.good("instances")) setting.instances = hunt.numbers("instances");
  if (hunt.good("store_latency")) setting.store_latency = hunt.durations("store_latency");
  if (hunt.good("network_latency")) setting.network_latency = hunt.durations("network_latency");
  setting.beyond = hunt.flag("beyond");
  build.plans.hunt = std::move(setting);
}

void build_exhaustive(Build& build) {
  if (!build.file.given("exhaustive")) return;
  const Section section = build.section("exhaustive");
  ExhaustiveSetting setting;
  setting.instances = section.number("instances");
  setting.crashes = section.number("crashes");
  setting.pauses = section.number("pauses");
  setting.stops = section.number("stops");
  setting.losses = section.number("losses");
  setting.delays = section.number("delays");
  if (section.good("requests")) setting.requests = section.number("requests");
  setting.horizon = section.duration("horizon");
  setting.tick = section.duration("tick");
  setting.jitter_ends = section.flag("jitter_ends");
  setting.acting = section.flag("acting");
  setting.states = section.number("states");
  if (section.good("tick") && setting.tick.ns() % 1'000 != 0)
    build.diagnostics.add(section.place("tick"), "a tick must be whole microseconds");
  build.plans.exhaustive = setting;
}

void build_regression(Build& build) {
  if (!build.file.given("regression")) return;
  const Section section = build.section("regression");
  build.plans.regression =
      RegressionNote{section.text("checker"), section.text("message"), section.text("trace_hash"),
                     section.text("version"), section.text("origin"),  section.text("design_hash")};
  const std::string& checker = build.plans.regression->checker;
  if (section.good("checker") && sim::find_checker_kind(checker) == nullptr && checker != kBrokenInvariant)
    build.diagnostics.add(section.place("checker"),
                          fmt::format("unknown checker `{}`", printable(checker, 60)),
                          suggestion(checker, checker_names()));
}

}  // namespace tenure::format
