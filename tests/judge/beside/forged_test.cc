// The fast checkers and the second judge say the same of histories that never happened: real ones with a mistake put
// into them. A core that does nothing wrong gives both little to differ in.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/judge/beside.h"
#include "tests/judge/histories.h"
#include "tests/mutants/check_throws.h"

namespace tenure::judging {
namespace {

// TENURE_JUDGE_FORGED: how many seeds.
TEST(Forged, histories_are_judged_alike_by_both) {
  const mutant::CheckThrows check_throws;
  const char* text = std::getenv("TENURE_JUDGE_FORGED");
  const std::uint64_t seeds = text != nullptr ? std::strtoull(text, nullptr, 10) : 5;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed)
    for_each_history(seed, [](const Case& run, const std::string& of, std::string_view forgery) {
      Names except;
      // What is fired is no slot, which breaks no-drift before. Then one names the row, the other one the work.
      if (forgery == "a slot off the grid") except.insert("never-early");
      // Likewise no-duplicate-fire, never-early, and no-drift of a row that fires the slot of 1970.
      if (forgery == "a commit is applied again" || forgery == "a commit too early" ||
          forgery == "another disposition")
        except.insert("no-lost-fire");
      try {
        EXPECT_EQ(differences(run, except), "") << of << ": " << forgery;
      } catch (const mutant::Stopped&) {
        // nothing that a checker would see
      }
    });
}

}  // namespace
}  // namespace tenure::judging
