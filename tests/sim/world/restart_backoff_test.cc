// sim_process.txt shows whole lives of programs that exit.
#include "sim/world/restart_backoff.h"

#include <gtest/gtest.h>

namespace tenure::sim {
namespace {

constexpr Duration second(std::int64_t n) { return Duration::seconds(n); }

TEST(RestartBackoff, is_none_at_first_doubles_and_begins_anew_after_twice_its_longest) {
  ProgramSetting program;
  program.exits_on_loss = true;
  program.longest_backoff = second(35);
  RestartBackoff backoff(program);
  const auto after = [&](Duration lived) { return backoff.after_exit(TrueTime{}, TrueTime{} + lived); };
  EXPECT_EQ(after(second(1)), second(0));
  EXPECT_EQ(after(second(1)), second(10));
  EXPECT_EQ(after(second(70)), second(20));
  EXPECT_EQ(after(second(1)), second(35));
  EXPECT_EQ(after(second(1)), second(35));
  EXPECT_EQ(after(second(71)), second(0));
  EXPECT_EQ(after(second(1)), second(10));
}

}  // namespace
}  // namespace tenure::sim
