// `tenure explain`: one violation, and all that led to it.
#include <gtest/gtest.h>

#include "tests/cli/process.h"

namespace tenure::cli::testing {
namespace {

const std::string kTwo = "../../../scenarios/canaries/heartbeat-lock-clock-ahead.toml";

TEST(Explain, names_the_beliefs_their_grants_the_faults_and_the_promise) {
  const Ended ended = tenure({"explain", kTwo});
  for (const char* part : {"leaders then, and their grants", "the store: ", "their clocks", "faults at work",
                           "clock-step", "the promise", "heartbeat-lock promises one-believer",
                           "wall-in-step was broken by fault clock-step", "reproduce   tenure run "})
    EXPECT_TRUE(has(ended.out, part)) << part << "\n" << ended.out;
}

TEST(Explain, ends_as_the_run_does) {
  for (const std::string& file : {kTwo, std::string("fail.toml"), std::string("pass.toml")})
    EXPECT_EQ(tenure({"explain", file, "--seed", "7"}).code, tenure({"run", file, "--seed", "7"}).code)
        << file;
}

TEST(Explain, says_when_there_is_nothing_to_explain) {
  const Ended ended = tenure({"explain", "pass.toml"});
  EXPECT_EQ(ended.code, 0);
  expect_out(ended, {"no checker found a violation with seed ", " --events` lists what happened"});
}

TEST(Explain, takes_one_file) {
  EXPECT_EQ(tenure({"explain", "pass.toml", "fail.toml"}).code, 64);
  EXPECT_EQ(tenure({"explain", "no-such-file.toml"}).code, 74);
}

}  // namespace
}  // namespace tenure::cli::testing
