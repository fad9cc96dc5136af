#include "lab/live/measure.h"

#include <gtest/gtest.h>

#include "tests/lab/audit/writing.h"

namespace tenure::lab {
namespace {

sim::TrueTime after(std::int64_t ms) { return sim::TrueTime{} + Duration::millis(ms); }

NodeJournal journal_of(const Process& process) {
  return std::get<NodeJournal>(read_journal("journal", process.text()));
}

// Two instances, the first of which leads from 210 ms on, and renews at 600 ms.
class MeasureLive : public testing::Test {
 protected:
  MeasureLive() {
    scenario.duration = Duration::seconds(4);
    scenario.tail = {};
    scenario.instances.assign(2, {{}, Parameters({})});
    first.starts(100);
    second.starts(100);
    first.leads(200, term(1));
    first.renews(600, term(1));
    first.believes(610, term(1), 1'600);
  }

  LiveMeasures measured() const {
    const auto live = measure_live({journal_of(first), journal_of(second)}, scenario, facts);
    EXPECT_TRUE(live);
    return live.value_or(LiveMeasures{});
  }
  // From 1,710 ms on, to the end.
  void second_takes_over() {
    second.sees(1'690, 1);
    second.acquires(1'700, term(2));
    second.believes(1'710, term(2), 9'000);
  }
  void strikes(const char* action, std::int64_t from, std::int64_t to) {
    facts.faults.push_back({1, action, action, {NodeId{0}}, {after(from), after(to)}});
  }

  sim::Scenario scenario;
  Process first{1};
  Process second{2};
  OutsideFacts facts;
};

TEST_F(MeasureLive, counts_a_failover_from_the_kill) {
  strikes("kill", 900, 1'900);
  facts.ends.push_back({NodeId{0}, after(900)});
  second_takes_over();
  const sim::Metrics metrics = measured().run.metrics;
  ASSERT_EQ(metrics.failover.values(), std::vector{Duration::millis(810)});
  EXPECT_EQ(metrics.false_failovers, 0u);
}

TEST_F(MeasureLive, counts_the_beginning_as_leaderless_and_nothing_after_the_tail) {
  strikes("kill", 900, 1'900);
  facts.ends.push_back({NodeId{0}, after(900)});
  scenario.duration = Duration::millis(1'000);
  second_takes_over();
  const sim::Metrics metrics = measured().run.metrics;
  EXPECT_EQ(metrics.failovers, 0u);
  EXPECT_EQ(metrics.leaderless, Duration::millis(210 + 100));
}

TEST_F(MeasureLive, lets_a_paused_leader_lead_no_longer) {
  strikes("pause", 800, 3'800);
  facts.pauses.push_back({NodeId{0}, {after(800), after(3'800)}});
  second_takes_over();
  const sim::Metrics metrics = measured().run.metrics;
  ASSERT_EQ(metrics.failover.values(), std::vector{Duration::millis(910)});
}

TEST_F(MeasureLive, knows_renewals_take_overs_and_the_round_trips_of_quiet_times) {
  strikes("kill", 900, 1'900);
  facts.ends.push_back({NodeId{0}, after(900)});
  second_takes_over();
  const LiveMeasures live = measured();
  EXPECT_EQ(live.run.parts.renewals.values(), std::vector{Duration::millis(400)});
  // A lease lasts a second.
  EXPECT_EQ(live.run.parts.take_overs.values(), std::vector{Duration::millis(100)});
  const std::size_t renew = reference::Request(reference::Renew{}).index();
  ASSERT_EQ(live.times.round_trips.size(), 1u) << "the first request of a life waits for its connection, too";
  EXPECT_EQ(live.times.round_trips.at(renew), std::vector{Duration::millis(20)});
}

TEST_F(MeasureLive, knows_how_long_processes_take_to_their_first_answer) {
  facts.starts = {
      {NodeId{0}, after(60), true}, {NodeId{1}, after(70), true}, {NodeId{1}, after(1'500), false}};
  second_takes_over();
  const MachineTimes times = measured().times;
  EXPECT_EQ(times.first_starts,
            std::vector{Duration::millis(150)});  // the second's first life is answered nothing
  EXPECT_EQ(times.restarts, std::vector{Duration::millis(190)});
}

}  // namespace
}  // namespace tenure::lab
