// Who leads, as an instance tells it.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "adapters/runtime/schedules.h"
#include "tests/daemon/api/api_on_a_machine.h"

namespace tenure::daemon {
namespace {

constexpr Incarnation kBefore{{7}, 1};
constexpr Incarnation kNow{{7}, 2};

// As the scheduler does, before it is told.
Answer acquire(ApiOnAMachine& api, Incarnation life) {
  const reference::Acquire asked{{}, life, 0, 77, Duration::seconds(10)};
  const Answer answer = api.store.ask(asked);
  if (life == kNow) api.leadership.answered(asked, answer, {});
  return answer;
}

Json leaders(ApiOnAMachine& api) {
  Call call = api.call();
  return Json::parse(handlers::list_leaders(call).body);
}

TEST(Leaders, are_told_apart_from_their_former_lives) {
  ApiOnAMachine api;
  api.leadership.begin({{7}, 0});
  EXPECT_FALSE(leaders(api).at("this").contains("life")) << "it has not begun";
  acquire(api, kBefore);
  EXPECT_EQ(leaders(api).at("leaders")[0].at("is_this"), false);
  acquire(api, kNow);
  Json told = leaders(api);
  EXPECT_EQ(told.at("leaders")[0].at("life"), 1);
  EXPECT_EQ(told.at("leaders")[0].at("is_this"), false) << "the lease is one of a life that is over";
  EXPECT_EQ(told.at("this").at("life"), 2);

  api.store.now = api.store.now + Duration::seconds(11);
  const reference::Acquire again{{}, kNow, 1, 78, Duration::seconds(10)};
  api.leadership.answered(again, api.store.ask(again), {});
  told = leaders(api);
  EXPECT_EQ(told.at("leaders")[0].at("life"), 2);
  EXPECT_EQ(told.at("leaders")[0].at("is_this"), true);
}

TEST(Readiness, goes_by_how_often_the_scheduler_asks) {
  Parameters scheduling = SchedulesOptions::default_scheduling();
  EXPECT_LT(longest_silence(scheduling), Duration::minutes(1));
  const auto specs = scheduling.specs();
  for (std::size_t i = 0; i < specs.size(); ++i)
    if (specs[i].name == "poll_period") scheduling.set(static_cast<int>(i), Duration::hours(1).ns());
  EXPECT_GT(longest_silence(scheduling), Duration::hours(1));

  const auto answers_after = [](Duration silence) {
    ApiOnAMachine api;
    LeadershipView view(api.clock, silence);
    const reference::ChangesSince poll{};
    view.answered(poll, api.store.ask(poll), {});
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return view.state();
  };
  EXPECT_TRUE(answers_after(longest_silence(scheduling)).store_answers);
  const LeadershipState silent = answers_after(Duration::millis(1));
  EXPECT_FALSE(silent.store_answers);
  EXPECT_EQ(silent.trouble, "the scheduler has had no answer of the store for 1ms");
}

// A disk is full: what is written fails, and what is read between works.
TEST(Readiness, is_lost_until_the_lease_can_be_written_again) {
  ApiOnAMachine api;
  LeadershipView& view = api.leadership;
  const reference::ChangesSince poll{};
  const reference::Acquire lease{{}, kNow, 0, 77, Duration::seconds(10)};
  view.answered(poll, api.store.ask(poll), {});
  EXPECT_TRUE(view.state().store_answers);
  Answer full;
  full.outcome = RequestOutcome::rejected;
  full.message = "the disk is full";
  view.answered(lease, full, {});
  view.answered(poll, api.store.ask(poll), {});
  EXPECT_FALSE(view.state().store_answers);
  EXPECT_EQ(view.state().trouble, "the disk is full");
  view.answered(lease, api.store.ask(lease), {});
  EXPECT_TRUE(view.state().store_answers);
}

}  // namespace
}  // namespace tenure::daemon
