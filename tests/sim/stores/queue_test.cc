// The store queue: what must hold in any order of requests. interactions/queue.txt has what it answers to each.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "sim/stores/queue/queue_store.h"

namespace tenure::queue {
namespace {

constexpr Duration kUsual = Duration::seconds(30);

class Sqs {
 public:
  void send(const std::string& body = "leader") { ask(SendMessage{body}); }
  // The handle, if there was a message.
  std::string receive(Duration hidden = kUsual) {
    const auto received = std::get<Received>(ask(ReceiveMessage{{}, hidden, {}}));
    return received.messages.empty() ? "" : received.messages.front().receipt_handle;
  }
  // What is wrong; empty: it is done.
  std::string change(const std::string& handle, Duration hidden) {
    const Reply reply = ask(ChangeMessageVisibility{handle, hidden});
    const auto* failed = std::get_if<Failed>(&reply);
    return failed != nullptr ? failed->code : "";
  }
  Reply ask(const Request& request) {
    std::vector<Notification> heard;
    return *message_as<Reply>(store.apply(request, now, heard));
  }
  void wait(Duration length) {
    const StoreTime until = now + length;
    while (store.next_time_out() && *store.next_time_out() <= until) {
      now = *store.next_time_out();
      store.time_out(now);
    }
    now = until;
  }
  std::uint64_t hash() const {
    Hasher hasher;
    store.hash(hasher, now);
    return hasher.value();
  }

  QueueStore store;
  StoreTime now = StoreTime::from_ns(1'767'225'600'000'000'000);
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
  Sqs early;
  Sqs late;
  late.now += Duration::millis(*rc::gen::inRange<std::int64_t>(1, 1'000'000'000));
  const std::vector<int> draws = *rc::gen::container<std::vector<int>>(20, rc::gen::inRange(0, 30'000));
  const auto play = [](Sqs& sqs, int draw) {
    switch (draw % 4) {
      case 0: sqs.send(std::to_string(draw)); break;
      case 1: sqs.receive(Duration::millis(draw)); break;
      case 2: sqs.change("message-1/1", Duration::millis(draw)); break;
      default: sqs.wait(Duration::millis(draw));
    }
  };
  for (const int draw : draws) {
    play(early, draw);
    play(late, draw);
    RC_ASSERT(early.hash() == late.hash());
  }
  Sqs copy = early;
  copy.send("another");
  RC_ASSERT(copy.hash() != early.hash());
}

}  // namespace
}  // namespace tenure::queue
