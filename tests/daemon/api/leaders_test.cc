// Who leads, as an instance tells it.
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace tenure::daemon
