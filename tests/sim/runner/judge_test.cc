// From what a checker says to a verdict.
#include "sim/runner/judge.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/sim/runner/support.h"

namespace tenure::sim {
namespace {

// Says what it is told to say.
class Saying final : public Checker {
 public:
  void see(TrueTime, const Record&) override { examined(); }
  void finds(std::int64_t second) {
    violate({TrueTime{} + Duration::seconds(second), std::to_string(second), {}, {}});
  }
  void finds_by_date(std::int64_t second) {
    const TrueTime at = TrueTime{} + Duration::seconds(second);
    violate(at, {}, {}, std::to_string(second));
  }
  void leaves(const std::string& what) { leave_unjudged(what); }
};

CheckResult judged(const Checker& checker, const std::string& expect) {
  const Scenario scenario = parsed(small("[expect]\n" + expect));
  return judge(*find_checker_kind("no-lost-fire"), checker, scenario, {}, nullptr, {});
}

TEST(Judge, holds_what_was_not_judged_for_inconclusive) {
  Saying checker;
  checker.see({}, Healed{});
  EXPECT_EQ(judged(checker, "always = [\"no-lost-fire\"]\n").verdict, Verdict::pass);
  checker.leaves("what came first");
  checker.leaves("what came then");
  const CheckResult result = judged(checker, "always = [\"no-lost-fire\"]\n");
  EXPECT_EQ(result.verdict, Verdict::inconclusive);
  EXPECT_EQ(result.detail, "not judged: what came first; what came then");
  EXPECT_EQ(verdict_of({result}, {}), Verdict::inconclusive);
}

TEST(Judge, prefers_a_violation_to_what_was_not_judged) {
  Saying checker;
  checker.see({}, Healed{});
  checker.leaves("something");
  checker.finds(3);
  EXPECT_EQ(judged(checker, "always = [\"no-lost-fire\"]\n").verdict, Verdict::fail);
}

TEST(Judge, keeps_the_earliest_violations_whichever_were_found_first) {
  Saying checker;
  for (int second = 40; second > 20; --second) checker.finds(second);
  for (int second = 10; second > 0; --second) checker.finds_by_date(second);
  EXPECT_EQ(checker.violation_count(), 30u);
  ASSERT_GE(checker.violations().size(), 10u);
  auto next = checker.violations().begin();
  for (int second = 1; second <= 10; ++second) EXPECT_EQ((next++)->message, std::to_string(second));
}

// What this breaks excuses what happens soon after it.
Scenario frozen_for_a_second() {
  return parsed(
      small("[[fault]]\nat = \"60s\"\naction = \"clock-freeze\"\ntarget = \"n1\"\nduration = \"1s\"\n"
            "[expect]\nalways = []\n"));
}
std::vector<Broken> frozen_at_60(const Scenario& scenario) {
  FaultRun ran;
  ran.id = scenario.faults.front().id;
  ran.at = TrueTime{} + Duration::seconds(60);
  ran.target = "n1";
  return broken_assumptions(scenario, scenario.faults, {ran});
}

// Each is judged by itself: the first, which a fault excuses, does not excuse the second.
TEST(Judge, fails_for_a_violation_that_nothing_excuses_whatever_came_before_it) {
  const Scenario scenario = frozen_for_a_second();
  const std::vector<Broken> broken = frozen_at_60(scenario);
  const auto judged_of = [&](const Checker& checker) {
    return judge(*find_checker_kind("no-lost-fire"), checker, scenario, broken, nullptr, {});
  };
  Saying checker;
  checker.see({}, Healed{});
  for (int second = 61; second < 80; ++second) checker.finds(second);
  EXPECT_EQ(verdict_of({judged_of(checker)}, scenario.expect), Verdict::pass);
  checker.finds(5'000);
  const CheckResult result = judged_of(checker);
  EXPECT_EQ(verdict_of({result}, scenario.expect), Verdict::fail);
  EXPECT_EQ(result.violations.front().message, "5000");
  EXPECT_EQ(result.violations.size(), 10u);
}

TEST(Judge, lets_the_many_that_are_excused_hide_no_later_one) {
  const Scenario scenario = frozen_for_a_second();
  const std::vector<Broken> broken = frozen_at_60(scenario);
  Saying checker;
  checker.see({}, Healed{});
  for (int i = 0; i < 20'000; ++i) checker.finds(61 + i / 1'000);
  checker.finds(5'000);
  const CheckResult result =
      judge(*find_checker_kind("no-lost-fire"), checker, scenario, broken, nullptr, {});
  EXPECT_EQ(verdict_of({result}, scenario.expect), Verdict::fail);
  EXPECT_EQ(result.violations.front().message, "5000");
}

// Whatever [expect] says.
TEST(Judge, holds_more_violations_than_it_can_judge_for_inconclusive) {
  const Scenario scenario = frozen_for_a_second();
  const std::vector<Broken> broken = frozen_at_60(scenario);
  Saying checker;
  checker.see({}, Healed{});
  for (int i = 0; i < 100'000; ++i) checker.finds(61);
  const auto judged_now = [&] {
    return judge(*find_checker_kind("no-lost-fire"), checker, scenario, broken, nullptr, {});
  };
  EXPECT_EQ(verdict_of({judged_now()}, scenario.expect), Verdict::pass);
  checker.finds(5'000);
  const CheckResult result = judged_now();
  EXPECT_EQ(verdict_of({result}, scenario.expect), Verdict::inconclusive);
  EXPECT_EQ(result.unasked, "no-lost-fire: only the first 100000 of 100001 violations were judged");
}

}  // namespace
}  // namespace tenure::sim
