// The clock of the host jumps between two writes, whoever makes them.
#include "adapters/sqlite/host_time.h"

#include <fmt/format.h>

#include "tests/adapters/sqlite/support.h"

namespace tenure::testing {
namespace {

constexpr StoreTime kNoon = StoreTime{} + Duration::hours(12);
constexpr StoreTime kBooted = StoreTime{} + Duration::hours(3);

TEST(HostTime, jumps_when_the_boot_seems_to_have_moved_or_too_long_has_passed_since_another_one) {
  struct {
    const char* boot;
    Duration passed;
    Duration booted_later;
    Duration jump;
  } const kTable[] = {
      {"a", Duration::hours(9), {}, {}},  // stopped for long, and the clock ran on
      {"a", kSecond, Duration::millis(400), {}},
      {"a", kSecond, Duration::millis(600), Duration::millis(600)},
      {"a", Duration::hours(1), Duration::hours(1), Duration::hours(1)},
      {"a", -Duration::hours(1), -Duration::hours(1), -Duration::hours(1)},
      {"b", Duration::seconds(90), Duration::hours(9), {}},
      {"b", Duration::seconds(601), Duration::hours(9), Duration::seconds(601)},
      {"b", -kSecond, Duration::hours(9), -kSecond},
      {"", Duration::hours(1), Duration::hours(1), {}},  // the clock of a simulation
  };
  const sqlite::HostTime last{kNoon, "a", kBooted};
  for (const auto& row : kTable) {
    const sqlite::HostTime next{kNoon + row.passed, row.boot, kBooted + row.booted_later};
    EXPECT_EQ(sqlite::jump_between(last, next).value_or(Duration{}), row.jump) << row.boot << row.passed.ns();
    EXPECT_EQ(sqlite::jump_between({}, next), std::nullopt) << "nothing was ever written";
  }
}

// What was written before is made to look as if the clock had been an hour behind then.
TEST(HostTime, a_jump_between_two_programs_sets_a_hold_that_is_not_cleared_unseen) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/tenure.db";
  const reference::Acquire acquire{kResource, {{1}, 1}, 0, 7, Duration::seconds(30)};
  const auto hold = [&](const reference::Request& asked) {
    const Answer answer = store_at(path)->execute(asked, kSecond);
    if (const auto* set = std::get_if<reference::HoldSet>(&answer.reply)) return set->hold;
    return std::get<reference::Changes>(answer.reply).hold;
  };
  const reference::ChangesSince look{kResource};
  const auto grant = store_at(path)->execute(acquire, kSecond);
  const Token token = std::get<reference::Granted>(grant.reply).token;
  store_at(path)->execute(put(1), kSecond);
  EXPECT_EQ(hold(look), std::nullopt);

  const auto jump = [&](int seconds) {
    Sqlite(path).execute(fmt::format("UPDATE tenure_resource SET booted_us = booted_us - {}000000", seconds));
  };
  const reference::ClearHold clear{kResource, acquire.holder, token};
  jump(3600);
  EXPECT_EQ(hold(look), std::nullopt) << "who only reads changes nothing";
  store_at(path)->execute(put(2), kSecond);
  ASSERT_TRUE(hold(look));
  EXPECT_LT(Duration::seconds(3599), hold(look)->jump);
  jump(-3600);
  EXPECT_NE(hold(clear), std::nullopt) << "the clock has jumped since the leader asked";
  EXPECT_EQ(hold(clear), std::nullopt);
}

}  // namespace
}  // namespace tenure::testing
