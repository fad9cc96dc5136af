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

}  // namespace
}  // namespace tenure::daemon
