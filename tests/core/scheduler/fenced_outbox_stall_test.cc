// A leader that cannot do what is due asks to step aside, and one that can does not.
#include "tests/core/scheduler/fenced_outbox_fixture.h"

namespace tenure::testing {
namespace {

constexpr Duration kStall = Duration::seconds(15);

class FencedOutboxStall : public FencedOutboxFixture {
 protected:
  // Lets `length` pass. Whatever is asked is answered as usual, but for what `answer_one` takes.
  template <class AnswerOne>
  void pass(Duration length, AnswerOne answer_one) {
    const MonoTime end = world_.now() + length;
    while (world_.now() < end && !request_) {
      if (!answer_one()) answer_as_usual();
      if (!request_) request_ = scheduler_->take_step_aside();
    }
  }
  void answer_as_usual() {
    if (waits<reference::ChangesSince>())
      answer_poll();
    else if (waits<reference::ReadDue>())
      answer<reference::ReadDue>(reference::Due{{segment(kA, cursor_)}, false, seq_, std::nullopt});
    else if (waits<reference::ReadOutbox>())
      answer<reference::ReadOutbox>(reference::Outbox{});
    else if (waits<reference::CommitFires>())
      cover();
    else
      wake();
  }
  void cover() {
    cursor_ += 10;
    commit_covered();
  }
  template <class T>
  bool reject() {
    if (!waits<T>()) return false;
    step(world_.rejected(waiting<T>(), Rejection::not_permitted));
    world_.advance(Duration::millis(1));
    return true;
  }
  static bool nothing() { return false; }

  std::int64_t cursor_ = 3;
  std::optional<StepAside> request_;
};

TEST_F(FencedOutboxStall, a_leader_that_covers_what_is_due_stays) {
  lead_with_a(3);
  pass(Duration::minutes(5), nothing);
  EXPECT_FALSE(request_);
  EXPECT_GT(cursor_, 200);
}

TEST_F(FencedOutboxStall, a_leader_with_nothing_due_stays) {
  lead_with_a(3'000);
  cursor_ = 3'000;
  pass(Duration::minutes(5), nothing);
  EXPECT_FALSE(request_);
}

TEST_F(FencedOutboxStall, a_leader_whose_commits_are_refused_steps_aside_and_says_why) {
  lead_with_a(3);
  pass(Duration::minutes(1), [this] { return reject<reference::CommitFires>(); });
  ASSERT_TRUE(request_);
  EXPECT_GE(store_now(), slot(3) + kStall);
  EXPECT_LE(store_now(), slot(3) + kStall + Duration::seconds(1));
  EXPECT_EQ(request_->why.substr(0, 12), "cannot fire:");
  EXPECT_FALSE(scheduler_->take_step_aside()) << "once";
}

TEST_F(FencedOutboxStall, a_leader_that_cannot_read_steps_aside) {
  start({created(1, kA, 3)});
  lead();
  pass(Duration::minutes(1), [this] { return reject<reference::ReadDue>(); });
  ASSERT_TRUE(request_);
  EXPECT_EQ(request_->why, "cannot fire: what is due cannot be read");
}

TEST_F(FencedOutboxStall, a_leader_that_hears_of_no_edit_steps_aside_though_it_fires) {
  lead_with_a(3);
  pass(Duration::minutes(1), [this] { return reject<reference::ChangesSince>(); });
  ASSERT_TRUE(request_);
  EXPECT_EQ(request_->why, "cannot fire: the change feed cannot be read");
  EXPECT_GT(cursor_, 3);
}

TEST_F(FencedOutboxStall, a_leader_that_cannot_look_through_the_outbox_again_steps_aside_though_it_fires) {
  lead_with_a(3);
  pass(Duration::minutes(1), [this] { return reject<reference::ReadOutbox>(); });
  ASSERT_TRUE(request_);
  EXPECT_EQ(request_->why, "cannot deliver: the outbox cannot be read");
  EXPECT_GT(cursor_, 3);
}

TEST_F(FencedOutboxStall, it_goes_behind_the_others_for_longer_each_time_up_to_the_bound) {
  lead_with_a(3);
  std::vector<Duration> behind;
  for (int i = 0; i < 5; ++i) {
    request_.reset();
    pass(Duration::minutes(1), [this] { return reject<reference::CommitFires>(); });
    ASSERT_TRUE(request_);
    behind.push_back(request_->behind);
    lose_leadership();
    lead({1, 6 + static_cast<std::uint64_t>(i), 77});
  }
  EXPECT_EQ(behind, (std::vector{kStall / 4, kStall / 2, kStall, kStall, kStall}));
  request_.reset();
  pass(Duration::seconds(30), nothing);
  lose_leadership();
  lead({1, 60, 77});
  pass(Duration::minutes(1), [this] { return reject<reference::CommitFires>(); });
  ASSERT_TRUE(request_);
  EXPECT_EQ(request_->behind, kStall / 4) << "it had fired meanwhile";
}

TEST_F(FencedOutboxStall, a_hold_is_no_reason_until_it_cannot_be_lifted) {
  lead_with_a(30);
  const reference::Hold hold{slot(0), Duration::hours(1)};
  const auto answers = [&] {
    if (waits<reference::ChangesSince>()) return answer_poll({}, hold), true;
    if (waits<reference::ReadDue>())
      return answer<reference::ReadDue>(reference::Due{{segment(kA, 30)}, false, seq_, hold}), true;
    return reject<reference::ClearHold>();
  };
  pass(Duration::minutes(1), answers);
  EXPECT_FALSE(request_);
  pass(Duration::seconds(30), answers);
  ASSERT_TRUE(request_);
  EXPECT_EQ(request_->why, "cannot fire: the hold cannot be lifted");
}

TEST_F(FencedOutboxStall, a_definition_that_it_cannot_read_costs_one_turn_and_stops_no_other) {
  reference::Change unreadable = created(2, kB, 5);
  unreadable.unreadable = true;
  unreadable.definition = {};
  start({created(1, kA, 3), unreadable});
  lead();
  const auto both = [this] {
    if (!waits<reference::ReadDue>()) return false;
    answer<reference::ReadDue>(
        reference::Due{{segment(kA, cursor_), segment(kB, 5)}, false, seq_, std::nullopt});
    return true;
  };
  pass(Duration::minutes(1), both);
  ASSERT_TRUE(request_);
  EXPECT_EQ(request_->why, "cannot fire: a definition cannot be read by this program");
  EXPECT_GE(store_now(), slot(5) + kStall);
  EXPECT_GT(cursor_, 13) << "the other one was fired all the time";
  lose_leadership();
  lead({1, 6, 77});
  request_.reset();
  pass(Duration::minutes(5), both);
  EXPECT_FALSE(request_) << "nobody can read it: it must not keep the lease going round";
}

}  // namespace
}  // namespace tenure::testing
