// What is drawn of journals: beliefs, the lease and work where the audit has them, and what is not known as not known.
#include "lab/audit/timeline.h"

#include <gtest/gtest.h>

#include "tests/lab/audit/writing.h"

namespace tenure::lab {
namespace {

sim::TrueTime ms(std::int64_t at) { return sim::TrueTime{} + Duration::millis(at); }

AuditTimeline timeline(const std::vector<const Process*>& processes) {
  const Audit audit = audit_of(processes);
  EXPECT_TRUE(audit.timeline.has_value());
  return audit.timeline.value_or(AuditTimeline{});
}

// The first leads, steps down and gives the lease back; the second takes over, and is killed. The first lives on.
struct Takeover {
  Process first{1};
  Process second{4};
  Takeover() {
    first.starts(0);
    second.starts(5);
    first.leads(100, term(1));
    first.begins(310, slot(250), term(1));
    first.ends(350, slot(250));
    first.steps_down(600);
    first.releases(620, term(1));
    second.leads(700, term(2));
    first.write(5'000, journal::LifeEnded{true});
  }
};

TEST(AuditTimeline, has_beliefs_as_the_checkers_have_them) {
  const Takeover journals;
  const AuditTimeline made = timeline({&journals.first, &journals.second});
  EXPECT_EQ(made.recording.nodes, (std::vector<std::string>{"n1", "n4"}));
  ASSERT_EQ(made.recording.beliefs.size(), 2U);
  const sim::BeliefSpan& gave_up = made.recording.beliefs[0];
  EXPECT_EQ(gave_up.who.node, NodeId{0});
  EXPECT_EQ(gave_up.span.to, ms(600));
  EXPECT_EQ(gave_up.end, "stepped down");
  // It was killed, and nobody knows when: its belief ends at the time that it had noted, on its own clock.
  const sim::BeliefSpan& ran_out = made.recording.beliefs[1];
  EXPECT_EQ(ran_out.end, "its time ran out");
  EXPECT_GT(ran_out.span.to, ms(1'500));
  EXPECT_LT(ran_out.span.to, ms(1'800));
}

TEST(AuditTimeline, maps_the_end_of_a_belief_through_the_clock_of_its_node) {
  Process fast{1};
  fast.runs_at(2, 1);  // twice as fast as the machine's
  fast.starts(0);
  fast.acquires(100, term(1));
  fast.believes(120, term(1), 1'000);
  fast.write(5'000, Note{Annotation{}});
  const AuditTimeline made = timeline({&fast});
  ASSERT_EQ(made.recording.beliefs.size(), 1U);
  // It noted 2'000 of its clock, which showed 240 at 120 ms, and is taken to go on as fast as the machine's.
  EXPECT_EQ(made.recording.beliefs[0].span.to, ms(1'880));
}

TEST(AuditTimeline, says_from_when_on_nothing_is_known_of_a_life) {
  const Takeover journals;
  const AuditTimeline made = timeline({&journals.first, &journals.second});
  ASSERT_EQ(made.silences.size(), 1U);
  EXPECT_EQ(made.silences[0].who.node, NodeId{1});
  EXPECT_LT(made.silences[0].span.from, ms(800));
  EXPECT_EQ(made.silences[0].span.to, made.recording.end);
}

TEST(AuditTimeline, knows_of_no_pause_so_that_nobody_is_said_to_have_acted) {
  Process one{1};
  Process other{2};
  one.starts(0);
  other.starts(0);
  one.leads(100, term(1));
  one.believes(150, term(1), 900);
  other.believes(200, term(2), 700);
  one.write(5'000, journal::LifeEnded{true});
  other.write(5'000, journal::LifeEnded{true});
  const AuditTimeline made = timeline({&one, &other});
  const std::vector<sim::OverlapSpan> both = sim::overlaps(made.recording);
  ASSERT_EQ(both.size(), 1U);
  EXPECT_EQ(both[0].span, (sim::Span{ms(200), ms(700)}));
  EXPECT_FALSE(both[0].acting);
  EXPECT_FALSE(made.recording.violations.empty());
}

TEST(AuditTimeline, does_not_say_when_a_request_was_applied_or_what_became_of_one_without_an_answer) {
  Takeover journals;
  const std::uint32_t request =
      journals.second.asks(800, reference::Release{{}, journals.second.who(), term(2)});
  journals.second.never_hears(900, request);
  const AuditTimeline made = timeline({&journals.first, &journals.second});
  EXPECT_EQ(made.in_doubt, 1U);
  for (const sim::RequestTrip& trip : made.recording.requests) EXPECT_FALSE(trip.applied.has_value());
  EXPECT_EQ(sim::fate_of(made.recording.requests.back()), sim::RequestFate::in_doubt);
  EXPECT_EQ(sim::fate_of(made.recording.requests.front()), sim::RequestFate::answered);
}

// Each answer came at most 10 ms after the store had given it, and was asked for at most 10 ms before.
TEST(AuditTimeline, knows_the_stores_clock_to_within_a_round_trip) {
  const Takeover journals;
  const AuditTimeline made = timeline({&journals.first, &journals.second});
  ASSERT_TRUE(made.zero.has_value());
  EXPECT_LE(made.zero->earliest, store_time(0));
  EXPECT_GE(made.zero->latest, store_time(0));
  EXPECT_LE(made.zero->latest - made.zero->earliest, Duration::millis(20));
}

TEST(AuditTimeline, has_the_lease_and_the_work_apart_from_beliefs) {
  const Takeover journals;
  const AuditTimeline made = timeline({&journals.first, &journals.second});
  ASSERT_EQ(made.recording.holds.size(), 2U);
  EXPECT_EQ(made.recording.holds[0].token, term(1));
  EXPECT_GE(made.recording.holds[0].span.to, ms(610));
  EXPECT_LE(made.recording.holds[0].span.to, ms(630));
  ASSERT_EQ(made.recording.work.size(), 1U);
  EXPECT_EQ(made.recording.work[0].span, (sim::Span{ms(310), ms(350)}));
  EXPECT_TRUE(made.recording.pauses.empty());
  EXPECT_TRUE(made.recording.faults.empty());
}

}  // namespace
}  // namespace tenure::lab
