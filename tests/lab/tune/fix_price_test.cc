// The price of a fix: what theory says is enough is enough, and half of what it adds is not.
#include "lab/tune/fix_price.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "format/syntax/units.h"
#include "sim/runner/run.h"
#include "tests/lab/tune/support.h"

namespace tenure::lab {
namespace {

// A leader that stands still, whenever it comes.
TuneFile paused_for(const std::string& protocol, const std::string& pause, const std::string& more = "") {
  return {"paused.toml",
          "format = 1\nname = \"paused\"\n[sim]\nduration = \"4m\"\ntail = \"5m\"\n[cluster]\ninstances = 3\n"
          "protocol = \"" +
              protocol +
              "\"\n[[fault]]\nat = \"60s..70s\"\naction = \"pause\"\ntarget = \"leader\"\nduration = \"" +
              pause + "\"\n" + more,
          {},
          &only_utc(),
          {}};
}

// In how many of some runs two led.
int runs_with_two(TuneFile file, const std::string& key, Duration lease) {
  file.sets.push_back({"election." + key, "\"" + print_duration(lease) + "\""});
  const format::ScenarioFile made = parsed(file);
  int count = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed)
    count += sim::run(made.scenario, seed, {.story = false}).metrics.believer_overlaps > 0 ? 1 : 0;
  return count;
}

TEST(FixPrice, of_a_pause_is_a_lease_that_outlasts_it_and_the_failover_that_comes_with_it) {
  for (const std::string protocol : {"client-go", "heartbeat-lock"}) {
    const std::string pause = protocol == "client-go" ? "20s" : "70s";
    const TuneFile file = paused_for(protocol, pause);
    const sim::Scenario scenario = parsed(file).scenario;
    const std::optional<FixPrice> price =
        price_of_outlasting(scenario, 0, parse_duration(pause).value.value());
    ASSERT_TRUE(price) << protocol;
    EXPECT_GT(price->enough, price->now);
    const Duration half = price->now + Duration::seconds((price->enough - price->now) / Duration::seconds(2));
    EXPECT_EQ(runs_with_two(file, std::string(price->key), price->enough), 0) << protocol;
    EXPECT_GT(runs_with_two(file, std::string(price->key), price->now), 0) << protocol;
    // Others of heartbeat-lock look once a period, so its bound is further from what happens.
    if (protocol == "client-go") {
      EXPECT_GT(runs_with_two(file, std::string(price->key), half), 0);
    }
    // A leader that is dead is waited for as much longer.
    const Duration longer = price->failover_then - price->failover_now;
    EXPECT_NEAR(static_cast<double>(longer.ns()), static_cast<double>((price->enough - price->now).ns()), 2e9)
        << protocol;
  }
}

TEST(FixPrice, is_none_where_nothing_is_to_be_outlasted_or_no_lease_does) {
  EXPECT_FALSE(price_of_outlasting(parsed(paused_for("client-go", "5s")).scenario, 0, Duration::seconds(5)));
  EXPECT_FALSE(
      price_of_outlasting(parsed(paused_for("fenced-lease", "20s")).scenario, 0, Duration::seconds(20)));
  const std::string cut =
      "[[fault]]\nat = \"80s\"\naction = \"partition\"\ntarget = \"leader\"\nduration = \"20s\"\n";
  EXPECT_FALSE(
      price_of_outlasting(parsed(paused_for("client-go", "20s", cut)).scenario, 1, Duration::seconds(20)));
  EXPECT_FALSE(
      price_of_outlasting(parsed(paused_for("client-go", "20s")).scenario, 7, Duration::seconds(20)));
}

}  // namespace
}  // namespace tenure::lab
