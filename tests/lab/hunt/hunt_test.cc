// Hunts: what is found does not depend on the order in which cases end.
#include "lab/hunt/hunt.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "format/print/print.h"
#include "tests/lab/hunt/support.h"

namespace tenure::lab {
namespace {

// All cases as text, each generation run in the order that `order` makes of 0 … n - 1.
template <class Order>
std::vector<std::string> hunt_in(Order order, HuntPlan plan, const format::ScenarioFile& file) {
  Hunt hunt(file, plan);
  std::vector<std::string> cases;
  while (const std::uint64_t count = hunt.begin_generation()) {
    const std::uint64_t first = hunt.next_case();
    std::vector<std::uint64_t> places(count);
    for (std::uint64_t i = 0; i < count; ++i) places[i] = i;
    order(places);
    std::vector<Case> made(count);
    std::vector<CaseResult> results(count);
    for (const std::uint64_t place : places) {
      made[place] = hunt.make(first + place);
      results[place] = result_of(made[place].scenario);
    }
    for (std::uint64_t i = 0; i < count; ++i) {
      cases.push_back(format::print_scenario(made[i].scenario));
      hunt.take(std::move(made[i]), results[i]);
    }
  }
  return cases;
}

TEST(Hunt, is_the_same_whatever_order_cases_end_in) {
  const format::ScenarioFile file = sim::file_of(sim::small("[hunt]\n"));
  const HuntPlan plan{.first_seed = 1, .cases = 600};
  const auto forwards = hunt_in([](auto&) {}, plan, file);
  const auto backwards =
      hunt_in([](auto& places) { std::reverse(places.begin(), places.end()); }, plan, file);
  EXPECT_EQ(forwards.size(), 600u);
  EXPECT_EQ(forwards, backwards);
}

// On threads, some cases are made when results of their generation have been taken, and some before.
TEST(Hunt, makes_the_same_case_before_and_after_results_of_its_generation_are_taken) {
  Hunt hunt(sim::file_of(sim::small("[hunt]\n")), {.first_seed = 1, .cases = 400});
  while (const std::uint64_t count = hunt.begin_generation()) {
    const std::uint64_t first = hunt.next_case();
    std::vector<Case> before;
    for (std::uint64_t i = 0; i < count; ++i) before.push_back(hunt.make(first + i));
    for (Case& each : before) {
      const Case now = hunt.make(hunt.next_case());
      ASSERT_EQ(format::print_scenario(now.scenario), format::print_scenario(each.scenario))
          << hunt.next_case();
      hunt.take(std::move(each), result_of(now.scenario));
    }
  }
}

TEST(Hunt, makes_half_of_its_cases_from_those_that_showed_something_new) {
  const format::ScenarioFile file = sim::file_of(sim::small("[hunt]\n"));
  for (const bool guided : {true, false}) {
    Hunt hunt(file, {.first_seed = 1, .cases = 768, .guided = guided});
    while (hunt.begin_generation() > 0)
      while (hunt.generation_size() > 0) {
        Case made = hunt.make(hunt.next_case());
        const CaseResult result = result_of(made.scenario);
        hunt.take(std::move(made), result);
      }
    EXPECT_EQ(hunt.cases(), 768u);
    if (guided) {
      EXPECT_NEAR(static_cast<double>(hunt.totals().mutated), 256, 60);  // none in the first generation
    } else {
      EXPECT_EQ(hunt.totals().mutated, 0u);
    }
    EXPECT_GT(hunt.totals().first_seen.size(), 200u);
    EXPECT_GT(hunt.totals().sometimes.at("failover"), 0u);
    EXPECT_GT(hunt.totals().faults.at("pause"), 0u);
    EXPECT_GT(hunt.totals().examined.at("one-believer"), 0u);
  }
}

TEST(Hunt, names_the_faults_that_could_strike_and_did_not) {
  Hunt hunt(sim::file_of(sim::small("[hunt]\nfamilies = [\"pause\"]\n")), {.first_seed = 1, .cases = 10});
  EXPECT_EQ(hunt.totals().faults.count("kill"), 0u);
  EXPECT_EQ(hunt.totals().faults.at("pause"), 0u);
}

}  // namespace
}  // namespace tenure::lab
