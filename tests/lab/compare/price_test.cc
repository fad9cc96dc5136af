// Prices as text, and settings on the way to one.
#include "lab/compare/price.h"

#include <gtest/gtest.h>

#include "tests/lab/compare/support.h"

namespace tenure::lab {
namespace {

TEST(Price, is_read) {
  const std::optional<Price> failover = read_price("failover_p99=1m20s").price;
  ASSERT_TRUE(failover);
  EXPECT_EQ(failover->kind, Price::Kind::failover_p99);
  EXPECT_EQ(failover->most, Duration::seconds(80).ns());
  const std::optional<Price> requests = read_price("requests=2000").price;
  ASSERT_TRUE(requests);
  EXPECT_EQ(requests->kind, Price::Kind::requests);
  EXPECT_EQ(requests->most, 2'000);
}

TEST(Price, that_is_none_says_so) {
  for (const char* text : {"", "=", "failover_p99", "failover_p99=", "failover_p99=0s", "failover_p99=-5s",
                           "failover_p99=20", "requests=", "requests=0", "requests=-1", "requests=1e9",
                           "requests=99999999999999999999", "downtime=1s"}) {
    const ReadPrice read = read_price(text);
    EXPECT_FALSE(read.price) << text;
    EXPECT_NE(read.problem, "") << text;
    EXPECT_NE(read.hint, "") << text;
  }
  EXPECT_EQ(read_price("failover_p9=5s").hint, "did you mean `failover_p99`?");
}

std::string value_of(const std::vector<format::Override>& overrides, std::string_view key) {
  for (const format::Override& set : overrides)
    if (set.key == key) return set.value;
  return "";
}

TEST(Price, multiplies_all_durations_and_keeps_whole_seconds) {
  const MadeCase made = make_case(situation(""), candidate("client-go:15/10/2"));
  const Parameters& own = made.scenario->instances.front().election;
  const std::vector<format::Override> longer = scaled(own, {5, 4});
  EXPECT_EQ(value_of(longer, "election.lease_duration"), "19s");  // 18.75
  EXPECT_EQ(value_of(longer, "election.renew_deadline"), "13s");  // 12.5
  EXPECT_EQ(value_of(longer, "election.retry_period"), "3s");     // 2.5
  const std::vector<format::Override> shorter = scaled(own, {1, 16});
  EXPECT_EQ(value_of(shorter, "election.lease_duration"), "930ms") << "two digits below two seconds";
  EXPECT_EQ(value_of(shorter, "election.retry_period"), "120ms");
  EXPECT_EQ(value_of(shorter, "election.release"), "") << "no duration";
}

TEST(Price, is_paid_by_most_of_it_and_by_no_more) {
  const Price price{Price::Kind::requests, 1'000, ""};
  EXPECT_TRUE(pays(price, 1'000));
  EXPECT_TRUE(pays(price, 800));
  EXPECT_FALSE(pays(price, 799));
  EXPECT_FALSE(pays(price, 1'001));
}

TEST(Price, is_searched_outwards_from_the_settings_of_the_design) {
  // A longer lease: a longer failover, and fewer requests.
  EXPECT_EQ(powers_of_two(Price::Kind::failover_p99, true).front(), (Factor{2, 1}));
  EXPECT_EQ(powers_of_two(Price::Kind::failover_p99, false).back(), (Factor{1, 32}));
  EXPECT_EQ(powers_of_two(Price::Kind::requests, true).back(), (Factor{1, 32}));
  EXPECT_EQ(powers_of_two(Price::Kind::requests, false).front(), (Factor{2, 1}));
}

TEST(Price, is_searched_between_what_is_cheap_enough_and_the_double) {
  for (const Factor factor : narrow_factors(Price::Kind::failover_p99, {1, 4})) {
    EXPECT_GT(factor.of * 4, factor.in);
    EXPECT_LT(factor.of * 2, factor.in);
  }
  for (const Factor factor : narrow_factors(Price::Kind::requests, {4, 1})) {
    EXPECT_LT(factor.of, factor.in * 4);
    EXPECT_GT(factor.of, factor.in * 2);
  }
}

}  // namespace
}  // namespace tenure::lab
