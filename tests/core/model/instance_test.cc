#include "core/model/instance.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/model/describe.h"
#include "tests/support/scripted_env.h"

namespace tenure {
namespace {

using testing::ScriptedEnv;

// Annotation literals tell the parts apart: each part notes every input that it is given.
constexpr std::string_view kElectorSaw = "elector saw";
constexpr std::string_view kSchedulerSaw = "scheduler saw";

struct FakeElector final : Elector {
  std::uint64_t steps = 0;
  std::vector<std::string> asked_to_step_aside;
  void step_aside(const StepAside& request, Env&) override { asked_to_step_aside.emplace_back(request.why); }
  void step(const Input& input, Env& env) override {
    ++steps;
    env.journal.note(Annotation{kElectorSaw, static_cast<std::int64_t>(input.index())});
  }
  // Belief grows with each step, so that a scheduler can tell whether it was asked before or after.
  Leadership leadership(const Clock&) const override {
    return {Token{0, steps, 0}, MonoTime::from_ns(static_cast<std::int64_t>(steps))};
  }
  std::unique_ptr<Elector> clone() const override { return std::make_unique<FakeElector>(*this); }
  void hash(Hasher& hasher, const Canon&) const override { hasher.add(steps); }
};

struct FakeScheduler final : Scheduler {
  std::uint64_t steps = 0;
  bool busy = false;
  std::uint64_t epoch = 0;  // as last seen
  std::optional<StepAside> wish;
  std::optional<StepAside> take_step_aside() override { return std::exchange(wish, std::nullopt); }
  void step(const Input& input, const Leadership& leadership, Env& env) override {
    ++steps;
    epoch = leadership.token->epoch;
    if (std::holds_alternative<WorkDone>(input)) busy = false;
    env.journal.note(Annotation{kSchedulerSaw, static_cast<std::int64_t>(input.index())});
  }
  bool idle() const override { return !busy; }
  std::unique_ptr<Scheduler> clone() const override { return std::make_unique<FakeScheduler>(*this); }
  void hash(Hasher& hasher, const Canon&) const override { hasher.add(steps).add(busy); }
};

struct Composed {
  Composed()
      : elector(new FakeElector),
        scheduler(new FakeScheduler),
        node(std::make_unique<Instance>(std::unique_ptr<Elector>{elector},
                                        std::unique_ptr<Scheduler>{scheduler})) {}
  // Who saw what, in order: "es" for the elector and then the scheduler.
  std::string step(const Input& input) {
    world.take();
    node->step(input, world.env());
    std::string order;
    for (const Annotation& remark : world.notes<Annotation>())
      order += remark.text == kElectorSaw ? 'e' : 's';
    return order;
  }
  ScriptedEnv world;
  FakeElector* const elector;  // owned by node, as is the scheduler
  FakeScheduler* const scheduler;
  std::unique_ptr<Instance> node;
};

std::uint64_t hash_of(const Node& node) {
  Hasher hasher;
  node.hash(hasher, Canon{MonoTime{}, WallTime{}});
  return hasher.value();
}

StoreReplied reply_to(Part part) {
  StoreReplied reply;
  reply.part = part;
  return reply;
}

TEST(Instance, the_scheduler_sees_every_input_and_the_elector_its_own) {
  Composed composed;
  EXPECT_EQ(composed.step(Started{composed.world.self(), 1}), "es");
  EXPECT_EQ(composed.step(TimerFired{TimerId{Part::elector, 0}}), "es");
  EXPECT_EQ(composed.step(TimerFired{TimerId{Part::scheduler, 0}}), "s");
  EXPECT_EQ(composed.step(reply_to(Part::elector)), "es");
  EXPECT_EQ(composed.step(reply_to(Part::scheduler)), "s");
  EXPECT_EQ(composed.step(MessageReceived{}), "es");
  EXPECT_EQ(composed.step(ChangeNotified{}), "es");
  EXPECT_EQ(composed.step(WorkDone{}), "s");
}

TEST(Instance, the_scheduler_is_told_the_leadership_after_the_electors_step) {
  Composed composed;
  composed.step(Started{});
  EXPECT_EQ(composed.scheduler->epoch, 1u);
  composed.step(MessageReceived{});
  EXPECT_EQ(composed.scheduler->epoch, 2u);
}

TEST(Instance, an_idle_instance_gives_up_leadership_in_the_step_that_asked) {
  Composed composed;
  composed.step(Started{});
  EXPECT_EQ(composed.step(StopAsked{}), "se");
  EXPECT_EQ(composed.step(StopAsked{}), "s");  // the elector is asked once
}

TEST(Instance, leadership_is_kept_until_the_work_has_returned) {
  Composed composed;
  composed.step(Started{});
  composed.scheduler->busy = true;
  EXPECT_EQ(composed.step(StopAsked{}), "s");
  EXPECT_EQ(composed.step(ChangeNotified{}), "es");
  EXPECT_EQ(composed.step(WorkDone{}), "se");  // now it may go
  EXPECT_EQ(composed.step(ChangeNotified{}), "es");
}

TEST(Instance, the_elector_is_told_once_that_the_scheduler_wants_it_to_step_aside) {
  Composed composed;
  composed.step(Started{});
  composed.scheduler->wish = StepAside{"cannot fire", Duration::seconds(1)};
  composed.step(ChangeNotified{});
  composed.step(ChangeNotified{});
  EXPECT_EQ(composed.elector->asked_to_step_aside, (std::vector<std::string>{"cannot fire"}));
}

TEST(Instance, an_election_alone_has_no_scheduler) {
  ScriptedEnv world;
  Instance node{std::make_unique<FakeElector>(), nullptr};
  node.step(Started{}, world.env());
  node.step(StopAsked{}, world.env());
  const auto seen = world.notes<Annotation>();
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[1].value, static_cast<std::int64_t>(Input{StopAsked{}}.index()));
  EXPECT_NO_THROW(node.clone());
}

TEST(Instance, a_clone_has_a_state_of_its_own) {
  Composed composed;
  composed.step(Started{});
  const std::unique_ptr<Node> copy = composed.node->clone();
  EXPECT_EQ(hash_of(*copy), hash_of(*composed.node));
  composed.step(MessageReceived{});
  EXPECT_NE(hash_of(*copy), hash_of(*composed.node));
  copy->step(MessageReceived{}, composed.world.env());
  EXPECT_EQ(hash_of(*copy), hash_of(*composed.node));
}

TEST(Instance, a_stop_under_way_is_part_of_its_state) {
  Composed asked;
  Composed other;
  for (Composed* composed : {&asked, &other}) {
    composed->step(Started{});
    composed->scheduler->busy = true;
  }
  asked.step(StopAsked{});
  other.step(WorkDone{});  // as many steps in each part
  other.scheduler->busy = true;
  EXPECT_NE(hash_of(*asked.node), hash_of(*other.node));
  EXPECT_EQ(asked.step(WorkDone{}), "se");
  std::unique_ptr<Node> copy = asked.node->clone();
  EXPECT_EQ(hash_of(*copy), hash_of(*asked.node));
}

TEST(Leadership, leads_strictly_before_its_end) {
  const MonoTime end = MonoTime::from_ns(100);
  EXPECT_TRUE((Leadership{std::nullopt, end}).leads(end - Duration::nanos(1)));
  EXPECT_FALSE((Leadership{std::nullopt, end}).leads(end));
  EXPECT_FALSE(Leadership{}.leads(MonoTime::from_ns(INT64_MIN + 1)));
}

TEST(Canon, knows_times_by_their_distance_and_ids_by_their_order) {
  const Canon canon{MonoTime::from_ns(100), WallTime::from_ns(1'000)};
  EXPECT_EQ(canon.offset(MonoTime::from_ns(130)), 30);
  EXPECT_EQ(canon.offset(WallTime::from_ns(900)), -100);
  EXPECT_EQ(canon.offset(MonoTime::max()), INT64_MAX);
  EXPECT_EQ(canon.name(77), 1u);
  EXPECT_EQ(canon.name(5), 2u);
  EXPECT_EQ(canon.name(77), 1u);
  EXPECT_EQ(canon.name(0), 0u);
}

TEST(Canon, keeps_never_and_since_ever_at_any_time) {
  for (const std::int64_t now : {std::int64_t{0}, std::int64_t{1}, std::int64_t{1'000'000'000'000}}) {
    const Canon canon{MonoTime::from_ns(now), WallTime::from_ns(now)};
    EXPECT_EQ(canon.offset(MonoTime::max()), INT64_MAX);
    EXPECT_EQ(canon.offset(MonoTime::min()), INT64_MIN);
    EXPECT_EQ(canon.offset(WallTime::min()), INT64_MIN);
  }
}

TEST(Canon, names_any_number_of_ids) {
  const Canon canon{MonoTime{}, WallTime{}};
  for (std::uint64_t round = 0; round < 2; ++round) {
    for (std::uint64_t id = 1; id <= 50; ++id) EXPECT_EQ(canon.name(1'000 - id), id);
  }
}

}  // namespace
}  // namespace tenure
