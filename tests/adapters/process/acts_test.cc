// What programs write, to their disk and to the outside resource: keeper.py.
#include <gtest/gtest.h>

#include <string>

#include "adapters/sql/sql_store.h"
#include "tests/adapters/process/processes.h"

namespace tenure::sim {
namespace {

const char* const kKills =
    "[[fault]]\nevery = \"10s\"\naction = \"kill\"\ntarget = \"n1\"\nduration = \"1s\"\n";

struct NarratedEvent {
  Remarks remarks;
  RunResult result;
};
NarratedEvent told(const std::string& how, std::uint64_t seed, const std::string& more = kKills) {
  const OneProgram design({"python3", "keeper.py", how});
  NarratedEvent told;
  told.result = run(scenario_of(design, more, 1), seed, {.trace = &told.remarks, .story = false});
  return told;
}

TEST(ProgramDisk, survives_a_crash) {
  const NarratedEvent after = told("well", 1);
  EXPECT_EQ(design_errors(after.result).violation_count, 0U);
  const auto lives = static_cast<std::ptrdiff_t>(design_errors(after.result).opportunities);
  EXPECT_GE(lives, 5);
  EXPECT_EQ(after.remarks.count("life"), lives);
  EXPECT_EQ(after.remarks.count("synced"), lives);
  EXPECT_EQ(after.remarks.values[static_cast<std::size_t>(
                std::find(after.remarks.texts.rbegin(), after.remarks.texts.rend(), "life").base() -
                after.remarks.texts.begin() - 1)],
            lives)
      << "each life finds what the one before has synced";
}

TEST(ProgramDisk, that_is_not_synced_may_lose_what_was_put) {
  int lost = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const NarratedEvent after = told("never", seed);
    const auto lives = static_cast<std::int64_t>(design_errors(after.result).opportunities);
    std::int64_t last = 0;
    for (std::size_t i = 0; i < after.remarks.texts.size(); ++i)
      if (after.remarks.texts[i] == "life") last = after.remarks.values[i];
    lost += last < lives ? 1 : 0;
  }
  EXPECT_GT(lost, 0);
}

TEST(ProgramDisk, that_is_full_is_an_error) {
  EXPECT_EQ(error_of({"python3", "keeper.py", "fills"}),
            "the program of n1 failed: step 2: `put`: the disk is full");
}

TEST(ProgramWrites, show_the_token_of_the_belief_or_another) {
  const NarratedEvent after = told("well", 1);
  const auto lives = static_cast<std::ptrdiff_t>(design_errors(after.result).opportunities);
  EXPECT_EQ(after.remarks.count("done"), lives);
  EXPECT_EQ(after.remarks.count("fenced"), lives - 1) << "what shows the token of the life before";
}

TEST(ProgramWrites, are_for_a_program_that_says_so) {
  EXPECT_NE(error_of({"python3", "keeper.py", "says-not"})
                .find("`write` is for a program that says so, with \"writes\": true"),
            std::string::npos);
  const OneProgram scheduler({"python3", "poller.py", "writes"}, std::chrono::seconds(20), sql::store_kind);
  EXPECT_EQ(scheduler.problem(), "`writes` is for an election; `run` does the work of a slot");
}

}  // namespace
}  // namespace tenure::sim
