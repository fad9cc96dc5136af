// Events whose work was given up: kept beside the outbox, redriven into it, and forgotten with the rest.
#include <gtest/gtest.h>

#include "tests/core/store/reference_fixture.h"

namespace tenure::reference {
namespace {

// Three manual runs, a second after each other, wait in the outbox.
struct ReferenceDead : ::testing::Test, ReferenceFixture {
  ReferenceDead() {
    put(1, 0, every(Duration::seconds(10)));
    token = lead(kLeader, Duration::hours(24));
    for (const std::uint64_t run : {1U, 2U, 3U}) {
      now = at(1'000 + static_cast<std::int64_t>(run));
      expect<Edited>(TriggerSchedule{kResource, {1}, run, now});
      ids.push_back({.schedule = {1}, .slot = now, .run = run});
    }
  }
  void give_up(std::vector<DeadEvent> dead) {
    expect<GivenUp>(GiveUpEvents{kResource, kLeader, token, std::move(dead)});
  }
  Dead dead(std::uint64_t after = 0, std::uint32_t limit = 9) {
    return expect<Dead>(ReadDead{kResource, limit, after});
  }

  Token token;
  std::vector<EventId> ids;
  EventId never{.schedule = {1}, .slot = at(7'777)};
};

TEST_F(ReferenceDead, an_event_that_is_given_up_leaves_the_outbox_and_is_kept) {
  for (int twice = 0; twice < 2; ++twice) {
    give_up({{ids[0], 5}, {ids[1], 3}, {never, 1}});
    ASSERT_EQ(outbox().events.size(), 1U);
    EXPECT_EQ(outbox().events[0].id, ids[2]);
    ASSERT_EQ(dead().events.size(), 2U);
  }
  EXPECT_EQ(dead().events[0].id, ids[0]);
  EXPECT_EQ(dead().events[0].attempts, 5U);
  EXPECT_EQ(dead().events[0].seq, 1U);
  EXPECT_EQ(dead().events[0].since, at(1'003));
  EXPECT_FALSE(dead().more);
  EXPECT_TRUE(dead(0, 1).more);
  ASSERT_EQ(dead(1).events.size(), 1U);
  EXPECT_EQ(dead(1).events[0].id, ids[1]);
}

TEST_F(ReferenceDead, a_redrive_puts_it_at_the_end_of_the_outbox_once) {
  give_up({{ids[0], 5}, {ids[1], 5}});
  EXPECT_EQ(expect<Redriven>(Redrive{kResource, {ids[1], ids[1], never}}).events, 1U);
  EXPECT_EQ(expect<Redriven>(Redrive{kResource, {ids[1]}}).events, 0U);
  ASSERT_EQ(outbox().events.size(), 2U);
  EXPECT_EQ(outbox().events[1].id, ids[1]);
  EXPECT_EQ(outbox().events[1].seq, 4U);
  ASSERT_EQ(dead().events.size(), 1U);
  EXPECT_EQ(dead().events[0].id, ids[0]);
}

TEST_F(ReferenceDead, what_was_delivered_is_not_dead) {
  expect<Acknowledged>(AckEvents{kResource, {{ids[0]}}});
  give_up({{ids[0], 5}});
  EXPECT_TRUE(dead().events.empty());
}

// The next leader has these events in hand.
TEST_F(ReferenceDead, who_leads_no_more_gives_nothing_up) {
  Token stale = token;
  ++stale.nonce;
  const std::vector<DeadEvent> events{{ids[0], 5}};
  EXPECT_EQ(expect<CommitRefused>(GiveUpEvents{kResource, kLeader, stale, events}).why, Denial::stale_token);
  EXPECT_EQ(outbox().events.size(), 3U);
  EXPECT_TRUE(dead().events.empty());
}

TEST_F(ReferenceDead, a_prune_forgets_those_that_died_first) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    now = at(2'000 + static_cast<std::int64_t>(i));
    give_up({{ids[i], 5}});
  }
  EXPECT_EQ(expect<Pruned>(Prune{kResource, at(1'999)}).rows, 3U) << "the manual runs";
  EXPECT_EQ(dead().events.size(), 3U);
  EXPECT_EQ(expect<Pruned>(Prune{kResource, at(2'001), 1}).rows, 1U);
  ASSERT_EQ(dead().events.size(), 2U);
  EXPECT_EQ(dead().events[0].id, ids[1]);
  EXPECT_EQ(expect<Pruned>(Prune{kResource, at(2'001)}).rows, 1U);
  EXPECT_EQ(expect<Pruned>(Prune{kResource, at(2'001)}).rows, 0U);
  EXPECT_EQ(dead().events.size(), 1U);
}

TEST_F(ReferenceDead, one_that_is_discarded_is_listed_apart_and_counted_no_more) {
  give_up({{ids[0], 5}, {ids[1], 3}});
  now = at(2'000);
  EXPECT_EQ(expect<Discarded>(DiscardDead{kResource, {ids[0], ids[0], never}, "ann"}).events, 1U);
  now = at(3'000);
  EXPECT_EQ(expect<Discarded>(DiscardDead{kResource, {ids[0]}, "bob"}).events, 0U);
  ASSERT_EQ(dead().events.size(), 1U);
  EXPECT_EQ(dead().events[0].id, ids[1]);
  EXPECT_TRUE(dead().discards.empty());
  const Dead discarded = expect<Dead>(ReadDead{kResource, 9, 0, true});
  ASSERT_EQ(discarded.events.size(), 1U);
  EXPECT_EQ(discarded.events[0].id, ids[0]);
  EXPECT_EQ(discarded.events[0].attempts, 5U);
  EXPECT_EQ(discarded.discards, std::vector<Discard>({{"ann", at(2'000)}}));
  EXPECT_EQ(expect<Depths>(ReadDepths{kResource}).dead.events, 1U);
}

TEST_F(ReferenceDead, a_redrive_takes_a_discarded_one_back_and_it_may_die_again) {
  give_up({{ids[0], 5}});
  expect<Discarded>(DiscardDead{kResource, {ids[0]}, "ann"});
  EXPECT_EQ(expect<Redriven>(Redrive{kResource, {ids[0]}}).events, 1U);
  EXPECT_TRUE(expect<Dead>(ReadDead{kResource, 9, 0, true}).events.empty());
  give_up({{ids[0], 5}});
  EXPECT_EQ(dead().events.size(), 1U);
  EXPECT_EQ(expect<Depths>(ReadDepths{kResource}).dead.events, 1U);
}

TEST_F(ReferenceDead, a_prune_forgets_discarded_ones_like_the_others) {
  give_up({{ids[0], 5}});
  expect<Discarded>(DiscardDead{kResource, {ids[0]}, "ann"});
  now = at(9'000);
  EXPECT_GT(expect<Pruned>(Prune{kResource, at(9'000)}).rows, 0U);
  EXPECT_TRUE(expect<Dead>(ReadDead{kResource, 9, 0, true}).events.empty());
}

TEST_F(ReferenceDead, a_discard_is_part_of_the_state) {
  give_up({{ids[0], 5}});
  ReferenceFixture other = *this;
  expect<Discarded>(DiscardDead{kResource, {ids[0]}, "ann"});
  EXPECT_NE(hash(), other.hash());
}

TEST_F(ReferenceDead, are_part_of_the_state) {
  ReferenceFixture other = *this;
  give_up({{ids[0], 5}});
  other.expect<Acknowledged>(AckEvents{kResource, {{ids[0]}}});
  EXPECT_NE(hash(), other.hash());
}

}  // namespace
}  // namespace tenure::reference
