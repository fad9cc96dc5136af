#include <gtest/gtest.h>

#include "tests/core/store/house_fixture.h"

namespace tenure::house {
namespace {

constexpr Duration kLease = Duration::seconds(15);

TEST(HouseLease, grants_epoch_1_on_branch_1_to_the_first_who_asks) {
  House house;
  const auto granted = house.expect<Granted>(house.acquire_by(node(1), 0));
  EXPECT_EQ(granted.token, (Token{.branch = 1, .epoch = 1, .nonce = house.nonces}));
  EXPECT_EQ(granted.duration, kLease);
}

TEST(HouseLease, refuses_a_stale_view_of_the_epoch_and_tells_the_right_one) {
  House house;
  const auto never = house.expect<Refused>(house.acquire_by(node(1), 7));
  EXPECT_EQ(never.why, Denial::stale_view);
  EXPECT_EQ(never.epoch, 0U);

  house.lead(node(1));
  house.now += kLease;
  const auto expired = house.expect<Refused>(house.acquire_by(node(2), 0));
  EXPECT_EQ(expired.why, Denial::stale_view);
  EXPECT_EQ(expired.epoch, 1U);
  EXPECT_EQ(expired.remaining, Duration{});
  EXPECT_EQ(house.expect<Granted>(house.acquire_by(node(2), expired.epoch)).token.epoch, 2U);
}

TEST(HouseLease, refuses_others_until_the_end_and_tells_who_holds_it_and_for_how_long) {
  House house;
  house.lead(node(1));
  house.now += Duration::seconds(4);
  const auto refused = house.expect<Refused>(house.acquire_by(node(2), 1));
  EXPECT_EQ(refused.why, Denial::other_holder);
  EXPECT_EQ(refused.holder, node(1));
  EXPECT_EQ(refused.epoch, 1U);
  EXPECT_EQ(refused.remaining, Duration::seconds(11));

  house.now += Duration::seconds(11) - kMicro;
  EXPECT_EQ(house.expect<Refused>(house.acquire_by(node(2), 1)).remaining, kMicro);
  house.now += kMicro;
  EXPECT_EQ(house.expect<Granted>(house.acquire_by(node(2), 1)).token.epoch, 2U);
}

TEST(HouseLease, is_another_holders_to_a_later_life_of_the_same_node) {
  House house;
  house.lead(node(1, 1));
  EXPECT_EQ(house.expect<Refused>(house.acquire_by(node(1, 2), 1)).why, Denial::other_holder);
}

TEST(HouseLease, extends_its_unexpired_holder_under_the_old_token) {
  House house;
  const Token token = house.lead(node(1));
  house.now += Duration::seconds(5);
  const auto again = house.expect<Granted>(house.acquire_by(node(1), 1));
  EXPECT_EQ(again.token, token);
  EXPECT_EQ(again.duration, kLease);
  EXPECT_EQ(house.lease().expires_at, house.now + kLease);
}

// Its answers get lost, and its requests arrive: it would hold the lease for ever, and lead never.
TEST(HouseLease, does_not_extend_a_holder_that_has_not_heard_of_its_grant) {
  House house;
  house.lead(node(1));
  const Lease before = house.lease();
  house.now += Duration::seconds(5);
  const auto refused = house.expect<Refused>(house.acquire_by(node(1), 0));
  EXPECT_EQ(refused.why, Denial::stale_view);
  EXPECT_EQ(refused.holder, node(1));
  EXPECT_EQ(refused.epoch, 1U);
  EXPECT_EQ(house.lease(), before);
  house.now += Duration::seconds(10);
  EXPECT_EQ(house.expect<Refused>(house.acquire_by(node(1), 0)).why, Denial::stale_view);
  EXPECT_EQ(house.expect<Granted>(house.acquire_by(node(2), 1)).token.epoch, 2U);
}

TEST(HouseLease, grants_a_new_epoch_to_its_own_holder_once_expired) {
  House house;
  house.lead(node(1));
  house.now += kLease;
  const auto again = house.expect<Granted>(house.acquire_by(node(1), 1));
  EXPECT_EQ(again.token.epoch, 2U);
  EXPECT_EQ(again.token.nonce, house.nonces);
}

TEST(HouseLease, renews_from_the_stores_time_and_keeps_the_token) {
  House house;
  const Token token = house.lead(node(1));
  house.now += Duration::seconds(5);
  const auto renewed = house.expect<Granted>(Renew{kResource, node(1), token, Duration::seconds(20)});
  EXPECT_EQ(renewed.token, token);
  EXPECT_EQ(renewed.duration, Duration::seconds(20));
  EXPECT_EQ(house.lease().expires_at, house.now + Duration::seconds(20));
}

TEST(HouseLease, never_shortens_on_a_renewal_and_says_what_really_remains) {
  House house;
  const Token token = house.lead(node(1));
  house.now += Duration::seconds(5);
  EXPECT_EQ(house.expect<Granted>(Renew{kResource, node(1), token, Duration::seconds(1)}).duration,
            Duration::seconds(10));
  EXPECT_EQ(house.expect<Granted>(house.acquire_by(node(1), 1, Duration::seconds(2))).duration,
            Duration::seconds(10));
}

TEST(HouseLease, writes_whole_microseconds_and_says_so) {
  House house;
  EXPECT_EQ(house.expect<Granted>(house.acquire_by(node(1), 0, Duration::nanos(2'999))).duration,
            Duration::micros(2));
}

TEST(HouseLease, refuses_every_token_but_the_holders_own) {
  House house;
  EXPECT_EQ(house.expect<Refused>(Renew{kResource, node(1), {}, kLease}).why, Denial::no_lease);
  const Token token = house.lead(node(1));
  EXPECT_EQ(house.expect<Refused>(Renew{kResource, node(2), token, kLease}).why, Denial::other_holder);
  for (const Token& wrong :
       {Token{token.branch + 1, token.epoch, token.nonce}, Token{token.branch, token.epoch + 1, token.nonce},
        Token{token.branch, token.epoch, token.nonce + 1}}) {
    const std::uint64_t before = house.hash();
    EXPECT_EQ(house.expect<Refused>(Renew{kResource, node(1), wrong, kLease}).why, Denial::stale_token);
    EXPECT_EQ(house.expect<Refused>(Release{kResource, node(1), wrong}).why, Denial::stale_token);
    EXPECT_EQ(house.expect<CommitRefused>(CommitFires{kResource, node(1), wrong, {}}).why,
              Denial::stale_token);
    EXPECT_EQ(house.hash(), before);
  }
}

TEST(HouseLease, refuses_its_holder_once_expired) {
  House house;
  const Token token = house.lead(node(1));
  house.now += kLease;
  const auto refused = house.expect<Refused>(Renew{kResource, node(1), token, kLease});
  EXPECT_EQ(refused.why, Denial::expired);
  EXPECT_EQ(refused.epoch, 1U);
  EXPECT_EQ(refused.remaining, Duration{});
  EXPECT_EQ(house.expect<Refused>(Release{kResource, node(1), token}).why, Denial::expired);
  EXPECT_EQ(house.expect<CommitRefused>(CommitFires{kResource, node(1), token, {}}).why, Denial::expired);
}

TEST(HouseLease, is_free_after_a_release_keeps_its_epoch_and_says_so_to_those_who_wait) {
  House house;
  const Token token = house.lead(node(1));
  house.expect<Released>(Release{kResource, node(1), token});
  ASSERT_EQ(house.heard.size(), 1U);
  EXPECT_EQ(house.heard.front(), (Notification{Notification::What::lease_freed, kResource}));
  EXPECT_EQ(house.expect<Refused>(Renew{kResource, node(1), token, kLease}).why, Denial::no_lease);
  EXPECT_EQ(house.expect<Refused>(Release{kResource, node(1), token}).why, Denial::no_lease);
  EXPECT_EQ(house.heard.size(), 1U);
  EXPECT_EQ(house.expect<Granted>(house.acquire_by(node(2), 1)).token.epoch, 2U);
}

// A commit that arrives while nobody holds the lease has the newest epoch there is: an epoch alone would let it in.
TEST(HouseLease, refuses_a_commit_between_a_release_and_the_next_grant) {
  House house;
  house.put(1, 0, every(Duration::seconds(10)));
  const Token token = house.lead(node(1));
  house.expect<Released>(Release{kResource, node(1), token});
  const std::uint64_t before = house.hash();
  const CommitFires late{
      kResource, node(1), token, {fired(1, 1, house.now, house.now + Duration::seconds(10))}};
  EXPECT_EQ(house.expect<CommitRefused>(late).why, Denial::no_lease);
  EXPECT_EQ(house.hash(), before);
}

// Without epoch_seen the lease would be granted to a node that has long given up, for a whole duration.
TEST(HouseLease, refuses_an_acquire_that_was_held_up_until_after_the_release) {
  House house;
  const Acquire held_up = house.acquire_by(node(1), 0);
  const Token token = house.lead(node(1));
  house.expect<Released>(Release{kResource, node(1), token});
  const std::uint64_t before = house.hash();
  const auto refused = house.expect<Refused>(held_up);
  EXPECT_EQ(refused.why, Denial::stale_view);
  EXPECT_EQ(refused.epoch, 1U);
  EXPECT_EQ(refused.holder, Incarnation{});
  EXPECT_EQ(house.hash(), before);
}

TEST(HouseLease, counts_the_whole_promise_again_when_the_clock_went_back) {
  House house;
  house.lead(node(1));
  house.now = house.now - Duration::hours(1);
  for (const Incarnation asker : {node(2), node(1)}) {
    house.now = house.now - kMicro;
    const auto refused = house.expect<Refused>(house.acquire_by(asker, 1));
    EXPECT_EQ(refused.why, Denial::clock_stepped);
    EXPECT_EQ(refused.holder, node(1));
    EXPECT_EQ(refused.epoch, 1U);
    EXPECT_EQ(refused.remaining, kLease);
    EXPECT_EQ(house.lease().expires_at, house.now + kLease);
  }
  house.now += kLease;
  EXPECT_EQ(house.expect<Granted>(house.acquire_by(node(2), 1)).token.epoch, 2U);
}

TEST(HouseLease, renews_over_a_clock_that_went_back_without_shortening) {
  House house;
  const Token token = house.lead(node(1));
  house.now = house.now - Duration::hours(1);
  EXPECT_EQ(house.expect<Granted>(Renew{kResource, node(1), token, Duration::seconds(1)}).duration, kLease);
  EXPECT_EQ(house.lease().expires_at, house.now + kLease);
}

TEST(HouseLease, tells_no_more_than_the_promise_when_the_clock_went_back) {
  House house;
  const Token token = house.lead(node(1));
  house.now = house.now - Duration::hours(1);
  EXPECT_EQ(house.expect<Refused>(Renew{kResource, node(2), token, kLease}).remaining, kLease);
}

TEST(HouseLease, is_free_after_a_release_whatever_the_clock_says) {
  House house;
  const Token token = house.lead(node(1));
  house.expect<Released>(Release{kResource, node(1), token});
  house.now = house.now - Duration::hours(1);
  EXPECT_EQ(house.expect<Granted>(house.acquire_by(node(2), 1)).token.epoch, 2U);
}

TEST(HouseLease, waits_for_the_whole_promise_after_a_promotion) {
  House house;
  const Token token = house.lead(node(1));
  house.now += kLease + kLease;  // expired, as far as this replica knows: renewals may be lost
  house.store.promote(2);
  EXPECT_EQ(house.expect<Refused>(Renew{kResource, node(1), token, kLease}).why, Denial::stale_token);
  const auto refused = house.expect<Refused>(house.acquire_by(node(2), 1));
  EXPECT_EQ(refused.why, Denial::other_branch);
  EXPECT_EQ(refused.holder, node(1));
  EXPECT_EQ(refused.remaining, kLease);
  house.now += kLease - kMicro;
  EXPECT_EQ(house.expect<Refused>(house.acquire_by(node(2), 1)).why, Denial::other_holder);
  house.now += kMicro;
  const Token next = house.expect<Granted>(house.acquire_by(node(2), 1)).token;
  EXPECT_EQ(next.branch, 2U);
  EXPECT_EQ(next.epoch, 2U);
  EXPECT_TRUE(token.older_than(next));
}

TEST(HouseLease, gives_its_holder_a_token_of_the_new_branch_once_adopted) {
  House house;
  const Token token = house.lead(node(1));
  house.store.promote(2);
  EXPECT_EQ(house.expect<Refused>(house.acquire_by(node(1), 1)).why, Denial::other_branch);
  EXPECT_EQ(house.expect<Refused>(Renew{kResource, node(1), token, kLease}).why, Denial::stale_token);
  const Token adopted = house.expect<Granted>(house.acquire_by(node(1), 1)).token;
  EXPECT_EQ(adopted, (Token{.branch = 2, .epoch = token.epoch, .nonce = token.nonce}));
  house.expect<Granted>(Renew{kResource, node(1), adopted, kLease});
}

// The replica's state is the same as if the first grant had never been: no counter can tell the two apart.
TEST(HouseLease, refuses_the_holder_of_a_grant_that_a_failover_lost) {
  House house;
  house.put(1, 0, every(Duration::seconds(10)));
  house.expect<Released>(Release{kResource, node(3), house.lead(node(3))});
  House replica = house;
  const Token lost = house.lead(node(1));
  replica.store.promote(2);
  replica.nonces = house.nonces;
  const Token token = replica.lead(node(2));
  ASSERT_EQ(token.epoch, lost.epoch);
  EXPECT_TRUE(lost.older_than(token));

  const std::uint64_t before = replica.hash();
  const std::vector<Covering> rows = {fired(1, 1, replica.now, replica.now + Duration::seconds(10))};
  EXPECT_EQ(replica.expect<CommitRefused>(CommitFires{kResource, node(1), lost, rows}).why,
            Denial::other_holder);
  EXPECT_EQ(replica.expect<CommitRefused>(CommitFires{kResource, node(2), lost, rows}).why,
            Denial::stale_token);
  const Token other_nonce{.branch = 2, .epoch = token.epoch, .nonce = lost.nonce};
  EXPECT_EQ(replica.expect<CommitRefused>(CommitFires{kResource, node(2), other_nonce, rows}).why,
            Denial::stale_token);
  EXPECT_EQ(replica.hash(), before);
}

TEST(HouseLease, is_each_resources_own) {
  House house;
  house.lead(node(1));
  const ResourceId other{2};
  const auto granted = house.expect<Granted>(Acquire{other, node(2), 0, 99, kLease});
  EXPECT_EQ(granted.token.epoch, 1U);
  EXPECT_EQ(house.lease().holder, node(1));
  EXPECT_EQ(house.store.lease(other).holder, node(2));
}

TEST(HouseStore, is_not_changed_by_reads_and_refusals_of_a_resource_never_heard_of) {
  House house;
  const std::uint64_t before = house.hash();
  house.due(StoreTime::max());
  house.outbox();
  house.changes();
  house.ask(house.acquire_by(node(1), 4));
  house.ask(Renew{kResource, node(1), {}, kLease});
  EXPECT_EQ(house.hash(), before);
}

}  // namespace
}  // namespace tenure::house
