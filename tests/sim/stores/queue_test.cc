// The store queue: what must hold in any order of requests. interactions/queue.txt has what it answers to each.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "sim/stores/queue/queue_store.h"
#include "tests/sim/stores/machine_under_test.h"

namespace tenure::queue {
namespace {

constexpr Duration kUsual = Duration::seconds(30);

struct Sqs : testing::MachineUnderTest<QueueStore, Request, Reply> {
  void send(const std::string& body = "leader") { reply(SendMessage{body}); }
  // The handle, if there was a message.
  std::string receive(Duration hidden = kUsual) {
    const auto received = ask<Received>(ReceiveMessage{{}, hidden, {}});
    return received.messages.empty() ? "" : received.messages.front().receipt_handle;
  }
  std::string change(const std::string& handle, Duration hidden) {
    return failure(ChangeMessageVisibility{handle, hidden});
  }
};

TEST(Queue, can_deliver_once_more_what_somebody_has) {
  Sqs sqs;
  EXPECT_FALSE(sqs.store.can_deliver_again(sqs.now)) << "there is no message";
  sqs.send();
  EXPECT_FALSE(sqs.store.can_deliver_again(sqs.now)) << "nobody has it";
  sqs.receive();
  EXPECT_TRUE(sqs.store.can_deliver_again(sqs.now));
}

RC_GTEST_PROP(QueueProperty, at_most_one_receiver_has_a_message_that_is_hidden, ()) {
  Sqs sqs;
  sqs.send();
  std::string last;
  std::vector<std::string> all;
  StoreTime hidden_until = sqs.now;
  for (int i = 0; i < 60; ++i) {
    const bool hidden = sqs.now < hidden_until;
    const Duration length = Duration::millis(*rc::gen::inRange<std::int64_t>(0, 20'000));
    switch (*rc::gen::inRange(0, 3)) {
      case 0: {
        const std::string handle = sqs.receive(length);
        RC_ASSERT(handle.empty() == hidden);
        if (handle.empty()) break;
        last = handle;
        all.push_back(handle);
        hidden_until = sqs.now + length;
        break;
      }
      case 1: {
        if (all.empty()) break;
        const std::string handle = all[*rc::gen::inRange<std::size_t>(0, all.size())];
        const bool done = sqs.change(handle, length).empty();
        RC_ASSERT(done == (hidden && handle == last));
        if (done) hidden_until = sqs.now + length;
        break;
      }
      default: sqs.wait(length);
    }
  }
}

RC_GTEST_PROP(QueueProperty, hashes_alike_at_any_time_and_apart_when_answers_differ, ()) {
  testing::check_hashes<Sqs>(
      Duration::millis(*rc::gen::inRange<std::int64_t>(1, 1'000'000'000)), 30'000,
      [](Sqs& sqs, int draw) {
        switch (draw % 4) {
          case 0: sqs.send(std::to_string(draw)); break;
          case 1: sqs.receive(Duration::millis(draw)); break;
          case 2: sqs.change("message-1/1", Duration::millis(draw)); break;
          default: sqs.wait(Duration::millis(draw));
        }
      },
      [](Sqs& sqs) { sqs.send("another"); });
}

}  // namespace
}  // namespace tenure::queue
