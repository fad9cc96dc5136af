// Where checkers apply.
#include <gtest/gtest.h>

#include "tests/sim/checkers/history.h"

namespace tenure::sim {
namespace {

TEST(FencedWrites, applies_where_something_is_written_under_tokens) {
  const CheckerKind* kind = find_checker_kind("fenced-writes");
  EXPECT_EQ(kind->not_applicable(reference_scenario()), nullptr);
  EXPECT_EQ(kind->not_applicable(ring_scenario()), nullptr);
  EXPECT_STREQ(kind->not_applicable(table_scenario()), "the protocol has no tokens");
  Scenario alone = ring_scenario();
  alone.scheduler = nullptr;
  EXPECT_STREQ(kind->not_applicable(alone), "nothing is written under the protocol's tokens");
}

TEST(FireCheckers, do_not_apply_without_fires) {
  Scenario empty = reference_scenario();
  empty.schedules.clear();
  for (const char* name :
       {"acts-within-belief", "one-worker", "no-duplicate-fire", "no-lost-fire", "no-drift", "never-early",
        "versions-take-turns", "work-within-limit", "caught-up"}) {
    EXPECT_STREQ(find_checker_kind(name)->not_applicable(election_scenario()),
                 "the scenario has no scheduler");
    EXPECT_STREQ(find_checker_kind(name)->not_applicable(empty), "the scenario has no schedules");
  }
  ChangeSetting create;
  create.action = ChangeAction::create;
  empty.changes.push_back(create);
  EXPECT_EQ(find_checker_kind("no-lost-fire")->not_applicable(empty), nullptr);
}

TEST(OneWorker, does_not_apply_to_work_without_length) {
  Scenario instant = reference_scenario();
  instant.work.duration = Quantiles::constant(Duration{});
  EXPECT_STREQ(find_checker_kind("one-worker")->not_applicable(instant), "the scenario's work takes no time");
}

TEST(Checkers, of_tokens_and_of_a_ledger_do_not_apply_to_a_plain_table) {
  const History history{table_scenario()};
  for (const char* name : {"one-holder-per-epoch", "epochs-increase", "fenced-writes", "versions-take-turns",
                           "work-within-limit"})
    EXPECT_FALSE(history.applies_to(name)) << name;
}

}  // namespace
}  // namespace tenure::sim
