// Programs run by the simulator: real processes, real pipes and real signals.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "core/base/host_failure.h"
#include "tests/adapters/process/processes.h"

namespace tenure::sim {
namespace {

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(Program, runs_and_does_the_same_each_time) {
  const OneProgram design(node_py({}));
  const Scenario scenario = scenario_of(design);
  const RunResult one = run(scenario, 7);
  EXPECT_EQ(one.verdict, Verdict::pass);
  EXPECT_EQ(one.trace_hash, run(scenario, 7).trace_hash);
  EXPECT_NE(one.trace_hash, run(scenario, 8).trace_hash);
  EXPECT_EQ(design_errors(one).opportunities, 3U);
}

TEST(Program, begins_anew_in_each_life) {
  const OneProgram design(node_py({}));
  const RunResult result =
      run(scenario_of(design,
                      "[[fault]]\nat = \"20s\"\naction = \"kill\"\ntarget = \"n1\"\nduration = \"10s\"\n"),
          1);
  EXPECT_EQ(result.verdict, Verdict::pass);
  EXPECT_GT(result.metrics.leaderless, Duration::seconds(9));
  EXPECT_EQ(design_errors(result).opportunities, 4U);
}

TEST(Program, is_asked_to_stop) {
  const OneProgram design(node_py({}));
  const RunResult result = run(scenario_of(design,
                                           "[[fault]]\nat = \"20s\"\naction = \"stop\"\ntarget = "
                                           "\"n1\"\ngrace = \"30s\"\nduration = \"5s\"\n"),
                               1);
  EXPECT_EQ(result.verdict, Verdict::pass);
  EXPECT_LT(result.metrics.leaderless, Duration::seconds(6)) << "it stops at once, and needs no kill";
}

TEST(Program, that_ends_is_an_error_that_names_the_step_and_its_last_words) {
  const std::string said = error_of(node_py({"exits"}));
  EXPECT_TRUE(
      has(said,
          "the program of n1 failed: step 3: the process ended with exit status 7, and did not answer "
          "{\"wake\":{},"))
      << said;
  EXPECT_TRUE(has(said, "out of ideas")) << said;
}

TEST(Program, that_is_killed_is_an_error_that_names_the_signal) {
  const std::string said = error_of(node_py({"is-killed"}));
  EXPECT_TRUE(has(said, "step 3: the process ended with signal 9")) << said;
}

TEST(Program, that_closes_its_output_is_an_error) {
  const std::string said = error_of(node_py({"closes-its-output"}));
  EXPECT_TRUE(has(said, "step 3: the process ended with signal 9")) << "that was ours: " << said;
}

// Writing to it would be a signal to us.
TEST(Program, that_closes_its_input_is_an_error_and_not_our_end) {
  const std::string said = error_of(node_py({"closes-its-input"}));
  EXPECT_TRUE(has(said, "step 4: the process ended with exit status 1")) << said;
}

TEST(Program, that_answers_nonsense_is_an_error_that_shows_it) {
  for (const auto& [answer, problem] :
       {std::pair{"hello", "step 3: it is no JSON: the answer to {\"wake\":{},"},
        {"[]", "it is no JSON object"},
        {"{\"wait\":1}", "unknown key `wait` of an answer; did you mean `wake`?"},
        {"{\"wake\":1.5}", "`wake` must be a whole number of 64 bits"},
        {"{\"wake\":18446744073709551615}", "`wake` must be a whole number of 64 bits"},
        {"{\"do\":{}}", "`do` must be a list"},
        {"{\"do\":[{}]}", "each element of `do` must be an object with one key"},
        {"{\"do\":[{\"sand\":{}}]}", "`do` knows no `sand`"},
        {"{\"do\":[{\"stopped\":{}}]}", "step 3: it says `stopped`, and nobody has asked it to stop"},
        {"{\"do\":[{\"send\":{\"to\":4,\"kind\":\"x\"}}]}", "`send` to node 4, and there are 1"},
        {"{\"do\":[{\"send\":{\"to\":1}}]}", "there is no `kind`"},
        {"{\"do\":[{\"believe\":{}}]}", "`believe` takes one of until_mono, until_wall, open"},
        {"{\"do\":[{\"believe\":{\"open\":true,\"token\":0}}]}", "a token needs a design with tokens = true"},
        {"{\"wake\":5,\"wake\":6}", "step 3: the key `wake` comes twice"},
        {"\\xff\\xfe{}", "step 3: it is no JSON: the answer to "},
        {"{\"do\":[{\"sql\":{\"id\":1,\"deadline\":2,\"statements\":[]}}]}", "`sql` without a statement"},
        {"{\"do\":[{\"sql\":{\"id\":1,\"deadline\":2,\"statements\":[{\"text\":\"SELECT 1\"}]}}]}",
         "step 3: a statement needs a store: the program described no `schema`"},
        {"{\"do\":[{\"sql\":{\"id\":1,\"deadline\":2,\"statements\":[{\"text\":\"x\",\"values\":[1.5]}]}}]}",
         "a value of a statement is"},
        {"{\"do\":[{\"log\":{\"text\":\"\\u0000\\ud800\"}}]}", "it is no JSON"},
        {"{}\\n{}", "is more than a line"}}) {
    const std::string said = error_of(node_py({"answers " + std::string(answer)}));
    EXPECT_TRUE(has(said, problem)) << answer << " gives: " << said;
  }
}

TEST(Program, that_never_ends_its_line_is_an_error) {
  const std::string said = error_of(node_py({"floods"}));
  EXPECT_TRUE(has(said, "step 3: the answer to {\"wake\":{},")) << said;
  EXPECT_TRUE(has(said, " is longer than 1000000 bytes: xxx")) << said;
}

TEST(Program, that_says_more_than_a_line_can_hold_is_told_so_and_not_of_two_lines) {
  const std::string said = error_of(node_py({"answers much"}));
  EXPECT_TRUE(has(said, " is longer than 1000000 bytes: {\"do\":")) << said;
}

TEST(Program, with_tokens_has_one_in_each_belief) {
  const std::string tokens = R"({"tenure": 1, "name": "mine", "tokens": true})";
  for (const auto& [belief, problem] :
       {std::pair{R"({"open":true})", "the design has tokens, so token = a whole number above 0"},
        {R"({"open":true,"token":0})", "the design has tokens, so token = a whole number above 0"},
        {R"({"open":true,"token":7})", ""}}) {
    const std::string said =
        error_of(node_py({fmt::format(R"(begins {{"do":[{{"believe":{}}}]}})", belief), tokens}));
    EXPECT_EQ(has(said, problem), true) << said;
    EXPECT_EQ(said.empty(), problem == std::string_view{}) << said;
  }
}

TEST(Program, that_says_it_failed_is_an_error_in_its_words) {
  const std::string said = error_of(node_py({"answers {\"do\":[{\"error\":\"a bug in line 5\"}]}"}));
  EXPECT_EQ(said, "the program of n1 failed: a bug in line 5");
  // A report must be able to show it.
  EXPECT_EQ(error_of(node_py({"answers {\"do\":[{\"error\":\"\\u001b[31m\"}]}"})),
            "the program of n1 failed: \\x1b[31m");
  const std::string shown = error_of(node_py({"answers \\xff\\xfe{}"}));
  EXPECT_TRUE(has(shown, " was \\xff\\xfe{}")) << shown;
}

TEST(Program, that_wants_to_be_woken_at_once_for_ever_is_an_error) {
  EXPECT_TRUE(has(error_of(node_py({"spins"})), "it wants to be woken at once, again and again"));
}

TEST(Program, that_answers_otherwise_the_second_time_is_an_error_that_shows_both) {
  const std::string said = error_of(node_py({"draws"}));
  EXPECT_TRUE(has(said, "step 1: two processes were told the same since they started, and answer {\""))
      << said;
  EXPECT_TRUE(has(said, "otherwise: {\"wake\": ")) << said;
}

TEST(Program, that_prints_otherwise_the_second_time_is_an_error_too) {
  EXPECT_TRUE(has(error_of(node_py({"says-otherwise"})), "step 1: two processes were told the same"));
}

// This machine may be slow: that says nothing about the program.
TEST(Program, that_hangs_is_no_finding) {
  const OneProgram design(node_py({"hangs"}), std::chrono::seconds(10));
  try {
    run(scenario_of(design, "", 1), 1);
    FAIL() << "it hung, and the run went on";
  } catch (const HostFailure& failure) {
    EXPECT_TRUE(has(failure.what(), "n1: step 3: node.py has not answered {\"wake\":{},")) << failure.what();
    EXPECT_TRUE(has(failure.what(), "for 10000 ms")) << failure.what();
  }
}

TEST(Program, that_writes_much_before_it_reads_is_heard_and_bounded) {
  EXPECT_EQ(error_of(node_py({"writes-before"})), "");
}

// What it writes to standard error is in the trace, before what the same step asked for.
TEST(Program, leaves_what_it_prints_in_the_trace) {
  const OneProgram design(node_py({"exits"}));
  Remarks remarks;
  run(scenario_of(design), 1, {.trace = &remarks, .story = false});
  EXPECT_GT(remarks.count("out of ideas"), 0);
  EXPECT_GT(remarks.count("heard beat"), 0);
}

}  // namespace
}  // namespace tenure::sim
