// The library of scenarios uses every row of every registry: what no scenario names, nobody has seen at work.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "core/lease/elector_kind.h"
#include "core/scheduler/scheduler_kind.h"
#include "format/print/print.h"
#include "sim/checkers/checker.h"
#include "sim/faults/plan.h"
#include "sim/faults/registry.h"
#include "sim/kernel/keyed_rng.h"
#include "sim/protocols/registry.h"
#include "sim/scenario/names.h"
#include "tests/scenarios/library.h"

namespace tenure::sim {
namespace {

using NameSet = std::set<std::string, std::less<>>;

TEST(Library, strikes_with_every_fault) {
  NameSet used;
  for (const Scenario& scenario : library())
    for (const FaultSetting& fault : scenario.faults) used.insert(fault.action);
  // Only designs have queues and etcd: sqs-visibility-redelivery.toml, etcd-campaign-minority.toml.
  for (const FaultKind& kind : fault_kinds())
    EXPECT_TRUE(used.contains(kind.name) || kind.needs_redelivery || kind.needs_cluster) << kind.name;
}

TEST(Library, runs_every_elector_and_shows_how_it_fails) {
  NameSet used;
  NameSet canaries;
  for (const Scenario& scenario : library()) {
    used.emplace(scenario.protocol->name);
    if (scenario.expect.fails) canaries.emplace(scenario.protocol->name);
  }
  for (const ElectorKind& kind : elector_kinds()) {
    EXPECT_TRUE(used.contains(kind.name)) << kind.name;
    EXPECT_TRUE(canaries.contains(kind.name)) << kind.name << " has no canary";
  }
}

TEST(Library, runs_every_scheduler) {
  NameSet used;
  for (const Scenario& scenario : library())
    if (scenario.scheduler != nullptr) used.emplace(scenario.scheduler->name);
  for (const SchedulerKind& kind : scheduler_kinds()) EXPECT_TRUE(used.contains(kind.name)) << kind.name;
}

// What a hunt keeps is printed: it must be what has been run.
TEST(Library, prints_as_it_is_read) {
  static const Tzdb zones;
  for (const std::string& path : scenario_files()) {
    const format::ScenarioFile read = file_at(path);
    const std::string printed = format::print_scenario(read);
    const format::ParseResult again = format::parse_scenario(path, printed, {}, zones);
    ASSERT_TRUE(again.scenario) << path << "\n" << printed;
    EXPECT_EQ(format::print_scenario(again.file()), printed) << path;
    ASSERT_EQ(again.scenario->changes.size(), read.scenario.changes.size()) << path;
    for (std::size_t i = 0; i < read.scenario.changes.size(); ++i)
      EXPECT_EQ(again.scenario->changes[i].definition, read.scenario.changes[i].definition)
          << path << ", " << i;
  }
}

// Each strike of a fault that comes again is a fault of its own in the plan, and the tail is as long as it was.
TEST(Library, prints_plans_that_can_be_read) {
  static const Tzdb zones;
  for (const std::string& path : scenario_files()) {
    format::ScenarioFile plan = file_at(path);
    const std::uint64_t seed = plan.scenario.seed.value_or(1);
    plan.scenario.seed = seed;
    plan.scenario.faults = draw_plan(plan.scenario, KeyedRng(seed));
    const format::ParseResult again = format::parse_scenario(path, format::print_scenario(plan), {}, zones);
    for (const format::Diagnostic& diagnostic : again.diagnostics)
      ADD_FAILURE() << path << ": " << diagnostic.message << "; " << diagnostic.hint;
  }
}

TEST(Library, demands_every_invariant_somewhere) {
  NameSet used;
  for (const Scenario& scenario : library()) {
    if (scenario.expect.always) used.insert(scenario.expect.always->begin(), scenario.expect.always->end());
    if (scenario.expect.eventually)
      used.insert(scenario.expect.eventually->begin(), scenario.expect.eventually->end());
  }
  for (const CheckerKind& kind : checker_kinds()) {
    if (kind.name == "design-error") continue;  // of a design in a file, and none is here
    EXPECT_TRUE(used.contains(kind.name)) << kind.name;
  }
}

TEST(Library, reaches_every_event_that_a_scenario_can_demand) {
  NameSet used;
  for (const Scenario& scenario : library())
    used.insert(scenario.expect.sometimes.begin(), scenario.expect.sometimes.end());
  for (const SometimesName& name : kSometimesNames) {
    if (name.name == "fault-skipped") continue;  // a scenario whose fault finds nobody is a mistake
    EXPECT_TRUE(used.contains(name.name)) << name.name;
  }
}

TEST(Library, gives_each_scenario_a_name_of_its_own) {
  NameSet used;
  for (const Scenario& scenario : library())
    EXPECT_TRUE(used.insert(scenario.name).second) << scenario.name << " is the name of two";
}

TEST(Library, is_large_enough_to_be_one) { EXPECT_GE(scenario_files().size(), 18u); }

}  // namespace
}  // namespace tenure::sim
