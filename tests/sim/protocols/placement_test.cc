#include "sim/protocols/placement/placement.h"

#include <gtest/gtest.h>

#include "core/scheduler/scheduler_kind.h"
#include "sim/protocols/registry.h"
#include "sim/stores/placement/requests.h"
#include "tests/sim/protocols/families.h"
#include "tests/support/scripted_env.h"

namespace tenure::testing::placement_tests {
namespace {

using placement::AssignItem;
using placement::ListPlacements;
using placement::Placements;
using placement::ReportWork;
using placement::Yours;

constexpr ResourceId kResource{3};
constexpr TimerId kReport{Part::scheduler, 0};
constexpr TimerId kResync{Part::scheduler, 1};
constexpr TimerId kGiveUp{Part::scheduler, 2};
constexpr Duration kSec = Duration::seconds(1);

class PlacementTest : public ::testing::Test {
 protected:
  PlacementTest() { make(); }
  void make(std::string_view guard = "version") {
    const SchedulerKind* kind = find_scheduler_kind("placement");
    Parameters parameters{kind->parameters()};
    parameters.set(parameters.find("items"), 3);
    parameters.set(parameters.find("guard"), guard == "none" ? 0 : guard == "version" ? 1 : 2);
    scheduler_ = kind->make({StoreId{0}, kResource, parameters});
    world_.take();
    step(Started{world_.self(), 3});
  }
  void step(const Input& input) { scheduler_->step(input, leadership_, world_.env()); }
  void lead() { leadership_ = {Token{1, 4, 9}, MonoTime::max()}; }
  template <class R, class Reply>
  void answer(Reply reply) {
    const auto asked = world_.requests<R>();
    ASSERT_GE(asked.size(), 1u);
    const RequestId id = asked.back().id;
    world_.take();
    step(world_.applied(id, std::move(reply)));
  }
  // From the latest report on it runs these.
  void run(std::vector<std::int64_t> items) { answer<ReportWork>(Yours{std::move(items)}); }
  std::vector<std::int64_t> declared() const { return world_.requests<ReportWork>().back().request.runs; }

  ScriptedEnv world_;
  Leadership leadership_;
  std::unique_ptr<Scheduler> scheduler_;
};

TEST_F(PlacementTest, reports_at_once_what_it_begins_and_ceases_to_run) {
  EXPECT_EQ(world_.only_request<ReportWork>().request.worker, 1);
  run({2, 3});
  EXPECT_EQ(declared(), (std::vector<std::int64_t>{2, 3}));
  run({3});
  EXPECT_EQ(declared(), (std::vector<std::int64_t>{3}));
  run({3});
  EXPECT_TRUE(world_.requests<ReportWork>().empty());  // nothing has changed
}

TEST_F(PlacementTest, runs_nothing_when_its_reports_have_had_no_answer_for_give_up) {
  run({2});
  const auto asked = world_.requests<ReportWork>().back();
  world_.take();
  world_.advance(kSec * 3);
  step(world_.unknown(asked.id));
  EXPECT_EQ(*world_.timer(kGiveUp), asked.at + kSec * 10);  // counted from the send
  step(world_.fire(kGiveUp));
  EXPECT_TRUE(declared().empty());
}

TEST_F(PlacementTest, goes_by_no_answer_that_is_older_than_give_up) {
  world_.advance(kSec * 10);
  run({2});
  EXPECT_TRUE(world_.requests<ReportWork>().empty());
}

TEST_F(PlacementTest, reports_again_when_it_has_heard_of_the_last_report_however_long_that_takes) {
  const auto first = world_.only_request<ReportWork>();
  world_.take();
  step(world_.fire(kReport));
  EXPECT_TRUE(world_.requests<ReportWork>().empty());
  step(world_.applied(first.id, Yours{{1}}));
  EXPECT_EQ(declared(), (std::vector<std::int64_t>{1}));
}

TEST_F(PlacementTest, goes_by_the_answer_to_its_latest_report_alone) {
  run({2});
  const auto before = world_.requests<ReportWork>().back();
  step(world_.fire(kGiveUp));
  world_.take();
  step(world_.applied(before.id, Yours{{1}}));
  EXPECT_TRUE(world_.requests<ReportWork>().empty());
}

TEST_F(PlacementTest, a_leader_gives_items_without_a_worker_to_those_that_have_the_fewest) {
  world_.take();
  lead();
  step(TimerFired{kReport});
  step(world_.fire(kResync));
  answer<ListPlacements>(Placements{{{1, 2, 5}, {2, 3, 1}}, {{1, kSec}, {2, kSec}, {3, kSec * 15}}});
  EXPECT_EQ(world_.notes<LeadershipChecked>().size(), 1u);
  const auto assigned = world_.requests<AssignItem>();
  ASSERT_EQ(assigned.size(), 2u);  // item 1 stays; worker 3 has been silent for too long
  EXPECT_EQ(assigned[0].request.item, 2);
  EXPECT_EQ(assigned[0].request.worker, 1);
  EXPECT_EQ(assigned[0].request.seen, 1);
  EXPECT_TRUE(assigned[0].request.guarded);
  EXPECT_FALSE(assigned[0].request.term);
  EXPECT_TRUE(assigned[0].submission.as_leader);
  EXPECT_EQ(assigned[1].request.item, 3);
  EXPECT_EQ(assigned[1].request.worker, 1);
  EXPECT_FALSE(scheduler_->idle());
}

TEST_F(PlacementTest, assigns_nothing_when_it_does_not_lead_any_more) {
  world_.take();
  lead();
  step(TimerFired{kReport});
  step(world_.fire(kResync));
  leadership_ = {};
  answer<ListPlacements>(Placements{{}, {{1, kSec}}});
  EXPECT_TRUE(world_.requests<AssignItem>().empty());
  EXPECT_TRUE(world_.notes<LeadershipChecked>().empty());
}

TEST_F(PlacementTest, looks_again_only_when_its_assignments_are_answered) {
  lead();
  step(TimerFired{kReport});
  step(world_.fire(kResync));
  answer<ListPlacements>(Placements{{}, {{1, kSec}}});
  const auto assigned = world_.requests<AssignItem>();
  ASSERT_EQ(assigned.size(), 3u);
  world_.take();
  step(world_.fire(kResync));
  EXPECT_TRUE(world_.requests<ListPlacements>().empty());
  for (const auto& each : assigned) step(world_.unknown(each.id));
  world_.take();
  step(world_.fire(kResync));
  EXPECT_EQ(world_.requests<ListPlacements>().size(), 1u);
}

TEST_F(PlacementTest, shows_the_term_or_nothing_as_the_guard_says) {
  for (const std::string_view guard : {"none", "term"}) {
    leadership_ = {};
    make(guard);
    lead();
    step(TimerFired{kReport});
    step(world_.fire(kResync));
    answer<ListPlacements>(Placements{{}, {{1, kSec}}});
    const AssignItem assign = world_.requests<AssignItem>().front().request;
    EXPECT_FALSE(assign.guarded);
    EXPECT_EQ(assign.term, guard == "term" ? std::optional<std::int64_t>(4) : std::nullopt);
  }
}

TEST_F(PlacementTest, leaves_when_it_is_asked_to_stop_and_is_idle_once_that_is_answered) {
  run({2});
  world_.take();
  step(StopAsked{});
  const auto report = world_.only_request<ReportWork>();
  EXPECT_TRUE(report.request.leaves);
  EXPECT_TRUE(report.request.runs.empty());
  EXPECT_FALSE(scheduler_->idle());
  step(world_.unknown(report.id));
  EXPECT_TRUE(scheduler_->idle());
}

TEST(PlacementSettings, a_worker_has_to_give_up_before_its_items_are_moved) {
  const SchedulerKind* kind = find_scheduler_kind("placement");
  Parameters parameters{kind->parameters()};
  EXPECT_TRUE(kind->validate(parameters).empty());
  for (const Duration give_up : {Duration{}, kSec * 15}) {
    parameters.set("give_up", give_up);
    const auto complaints = kind->validate(parameters);
    ASSERT_EQ(complaints.size(), 1u);
    EXPECT_EQ(complaints.front().accept, "runs-on-when-cut-off");
  }
  parameters.set("give_up", kSec * 5);
  const auto complaints = kind->validate(parameters);
  ASSERT_EQ(complaints.size(), 1u);
  EXPECT_TRUE(complaints.front().warning);
}

}  // namespace
}  // namespace tenure::testing::placement_tests
