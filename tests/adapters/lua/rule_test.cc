// Rules of schedules as text: what is printed means the same when it is read.
#include "adapters/lua/rule.h"

#include <gtest/gtest.h>

namespace tenure::lua {
namespace {

// Berlin in 2026: an hour ahead, and two hours in summer.
class Berlin final : public TimeZones {
 public:
  std::shared_ptr<const TimeZone> find(std::string_view name) const override {
    return name == "Europe/Berlin" ? zone_ : only_utc().find(name);
  }
  const std::string& version() const override { return zone_->tzdb_version(); }
  std::vector<std::string> names() const override { return {"Europe/Berlin", "UTC"}; }

 private:
  std::shared_ptr<const TimeZone> zone_ = std::make_shared<const TimeZone>(
      "Europe/Berlin", "test",
      std::vector<TimeZone::Period>{
          {TimeZone::kAlways, 3'600}, {1'774'746'000, 7'200}, {1'792'890'000, 3'600}});
};

TEST(Rule, is_read_as_it_was_printed) {
  const Berlin zones;
  for (const char* const text :
       {"cron 30 2 * * *; Europe/Berlin; gap_end; first", "cron */5 * * * *; UTC; shift; both",
        "cron 0 4 * * *; Europe/Berlin; skip; second; not before 1767225600000000; until 1798761600000000",
        "every 1m30s; from 1767225600000000", "every 1s; from 0; until 5000000",
        "at 1767225600000000 1767225600000001"}) {
    const Parsed<Definition> read = read_rule(text, zones);
    ASSERT_TRUE(read.value) << text << ": " << read.problem;
    EXPECT_EQ(print_rule(*read.value), text);
    EXPECT_EQ(*read_rule(print_rule(*read.value), zones).value, *read.value);
  }
}

TEST(Rule, follows_the_clock_of_its_zone) {
  const Berlin zones;
  const StoreTime night = StoreTime::from_ns(1'774'740'000'000'000'000);  // 00:20 of the night of the change
  const auto slot = slot_after(*read_rule("cron 30 2 * * *; Europe/Berlin", zones).value, night);
  EXPECT_EQ(slot, StoreTime::from_ns(1'774'746'000'000'000'000)) << "the end of the gap";
  EXPECT_EQ(*slot_after(*read_rule("cron 30 2 * * *", zones).value, night),
            StoreTime::from_ns(1'774'751'400'000'000'000))
      << "UTC, where there is none";
}

TEST(Rule, says_what_is_wrong_with_it) {
  for (const auto& [text, problem] :
       {std::pair{"daily", "it begins with cron, every or at"},
        {"cron 61 * * * *", "61"},
        {"cron 0 * * * *; Europe/Berlni", "`Europe/Berlni` is nothing of a rule"},
        {"every 5", "`5` has no unit"},
        {"every 1ns", "a period is above zero, in whole microseconds"},
        {"every 1s; from noon", "`noon` is no instant"},
        {"at 5 4", "instants are microseconds, and go up"}})
    EXPECT_NE(read_rule(text, only_utc()).problem.find(problem), std::string::npos)
        << text << ": " << read_rule(text, only_utc()).problem;
}

}  // namespace
}  // namespace tenure::lua
