// A scenario in a test: what is read, what is run, and what a failure says.
#include "lab/testing/run.h"

#include <gtest/gtest.h>

#include <sstream>
#include <stdexcept>

#include "tests/lab/testing/own_protocols.h"

namespace tenure::testing {
namespace {

std::string text_with(const std::string& protocol, const std::string& more = "") {
  return "format = 1\nname = \"small\"\n[sim]\nseed = 7\nduration = \"1m\"\ntail = "
         "\"1m\"\n[cluster]\nprotocol = \"" +
         protocol + "\"\n" + more;
}

// What is demanded is never looked at.
const std::string kNothingDue =
    "scheduler = \"fenced-outbox\"\n[[schedule]]\nname = \"later\"\nonce = \"2027-01-01T00:00:00Z\"\n"
    "[expect]\nalways = [\"never-early\"]\n";

TEST(ScenarioFrom, says_everything_that_is_wrong) {
  try {
    scenario_from(text_with("nobody", "instancse = 3\n"));
    FAIL() << "it was read";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("unknown protocol `nobody`"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("instancse"), std::string::npos) << error.what();
  }
}

TEST(ScenarioFrom, knows_a_protocol_that_no_registry_lists) {
  EXPECT_THROW(scenario_from(text_with("believers")), std::invalid_argument);
  EXPECT_EQ(scenario_from(text_with("believers"), &kBelievers).scenario.protocol, &kBelievers);
  EXPECT_EQ(scenario_from(text_with("db-lease"), &kBelievers).scenario.protocol->name, "db-lease");
}

TEST(ScenarioFrom, gives_a_whole_node_no_scheduler) {
  EXPECT_THROW(scenario_from(text_with("first-leads", "scheduler = \"ticker\"\n"), &kFirstLeads),
               std::invalid_argument);
}

TEST(Run, is_judged_by_what_an_own_protocol_notes) {
  const Outcome outcome = run(scenario_from(text_with("believers"), &kBelievers));
  EXPECT_EQ(outcome.verdict(), sim::Verdict::inconclusive) << "it claims nothing, and two led: " << outcome;
  EXPECT_NE(outcome.text().find("two led for "), std::string::npos) << outcome.text();
  EXPECT_GT(outcome.violations("one-believer"), 0U);
  EXPECT_GT(outcome.opportunities("one-believer"), 0U);
  EXPECT_THROW(outcome.violations("no-such-checker"), std::invalid_argument);
}

TEST(Run, in_which_nobody_looked_is_not_ok) {
  const Outcome outcome = run(scenario_from(text_with("fenced-lease", kNothingDue)));
  EXPECT_EQ(outcome.verdict(), sim::Verdict::inconclusive);
  EXPECT_FALSE(outcome.failure);
  EXPECT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.text(),
            "small seed 7: inconclusive: never-early never had an opportunity, caught-up never had "
            "an opportunity\n");
}

TEST(Run, holds_an_own_protocol_to_what_a_scenario_demands) {
  const Outcome outcome =
      run(scenario_from(text_with("believers", "[expect]\nalways = [\"one-believer\"]\n"), &kBelievers));
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.failure->checker, "one-believer");
  EXPECT_EQ(outcome.verdict(), sim::Verdict::fail);
}

TEST(Run, takes_a_whole_node) {
  const Outcome outcome = run(scenario_from(text_with("first-leads"), &kFirstLeads));
  EXPECT_TRUE(outcome.ok()) << outcome;
  EXPECT_GT(outcome.opportunities("one-believer"), 0U);
  EXPECT_EQ(outcome.violations("one-believer"), 0U);
}

TEST(Run, takes_a_failing_check_for_a_failure_and_not_for_the_end_of_the_test) {
  const Outcome outcome = run(scenario_from(
      text_with("first-leads",
                "[[fault]]\nat = \"10s\"\naction = \"stop\"\ntarget = \"n1\"\nduration = \"5s\"\n"),
      &kFirstLeads));
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.failure->checker, format::kBrokenInvariant);
  EXPECT_NE(outcome.text().find("nobody stops me"), std::string::npos) << outcome.text();
}

TEST(Run, has_the_scenario_s_seed_or_the_one_it_is_given) {
  sim::Scenario scenario = scenario_from(text_with("fenced-lease")).scenario;
  EXPECT_EQ(run(scenario).result.seed, 7U);
  EXPECT_EQ(run(scenario, 3).result.seed, 3U);
  EXPECT_EQ(run(scenario, 3).scenario.seed, 3U);
  scenario.seed.reset();
  EXPECT_EQ(run(scenario).result.seed, 1U);
}

TEST(Outcome, tells_the_story_and_shows_a_file_that_gives_the_same_run) {
  const Outcome outcome =
      run(scenario_from(text_with("client-go",
                                  "[expect]\nalways = [\"one-believer\"]\n[[fault]]\nat = \"20s\"\n"
                                  "action = \"pause\"\ntarget = \"leader\"\nduration = \"20s\"\n")));
  ASSERT_FALSE(outcome.ok()) << outcome;
  EXPECT_NE(outcome.text().find("one-believer"), std::string::npos);
  EXPECT_NE(outcome.text().find("<- fault"), std::string::npos) << outcome.text();
  const Outcome again = run(scenario_from(outcome.file()));
  EXPECT_EQ(again.result.trace_hash, outcome.result.trace_hash);
  std::ostringstream shown;
  shown << outcome;
  EXPECT_NE(shown.str().find(outcome.file()), std::string::npos);
}

TEST(Outcome, of_a_canary_that_sings_not_is_a_failure) {
  const Outcome outcome =
      run(scenario_from(text_with("fenced-lease", "[expect]\nfails = \"one-believer\"\n")));
  ASSERT_FALSE(outcome.ok());
  EXPECT_FALSE(outcome.text().empty());
}

}  // namespace
}  // namespace tenure::testing
