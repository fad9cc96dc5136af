// What single faults do to a whole run, and that their end undoes it.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sim/faults/engine.h"
#include "sim/faults/settings.h"
#include "tests/sim/runner/support.h"

namespace tenure::sim {
namespace {

TrueTime at(std::int64_t seconds) { return TrueTime{} + Duration::seconds(seconds); }

const CheckResult* find_check(const RunResult& result, std::string_view name) {
  const auto found = std::find_if(result.checks.begin(), result.checks.end(),
                                  [&](const CheckResult& check) { return check.name == name; });
  return found == result.checks.end() ? nullptr : &*found;
}
std::uint64_t violations(const RunResult& result, std::string_view checker) {
  const CheckResult* check = find_check(result, checker);
  return check == nullptr ? 0 : check->violation_count;
}

std::string fault(const std::string& at, const std::string& action, const std::string& more) {
  return "[[fault]]\nat = \"" + at + "\"\naction = \"" + action + "\"\n" + more + "\n";
}

// ---- crash-loop ----

TEST(CrashLoop, is_a_crash_to_whoever_asks_why_nobody_led) {
  const RunResult result =
      run(parsed(small(fault("30s", "crash-loop",
                             "target = \"all\"\nup = \"25s\"\ndown = \"1s\"\nduration = \"70s\""))),
          1);
  for (const auto& [cause, length] : result.metrics.leaderless_by_cause) EXPECT_NE(cause, "deploy");
}

// ---- clocks ----

TEST(ClockFreeze, is_survived_but_for_the_belief_of_its_leader) {
  const RunResult result =
      run(parsed(small(fault("30s", "clock-freeze", "target = \"leader\"\nduration = \"40s\"") +
                       "[expect]\nbeliever_overlap = \"report\"\n")),
          1);
  EXPECT_EQ(result.verdict, Verdict::pass);
  EXPECT_GT(violations(result, "one-believer"), 0u);
  EXPECT_EQ(violations(result, "fenced-writes"), 0u);
}

TEST(VmPause, lets_a_leader_believe_for_what_was_left_when_it_was_suspended) {
  const RunResult result =
      run(parsed(small(fault("30s", "vm-pause", "target = \"leader\"\nduration = \"40s\"") +
                       "[expect]\nbeliever_overlap = \"report\"\n")),
          1);
  EXPECT_EQ(result.verdict, Verdict::pass);
  EXPECT_GT(violations(result, "one-believer"), 0u);
  const RunResult paused =
      run(parsed(small(fault("30s", "pause", "target = \"leader\"\nduration = \"40s\""))), 1);
  EXPECT_EQ(violations(paused, "one-believer"), 0u) << "whose clock ran on";
}

// ---- the store ----

TEST(StoreLockHeld, changes_nothing_for_a_protocol_without_a_row) {
  const RunResult result =
      run(parsed(small(fault("30s", "store-lock-held", "duration = \"10s\""), "client-go", "none")), 1);
  EXPECT_EQ(result.faults.front().skipped, "no request of its protocol waits for such a lock");
}

std::string shared_lock(const std::string& length) {
  return fault("30s", "store-lock-held", "mode = \"share\"\nduration = \"" + length + "\"");
}

TEST(StoreLockHeld, lets_a_leader_renew_under_a_shared_lock_and_nobody_follow_it) {
  const RunResult calm = run(parsed(small(shared_lock("30s"))), 1);
  EXPECT_EQ(calm.metrics.failovers + calm.metrics.false_failovers, 0u);
  const RunResult killed =
      run(parsed(small(shared_lock("60s") + fault("32s", "kill", "target = \"leader\""))), 1);
  ASSERT_EQ(killed.metrics.failover.count(), 1u);
  EXPECT_GT(killed.metrics.failover.max(), Duration::seconds(57));
  EXPECT_EQ(killed.verdict, Verdict::pass);
}

// What standbys ask for, and give up on, waits on at the store, until there is no place for a renewal.
TEST(StoreLockHeld, costs_the_leader_its_lease_once_those_who_wait_have_taken_every_place) {
  const std::string places = "[store]\ncapacity = { concurrent = 5 }\n";
  EXPECT_EQ(run(parsed(small(places)), 1).metrics.epochs, 1u);
  const RunResult crowded = run(parsed(small(places + shared_lock("60s"))), 1);
  EXPECT_GT(crowded.metrics.epochs, 1u);
  EXPECT_EQ(crowded.verdict, Verdict::pass);
}

TEST(StoreLockHeld, breaks_nothing_if_no_request_is_late_for_it) {
  const Scenario brief = parsed(small(fault("30s", "store-lock-held", "duration = \"1s\"")));
  EXPECT_TRUE(find_fault_kind("store-lock-held")
                  ->breaks(brief.faults.front(), brief, bounds_of(brief, Part::elector))
                  .empty());
  const Scenario lasting = parsed(small(fault("30s", "store-lock-held", "duration = \"3s\"")));
  EXPECT_FALSE(find_fault_kind("store-lock-held")
                   ->breaks(lasting.faults.front(), lasting, bounds_of(lasting, Part::elector))
                   .empty());
}

TEST(StoreSessionLoss, is_skipped_where_nothing_is_under_way) {
  const RunResult result = run(parsed(small(fault("31s", "store-session-loss", "target = \"leader\""))), 1);
  EXPECT_EQ(result.faults.front().skipped, "its target awaited no answer from the store");
}

TEST(StoreSessionLoss, is_an_error_where_there_is_no_store) {
  const format::ParseResult result = format::parse_scenario(
      "test.toml", small(fault("31s", "store-session-loss", "target = \"leader\""), "token-ring", "none"));
  EXPECT_FALSE(result.diagnostics.empty());
}

// ---- failover ----

struct Failovers : Observer {
  void see(TrueTime now, const Record& record) override {
    if (std::holds_alternative<StoreReplicaStalled>(record)) stalled.push_back(now);
    if (std::holds_alternative<StoreFailedOver>(record)) promoted.push_back(now);
    if (const auto* applied = std::get_if<Applied>(&record))
      if (applied->who.node == kClientNode && applied->id.counter != 0) edits.push_back(applied->reply);
  }
  std::vector<TrueTime> stalled;
  std::vector<TrueTime> promoted;
  std::vector<Reply> edits;
};

TEST(StoreFailover, comes_after_its_lag_one_at_a_time_and_at_the_latest_at_the_heal) {
  Failovers seen;
  const RunResult result = run(parsed(small(fault("30s", "store-failover", "lag = \"10s\"") +
                                            fault("35s", "store-failover", "lag = \"1s\"\noptional = true") +
                                            fault("110s", "store-failover", "lag = \"1h\""))),
                               1, {.trace = &seen});
  EXPECT_EQ(seen.stalled, (std::vector{at(30), at(110)}));
  EXPECT_EQ(seen.promoted, (std::vector{at(40), at(120)}));
  EXPECT_EQ(result.faults[1].skipped, "a failover is under way already");
  EXPECT_EQ(result.verdict, Verdict::pass);
}

TEST(StoreFailover, is_survived_by_the_house_on_the_branch_that_survives) {
  const std::string demands =
      "[expect]\nalways = [\"no-duplicate-fire\", \"no-lost-fire\", \"no-drift\", \"never-early\", "
      "\"fenced-writes\", "
      "\"one-holder-per-epoch\", \"epochs-increase\"]\n";
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const RunResult result =
        run(parsed(small("[[fault]]\nevery = \"20s\"\naction = \"store-failover\"\nlag = \"0s..18s\"\n" +
                         demands)),
            seed);
    EXPECT_EQ(result.verdict, Verdict::pass) << "seed " << seed;
  }
}

TEST(StoreFailover, makes_a_client_ask_again_on_top_of_what_is_left) {
  Failovers seen;
  const std::string edits =
      "[[change]]\nat = \"31s\"\naction = \"update\"\nschedule = \"job\"\nevery = \"7s\"\n"
      "[[change]]\nat = \"60s\"\naction = \"update\"\nschedule = \"job\"\ngrace = \"9s\"\n";
  const RunResult result =
      run(parsed(small(edits + fault("30s", "store-failover", "lag = \"5s\""))), 1, {.trace = &seen});
  ASSERT_EQ(seen.edits.size(), 3U) << "one is lost, one refused, and that one asked for again";
  const auto* refused = std::get_if<reference::EditRefused>(&std::get<reference::Reply>(seen.edits[1]));
  ASSERT_NE(refused, nullptr);
  EXPECT_EQ(refused->version, 1U);
  const auto* edited = std::get_if<reference::Edited>(&std::get<reference::Reply>(seen.edits[2]));
  ASSERT_NE(edited, nullptr);
  EXPECT_EQ(edited->version, 2U);
  EXPECT_EQ(result.verdict, Verdict::pass);
}

}  // namespace
}  // namespace tenure::sim
