// Claims whose clients never hear of them.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <utility>

#include "tests/daemon/api/api_on_a_machine.h"

namespace tenure::daemon {
namespace {

constexpr const char* kClaim = R"({"topic": "", "duration": "1h"})";

// An event of the topic "".
void trigger(ApiOnAMachine& api) {
  reference::PutNamed put;
  put.name = "work";
  put.definition.recurrence = Interval{.start = {}, .period = Duration::hours(1000)};
  put.definition.delivery.kind = Delivery::Kind::pull;
  const Answer made = api.store.ask(put);
  const ScheduleId schedule = std::get<reference::NamedEdited>(made.reply).edition.schedule;
  api.store.ask(reference::TriggerSchedule{{}, schedule, 7, api.store.now});
}

Json claimed(const HttpResponse& response) { return Json::parse(response.body).at("executions"); }

TEST(Claims, of_a_client_that_did_not_take_the_answer_are_given_back) {
  ApiOnAMachine api;
  StorePool pool({.connect = [&api](Duration) -> ConnectionOpened {
                    return std::make_unique<MachineBackend>(api.store);
                  },
                  .threads = 1},
                 api.clock);
  const ApiContext context = api.context_of(pool);
  const auto claim = [&](std::shared_ptr<const std::atomic<bool>> given_up) {
    Call call{context, {}, {}, {}, {"worker", true, true, false, {}}};
    call.request.body = kClaim;
    call.request.given_up = std::move(given_up);
    call.store = &api.store;
    return handlers::claim_executions(call);
  };
  trigger(api);
  EXPECT_EQ(claimed(claim(std::make_shared<std::atomic<bool>>(true))).size(), 0u) << "it has gone already";
  HttpResponse lost = claim(nullptr);
  ASSERT_EQ(claimed(lost).size(), 1u);
  EXPECT_EQ(claimed(lost)[0].at("attempt"), 1);
  EXPECT_EQ(claimed(claim(nullptr)).size(), 0u);

  lost.not_taken();
  pool.submit([](PooledStore&) {});  // there is one thread: it is done when this is
  while (pool.waiting() > 0) std::this_thread::yield();
  pool.stop();
  api.store.now = api.store.now + Duration::millis(1);
  const Json again = claimed(claim(nullptr));
  ASSERT_EQ(again.size(), 1u) << "and not in an hour";
  EXPECT_EQ(again[0].at("attempt"), 2);
}

}  // namespace
}  // namespace tenure::daemon
