// The store queue: who receives a message, for how long it is hidden, and which receipts still count.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/stores/queue/queue_store.h"

namespace tenure::queue {
namespace {

constexpr Duration kOneSecond = Duration::seconds(1);
constexpr Duration kUsual = Duration::seconds(30);
constexpr Duration kShortest = Duration::micros(1);  // of a store's time
constexpr Incarnation kReceiver{NodeId{1}, 1};

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
  bool waits(std::uint64_t ticket, Duration wait, Incarnation who = kReceiver) {
    return !store.begin({who, Part::elector, 0}, ticket, Request{ReceiveMessage{{}, {}, wait}}, now)
                .has_value();
  }
  // Who waited and is answered: with how many messages.
  std::map<std::uint64_t, std::size_t> completed() {
    std::map<std::uint64_t, std::size_t> all;
    for (const auto& [ticket, reply] : store.take_completed())
      all.emplace(ticket, std::get<Received>(*message_as<Reply>(reply)).messages.size());
    return all;
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

using Answers = std::map<std::uint64_t, std::size_t>;

TEST(Queue, hides_a_message_that_was_received_until_its_timeout) {
  Sqs sqs;
  EXPECT_EQ(sqs.receive(), "");
  sqs.send();
  const std::string first = sqs.receive();
  EXPECT_NE(first, "");
  sqs.wait(kUsual - kShortest);
  EXPECT_EQ(sqs.receive(), "");
  sqs.wait(kShortest);
  const auto again = std::get<Received>(sqs.ask(ReceiveMessage{})).messages;
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].approximate_receive_count, 2);
  EXPECT_NE(again[0].receipt_handle, first);
}

TEST(Queue, hides_it_for_longer_or_shows_it_at_once_for_its_last_receiver_alone) {
  Sqs sqs;
  sqs.send();
  const std::string first = sqs.receive();
  sqs.wait(kUsual - kOneSecond);
  EXPECT_EQ(sqs.change(first, kUsual), "");
  sqs.wait(kUsual);
  EXPECT_EQ(sqs.change(first, kUsual), "MessageNotInflight");
  const std::string second = sqs.receive();
  EXPECT_EQ(sqs.change(first, kUsual), "ReceiptHandleIsInvalid");
  EXPECT_EQ(sqs.change("none", kUsual), "ReceiptHandleIsInvalid");
  EXPECT_EQ(sqs.change(second, Duration{}), "");
  EXPECT_NE(sqs.receive(), "");
}

TEST(Queue, hides_it_for_twelve_hours_at_most_since_it_was_received) {
  Sqs sqs;
  sqs.send();
  const std::string handle = sqs.receive(Duration::hours(12));
  sqs.wait(Duration::hours(11));
  EXPECT_EQ(sqs.change(handle, Duration::hours(1) + kShortest), "InvalidParameterValue");
  EXPECT_EQ(sqs.change(handle, Duration::hours(1)), "");
  EXPECT_EQ(sqs.change(handle, Duration::hours(13)), "InvalidParameterValue");
}

TEST(Queue, refuses_numbers_out_of_range) {
  Sqs sqs;
  for (const ReceiveMessage& asked :
       {ReceiveMessage{0, {}, {}}, ReceiveMessage{11, {}, {}}, ReceiveMessage{{}, kOneSecond * 43'201, {}},
        ReceiveMessage{{}, {}, kOneSecond * 21}})
    EXPECT_TRUE(std::holds_alternative<Failed>(sqs.ask(asked)));
}

TEST(Queue, deletes_a_message_with_any_of_its_handles) {
  Sqs sqs;
  sqs.send();
  const std::string first = sqs.receive();
  sqs.wait(kUsual);
  sqs.receive();
  sqs.ask(DeleteMessage{first});
  sqs.wait(kUsual);
  EXPECT_EQ(sqs.receive(), "");
}

TEST(Queue, gives_several_in_the_order_in_which_they_were_sent) {
  Sqs sqs;
  for (const char* body : {"a", "b", "c"}) sqs.send(body);
  const auto two = std::get<Received>(sqs.ask(ReceiveMessage{2, {}, {}})).messages;
  ASSERT_EQ(two.size(), 2U);
  EXPECT_EQ(two[0].body + two[1].body, "ab");
}

TEST(Queue, answers_those_that_wait_in_order_or_with_nothing_after_their_time) {
  Sqs sqs;
  EXPECT_TRUE(sqs.waits(1, kOneSecond * 5));
  EXPECT_TRUE(sqs.waits(2, kOneSecond * 20));
  EXPECT_TRUE(sqs.waits(3, kOneSecond * 20));
  sqs.wait(kOneSecond * 5);
  EXPECT_EQ(sqs.completed(), (Answers{{1, 0}}));
  sqs.send();
  EXPECT_EQ(sqs.completed(), (Answers{{2, 1}}));
  sqs.wait(kOneSecond * 15);
  EXPECT_EQ(sqs.completed(), (Answers{{3, 0}}));
  EXPECT_TRUE(sqs.waits(4, kOneSecond * 20));
  sqs.wait(kOneSecond * 15);
  EXPECT_EQ(sqs.completed(), (Answers{{4, 1}})) << "its visibility timeout is over";
}

TEST(Queue, answers_nobody_who_is_gone) {
  Sqs sqs;
  EXPECT_TRUE(sqs.waits(1, kOneSecond * 20));
  sqs.store.client_is_gone(kReceiver, sqs.now);
  sqs.send();
  EXPECT_TRUE(sqs.completed().empty());
  EXPECT_NE(sqs.receive(), "") << "and the message is there for others";
}

// ---- laws -----------------------------------------------------------------------------------------------------------

TEST(Queue, delivers_what_is_hidden_to_one_receiver_more) {
  Sqs sqs;
  EXPECT_FALSE(sqs.store.can_deliver_again(sqs.now)) << "there is no message";
  sqs.send();
  EXPECT_FALSE(sqs.store.can_deliver_again(sqs.now)) << "nobody has it";
  const std::string first = sqs.receive();
  EXPECT_TRUE(sqs.store.can_deliver_again(sqs.now));
  EXPECT_TRUE(sqs.waits(7, kUsual / 2));
  sqs.store.deliver_again(sqs.now);
  EXPECT_EQ(sqs.completed(), (std::map<std::uint64_t, std::size_t>{{7, 1}})) << "who waits has it at once";
  EXPECT_EQ(sqs.receive(), "") << "and nobody else";
  EXPECT_EQ(sqs.change(first, kUsual), "ReceiptHandleIsInvalid");

  Sqs other;
  other.send();
  const std::string early = other.receive();
  other.store.deliver_again(other.now);
  EXPECT_EQ(other.change(early, kUsual), "") << "its receiver is told nothing, and hides it still";
  EXPECT_NE(other.receive(), "") << "once more";
  EXPECT_EQ(other.receive(), "");
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
