// A leader has the store forget what is older than retention, now and then, and keeps nobody waiting for it.
#include "tests/core/scheduler/fenced_outbox_fixture.h"

namespace tenure::testing {
namespace {

class FencedOutboxRetention : public FencedOutboxFixture {
 protected:
  // Lets `length` pass, all but prunes answered with what a store says in which nothing happens.
  void pass(Duration length) {
    const MonoTime end = world_.now() + length;
    while (world_.now() < end && !waits<house::Prune>()) {
      if (waits<house::ChangesSince>())
        answer_poll();
      else if (waits<house::ReadDue>())
        answer<house::ReadDue>(house::Due{{}, false, seq_, std::nullopt});
      else if (waits<house::ReadOutbox>())
        answer<house::ReadOutbox>(house::Outbox{});
      else
        wake();
    }
  }
  house::Prune asked() const {
    for (const auto& [id, asked] : world_.outstanding())
      if (const auto* prune = std::get_if<house::Prune>(&std::get<house::Request>(asked.submission.request)))
        return *prune;
    ADD_FAILURE() << "no prune is waiting";
    return {};
  }
  void lead_with_nothing() {
    start({created(1, kA, 1'000'000)});
    lead();
    answer<house::ReadDue>(house::Due{{}, false, 1, std::nullopt});
    answer<house::ReadOutbox>(house::Outbox{});
  }
};

TEST_F(FencedOutboxRetention, a_leader_prunes_after_an_hour_and_every_hour_what_is_older_than_a_week) {
  lead_with_nothing();
  pass(Duration::minutes(59));
  EXPECT_FALSE(waits<house::Prune>());
  pass(Duration::minutes(2));
  const house::Prune prune = asked();
  EXPECT_EQ(prune.resource, kResource);
  EXPECT_LE(prune.before, store_now() - Duration::hours(7 * 24));
  EXPECT_GE(prune.before, store_now() - Duration::hours(7 * 24) - Duration::seconds(1));
  answer<house::Prune>(house::Pruned{prune.limit - 1});
  pass(Duration::minutes(59));
  EXPECT_FALSE(waits<house::Prune>());
  pass(Duration::minutes(2));
  EXPECT_TRUE(waits<house::Prune>());
}

TEST_F(FencedOutboxRetention, where_as_much_was_forgotten_as_one_request_may_another_follows) {
  lead_with_nothing();
  pass(Duration::minutes(61));
  const house::Prune prune = asked();
  answer<house::Prune>(house::Pruned{prune.limit});
  pass(Duration::seconds(10));
  EXPECT_TRUE(waits<house::Prune>());
}

TEST_F(FencedOutboxRetention, a_prune_that_fails_is_left_for_the_next_time) {
  lead_with_nothing();
  pass(Duration::minutes(61));
  step(world_.rejected(waiting<house::Prune>(), Rejection::not_permitted));
  pass(Duration::minutes(58));
  EXPECT_FALSE(waits<house::Prune>());
  pass(Duration::minutes(3));
  EXPECT_TRUE(waits<house::Prune>());
  EXPECT_FALSE(scheduler_->take_step_aside());
}

// A year ahead, all that the store has would be older than a week.
TEST_F(FencedOutboxRetention, nothing_is_pruned_by_a_clock_that_has_jumped) {
  lead_with_nothing();
  pass(Duration::minutes(59));
  store_offset_ = Duration::hours(365 * 24);
  pass(Duration::minutes(1));
  ASSERT_TRUE(waits<house::SetHold>());
  const house::Hold hold{store_now(), store_offset_};
  answer<house::SetHold>(house::HoldSet{hold});
  pass_time([this] { return world_.now() > mono_zero_ + Duration::minutes(60) + Duration::seconds(40); },
            hold);
  EXPECT_FALSE(waits<house::Prune>());
}

TEST_F(FencedOutboxRetention, who_does_not_lead_prunes_nothing) {
  start({created(1, kA, 1'000'000)});
  pass(Duration::hours(3));
  EXPECT_FALSE(waits<house::Prune>());
}

TEST_F(FencedOutboxRetention, an_instance_that_missed_changes_which_were_pruned_reads_all_of_them_again) {
  start({created(1, kA, 10), created(2, kB, 10)});
  pass_time([this] { return waits<house::ChangesSince>(); });
  house::Changes changes{
      {created(5, kB, 10, 2)}, 5, false, std::nullopt};  // 3 and 4 are gone: a delete of A?
  answer<house::ChangesSince>(changes);
  ASSERT_TRUE(waits<house::ChangesSince>());
  const auto from = [this] {
    for (const auto& [id, asked] : world_.outstanding())
      if (const auto* since =
              std::get_if<house::ChangesSince>(&std::get<house::Request>(asked.submission.request)))
        return since->seq;
    return std::uint64_t{99};
  };
  EXPECT_EQ(from(), 0u);
  // From the beginning on there may be gaps.
  answer<house::ChangesSince>(changes);
  pass_time([this] { return waits<house::ChangesSince>(); });
  EXPECT_EQ(from(), 5u);
}

}  // namespace
}  // namespace tenure::testing
