// A leader has the store forget what is older than retention, now and then, and keeps nobody waiting for it.
#include "tests/core/scheduler/fenced_outbox_fixture.h"

namespace tenure::testing {
namespace {

class FencedOutboxRetention : public FencedOutboxFixture {
 protected:
  // Lets `length` pass, all but prunes answered with what a store says in which nothing happens.
  void pass(Duration length) {
    const MonoTime end = world_.now() + length;
    while (world_.now() < end && !waits<reference::Prune>()) {
      if (waits<reference::ChangesSince>())
        answer_poll();
      else if (waits<reference::ReadDue>())
        answer<reference::ReadDue>(reference::Due{{}, false, seq_, std::nullopt});
      else if (waits<reference::ReadOutbox>())
        answer<reference::ReadOutbox>(reference::Outbox{});
      else
        wake();
    }
  }
  reference::Prune asked() const {
    for (const auto& [id, asked] : world_.outstanding())
      if (const auto* prune =
              std::get_if<reference::Prune>(&std::get<reference::Request>(asked.submission.request)))
        return *prune;
    ADD_FAILURE() << "no prune is waiting";
    return {};
  }
  void begin_to_lead() {
    lead();
    answer<reference::ReadDue>(reference::Due{{}, false, 1, std::nullopt});
    answer<reference::ReadOutbox>(reference::Outbox{});
  }
  void lead_with_nothing() {
    start({created(1, kA, 1'000'000)});
    begin_to_lead();
  }
  // Beyond the first prune, which finds nothing.
  void lead_and_prune_once() {
    lead_with_nothing();
    pass(kFirst);
    answer<reference::Prune>(reference::Pruned{0});
  }
  static constexpr Duration kFirst = Duration::seconds(70);
};

TEST_F(FencedOutboxRetention, a_leader_prunes_soon_and_then_every_hour_what_is_older_than_a_week) {
  lead_with_nothing();
  pass(Duration::seconds(50));
  EXPECT_FALSE(waits<reference::Prune>()) << "what came due before it led goes first";
  pass(kFirst);
  const reference::Prune prune = asked();
  EXPECT_EQ(prune.resource, kResource);
  EXPECT_LE(prune.before, store_now() - Duration::hours(7 * 24));
  EXPECT_GE(prune.before, store_now() - Duration::hours(7 * 24) - Duration::seconds(1));
  answer<reference::Prune>(reference::Pruned{prune.limit - 1});
  pass(Duration::minutes(59));
  EXPECT_FALSE(waits<reference::Prune>());
  pass(Duration::minutes(2));
  EXPECT_TRUE(waits<reference::Prune>());
}

// A fleet that is deployed more often than every hour.
TEST_F(FencedOutboxRetention, each_leader_prunes_however_short_its_term) {
  lead_and_prune_once();
  pass(Duration::minutes(20));
  lose_leadership();
  begin_to_lead();
  pass(kFirst);
  EXPECT_TRUE(waits<reference::Prune>());
}

TEST_F(FencedOutboxRetention, where_as_much_was_forgotten_as_one_request_may_another_follows) {
  lead_with_nothing();
  pass(kFirst);
  const reference::Prune prune = asked();
  answer<reference::Prune>(reference::Pruned{prune.limit});
  pass(Duration::seconds(10));
  EXPECT_TRUE(waits<reference::Prune>());
}

TEST_F(FencedOutboxRetention, a_prune_that_fails_is_left_for_the_next_time) {
  lead_with_nothing();
  pass(kFirst);
  step(world_.rejected(waiting<reference::Prune>(), Rejection::not_permitted));
  pass(Duration::minutes(58));
  EXPECT_FALSE(waits<reference::Prune>());
  pass(Duration::minutes(3));
  EXPECT_TRUE(waits<reference::Prune>());
  EXPECT_FALSE(scheduler_->take_step_aside());
}

// A year ahead, all that the store has would be older than a week.
TEST_F(FencedOutboxRetention, nothing_is_pruned_by_a_clock_that_has_jumped) {
  lead_and_prune_once();
  pass(Duration::minutes(59));
  store_offset_ = Duration::hours(365 * 24);
  pass(Duration::minutes(1));
  ASSERT_TRUE(waits<reference::SetHold>());
  const reference::Hold hold{store_now(), store_offset_};
  answer<reference::SetHold>(reference::HoldSet{hold});
  pass_time([this] { return world_.now() > mono_zero_ + Duration::minutes(61) + Duration::seconds(40); },
            hold);
  EXPECT_EQ(prunes_, 0u);
  EXPECT_FALSE(waits<reference::Prune>());
}

TEST_F(FencedOutboxRetention, who_does_not_lead_prunes_nothing) {
  start({created(1, kA, 1'000'000)});
  pass(Duration::hours(3));
  EXPECT_FALSE(waits<reference::Prune>());
}

TEST_F(FencedOutboxRetention, an_instance_that_missed_changes_which_were_pruned_reads_all_of_them_again) {
  start({created(1, kA, 10), created(2, kB, 10)});
  pass_time([this] { return waits<reference::ChangesSince>(); });
  reference::Changes changes{
      {created(5, kB, 10, 2)}, 5, false, std::nullopt};  // 3 and 4 are gone: a delete of A?
  answer<reference::ChangesSince>(changes);
  ASSERT_TRUE(waits<reference::ChangesSince>());
  const auto from = [this] {
    for (const auto& [id, asked] : world_.outstanding())
      if (const auto* since =
              std::get_if<reference::ChangesSince>(&std::get<reference::Request>(asked.submission.request)))
        return since->seq;
    return std::uint64_t{99};
  };
  EXPECT_EQ(from(), 0u);
  // From the beginning on there may be gaps.
  answer<reference::ChangesSince>(changes);
  pass_time([this] { return waits<reference::ChangesSince>(); });
  EXPECT_EQ(from(), 5u);
}

}  // namespace
}  // namespace tenure::testing
