// What a run is measured by: samples, leaderless time and its causes, margins, strips; and the sometimes events.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <span>

#include "sim/checkers/names.h"
#include "sim/scenario/names.h"
#include "tests/sim/checkers/history.h"

namespace tenure::sim {
namespace {

using Cell = LeadershipTimeline::Cell;

// What the faults of the registry say of themselves.
Harm harm_of(std::string_view action) {
  constexpr std::pair<std::string_view, Harm> kHarms[] = {
      {"kill", {FaultCause::crash, Manner::stops}},
      {"pause", {FaultCause::pause, Manner::stops}},
      {"rolling-restart", {FaultCause::deploy, Manner::stops}},
      {"stop", {FaultCause::deploy, Manner::stops}},
      {"partition", {FaultCause::network, Manner::cuts}},
      {"delay", {FaultCause::network, Manner::hinders}},
      {"duplicate", {FaultCause::network, Manner::spares}},
      {"loss", {FaultCause::network, Manner::cuts}},
      {"store-hang", {FaultCause::store, Manner::cuts}},
      {"store-slow", {FaultCause::store, Manner::hinders}},
      {"store-failover", {FaultCause::store, Manner::fails_over}},
      {"store-session-loss", {FaultCause::store, Manner::takes_away}},
      {"clock-step", {FaultCause::clock, Manner::hinders}},
      {"clock-rate", {FaultCause::clock, Manner::hinders}},
      {"slow-node", {FaultCause::slow, Manner::hinders}},
  };
  for (const auto& [name, harm] : kHarms)
    if (name == action) return harm;
  ADD_FAILURE() << action;
  return {FaultCause::other, Manner::spares};
}

// `target`: the store, or the nodes from the first one to the last one named.
FaultBegan fault(std::uint64_t id, std::string_view action, std::string_view target, Duration duration) {
  static constexpr NodeId kNodes[] = {NodeId{0}, NodeId{1}, NodeId{2}};
  const auto number = [](char digit) { return static_cast<std::size_t>(digit - '1'); };
  std::span<const NodeId> nodes;
  if (target.front() == 'n')
    nodes = std::span(kNodes).subspan(number(target[1]), number(target.back()) - number(target[1]) + 1);
  return {id, action, action, target, nodes, duration, 0, 0, harm_of(action)};
}

Duration by_cause(const Metrics& metrics, std::string_view cause) {
  for (const auto& [name, length] : metrics.leaderless_by_cause) {
    if (name == cause) return length;
  }
  return Duration{};
}

// ---- samples ----

Duration nearest_rank(std::vector<Duration> values, std::int64_t ppm) {
  std::sort(values.begin(), values.end());
  const auto n = static_cast<std::int64_t>(values.size());
  const std::int64_t rank = std::max<std::int64_t>((n * ppm + 999'999) / 1'000'000, 1);
  return values[static_cast<std::size_t>(rank - 1)];
}

RC_GTEST_PROP(Samples, are_exact_while_they_are_few, ()) {
  const auto drawn = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::int64_t>>(
      rc::gen::inRange<std::int64_t>(-1'000, 1'000'000'000'000)));
  const auto ppm = *rc::gen::inRange<std::int64_t>(0, 1'000'001);
  Samples samples;
  std::vector<Duration> values;
  for (const std::int64_t ns : drawn) {
    samples.add(Duration::nanos(ns));
    values.push_back(Duration::nanos(ns));
  }
  RC_ASSERT(samples.count() == values.size());
  RC_ASSERT(samples.percentile(ppm) == nearest_rank(values, ppm));
  RC_ASSERT(samples.min() == nearest_rank(values, 0));
  RC_ASSERT(samples.max() == nearest_rank(values, 1'000'000));
}

TEST(Samples, of_many_are_never_understated_and_nearly_right) {
  Samples samples;
  std::vector<Duration> values;
  std::uint64_t state = 1;
  for (int i = 0; i < 100'000; ++i) {
    state = state * 6'364'136'223'846'793'005u + 1'442'695'040'888'963'407u;
    const Duration value = Duration::nanos(static_cast<std::int64_t>(state >> (i % 40 + 20)));
    samples.add(value);
    values.push_back(value);
  }
  ASSERT_GT(samples.count(), Samples::kExact);
  for (const std::int64_t ppm : {0, 1'000, 500'000, 900'000, 990'000, 999'999, 1'000'000}) {
    const Duration exact = nearest_rank(values, ppm);
    EXPECT_GE(samples.percentile(ppm), exact) << ppm;
    EXPECT_LE(samples.percentile(ppm), exact + exact / 128 + Duration::nanos(1)) << ppm;
  }
  EXPECT_EQ(samples.min(), *std::min_element(values.begin(), values.end()));
  EXPECT_EQ(samples.max(), *std::max_element(values.begin(), values.end()));
  int128 sum = 0;
  for (const Duration value : values) sum += value.ns();
  EXPECT_EQ(samples.mean().ns(), static_cast<std::int64_t>(sum / 100'000));
}

TEST(Samples, say_zero_of_nothing_and_merge_into_the_same_as_if_added) {
  Samples none;
  EXPECT_EQ(none.mean(), Duration{});
  EXPECT_EQ(none.percentile(500'000), Duration{});
  for (const std::int64_t size : {std::int64_t{10}, static_cast<std::int64_t>(Samples::kExact) + 10}) {
    Samples a;
    Samples b;
    Samples all;
    for (std::int64_t i = 0; i < size; ++i) {
      a.add(millis(i));
      b.add(millis(5 * i));
      all.add(millis(i));
      all.add(millis(5 * i));
    }
    a.merge(b);
    a.merge(none);
    EXPECT_EQ(a.count(), all.count());
    EXPECT_EQ(a.mean(), all.mean());
    EXPECT_EQ(a.max(), all.max());
    EXPECT_EQ(a.min(), all.min());
    EXPECT_LE(a.percentile(900'000) - all.percentile(900'000), all.percentile(900'000) / 100);
  }
}

TEST(Samples, take_the_largest_duration_there_is) {
  Samples samples;
  for (std::size_t i = 0; i <= Samples::kExact; ++i) samples.add(Duration::max());
  samples.add(seconds(-1));
  EXPECT_EQ(samples.percentile(1'000'000), Duration::max());
  EXPECT_EQ(samples.percentile(0), seconds(-1));
}

// ---- leaderless time ----

TEST(Leaderless, counts_from_the_start_to_the_first_belief_and_that_is_no_failover) {
  History h{election_scenario()};
  h.at(seconds(2));
  h.believes(kN1, Open{});
  h.finishes();
  EXPECT_EQ(h.metrics().leaderless, seconds(2));
  EXPECT_EQ(by_cause(h.metrics(), "start"), seconds(2));
  EXPECT_EQ(h.metrics().failovers, 0u);
}

TEST(Leaderless, counts_a_gap_between_two_beliefs_of_one_leader_though_nothing_happens_in_it) {
  History h{election_scenario()};
  for (int second = 0; second < 20; second += 5) {
    h.at(seconds(second));
    h.believes_for(kN1, seconds(1));
  }
  h.at(seconds(20));
  h.believes(kN1, Open{});
  h.finishes();
  EXPECT_EQ(h.metrics().leaderless, seconds(16));
}

// ---- useless time ----

Scenario scenario_with_warmup() {
  Scenario scenario = election_scenario();
  scenario.work.program.warmup = seconds(20);
  return scenario;
}

TEST(Useless, is_leaderless_time_where_nobody_warms_up) {
  History h{election_scenario()};
  h.at(seconds(2));
  h.believes(kN1, Open{});
  h.finishes();
  EXPECT_EQ(h.metrics().useless, h.metrics().leaderless);
}

TEST(Useless, has_the_warm_up_of_each_leader_as_well) {
  History h{scenario_with_warmup()};
  h.at(seconds(2));
  h.believes(kN1, Open{});
  h.at(seconds(50));
  h.see(NodeDied{kN1, Death::killed});
  h.at(seconds(60));
  h.believes(kN2, Open{});
  h.finishes();
  EXPECT_EQ(h.metrics().leaderless, seconds(12));
  EXPECT_EQ(h.metrics().useless, seconds(12 + 40));
}

TEST(Useless, a_leader_that_is_gone_before_it_was_warm_was_of_no_use) {
  History h{scenario_with_warmup()};
  h.believes_for(kN1, seconds(15));
  h.at(seconds(30));
  h.believes(kN2, Open{});
  h.finishes();
  EXPECT_EQ(h.metrics().leaderless, seconds(15));
  EXPECT_EQ(h.metrics().useless, seconds(50));
}

TEST(Useless, a_leader_that_stood_still_is_warm_and_one_that_is_elected_again_is_not) {
  for (const bool again : {false, true}) {
    History h{scenario_with_warmup()};
    h.believes(kN1, Open{});
    h.at(seconds(40));
    if (again)
      h.steps_down(kN1);
    else
      h.see(NodePaused{kN1});
    h.at(seconds(50));
    if (again)
      h.believes(kN1, Open{});
    else
      h.see(NodeResumed{kN1});
    h.finishes();
    EXPECT_EQ(h.metrics().leaderless, seconds(10));
    EXPECT_EQ(h.metrics().useless, seconds(again ? 50 : 30)) << again;
  }
}

TEST(Useless, of_two_leaders_the_one_that_is_warm_counts) {
  History h{scenario_with_warmup()};
  h.believes(kN1, Open{});
  h.at(seconds(40));
  h.believes(kN2, Open{});
  h.at(seconds(45));
  h.steps_down(kN1);
  h.finishes();
  EXPECT_EQ(h.metrics().useless, seconds(20 + 15));
}

TEST(Leaderless, is_no_deploy_when_a_program_exits_because_it_has_lost) {
  History h{election_scenario()};
  h.believes(kN1, Open{});
  h.at(seconds(10));
  h.steps_down(kN1);
  h.see(NodeDied{kN1, Death::exited});
  h.at(seconds(20));
  h.believes(kN2, Open{});
  h.finishes();
  EXPECT_EQ(by_cause(h.metrics(), "other"), seconds(10));
}

TEST(Leaderless, is_a_crash_when_a_fault_killed_the_leader) {
  History h{election_scenario()};
  h.believes(kN1, Open{});
  h.at(seconds(10));
  h.see(fault(1, "kill", "n1", Duration::max()));
  h.see(NodeDied{kN1, Death::killed});
  h.at(seconds(27));
  h.believes(kN2, Open{});
  h.finishes();
  EXPECT_EQ(by_cause(h.metrics(), "crash"), seconds(17));
  EXPECT_EQ(h.metrics().failovers, 1u);
  EXPECT_EQ(h.metrics().failover.max(), seconds(17));
  EXPECT_EQ(h.metrics().false_failovers, 0u);
  EXPECT_EQ(h.sometimes("failover"), 1u);
}

TEST(Leaderless, is_a_pause_while_the_only_believer_stands_still) {
  History h{election_scenario()};
  h.believes(kN1, Open{});
  h.at(seconds(10));
  h.see(fault(1, "pause", "n1", seconds(5)));
  h.see(NodePaused{kN1});
  h.at(seconds(15));
  h.see(NodeResumed{kN1});
  h.see(FaultEnded{1, "pause"});
  h.finishes();
  EXPECT_EQ(by_cause(h.metrics(), "pause"), seconds(5));
  EXPECT_EQ(h.metrics().failovers, 0u);  // it still led when it came back
}

TEST(Leaderless, counts_a_failover_by_another_from_the_beginning_of_the_pause) {
  History h{election_scenario()};
  h.believes_for(kN1, seconds(15));
  h.at(seconds(10));
  h.see(NodePaused{kN1});
  h.at(seconds(16));
  h.believes_for(kN2, seconds(200));
  h.at(seconds(20));
  h.see(NodeResumed{kN1});
  h.finishes();
  EXPECT_EQ(h.metrics().failover.max(), seconds(6));
  EXPECT_EQ(h.metrics().safety_margin, seconds(1));
  EXPECT_EQ(h.metrics().believer_overlap, Duration{});
}

TEST(Leaderless, after_a_pause_that_used_up_the_lease_is_the_pauses_too) {
  History h{election_scenario()};
  h.believes_for(kN1, seconds(15));
  h.at(seconds(5));
  h.see(fault(1, "pause", "n1", seconds(9)));
  h.see(NodePaused{kN1});
  h.at(seconds(14));
  h.see(NodeResumed{kN1});
  h.see(FaultEnded{1, "pause"});
  h.at(seconds(17));
  h.believes_for(kN2, seconds(200));
  h.finishes();
  EXPECT_EQ(by_cause(h.metrics(), "pause"), seconds(11));
  EXPECT_EQ(h.metrics().failover.max(), seconds(12));
  EXPECT_EQ(h.metrics().false_failovers, 0u);
}

TEST(Leaderless, is_a_deploy_when_the_leader_was_asked_to_stop) {
  History h{election_scenario()};
  h.believes(kN1, Open{});
  h.at(seconds(10));
  h.see(fault(1, "rolling-restart", "n1 n2 n3", Duration{}));
  h.at(seconds(11));
  h.steps_down(kN1);
  h.see(NodeDied{kN1, Death::stopped});
  h.at(millis(11'200));
  h.believes(kN2, Open{});
  h.at(seconds(30));  // its grace runs out: no fault strikes now
  h.see(NodeDied{kN2, Death::killed});
  h.at(seconds(31));
  h.believes(kN3, Open{});
  h.finishes();
  EXPECT_EQ(by_cause(h.metrics(), "deploy"), millis(1'200));
  EXPECT_EQ(h.metrics().failovers, 2u);
  EXPECT_EQ(h.metrics().failover.min(), millis(200));
  EXPECT_EQ(h.metrics().false_failovers, 0u);
}

TEST(Leaderless, is_put_down_to_what_cut_the_leader_off_whatever_came_on_top) {
  for (const bool healed : {false, true}) {
    SCOPED_TRACE(healed ? "the partition is over" : "the partition goes on");
    History h{election_scenario()};
    h.believes_for(kN1, seconds(15));
    h.at(seconds(2));
    h.see(fault(1, "partition", "n1", seconds(30)));
    h.at(seconds(3));
    h.see(fault(2, "clock-step", "n1", Duration{}));
    h.at(seconds(10));
    if (healed) h.see(FaultEnded{1, "partition"});
    h.at(seconds(17));
    h.believes_for(kN2, seconds(200));
    h.finishes();
    EXPECT_EQ(by_cause(h.metrics(), "network"), seconds(2));
    EXPECT_EQ(h.metrics().false_failovers, 0u);
  }
}

// A fault that was over before the last renewal cannot have ended what that renewal began.
TEST(Leaderless, is_not_put_down_to_a_fault_that_a_renewal_has_outlived) {
  for (const bool renewed : {false, true}) {
    SCOPED_TRACE(renewed ? "renewed after the partition" : "not renewed since");
    History h{election_scenario()};
    h.believes_for(kN1, seconds(15));
    h.at(seconds(2));
    h.see(fault(1, "partition", "n1", seconds(1)));
    h.at(seconds(3));
    h.see(FaultEnded{1, "partition"});
    h.at(seconds(4));
    if (renewed) h.believes_for(kN1, seconds(11));
    h.at(seconds(17));
    h.believes_for(kN2, seconds(200));
    h.finishes();
    EXPECT_EQ(by_cause(h.metrics(), renewed ? "other" : "network"), seconds(2));
    EXPECT_EQ(h.metrics().failovers, renewed ? 0u : 1u);
  }
}

// As when a standby was paused, came to lead, and was cut off.
TEST(Leaderless, is_put_down_to_the_cut_and_not_to_a_pause_from_before_the_leadership) {
  History h{election_scenario()};
  h.see(fault(1, "pause", "n1", seconds(1)));
  h.see(NodePaused{kN1});
  h.at(seconds(1));
  h.see(NodeResumed{kN1});
  h.see(FaultEnded{1, "pause"});
  h.at(seconds(2));
  h.believes_for(kN1, seconds(5));
  h.at(seconds(4));
  h.see(fault(2, "partition", "n1", seconds(30)));
  h.at(seconds(9));
  h.believes_for(kN2, seconds(200));
  h.finishes();
  EXPECT_EQ(by_cause(h.metrics(), "network"), seconds(2));
  ASSERT_EQ(h.metrics().failovers, 1u);
  EXPECT_EQ(h.metrics().failover.max(), seconds(5));
  EXPECT_EQ(h.metrics().worst_failover->fault, 2u);
}

TEST(Leaderless, of_a_starved_leader_is_a_failover) {
  History h{election_scenario()};
  h.believes_for(kN1, seconds(15));
  h.at(seconds(2));
  h.see(fault(1, "slow-node", "n1", seconds(30)));
  h.at(seconds(17));
  h.believes_for(kN2, seconds(200));
  h.finishes();
  EXPECT_EQ(by_cause(h.metrics(), "slow"), seconds(2));
  ASSERT_EQ(h.metrics().failovers, 1u);
  EXPECT_EQ(h.metrics().failover.max(), seconds(15));
}

// The leader of a long lease notices long after the store has failed over.
TEST(Leaderless, is_put_down_to_a_failover_of_the_store_however_late_it_shows) {
  for (const std::int64_t notices : {3, 20, 90}) {
    History h{election_scenario()};
    h.believes(kN1, Open{});
    h.at(seconds(1));
    h.see(fault(1, "store-failover", "store", Duration{}));
    h.at(seconds(2));
    h.see(StoreFailedOver{StoreId{}, 1});
    h.at(seconds(notices));
    h.steps_down(kN1);
    h.at(seconds(notices + 1));
    h.believes(kN2, Open{});
    h.finishes();
    EXPECT_EQ(by_cause(h.metrics(), "store"), seconds(1));
    ASSERT_EQ(h.metrics().failovers, 1u);
    EXPECT_EQ(h.metrics().failover.max(), seconds(notices - 1));
  }
}

TEST(Leaderless, of_several_faults_that_hinder_is_put_down_to_the_one_that_was_at_work_for_longest) {
  History h{election_scenario()};
  h.believes_for(kN1, seconds(15));
  h.at(seconds(2));
  h.see(fault(1, "store-slow", "store", seconds(30)));
  h.at(seconds(14));
  h.see(fault(2, "delay", "n1", seconds(30)));
  h.see(fault(3, "duplicate", "n1", seconds(30)));
  h.at(seconds(17));
  h.believes_for(kN2, seconds(200));
  h.finishes();
  EXPECT_EQ(by_cause(h.metrics(), "store"), seconds(2));
}

TEST(Leaderless, is_put_down_to_a_few_of_several_stores_only_where_nothing_else_was_at_work) {
  for (const bool alone : {true, false}) {
    History h{election_scenario()};
    h.believes_for(kN1, seconds(15));
    h.at(seconds(2));
    FaultBegan few = fault(1, "store-hang", "store 3", seconds(300));
    few.harm.manner = Manner::weakens;
    h.see(few);
    h.at(seconds(14));
    if (!alone) h.see(fault(2, "delay", "n1", seconds(30)));
    h.at(seconds(17));
    h.believes_for(kN2, seconds(200));
    h.finishes();
    EXPECT_EQ(by_cause(h.metrics(), alone ? "store" : "network"), seconds(2));
  }
}

TEST(Leaderless, is_put_down_to_the_fault_at_work_on_the_leader_and_counts_from_it) {
  const struct {
    const char* action;
    const char* target;
    const char* cause;
    std::uint64_t spurious;
  } cases[] = {
      {"partition", "n1", "network", 0},
      {"delay", "n1", "network", 1},
      {"store-hang", "store", "store", 0},
      {"store-slow", "store", "store", 1},
      {"store-hang", "stores 1 3 4", "store", 0},
      {"clock-rate", "n1", "clock", 1},
      {"partition", "n2", "other", 1},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(std::string{c.action} + " " + c.target);
    History h{election_scenario()};
    h.believes_for(kN1, seconds(15));
    h.at(seconds(2));
    h.see(fault(1, c.action, c.target, seconds(30)));
    h.at(seconds(17));
    h.believes_for(kN2, seconds(200));
    h.finishes();
    EXPECT_EQ(by_cause(h.metrics(), c.cause), seconds(2));
    EXPECT_EQ(h.metrics().false_failovers, c.spurious);
    if (std::string_view{c.cause} == "other") {
      EXPECT_EQ(h.metrics().failovers, 0u);
    } else {
      EXPECT_EQ(h.metrics().failover.max(), seconds(15));
    }
  }
}

TEST(Leaderless, counts_from_the_loss_when_the_fault_is_older_than_the_leadership) {
  History h{election_scenario()};
  h.at(seconds(1));
  h.see(fault(1, "store-slow", "store", Duration::max()));
  h.at(seconds(5));
  h.believes_for(kN1, seconds(5));
  h.at(seconds(12));
  h.believes_for(kN2, seconds(200));
  h.finishes();
  EXPECT_EQ(h.metrics().failover.max(), seconds(2));
}

TEST(Leaderless, outlives_the_end_of_its_fault_until_the_store_renews_it) {
  for (const char* action : {"store-hang", "clock-step"}) {
    for (const bool renewed : {false, true}) {
      const bool lasts = std::string_view{action} == "store-hang";
      History h{election_scenario()};
      h.believes(kN1, Open{});
      h.at(seconds(1));
      h.see(fault(1, action, lasts ? "store" : "n1", lasts ? seconds(2) : Duration{}));
      h.at(seconds(3));
      if (lasts) h.see(FaultEnded{1, action});
      h.at(seconds(4));
      if (renewed) h.granted(kN1, token(1));
      h.at(seconds(60));
      h.steps_down(kN1);
      h.finishes();
      EXPECT_EQ(h.metrics().leaderless_by_cause.front().first, renewed ? "other" : lasts ? "store" : "clock");
    }
  }
}

TEST(Leaderless, does_not_call_it_a_loss_when_a_token_is_handed_on) {
  History h{ring_scenario()};
  h.believes(kN1, Open{}, token(1));
  h.at(seconds(1));
  h.steps_down(kN1);
  h.at(millis(1'001));
  h.believes(kN2, Open{}, token(2));
  h.finishes();
  EXPECT_EQ(h.metrics().false_failovers, 0u);
  EXPECT_EQ(h.metrics().failovers, 0u);
  EXPECT_EQ(h.metrics().epochs, 2u);
}

// A fault that is at work somewhere has not ended a leadership that was handed on; it has, when the token was lost.
TEST(Leaderless, is_no_failover_between_a_token_and_the_next_one_whatever_is_at_work) {
  for (const std::uint64_t next : {2u, 7u}) {
    History h{ring_scenario()};
    h.believes(kN1, Open{}, token(1));
    h.see(fault(1, "loss", "n1 n2 n3", Duration::max()));
    h.at(seconds(1));
    h.steps_down(kN1);
    h.at(seconds(3));
    h.believes(kN2, Open{}, token(next));
    h.finishes();
    EXPECT_EQ(h.metrics().failovers, next == 2 ? 0u : 1u);
    EXPECT_EQ(h.metrics().leaderless_by_cause.front().first, "network") << "which may be why it took so long";
    EXPECT_EQ(h.metrics().leaderless, seconds(2));
  }
}

// ---- overlap and margin ----

TEST(WorstMoment, of_a_metric_is_the_longest_and_names_who_took_part) {
  History h{election_scenario()};
  h.believes(kN1, Open{});
  h.at(seconds(10));
  h.see(fault(4, "pause", "n1", seconds(30)));
  h.see(NodePaused{kN1});
  h.at(seconds(12));
  h.believes(kN2, Open{});
  h.at(seconds(40));
  h.see(fault(5, "kill", "n2", Duration::max()));
  h.see(NodeDied{kN2, Death::killed});
  h.at(seconds(41));
  h.steps_down(kN1);
  h.at(seconds(45));
  h.believes(kN3, Open{});
  h.finishes();
  const std::optional<WorstMoment>& failover = h.metrics().worst_failover;
  ASSERT_TRUE(failover);
  EXPECT_EQ(failover->value, seconds(5));
  EXPECT_EQ(failover->fault, 5u);
  EXPECT_EQ(failover->who, kN2);
  EXPECT_EQ(failover->next, kN3);
  const std::optional<WorstMoment>& overlap = h.metrics().worst_believer_overlap;
  ASSERT_TRUE(overlap);
  EXPECT_EQ(overlap->value, h.metrics().believer_overlap_longest);
  EXPECT_EQ(overlap->who, kN1);
  EXPECT_EQ(overlap->next, kN2);
}

TEST(Overlap, is_measured_while_two_believe_and_makes_the_margin_negative) {
  History h{election_scenario()};
  h.believes_for(kN1, seconds(15));
  h.at(seconds(12));
  h.believes_for(kN2, seconds(15));
  h.at(seconds(20));
  h.believes_for(kN3, seconds(1));
  h.finishes();
  EXPECT_EQ(h.metrics().believer_overlap, seconds(4));
  EXPECT_EQ(h.metrics().believer_overlap_longest, seconds(3));
  EXPECT_EQ(h.metrics().safety_margin, seconds(-3));
  EXPECT_EQ(h.sometimes("believer-overlap"), 2u);
}

// Who stands still believes, and does nothing.
TEST(Overlap, is_of_acting_while_neither_stands_still) {
  History h{election_scenario()};
  h.at(seconds(1));
  h.believes(kN1, Open{});
  h.at(seconds(10));
  h.see(NodePaused{kN1});
  h.at(seconds(20));
  h.believes(kN2, Open{});
  h.at(seconds(23));
  h.see(NodeResumed{kN1});
  h.at(seconds(30));
  h.see(NodePaused{kN2});
  h.at(seconds(31));
  h.believes(kN3, Open{});
  h.at(seconds(33));
  h.steps_down(kN3);
  h.at(seconds(40));
  h.steps_down(kN1);
  h.finishes();
  EXPECT_EQ(h.metrics().believer_overlap, seconds(20));
  EXPECT_EQ(h.metrics().acting_overlap, seconds(7 + 2));
}

// A belief that ran out before the pause is over at its own end, not at the pause.
TEST(Overlap, of_acting_ends_with_a_belief_and_not_with_the_pause_that_follows) {
  History h{election_scenario()};
  h.at(seconds(1));
  h.believes_for(kN1, seconds(10));
  h.at(seconds(5));
  h.believes_for(kN2, seconds(10));
  h.at(seconds(14));
  h.see(NodePaused{kN2});
  h.finishes();
  EXPECT_EQ(h.metrics().acting_overlap, seconds(6));
}

TEST(Overlap, of_three_is_counted_once) {
  History h{election_scenario()};
  h.at(seconds(1));
  for (const Incarnation who : {kN1, kN2, kN3}) h.believes_for(who, seconds(10));
  h.finishes();
  EXPECT_EQ(h.metrics().believer_overlap, seconds(10));
}

TEST(SafetyMargin, is_that_of_ends_by_the_clock) {
  History h{election_scenario()};
  h.believes_for(kN1, seconds(15));
  h.at(seconds(5));
  h.steps_down(kN1);  // given up early
  h.at(millis(5'001));
  h.believes_for(kN2, seconds(15));
  h.at(seconds(6));
  h.see(NodeDied{kN2, Death::killed});
  h.at(millis(6'001));
  h.believes_for(kN3, seconds(15));
  EXPECT_FALSE(h.metrics().safety_margin.has_value());
  h.at(millis(21'015));
  h.believes_for(kN1, seconds(15));
  h.finishes();
  EXPECT_EQ(h.metrics().safety_margin, millis(14));
}

TEST(SafetyMargin, is_one_between_two_incarnations) {
  History h{election_scenario()};
  h.believes_for(kN1, seconds(5));
  h.at(seconds(6));
  h.believes_for(kN1, seconds(5));
  EXPECT_FALSE(h.metrics().safety_margin.has_value());
  h.at(seconds(14));
  h.believes_for(kN2, seconds(5));
  h.at(seconds(20));
  h.believes_for(kN2, seconds(5));
  h.finishes();
  EXPECT_EQ(h.metrics().safety_margin, seconds(3));
}

// n1 leads between the end of its first belief and the start of n2's: nothing is the next one's start after that end.
TEST(SafetyMargin, does_not_reach_across_another_belief) {
  for (const bool of_n3 : {false, true}) {
    History h{election_scenario()};
    h.believes_for(kN1, seconds(5));
    h.at(seconds(6));
    h.believes_for(of_n3 ? kN3 : kN1, seconds(15));
    h.at(seconds(8));
    h.steps_down(of_n3 ? kN3 : kN1);
    h.at(millis(8'026));
    h.believes_for(kN2, seconds(5));
    h.finishes();
    EXPECT_EQ(h.metrics().safety_margin, of_n3 ? std::optional(seconds(1)) : std::nullopt);
  }
}

// ---- counts ----

TEST(Counts, of_fires_skips_requests_and_stale_writes) {
  Scenario scenario = reference_scenario();
  scenario.schedules.front().definition = every(seconds(10), Misfire::Policy::skip);
  History h{scenario};
  h.at(seconds(1));
  h.leads(kN1, token(1));
  h.fires(kN1, token(1), {});
  h.at(seconds(14));
  h.covers(kN1, token(1), History::range_row(seconds(1), seconds(14), reference::Disposition::missed));
  h.applies(kN1, reference::Request{reference::CommitFires{kResource, kN1, token(1), {}}},
            reference::Reply{reference::CommitRefused{reference::Denial::expired, false}});
  h.applies(kN1, reference::Request{reference::CommitFires{kResource, kN1, token(1), {}}},
            reference::Reply{reference::CommitRefused{reference::Denial::no_lease, true}});
  h.applies(kN1, reference::Request{reference::Renew{kResource, kN1, token(1), seconds(15)}},
            reference::Reply{reference::Refused{reference::Denial::expired, kN1, 1, {}}});
  h.applies(kN2, reference::Request{reference::Acquire{kResource, kN2, 0, 1, seconds(15)}},
            reference::Reply{reference::Refused{reference::Denial::stale_view, kN1, 1, {}}});
  h.lands(kN1, seconds(10), token(1), DeliveryOutcome::fenced);
  h.finishes();
  EXPECT_EQ(h.metrics().fires, 1u);
  EXPECT_EQ(h.metrics().fire_lateness.max(), seconds(1));
  EXPECT_EQ(h.metrics().skipped_slots, 1u);
  EXPECT_EQ(h.metrics().epochs, 1u);
  EXPECT_EQ(h.metrics().store_requests, 9u);  // not what the client furnished
  EXPECT_EQ(h.metrics().stale_writes_rejected, 3u);
  EXPECT_EQ(h.sometimes("stale-write-rejected"), 3u);
  EXPECT_EQ(h.sometimes("work-fenced"), 1u);
}

TEST(Counts, a_fire_for_a_worker_or_a_destination_once_and_late_by_its_first_attempt) {
  History pulled{pulling_scenario()};
  pulled.commits_orders_and_mails();
  const std::uint64_t before = pulled.metrics().fires;
  const auto first = History::attempt(kMailer1, kOrders, seconds(51));
  pulled.claims(kMailer1, first);
  pulled.works(kMailer1, first, Ending::failed);
  EXPECT_EQ(pulled.metrics().fires, before + 1);
  EXPECT_EQ(pulled.metrics().fire_lateness.max(), Duration::millis(1'200)) << "since 51s";
  pulled.at(seconds(55));
  const auto second = History::attempt(kMailer2, kOrders, seconds(51), 2);
  pulled.claims(kMailer2, second);
  pulled.works(kMailer2, second);
  EXPECT_EQ(pulled.metrics().fires, before + 1);
  EXPECT_EQ(pulled.metrics().fire_lateness.max(), Duration::millis(1'200));

  History pushed{pushing_scenario()};
  pushed.commits_orders_and_mails();
  pushed.arrives(kN1, History::delivery(kOrders, seconds(51), token(1)), std::nullopt);
  EXPECT_EQ(pushed.metrics().fires, before) << "the destination was down";
  for (const std::uint32_t attempt : {2u, 3u}) {
    const WorkItem item = History::delivery(kOrders, seconds(51), token(1), attempt);
    pushed.arrives(kN1, item, DeliveryOutcome::begun);
    pushed.at(seconds(55));
  }
  EXPECT_EQ(pushed.metrics().fires, before + 1);
  EXPECT_EQ(pushed.metrics().fire_lateness.max(), Duration::millis(1'200));
}

TEST(Counts, of_a_segment_that_was_drained_after_its_edit) {
  History h{reference_scenario()};
  h.at(seconds(5));
  h.puts(kBilling, 2, every(seconds(10)));
  reference::LedgerRow row = History::fired_row({});
  row.to = store_at(seconds(5));
  h.covers(kN1, token(1), row);
  h.covers(kN1, token(1), History::fired_row(seconds(10), 2));
  h.finishes();
  EXPECT_EQ(h.sometimes("segment-drained"), 1u);
}

// ---- strips ----

TEST(Strips, show_who_led_longest_in_a_column_in_which_nobody_did_for_most_of_it) {
  History h{ring_scenario()};  // 120s in 60 columns
  for (const Incarnation who : {kN1, kN2, kN3}) h.see(NodeStarted{who});
  std::uint64_t number = 1;
  const auto lead = [&](Incarnation who, std::int64_t from, std::int64_t to) {
    h.at(millis(from));
    h.believes(who, Open{}, token(number++));
    h.at(millis(to));
    h.steps_down(who);
  };
  lead(kN1, 200, 600);
  lead(kN2, 600, 1'200);
  lead(kN3, 1'200, 1'600);
  lead(kN3, 4'000, 5'500);
  h.finishes();
  const std::vector<LeadershipTimeline> strips = h.strips();
  const auto column = [&](std::size_t i) {
    return std::vector<Cell>{strips[0].cells[i], strips[1].cells[i], strips[2].cells[i]};
  };
  EXPECT_EQ(column(0), (std::vector<Cell>{Cell::standby, Cell::leads, Cell::standby}));
  EXPECT_EQ(column(1), (std::vector<Cell>{Cell::standby, Cell::standby, Cell::standby})) << "nobody led";
  EXPECT_EQ(column(2), (std::vector<Cell>{Cell::standby, Cell::standby, Cell::leads}));
}

TEST(Strips, show_what_each_instance_did_for_most_of_a_column) {
  History h{election_scenario()};  // 120s in 60 columns
  h.at(millis(1'100));
  h.believes(kN1, Open{});
  h.at(seconds(10));
  h.see(NodePaused{kN1});
  h.at(seconds(20));
  h.see(NodeResumed{kN1});
  h.at(seconds(30));
  h.see(NodeDied{kN1, Death::killed});
  h.at(seconds(40));
  h.see(NodeStarted{{kN1.node, 2}});
  h.at(seconds(41));
  h.believes_for(kN2, seconds(4));
  h.finishes();
  const std::vector<LeadershipTimeline> strips = h.strips();
  ASSERT_EQ(strips.size(), 3u);
  EXPECT_EQ(strips[0].name, "n1");
  std::vector<Cell> first(60, Cell::standby);
  for (std::size_t i = 0; i < 5; ++i) first[i] = Cell::leads;
  for (std::size_t i = 5; i < 10; ++i) first[i] = Cell::stalled;
  for (std::size_t i = 10; i < 15; ++i) first[i] = Cell::leads;
  for (std::size_t i = 15; i < 20; ++i) first[i] = Cell::down;
  EXPECT_EQ(strips[0].cells, first);
  EXPECT_EQ(strips[1].cells[20], Cell::leads) << "for half of it, and nobody else did";
  EXPECT_EQ(strips[1].cells[21], Cell::leads);
  EXPECT_EQ(strips[1].cells[23], Cell::standby);
  EXPECT_EQ(strips[2].cells, std::vector<Cell>(60, Cell::standby));
}

// For a fiftieth of a column, so that the cells show a leader throughout.
TEST(Strips, count_a_leadership_that_is_lost_however_soon_it_comes_back) {
  History h{election_scenario()};  // 120s in 60 columns
  h.at(millis(1'100));
  h.believes(kN1, Open{});
  h.at(seconds(9));
  h.steps_down(kN1);
  h.at(millis(9'040));
  h.believes(kN1, Open{});
  h.finishes();
  const LeadershipTimeline strip = h.strips()[0];
  std::vector<std::uint32_t> lost(60, 0);
  lost[4] = 1;
  EXPECT_EQ(strip.lost, lost);
  EXPECT_EQ(strip.cells[4], Cell::leads);
}

// ---- sometimes ----

TEST(Sometimes, has_a_count_for_every_name_that_a_scenario_may_use) {
  History h{reference_scenario()};
  h.finishes();
  for (const SometimesName& name : kSometimesNames) EXPECT_EQ(h.sometimes(name.name), 0u) << name.name;
}

TEST(Sometimes, counts_what_it_sees) {
  History h{reference_scenario()};
  h.at(seconds(1));
  h.leads(kN1, token(1));
  h.note(kN1, ClockAlarm{seconds(60)});
  const reference::Request hold = reference::SetHold{kResource, kN1, token(1), seconds(60)};
  h.submits(kN1, hold);
  h.at(seconds(4));  // its deadline
  h.applies(kN1, hold,
            reference::Reply{reference::HoldSet{reference::Hold{store_at(seconds(5)), seconds(60)}}});
  const reference::Request release = reference::Release{kResource, kN1, token(1)};
  h.submits(kN1, release, false);
  h.applies(kN1, release, reference::Reply{reference::Released{}});
  h.applies(kN2, reference::Request{reference::Acquire{kResource, kN2, 1, 9, seconds(10)}},
            reference::Reply{reference::Refused{reference::Denial::clock_stepped, kN1, 1, seconds(10)}});
  h.lands(kN1, {}, token(1), DeliveryOutcome::duplicate);
  h.lands(kN1, {}, token(1));
  h.work_ends(kN1, {}, Ending::stopped);
  h.see(FaultSkipped{1, "its target matched nobody"});
  h.submits(kClient, reference::Request{reference::PutSchedule{}}, false);
  h.puts(kBilling, 2, every(seconds(10)));
  h.finishes();
  for (const char* name : {"clock-alarm", "hold-set", "late-execution", "graceful-release", "lease-rebased",
                           "duplicate-refused", "work-stopped", "fault-skipped", "edit-applied", "fire"}) {
    EXPECT_EQ(h.sometimes(name), 1u) << name;
  }
}

// ---- names ----

TEST(Names, print_times_as_the_story_does) {
  EXPECT_EQ(time_text(TrueTime{}), "0.000s");
  EXPECT_EQ(time_text(TrueTime{} + millis(15'214)), "15.214s");
  EXPECT_EQ(time_text(TrueTime{} + millis(75'214)), "1m15.214s");
  EXPECT_EQ(time_text(TrueTime{} + millis(3'723'004)), "1h02m03.004s");
  EXPECT_EQ(time_text(TrueTime::max()), "never");
}

TEST(Names, print_events_with_the_names_of_the_scenario) {
  Scenario scenario = reference_scenario();
  ChangeSetting change;
  change.schedule = ScheduleId{1};
  change.schedule_name = "reports";
  scenario.changes.push_back(change);
  const Names names{scenario};
  EXPECT_EQ(names.event({kBilling, store_at(seconds(60)), 0}), "billing 2026-01-01T00:01:00Z");
  EXPECT_EQ(names.event({ScheduleId{1}, store_at({}), 3}), "reports run 3");
  EXPECT_EQ(names.schedule(ScheduleId{9}), "schedule 9");
  EXPECT_EQ(who_text({NodeId{1}, 2}), "n2#2");
  EXPECT_EQ(who_text(kClient), "a client");
}

}  // namespace
}  // namespace tenure::sim
