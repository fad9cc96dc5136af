#include <gtest/gtest.h>

#include "tests/core/store/reference_fixture.h"

namespace tenure::reference {
namespace {

constexpr Duration kLease = Duration::seconds(15);

TEST(ReferenceLease, grants_epoch_1_on_branch_1_to_the_first_who_asks) {
  ReferenceFixture reference;
  const auto granted = reference.expect<Granted>(reference.acquire_by(node(1), 0));
  EXPECT_EQ(granted.token, (Token{.branch = 1, .epoch = 1, .nonce = reference.nonces}));
  EXPECT_EQ(granted.duration, kLease);
}

TEST(ReferenceLease, refuses_a_stale_view_of_the_epoch_and_tells_the_right_one) {
  ReferenceFixture reference;
  const auto never = reference.expect<Refused>(reference.acquire_by(node(1), 7));
  EXPECT_EQ(never.why, Denial::stale_view);
  EXPECT_EQ(never.epoch, 0U);

  reference.lead(node(1));
  reference.now += kLease;
  const auto expired = reference.expect<Refused>(reference.acquire_by(node(2), 0));
  EXPECT_EQ(expired.why, Denial::stale_view);
  EXPECT_EQ(expired.epoch, 1U);
  EXPECT_EQ(expired.remaining, Duration{});
  EXPECT_EQ(reference.expect<Granted>(reference.acquire_by(node(2), expired.epoch)).token.epoch, 2U);
}

TEST(ReferenceLease, refuses_others_until_the_end_and_tells_who_holds_it_and_for_how_long) {
  ReferenceFixture reference;
  reference.lead(node(1));
  reference.now += Duration::seconds(4);
  const auto refused = reference.expect<Refused>(reference.acquire_by(node(2), 1));
  EXPECT_EQ(refused.why, Denial::other_holder);
  EXPECT_EQ(refused.holder, node(1));
  EXPECT_EQ(refused.epoch, 1U);
  EXPECT_EQ(refused.remaining, Duration::seconds(11));

  reference.now += Duration::seconds(11) - kMicro;
  EXPECT_EQ(reference.expect<Refused>(reference.acquire_by(node(2), 1)).remaining, kMicro);
  reference.now += kMicro;
  EXPECT_EQ(reference.expect<Granted>(reference.acquire_by(node(2), 1)).token.epoch, 2U);
}

TEST(ReferenceLease, is_another_holders_to_a_later_life_of_the_same_node) {
  ReferenceFixture reference;
  reference.lead(node(1, 1));
  EXPECT_EQ(reference.expect<Refused>(reference.acquire_by(node(1, 2), 1)).why, Denial::other_holder);
}

TEST(ReferenceLease, extends_its_unexpired_holder_under_the_old_token) {
  ReferenceFixture reference;
  const Token token = reference.lead(node(1));
  reference.now += Duration::seconds(5);
  const auto again = reference.expect<Granted>(reference.acquire_by(node(1), 1));
  EXPECT_EQ(again.token, token);
  EXPECT_EQ(again.duration, kLease);
  EXPECT_EQ(reference.lease().expires_at, reference.now + kLease);
}

// Its answers get lost, and its requests arrive: it would hold the lease for ever, and lead never.
TEST(ReferenceLease, does_not_extend_a_holder_that_has_not_heard_of_its_grant) {
  ReferenceFixture reference;
  reference.lead(node(1));
  const Lease before = reference.lease();
  reference.now += Duration::seconds(5);
  const auto refused = reference.expect<Refused>(reference.acquire_by(node(1), 0));
  EXPECT_EQ(refused.why, Denial::stale_view);
  EXPECT_EQ(refused.holder, node(1));
  EXPECT_EQ(refused.epoch, 1U);
  EXPECT_EQ(reference.lease(), before);
  reference.now += Duration::seconds(10);
  EXPECT_EQ(reference.expect<Refused>(reference.acquire_by(node(1), 0)).why, Denial::stale_view);
  EXPECT_EQ(reference.expect<Granted>(reference.acquire_by(node(2), 1)).token.epoch, 2U);
}

TEST(ReferenceLease, grants_a_new_epoch_to_its_own_holder_once_expired) {
  ReferenceFixture reference;
  reference.lead(node(1));
  reference.now += kLease;
  const auto again = reference.expect<Granted>(reference.acquire_by(node(1), 1));
  EXPECT_EQ(again.token.epoch, 2U);
  EXPECT_EQ(again.token.nonce, reference.nonces);
}

TEST(ReferenceLease, renews_from_the_stores_time_and_keeps_the_token) {
  ReferenceFixture reference;
  const Token token = reference.lead(node(1));
  reference.now += Duration::seconds(5);
  const auto renewed = reference.expect<Granted>(Renew{kResource, node(1), token, Duration::seconds(20)});
  EXPECT_EQ(renewed.token, token);
  EXPECT_EQ(renewed.duration, Duration::seconds(20));
  EXPECT_EQ(reference.lease().expires_at, reference.now + Duration::seconds(20));
}

TEST(ReferenceLease, never_shortens_on_a_renewal_and_says_what_really_remains) {
  ReferenceFixture reference;
  const Token token = reference.lead(node(1));
  reference.now += Duration::seconds(5);
  EXPECT_EQ(reference.expect<Granted>(Renew{kResource, node(1), token, Duration::seconds(1)}).duration,
            Duration::seconds(10));
  EXPECT_EQ(reference.expect<Granted>(reference.acquire_by(node(1), 1, Duration::seconds(2))).duration,
            Duration::seconds(10));
}

TEST(ReferenceLease, writes_whole_microseconds_and_says_so) {
  ReferenceFixture reference;
  EXPECT_EQ(reference.expect<Granted>(reference.acquire_by(node(1), 0, Duration::nanos(2'999))).duration,
            Duration::micros(2));
}

TEST(ReferenceLease, refuses_every_token_but_the_holders_own) {
  ReferenceFixture reference;
  EXPECT_EQ(reference.expect<Refused>(Renew{kResource, node(1), {}, kLease}).why, Denial::no_lease);
  const Token token = reference.lead(node(1));
  EXPECT_EQ(reference.expect<Refused>(Renew{kResource, node(2), token, kLease}).why, Denial::other_holder);
  for (const Token& wrong :
       {Token{token.branch + 1, token.epoch, token.nonce}, Token{token.branch, token.epoch + 1, token.nonce},
        Token{token.branch, token.epoch, token.nonce + 1}}) {
    const std::uint64_t before = reference.hash();
    EXPECT_EQ(reference.expect<Refused>(Renew{kResource, node(1), wrong, kLease}).why, Denial::stale_token);
    EXPECT_EQ(reference.expect<Refused>(Release{kResource, node(1), wrong}).why, Denial::stale_token);
    EXPECT_EQ(reference.expect<CommitRefused>(CommitFires{kResource, node(1), wrong, {}}).why,
              Denial::stale_token);
    EXPECT_EQ(reference.hash(), before);
  }
}

TEST(ReferenceLease, refuses_its_holder_once_expired) {
  ReferenceFixture reference;
  const Token token = reference.lead(node(1));
  reference.now += kLease;
  const auto refused = reference.expect<Refused>(Renew{kResource, node(1), token, kLease});
  EXPECT_EQ(refused.why, Denial::expired);
  EXPECT_EQ(refused.epoch, 1U);
  EXPECT_EQ(refused.remaining, Duration{});
  EXPECT_EQ(reference.expect<Refused>(Release{kResource, node(1), token}).why, Denial::expired);
  EXPECT_EQ(reference.expect<CommitRefused>(CommitFires{kResource, node(1), token, {}}).why, Denial::expired);
}

TEST(ReferenceLease, is_free_after_a_release_keeps_its_epoch_and_says_so_to_those_who_wait) {
  ReferenceFixture reference;
  const Token token = reference.lead(node(1));
  reference.expect<Released>(Release{kResource, node(1), token});
  ASSERT_EQ(reference.heard.size(), 1U);
  EXPECT_EQ(reference.heard.front(), (Notification{Notification::What::lease_freed, kResource}));
  EXPECT_EQ(reference.expect<Refused>(Renew{kResource, node(1), token, kLease}).why, Denial::no_lease);
  EXPECT_EQ(reference.expect<Refused>(Release{kResource, node(1), token}).why, Denial::no_lease);
  EXPECT_EQ(reference.heard.size(), 1U);
  EXPECT_EQ(reference.expect<Granted>(reference.acquire_by(node(2), 1)).token.epoch, 2U);
}

// A commit that arrives while nobody holds the lease has the newest epoch there is: an epoch alone would let it in.
TEST(ReferenceLease, refuses_a_commit_between_a_release_and_the_next_grant) {
  ReferenceFixture reference;
  reference.put(1, 0, every(Duration::seconds(10)));
  const Token token = reference.lead(node(1));
  reference.expect<Released>(Release{kResource, node(1), token});
  const std::uint64_t before = reference.hash();
  const CommitFires late{
      kResource, node(1), token, {fired(1, 1, reference.now, reference.now + Duration::seconds(10))}};
  EXPECT_EQ(reference.expect<CommitRefused>(late).why, Denial::no_lease);
  EXPECT_EQ(reference.hash(), before);
}

// Without epoch_seen the lease would be granted to a node that has long given up, for a whole duration.
TEST(ReferenceLease, refuses_an_acquire_that_was_held_up_until_after_the_release) {
  ReferenceFixture reference;
  const Acquire held_up = reference.acquire_by(node(1), 0);
  const Token token = reference.lead(node(1));
  reference.expect<Released>(Release{kResource, node(1), token});
  const std::uint64_t before = reference.hash();
  const auto refused = reference.expect<Refused>(held_up);
  EXPECT_EQ(refused.why, Denial::stale_view);
  EXPECT_EQ(refused.epoch, 1U);
  EXPECT_EQ(refused.holder, Incarnation{});
  EXPECT_EQ(reference.hash(), before);
}

TEST(ReferenceLease, counts_the_whole_promise_again_when_the_clock_went_back) {
  ReferenceFixture reference;
  reference.lead(node(1));
  reference.now = reference.now - Duration::hours(1);
  for (const Incarnation asker : {node(2), node(1)}) {
    reference.now = reference.now - kMicro;
    const auto refused = reference.expect<Refused>(reference.acquire_by(asker, 1));
    EXPECT_EQ(refused.why, Denial::clock_stepped);
    EXPECT_EQ(refused.holder, node(1));
    EXPECT_EQ(refused.epoch, 1U);
    EXPECT_EQ(refused.remaining, kLease);
    EXPECT_EQ(reference.lease().expires_at, reference.now + kLease);
  }
  reference.now += kLease;
  EXPECT_EQ(reference.expect<Granted>(reference.acquire_by(node(2), 1)).token.epoch, 2U);
}

TEST(ReferenceLease, renews_over_a_clock_that_went_back_without_shortening) {
  ReferenceFixture reference;
  const Token token = reference.lead(node(1));
  reference.now = reference.now - Duration::hours(1);
  EXPECT_EQ(reference.expect<Granted>(Renew{kResource, node(1), token, Duration::seconds(1)}).duration,
            kLease);
  EXPECT_EQ(reference.lease().expires_at, reference.now + kLease);
}

TEST(ReferenceLease, tells_no_more_than_the_promise_when_the_clock_went_back) {
  ReferenceFixture reference;
  const Token token = reference.lead(node(1));
  reference.now = reference.now - Duration::hours(1);
  EXPECT_EQ(reference.expect<Refused>(Renew{kResource, node(2), token, kLease}).remaining, kLease);
}

TEST(ReferenceLease, is_free_after_a_release_whatever_the_clock_says) {
  ReferenceFixture reference;
  const Token token = reference.lead(node(1));
  reference.expect<Released>(Release{kResource, node(1), token});
  reference.now = reference.now - Duration::hours(1);
  EXPECT_EQ(reference.expect<Granted>(reference.acquire_by(node(2), 1)).token.epoch, 2U);
}

TEST(ReferenceLease, waits_for_the_whole_promise_after_a_promotion) {
  ReferenceFixture reference;
  const Token token = reference.lead(node(1));
  reference.now += kLease + kLease;  // expired, as far as this replica knows: renewals may be lost
  reference.store.promote(2);
  EXPECT_EQ(reference.expect<Refused>(Renew{kResource, node(1), token, kLease}).why, Denial::stale_token);
  const auto refused = reference.expect<Refused>(reference.acquire_by(node(2), 1));
  EXPECT_EQ(refused.why, Denial::other_branch);
  EXPECT_EQ(refused.holder, node(1));
  EXPECT_EQ(refused.remaining, kLease);
  reference.now += kLease - kMicro;
  EXPECT_EQ(reference.expect<Refused>(reference.acquire_by(node(2), 1)).why, Denial::other_holder);
  reference.now += kMicro;
  const Token next = reference.expect<Granted>(reference.acquire_by(node(2), 1)).token;
  EXPECT_EQ(next.branch, 2U);
  EXPECT_EQ(next.epoch, 2U);
  EXPECT_TRUE(token.older_than(next));
}

TEST(ReferenceLease, gives_its_holder_a_token_of_the_new_branch_once_adopted) {
  ReferenceFixture reference;
  const Token token = reference.lead(node(1));
  reference.store.promote(2);
  EXPECT_EQ(reference.expect<Refused>(reference.acquire_by(node(1), 1)).why, Denial::other_branch);
  EXPECT_EQ(reference.expect<Refused>(Renew{kResource, node(1), token, kLease}).why, Denial::stale_token);
  const Token adopted = reference.expect<Granted>(reference.acquire_by(node(1), 1)).token;
  EXPECT_EQ(adopted, (Token{.branch = 2, .epoch = token.epoch, .nonce = token.nonce}));
  reference.expect<Granted>(Renew{kResource, node(1), adopted, kLease});
}

// The replica's state is the same as if the first grant had never been: no counter can tell the two apart.
TEST(ReferenceLease, refuses_the_holder_of_a_grant_that_a_failover_lost) {
  ReferenceFixture reference;
  reference.put(1, 0, every(Duration::seconds(10)));
  reference.expect<Released>(Release{kResource, node(3), reference.lead(node(3))});
  ReferenceFixture replica = reference;
  const Token lost = reference.lead(node(1));
  replica.store.promote(2);
  replica.nonces = reference.nonces;
  const Token token = replica.lead(node(2));
  ASSERT_EQ(token.epoch, lost.epoch);
  EXPECT_TRUE(lost.older_than(token));

  const std::uint64_t before = replica.hash();
  const std::vector<LedgerRow> rows = {fired(1, 1, replica.now, replica.now + Duration::seconds(10))};
  EXPECT_EQ(replica.expect<CommitRefused>(CommitFires{kResource, node(1), lost, rows}).why,
            Denial::other_holder);
  EXPECT_EQ(replica.expect<CommitRefused>(CommitFires{kResource, node(2), lost, rows}).why,
            Denial::stale_token);
  const Token other_nonce{.branch = 2, .epoch = token.epoch, .nonce = lost.nonce};
  EXPECT_EQ(replica.expect<CommitRefused>(CommitFires{kResource, node(2), other_nonce, rows}).why,
            Denial::stale_token);
  EXPECT_EQ(replica.hash(), before);
}

TEST(ReferenceLease, is_each_resources_own) {
  ReferenceFixture reference;
  reference.lead(node(1));
  const ResourceId other{2};
  const auto granted = reference.expect<Granted>(Acquire{other, node(2), 0, 99, kLease});
  EXPECT_EQ(granted.token.epoch, 1U);
  EXPECT_EQ(reference.lease().holder, node(1));
  EXPECT_EQ(reference.store.lease(other).holder, node(2));
}

TEST(ReferenceStore, is_not_changed_by_reads_and_refusals_of_a_resource_never_heard_of) {
  ReferenceFixture reference;
  const std::uint64_t before = reference.hash();
  reference.due(StoreTime::max());
  reference.outbox();
  reference.changes();
  reference.ask(reference.acquire_by(node(1), 4));
  reference.ask(Renew{kResource, node(1), {}, kLease});
  EXPECT_EQ(reference.hash(), before);
}

}  // namespace
}  // namespace tenure::reference
