// What is generated is good, of the kind that was asked for, and stays so while it shrinks.
#include "lab/testing/generators.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <sstream>

#include "format/print/print.h"
#include "sim/faults/registry.h"
#include "sim/protocols/registry.h"
#include "tests/lab/testing/own_protocols.h"

namespace tenure::testing {
namespace {

using format::ScenarioFile;
using sim::Scenario;

ScenarioFile base(const std::string& protocol, const std::string& more = "",
                  const ElectorKind* own = nullptr) {
  return scenario_from(
      "format = 1\nname = \"base\"\n[sim]\nduration = \"1m\"\ntail = \"3m\"\n[cluster]\nprotocol = \"" +
          protocol + "\"\n" + more,
      own);
}

ScenarioFile scheduled() { return base("fenced-lease", "scheduler = \"fenced-outbox\"\n"); }

template <class T>
rc::Shrinkable<T> drawn(const rc::Gen<T>& gen, std::uint64_t seed) {
  return gen(rc::Random(seed), rc::kNominalSize);
}

// The first values of a walk down the tree of shrinks: always the n-th shrink, or the last.
template <class T, class Check>
void walk(rc::Shrinkable<T> shrinkable, std::size_t nth, Check check) {
  for (int depth = 0; depth < 20; ++depth) {
    check(shrinkable.value());
    auto shrinks = shrinkable.shrinks();
    auto next = shrinks.next();
    if (!next) return;
    for (std::size_t i = 0; i < nth; ++i)
      if (auto another = shrinks.next()) next = another;
    shrinkable = *next;
  }
}

TEST(Scenarios, are_literal_and_files_that_give_the_same_run) {
  const auto gen = scenarios(scheduled(), {.cluster = true, .schedules = 3, .parameters = Safety::safe});
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Outcome outcome = run(drawn(gen, seed).value());
    const Outcome again = run(scenario_from(outcome.file()));
    ASSERT_EQ(again.result.trace_hash, outcome.result.trace_hash) << outcome;
    for (const sim::FaultSetting& fault : outcome.scenario.faults)
      EXPECT_FALSE(std::holds_alternative<sim::FaultSetting::Every>(fault.when));
  }
}

TEST(Scenarios, of_an_own_protocol_are_files_too) {
  const auto gen = scenarios(base("believers", "", &kBelievers), {.cluster = true});
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Outcome outcome = run(drawn(gen, seed).value());
    EXPECT_EQ(run(scenario_from(outcome.file(), &kBelievers)).result.trace_hash, outcome.result.trace_hash);
  }
}

TEST(Scenarios, stay_within_the_claims_and_stay_scenarios_while_they_shrink) {
  const auto gen = scenarios(scheduled(), {.cluster = true, .schedules = 2, .within_claims = true});
  std::size_t faults = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed)
    walk(drawn(gen, seed), seed % 7, [&](const Scenario& scenario) {
      faults += scenario.faults.size();
      ASSERT_TRUE(within_claims(scenario)) << format::print_scenario(scenario);
      ASSERT_NO_THROW(scenario_from(format::print_scenario(scenario)));
    });
  EXPECT_GT(faults, 30U) << "there is something to stay within";
}

TEST(Scenarios, reach_beyond_the_claims_when_nobody_says_otherwise) {
  const auto gen = scenarios(base("fenced-lease"), {.cluster = true});
  int beyond = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed)
    if (!within_claims(drawn(gen, seed).value())) ++beyond;
  EXPECT_GT(beyond, 5);
}

TEST(Scenarios, have_the_faults_that_hunt_names) {
  const auto gen = scenarios(base("fenced-lease", "[hunt]\nfamilies = [\"pause\"]\nfaults = \"2..4\"\n"));
  std::size_t most = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed)
    for (const Scenario scenario = drawn(gen, seed).value();
         const sim::FaultSetting& fault : scenario.faults) {
      EXPECT_EQ(sim::find_fault_kind(fault.action)->family, sim::FaultFamily::pause);
      most = std::max(most, scenario.faults.size());
    }
  EXPECT_GE(most, 3U);
  EXPECT_LE(most, 4U);
}

// What a failing property ends with.
Scenario shrunk(const ScenarioFile& from, const Drawn& what,
                const std::function<bool(const Outcome&)>& holds) {
  Scenario smallest;
  const bool held = rc::check([&] {
    const Outcome outcome = run(*scenarios(from, what));
    if (!holds(outcome)) smallest = outcome.scenario;
    RC_ASSERT(holds(outcome));
  });
  EXPECT_FALSE(held) << "nothing was drawn that fails";
  return held ? from.scenario : smallest;
}

TEST(Shrinking, leaves_the_fault_that_matters) {
  // Enough pauses that a hundred cases find one that is too long, whatever they are drawn from.
  const Scenario smallest =
      shrunk(base("client-go", "[hunt]\nfamilies = [\"pause\"]\nfaults = \"12..16\"\n"), {},
             [](const Outcome& outcome) { return outcome.violations("one-believer") == 0; });
  EXPECT_GE(smallest.faults.size(), 1U) << format::print_scenario(smallest);
  EXPECT_LE(smallest.faults.size(), 3U) << format::print_scenario(smallest);
}

TEST(Shrinking, leaves_the_time_that_progress_needs) {
  walk(drawn(scenarios(base("fenced-lease")), 3), 0,
       [](const Scenario& scenario) { EXPECT_GE(scenario.tail, Duration::minutes(1)); });
}

TEST(Shrinking, leaves_no_instance_no_schedule_and_no_setting_that_does_not_matter) {
  const Scenario smallest = shrunk(scheduled(), {.cluster = true, .schedules = 4, .parameters = Safety::safe},
                                   [](const Outcome& outcome) { return outcome.result.metrics.fires == 0; });
  EXPECT_TRUE(smallest.faults.empty()) << format::print_scenario(smallest);
  EXPECT_EQ(smallest.instances.size(), 1U);
  ASSERT_EQ(smallest.schedules.size(), 1U);
  const Definition& definition = smallest.schedules.front().definition;
  EXPECT_EQ(definition.jitter, Jitter{});
  EXPECT_EQ(definition.overlap, Overlap::allow);
  EXPECT_EQ(definition.misfire, Misfire{});
  EXPECT_EQ(smallest.instances.front().clock, sim::ClockSetting{});
  EXPECT_TRUE(smallest.store.latency.is_constant());
  EXPECT_TRUE(plainer_parameters(smallest.instances.front().election).empty())
      << format::print_scenario(smallest);
}

TEST(MustHold, discards_what_was_inconclusive_and_gives_up_when_all_of_it_is) {
  const ScenarioFile idle = base("fenced-lease",
                                 "scheduler = \"fenced-outbox\"\n[[schedule]]\nname = \"later\"\n"
                                 "once = \"2027-01-01T00:00:00Z\"\n[expect]\nalways = [\"never-early\"]\n");
  ASSERT_EQ(run(idle).verdict(), sim::Verdict::inconclusive);
  EXPECT_FALSE(rc::check("nobody ever looked", [&] { must_hold(run(idle)); }));
  int runs = 0;
  int conclusive = 0;
  EXPECT_TRUE(rc::check("every fourth says nothing", [&] {
    const bool looked = ++runs % 4 != 0;
    if (looked) ++conclusive;
    must_hold(run(looked ? base("fenced-lease") : idle));
  }));
  EXPECT_GE(conclusive, 100);
}

TEST(FaultPlans, shrink_to_nothing) {
  const auto plan = drawn(fault_plans(base("fenced-lease")), 1);
  EXPECT_FALSE(plan.value().empty());
  std::size_t left = plan.value().size();
  walk(plan, 0, [&](const std::vector<sim::FaultSetting>& faults) { left = faults.size(); });
  EXPECT_EQ(left, 0U);
}

TEST(FaultPlans, print_as_sections_of_a_file) {
  const std::string shown = rc::toString(drawn(fault_plans(base("fenced-lease")), 1).value());
  EXPECT_NE(shown.find("[[fault]]"), std::string::npos) << shown;
}

TEST(Clusters, go_into_a_scenario_within_the_claims) {
  const ScenarioFile into = base("fenced-lease");
  std::set<std::size_t> sizes;
  for (std::uint64_t seed = 0; seed < 40; ++seed)
    walk(drawn(clusters(into, true), seed), 1, [&](const Cluster& cluster) {
      Scenario scenario = into.scenario;
      cluster.put_into(scenario);
      sizes.insert(scenario.instances.size());
      EXPECT_TRUE(within_claims(scenario));
      EXPECT_TRUE(run(scenario).ok()) << rc::toString(cluster);
    });
  EXPECT_GE(sizes.size(), 3U);
}

TEST(Definitions, are_of_every_kind_have_slots_and_print_to_themselves) {
  const Window window{StoreTime::from_ns(0), Duration::minutes(10)};
  std::set<std::size_t> kinds;
  for (std::uint64_t seed = 0; seed < 200; ++seed)
    walk(drawn(definitions(window), seed), seed % 3, [&](const Definition& definition) {
      kinds.insert(definition.recurrence.index());
      EXPECT_TRUE(slot_at_or_after(definition, StoreTime::min()));
      Scenario scenario = scheduled().scenario;
      scenario.schedules = {{"drawn", definition}};
      const Scenario read = scenario_from(format::print_scenario(scenario)).scenario;
      EXPECT_EQ(read.schedules.front().definition, definition) << rc::toString(definition);
    });
  EXPECT_EQ(kinds.size(), 3U);
}

TEST(Schedules, suit_the_scheduler) {
  const ScenarioFile ticker = base("fenced-lease", "scheduler = \"ticker\"\n");
  std::size_t most = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Scenario scenario = ticker.scenario;
    scenario.schedules = drawn(schedules(ticker, 4), seed).value();
    most = std::max(most, scenario.schedules.size());
    EXPECT_NO_THROW(scenario_from(format::print_scenario(scenario)));
  }
  EXPECT_EQ(most, 4U);
}

TEST(ElectionParameters, are_safe_or_unsafe_as_asked_for_every_protocol) {
  for (const ElectorKind& protocol : elector_kinds())
    for (const Safety safety : {Safety::safe, Safety::unsafe})
      for (std::uint64_t seed = 0; seed < 30; ++seed)
        walk(drawn(election_parameters(protocol, safety), seed), seed % 5, [&](const Parameters& parameters) {
          ASSERT_EQ(safety_of(protocol, parameters), safety) << protocol.name << rc::toString(parameters);
          Scenario scenario = base(std::string(protocol.name)).scenario;
          put_election(scenario, parameters);
          ASSERT_NO_THROW(scenario_from(format::print_scenario(scenario)))
              << format::print_scenario(scenario);
        });
}

TEST(ElectionParameters, of_a_protocol_that_takes_no_unsafe_ones_are_given_up) {
  EXPECT_THROW(drawn(election_parameters(kBelievers, Safety::unsafe), 1).value(), rc::GenerationFailure);
}

}  // namespace
}  // namespace tenure::testing
