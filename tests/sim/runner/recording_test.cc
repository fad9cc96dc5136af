// A recording shows what the checkers and the metrics judged, and to record a run changes nothing in it.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "sim/runner/detail.h"
#include "sim/runner/story_filter.h"
#include "tests/sim/runner/support.h"

namespace tenure::sim {
namespace {

const std::string kFaults =
    "[network]\nlatency = { p50 = \"300us\", p99 = \"5ms\", max = \"50ms\" }\nloss = 0.01\n"
    "[[fault]]\nevery = { p50 = \"15s\", max = \"40s\" }\naction = \"pause\"\ntarget = \"leader\"\n"
    "duration = \"1s..30s\"\n"
    "[[fault]]\nevery = { p50 = \"20s\", max = \"60s\" }\naction = \"partition\"\ntarget = \"one\"\n"
    "peers = \"store\"\nduration = \"1s..10s\"\n"
    "[[fault]]\nevery = { p50 = \"30s\", max = \"60s\" }\naction = \"clock-step\"\ntarget = \"one\"\n"
    "by = \"-40s..40s\"\n"
    "[[fault]]\nevery = { p50 = \"30s\", max = \"60s\" }\naction = \"store-ack-lost\"\nduration = \"5s\"\n";

struct Recorded {
  RunResult result;
  Recording recording;
};

Recorded recorded(const Scenario& scenario, std::uint64_t seed) {
  Recorded made;
  made.result = run(scenario, seed, {.story = false, .recording = &made.recording});
  return made;
}

Duration sum_of(const std::vector<OverlapSpan>& spans, bool acting_only) {
  Duration sum;
  for (const OverlapSpan& overlap : spans)
    if (overlap.acting || !acting_only) sum += overlap.span.to - overlap.span.from;
  return sum;
}

// client-go's design counts belief on the wall clock, so a step of it makes two leaders.
Scenario two_leaders() { return parsed(small(kFaults, "db-lease", "ticker")); }

TEST(Recording, changes_nothing_in_the_run) {
  const Scenario scenario = parsed(small(kFaults));
  for (std::uint64_t seed = 1; seed <= 5; ++seed)
    EXPECT_EQ(run(scenario, seed, {.story = false}), recorded(scenario, seed).result);
}

TEST(Recording, of_the_same_run_is_the_same) {
  const Scenario scenario = parsed(small(kFaults));
  EXPECT_EQ(recorded(scenario, 3).recording, recorded(scenario, 3).recording);
}

TEST(Recording, has_the_overlaps_that_the_metrics_have) {
  Duration seen;
  for (const Scenario& scenario : {parsed(small(kFaults)), two_leaders()}) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const Recorded made = recorded(scenario, seed);
      const std::vector<OverlapSpan> spans = overlaps(made.recording);
      EXPECT_EQ(sum_of(spans, false), made.result.metrics.believer_overlap) << seed;
      EXPECT_EQ(sum_of(spans, true), made.result.metrics.acting_overlap) << seed;
      seen += made.result.metrics.acting_overlap;
    }
  }
  EXPECT_GT(seen, Duration{}) << "two acted in none of the runs: nothing was compared";
}

TEST(Recording, ends_the_belief_of_a_paused_node_when_its_time_runs_out) {
  const Scenario scenario =
      parsed(small("[[fault]]\nat = \"30s\"\naction = \"pause\"\ntarget = \"leader\"\nduration = \"40s\"\n"));
  const Recorded made = recorded(scenario, 1);
  const TrueTime paused = made.recording.pauses.at(0).span.from;
  const NodeId node = made.recording.pauses.at(0).node;
  const auto belief = std::find_if(made.recording.beliefs.begin(), made.recording.beliefs.end(),
                                   [&](const BeliefSpan& one) { return one.who.node == node; });
  ASSERT_NE(belief, made.recording.beliefs.end());
  EXPECT_EQ(belief->end, "its time ran out");
  EXPECT_GT(belief->span.to, paused);
  EXPECT_LT(belief->span.to, made.recording.pauses.at(0).span.to);
}

TEST(Recording, follows_each_request_in_the_order_of_its_way) {
  std::set<RequestFate> fates;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Recorded made = recorded(parsed(small(kFaults)), seed);
    for (const RequestTrip& trip : made.recording.requests) {
      fates.insert(fate_of(trip));
      TrueTime reached = trip.decided;
      for (const auto& step : {trip.left, trip.arrived, trip.applied, trip.returned}) {
        if (!step) continue;
        EXPECT_GE(*step, reached) << trip.what;
        reached = *step;
      }
      if (fate_of(trip) != RequestFate::answered) continue;
      EXPECT_TRUE(trip.left && trip.arrived && trip.applied && trip.returned) << trip.what;
      EXPECT_GE(*trip.heard, reached) << trip.what;
    }
  }
  for (const RequestFate fate : {RequestFate::answered, RequestFate::never_applied, RequestFate::not_known})
    EXPECT_TRUE(fates.contains(fate)) << name_of(fate);
}

TEST(Recording, has_the_faults_with_their_nodes_and_their_ends) {
  const Scenario scenario =
      parsed(small("[[fault]]\nat = \"30s\"\naction = \"pause\"\ntarget = \"n2\"\nduration = \"4s\"\n"
                   "[[fault]]\nat = \"50s\"\naction = \"store-hang\"\nduration = \"3s\"\n"));
  const std::vector<FaultSpan> faults = recorded(scenario, 1).recording.faults;
  ASSERT_EQ(faults.size(), 2u);
  EXPECT_EQ(faults[0].nodes, std::vector<NodeId>{NodeId{1}});
  EXPECT_EQ(faults[0].span.to - faults[0].span.from, Duration::seconds(4));
  EXPECT_TRUE(faults[1].nodes.empty());
  EXPECT_EQ(faults[1].span.to - faults[1].span.from, Duration::seconds(3));
}

TEST(Recording, has_the_violations_that_the_checks_count) {
  const Recorded made = recorded(two_leaders(), 2);
  for (const CheckResult& check : made.result.checks) {
    if (check.kind != CheckResult::Kind::always) continue;
    const auto count = std::count_if(made.recording.violations.begin(), made.recording.violations.end(),
                                     [&](const ViolationSpan& span) { return span.checker == check.name; });
    EXPECT_EQ(static_cast<std::uint64_t>(count), check.violation_count) << check.name;
  }
}

// ---- detail ------------------------------------------------------------------------------------------------

TEST(Recording, has_what_clocks_show_when_they_have_changed) {
  const std::string step =
      "[[fault]]\nat = \"20s\"\naction = \"clock-step\"\ntarget = \"n1\"\nby = \"-40s\"\n";
  const std::string fast =
      "[[fault]]\nat = \"30s\"\naction = \"clock-rate\"\ntarget = \"n2\"\nrate_ppm = 5000\nduration = "
      "\"10s\"\n";
  const Recording recording = recorded(parsed(small(step + fast)), 1).recording;
  std::vector<ClockState> of_first;
  std::vector<ClockState> of_second;
  for (const ClockState& clock : recording.clocks)
    (clock.node == NodeId{0} ? of_first : of_second).push_back(clock);
  ASSERT_GE(of_first.size(), 2U);
  EXPECT_EQ(of_first.at(0).mono_offset, Duration{});
  EXPECT_EQ(of_first.at(1).at, TrueTime{} + Duration::seconds(20));
  const Duration moved = of_first.at(1).wall_offset - of_first.at(0).wall_offset;
  EXPECT_LT(moved, -Duration::millis(39'990));
  EXPECT_GT(moved, -Duration::millis(40'010));
  EXPECT_TRUE(std::any_of(of_second.begin(), of_second.end(), [&](const ClockState& clock) {
    const std::int64_t faster = clock.rate_ppm - of_second.front().rate_ppm;
    return faster > 4'990 && faster < 5'010;
  }));
}

TEST(Recording, has_the_answer_on_which_each_belief_rests) {
  const Recording recording = recorded(parsed(small(kFaults)), 1).recording;
  ASSERT_FALSE(recording.beliefs.empty());
  for (const BeliefSpan& belief : recording.beliefs) {
    ASSERT_FALSE(belief.grants.empty()) << belief.token;
    EXPECT_EQ(belief.grants.front().at, belief.span.from);
    for (const BeliefSpan::Grant& grant : belief.grants) {
      const auto trip = std::find_if(recording.requests.begin(), recording.requests.end(),
                                     [&](const RequestTrip& one) { return one.id == grant.request; });
      ASSERT_NE(trip, recording.requests.end());
      EXPECT_EQ(trip->heard, grant.at);
      EXPECT_TRUE(trip->reply.starts_with("granted")) << trip->reply;
    }
  }
}

// A clock that is set back lets a belief last again, and no store was asked.
TEST(Recording, rests_a_belief_on_no_answer_that_came_before_it_or_is_named_already) {
  std::size_t without = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Recording recording = recorded(two_leaders(), seed).recording;
    for (const BeliefSpan& belief : recording.beliefs) {
      TrueTime before = belief.span.from - Duration::nanos(1);
      for (const BeliefSpan::Grant& grant : belief.grants) {
        EXPECT_GT(grant.at, before) << belief.token;
        before = grant.at;
      }
      without += belief.grants.empty() ? 1 : 0;
    }
  }
  EXPECT_GT(without, 0U) << "no belief began by a clock";
}

std::size_t requests_in(const Recording& recording, const std::vector<Span>& spans) {
  return static_cast<std::size_t>(
      std::count_if(recording.requests.begin(), recording.requests.end(), [&](const RequestTrip& trip) {
        return std::any_of(spans.begin(), spans.end(), [&](const Span& span) {
          return span.from <= trip.decided && trip.decided <= span.to;
        });
      }));
}

TEST(Detail, is_of_the_whole_run_if_its_requests_are_few) {
  const Recording recording = recorded(parsed(small(kFaults)), 1).recording;
  const std::vector<Span> whole = {{TrueTime{}, recording.end}};
  EXPECT_EQ(spans_of_detail(recording, recording.requests.size(), std::nullopt), whole);
}

TEST(Detail, has_no_more_requests_than_it_may_and_what_is_asked_for_first) {
  const Recording recording = recorded(two_leaders(), 2).recording;
  const Span asked{TrueTime{} + Duration::seconds(100), TrueTime{} + Duration::seconds(110)};
  for (const std::size_t most : {40u, 100u, 200u}) {
    const std::vector<Span> spans = spans_of_detail(recording, most, asked);
    EXPECT_LE(requests_in(recording, spans), most);
    EXPECT_TRUE(std::any_of(spans.begin(), spans.end(), [&](const Span& span) {
      return span.from <= asked.from && asked.to <= span.to;
    })) << most;
  }
}

TEST(Detail, is_around_the_first_violation) {
  const Recording recording = recorded(two_leaders(), 2).recording;
  ASSERT_FALSE(recording.violations.empty());
  const TrueTime at = recording.violations.front().span.to;
  const std::vector<Span> spans = spans_of_detail(recording, 100, std::nullopt);
  EXPECT_TRUE(std::any_of(spans.begin(), spans.end(),
                          [&](const Span& span) { return span.from <= at && at <= span.to; }));
}

// ---- what matters ------------------------------------------------------------------------------------------

NarratedEvent fire(std::int64_t second, std::uint32_t node) {
  return {{TrueTime{} + Duration::seconds(second), "n", "executes a fire", false},
          StoryKind::work,
          NodeId{node},
          ScheduleId{1},
          false,
          true};
}
NarratedEvent refusal(std::int64_t second) {
  return {{TrueTime{} + Duration::seconds(second), "n1", "is refused", false},
          StoryKind::store,
          NodeId{0},
          {},
          false,
          false};
}

TEST(WhatMatters, counts_the_fires_in_a_row) {
  const std::vector<NarratedEvent> told =
      filter_story({fire(1, 0), fire(2, 0), fire(3, 0), refusal(4), fire(5, 0)});
  ASSERT_EQ(told.size(), 3u);
  EXPECT_EQ(told[0].line.text, "executes 3 fires, the last at 3.000s");
  EXPECT_EQ(told[1].line.text, "is refused");
  EXPECT_EQ(told[2].line.text, "executes a fire");
}

TEST(WhatMatters, counts_those_of_each_node_alone) {
  const std::vector<NarratedEvent> told = filter_story({fire(1, 0), fire(2, 1), fire(3, 0), fire(4, 1)});
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[0].line.text, "executes 2 fires, the last at 3.000s");
  EXPECT_EQ(told[1].line.text, "executes 2 fires, the last at 4.000s");
}

TEST(WhatMatters, counts_a_line_that_comes_again_at_once) {
  const std::vector<NarratedEvent> told = filter_story({refusal(1), refusal(2), refusal(3)});
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].line.text, "is refused (3 times, the last at 3.000s)");
}

}  // namespace
}  // namespace tenure::sim
