// What becomes of webhooks whose payloads the store does not give in time.
#include "daemon/service/webhook_sender.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>

#include "adapters/store/store_backend.h"

namespace tenure::daemon {
namespace {

// A store that answers nothing.
class SilentStore final : public StoreBackend {
 public:
  explicit SilentStore(std::atomic<int>& asked) : asked_(asked) {}
  Answer execute(const reference::Request&, Duration timeout) override {
    ++asked_;
    std::this_thread::sleep_for(std::chrono::nanoseconds(timeout.ns()));
    return unknown(StoreError::no_answer, "it says nothing");
  }
  std::optional<StoreAudit> audit(ResourceId) override { return std::nullopt; }

 private:
  std::atomic<int>& asked_;
};

TEST(WebhookSender, asks_a_silent_store_no_more_for_those_that_have_waited_for_as_long_as_one_request) {
  constexpr int kEvents = 1'000;  // of which it reads 100 at a time
  std::atomic<int> asked = 0, unsent = 0;
  MachineClock clock;
  const Logger log(false);
  WebhookSender sender(
      [&asked](Duration) -> ConnectionOpened { return std::make_unique<SilentStore>(asked); }, clock, log,
      {});
  for (int i = 0; i < kEvents; ++i) {
    WorkItem item;
    item.event.slot = StoreTime::from_ns(i);
    item.destination = "shop";
    sender.send(item, [&](const WorkOutcome& outcome) { unsent += outcome.unsent ? 1 : 0; });
  }
  const MonoTime given_up = clock.mono() + Duration::seconds(60);
  while (unsent < kEvents && clock.mono() < given_up)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(unsent, kEvents);
  EXPECT_LE(asked, 2)
      << "what came just after the first request began has not waited as long when that is over";
}

// A store that has none of the events.
class EmptyStore final : public StoreBackend {
 public:
  Answer execute(const reference::Request& request, Duration) override {
    Answer answer;
    answer.outcome = RequestOutcome::applied;
    const auto& asked = std::get<reference::ReadPayloads>(request);
    answer.reply = reference::Payloads{std::vector<reference::EventPayload>(asked.events.size())};
    return answer;
  }
  std::optional<StoreAudit> audit(ResourceId) override { return std::nullopt; }
};

// A former leader's acknowledgement came meanwhile. Nothing is sent, so the journal must not tell of work that was
// done.
TEST(WebhookSender, refuses_an_event_that_is_gone_as_a_duplicate) {
  std::atomic<bool> over = false;
  std::atomic<WorkResult> result = WorkResult::failed;
  MachineClock clock;
  const Logger log(false);
  WebhookSender sender([](Duration) -> ConnectionOpened { return std::make_unique<EmptyStore>(); }, clock,
                       log, {});
  WorkItem item;
  item.destination = "shop";
  sender.send(item, [&](const WorkOutcome& outcome) {
    result = outcome.result;
    over = true;
  });
  const MonoTime given_up = clock.mono() + Duration::seconds(60);
  while (!over && clock.mono() < given_up) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(result, WorkResult::duplicate);
}

}  // namespace
}  // namespace tenure::daemon
