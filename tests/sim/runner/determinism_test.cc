// A run is a pure function of scenario and seed, and a drawn plan printed out is the same run again.
#include <gtest/gtest.h>

#include <string>

#include "format/print/print.h"
#include "sim/faults/plan.h"
#include "tests/sim/runner/support.h"

namespace tenure::sim {
namespace {

const std::string kDrawn =
    "[network]\nlatency = { p50 = \"300us\", p99 = \"5ms\", max = \"50ms\" }\nloss = 0.01\n"
    "[[fault]]\nevery = { p50 = \"15s\", max = \"40s\" }\naction = \"pause\"\ntarget = \"one\"\nduration = "
    "\"1s..20s\"\n"
    "[[fault]]\nevery = { p50 = \"20s\", max = \"60s\" }\naction = \"partition\"\ntarget = \"minority\"\n"
    "peers = \"store\"\nduration = \"1s..10s\"\n"
    "[[fault]]\nevery = { p50 = \"30s\", max = \"60s\" }\naction = \"clock-step\"\ntarget = \"one\"\nby = "
    "\"-5s..5s\"\n"
    "[[fault]]\non = \"leads\"\nnth = 2\nafter = \"1ms\"\naction = \"kill\"\ntarget = \"leader\"\nduration = "
    "\"5s\"\n";

TEST(Determinism, the_same_scenario_and_seed_give_the_same_run) {
  const Scenario scenario = parsed(small(kDrawn));
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const RunResult first = run(scenario, seed);
    const RunResult second = run(scenario, seed);
    EXPECT_EQ(first.trace_hash, second.trace_hash);
    EXPECT_EQ(first.events, second.events);
  }
}

TEST(Determinism, another_seed_gives_another_run) {
  const Scenario scenario = parsed(small(kDrawn));
  EXPECT_NE(run(scenario, 1).trace_hash, run(scenario, 2).trace_hash);
}

TEST(Determinism, observers_do_not_change_the_run) {
  struct Nobody : Observer {
    void see(TrueTime, const Record&) override {}
  } nobody;
  const Scenario scenario = parsed(small(kDrawn));
  EXPECT_EQ(run(scenario, 5).trace_hash, run(scenario, 5, {.trace = &nobody}).trace_hash);
}

// A planted difference: the hash notices one nanosecond of one latency.
TEST(Determinism, the_trace_hash_notices_a_nanosecond) {
  Scenario scenario = parsed(small(""));
  const std::uint64_t before = run(scenario, 1).trace_hash;
  scenario.store.latency = Quantiles::constant(scenario.store.latency.max() + Duration::nanos(1));
  EXPECT_NE(run(scenario, 1).trace_hash, before);
}

TEST(DrawnPlan, prints_as_a_literal_scenario_with_the_same_trace_hash) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Scenario drawn = parsed(small(kDrawn));
    Scenario literal = drawn;
    literal.faults = draw_plan(drawn, KeyedRng(seed));
    const std::string text = format::print_scenario(literal);
    EXPECT_EQ(text.find("every = {"), std::string::npos);
    EXPECT_EQ(run(parsed(text), seed).trace_hash, run(drawn, seed).trace_hash) << "seed " << seed << "\n"
                                                                               << text;
  }
}

TEST(DrawnPlan, removing_one_fault_leaves_the_draws_of_the_others_alone) {
  const Scenario all = parsed(small(kDrawn));
  Scenario fewer = all;
  fewer.faults.erase(fewer.faults.begin());
  const auto plan = draw_plan(all, KeyedRng(3));
  const auto rest = draw_plan(fewer, KeyedRng(3));
  ASSERT_LT(rest.size(), plan.size());
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const FaultSetting& same = plan[plan.size() - rest.size() + i];
    EXPECT_EQ(rest[i].id, same.id);
    EXPECT_EQ(rest[i].when, same.when);
    EXPECT_EQ(rest[i].target, same.target);
  }
}

}  // namespace
}  // namespace tenure::sim
