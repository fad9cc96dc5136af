// What checkers say of terms, tokens, and the writes made under them.
#include <gtest/gtest.h>

#include "tests/sim/checkers/history.h"

namespace tenure::sim {
namespace {

const reference::Request kCommit = reference::CommitFires{kResource, kN1, token(1), {}};

void commit(History& h, Incarnation who, const Token& shown, std::uint32_t branch = 0) {
  const reference::Request request = reference::CommitFires{kResource, who, shown, {}};
  h.applies(who, request, reference::Reply{reference::Committed{}}, branch);
}

TEST(OneHolderPerEpoch, finds_two_grants_of_one_epoch_by_their_nonces) {
  History h{reference_scenario()};
  h.at(seconds(1));
  h.granted(kN1, token(6, 77));
  h.at(seconds(2));
  h.granted(kN2, token(6, 88));
  ASSERT_EQ(h.checker("one-holder-per-epoch").violation_count(), 1u);
  EXPECT_EQ(h.first_message("one-holder-per-epoch"),
            "epoch 6 has two holders: n1 since 1.000s, and n2, which is granted it at 2.000s, from another "
            "grant of the "
            "same epoch");
}

TEST(OneHolderPerEpoch, does_not_take_epochs_of_two_branches_for_one) {
  History h{reference_scenario()};
  h.granted(kN1, Token{0, 6, 77});
  h.granted(kN2, Token{1, 6, 88});
  EXPECT_EQ(h.checker("one-holder-per-epoch").violation_count(), 0u);
  EXPECT_EQ(h.checker("epochs-increase").violation_count(), 0u);
}

TEST(OneHolderPerEpoch, tells_two_lives_of_a_node_apart) {
  History h{reference_scenario()};
  h.granted(kN1, token(1));
  h.believes_for({kN1.node, 2}, seconds(1), token(1));
  EXPECT_EQ(h.checker("one-holder-per-epoch").violation_count(), 1u);
}

TEST(OneHolderPerEpoch, says_that_it_does_not_judge_a_term_too_long_ago) {
  History h{ring_scenario()};
  for (std::uint64_t epoch = 1; epoch <= 6'000; ++epoch) h.believes(kN1, Open{}, token(epoch));
  h.believes(kN2, Open{}, token(5'000));
  EXPECT_EQ(h.checker("one-holder-per-epoch").violation_count(), 1u);
  h.believes(kN2, Open{}, token(17));
  h.finishes();
  EXPECT_EQ(h.checker("one-holder-per-epoch").violation_count(), 1u);
  ASSERT_EQ(h.checker("one-holder-per-epoch").not_judged().size(), 1u);
  EXPECT_EQ(h.checker("one-holder-per-epoch").not_judged()[0],
            "who held terms that are older than the newest 4096: epoch 17 (n2 believes in it at 0.000s)");
}

TEST(OneHolderPerEpoch, counts_a_term_once_and_reports_a_second_holder_once) {
  History h{reference_scenario()};
  h.granted(kN1, token(1));
  EXPECT_EQ(h.checker("one-holder-per-epoch").opportunities(), 0u);
  for (int i = 0; i < 5; ++i) h.believes_for(kN1, seconds(10), token(1));
  EXPECT_EQ(h.checker("one-holder-per-epoch").opportunities(), 1u);
  h.granted(kN2, token(2));
  EXPECT_EQ(h.checker("one-holder-per-epoch").opportunities(), 2u);
  h.believes_for(kN2, seconds(10), token(2));
  EXPECT_EQ(h.checker("one-holder-per-epoch").opportunities(), 2u);
  for (int i = 0; i < 5; ++i) h.lands(kN2, {}, token(1), DeliveryOutcome::fenced);
  EXPECT_EQ(h.checker("one-holder-per-epoch").violation_count(), 1u);
}

TEST(EpochsIncrease, takes_no_notice_of_an_extension) {
  History h{reference_scenario()};
  for (int i = 0; i < 3; ++i) h.granted(kN1, token(4));
  EXPECT_EQ(h.checker("epochs-increase").opportunities(), 1u);
  EXPECT_EQ(h.checker("epochs-increase").violation_count(), 0u);
}

TEST(EpochsIncrease, finds_an_epoch_that_is_granted_twice) {
  History h{reference_scenario()};
  h.granted(kN1, token(4, 1));
  h.granted(kN2, token(4, 2));
  EXPECT_EQ(h.first_message("epochs-increase"),
            "n2 is granted epoch 4 at 0.000s, after epoch 4, which n1 had at 0.000s");
}

TEST(EpochsIncrease, looks_at_beliefs_where_no_store_grants_and_lets_a_token_be_repeated) {
  History h{ring_scenario()};
  h.believes(kN1, Open{}, token(1));
  h.believes(kN1, Open{}, token(1));
  h.steps_down(kN1);
  h.believes(kN2, Open{}, token(2));
  EXPECT_EQ(h.checker("epochs-increase").opportunities(), 2u);
  EXPECT_EQ(h.checker("epochs-increase").violation_count(), 0u);
  h.believes(kN3, Open{}, token(2));  // the same token twice in the ring
  EXPECT_EQ(h.checker("epochs-increase").violation_count(), 1u);
}

TEST(FencedWrites, wants_the_lease_unexpired_at_the_commit) {
  History h{reference_scenario()};
  h.at(seconds(1));
  h.granted(kN1, token(1), seconds(10));
  h.at(seconds(11) - Duration::micros(1));
  commit(h, kN1, token(1));
  EXPECT_EQ(h.checker("fenced-writes").violation_count(), 0u);
  h.at(seconds(11));
  commit(h, kN1, token(1));
  EXPECT_EQ(h.first_message("fenced-writes"),
            "the store accepted a write of n1 under epoch 1 at 11.000s, 0s after its lease had expired");
}

TEST(FencedWrites, follows_renewals_and_releases) {
  History h{reference_scenario()};
  h.granted(kN1, token(1), seconds(10));
  h.at(seconds(5));
  h.renewed(kN1, token(1), seconds(10));
  h.at(seconds(14));
  commit(h, kN1, token(1));
  EXPECT_EQ(h.checker("fenced-writes").violation_count(), 0u);
  EXPECT_EQ(h.checker("fenced-writes").opportunities(), 2u);  // the renewal is a write too
  h.applies(kN1, reference::Request{reference::Release{kResource, kN1, token(1)}},
            reference::Reply{reference::Released{}});
  commit(h, kN1, token(1));
  EXPECT_EQ(h.first_message("fenced-writes"),
            "the store accepted a write of n1 under epoch 1 at 14.000s, when nobody held the lease");
}

// With a check of the epoch alone, a commit between a release and the next grant would be taken.
TEST(FencedWrites, wants_holder_epoch_and_nonce) {
  History h{reference_scenario()};
  h.granted(kN1, token(1));
  commit(h, kN2, token(1));
  commit(h, kN1, token(1, 5));
  commit(h, kN1, Token{1, 1, 101});
  EXPECT_EQ(h.checker("fenced-writes").violation_count(), 3u);
  commit(h, kN1, token(1));
  EXPECT_EQ(h.checker("fenced-writes").violation_count(), 3u);
}

TEST(FencedWrites, has_nothing_against_a_refusal) {
  History h{reference_scenario()};
  h.applies(kN1, kCommit, reference::Reply{reference::CommitRefused{reference::Denial::no_lease, false}});
  h.applies(kN1, reference::Request{reference::Renew{kResource, kN1, token(1), seconds(1)}},
            reference::Reply{reference::Refused{reference::Denial::no_lease, {}, 0, {}}});
  EXPECT_EQ(h.checker("fenced-writes").opportunities(), 0u);
}

TEST(FencedWrites, wants_no_grant_while_another_holds_the_lease) {
  History h{reference_scenario()};
  h.granted(kN1, token(1), seconds(10));
  h.at(seconds(9));
  h.granted(kN2, token(2), seconds(10));
  EXPECT_EQ(h.checker("fenced-writes").violation_count(), 1u);
  h.at(seconds(19));
  h.granted(kN1, token(3), seconds(10));
  h.granted(kN1, token(4), seconds(10));  // its own
  EXPECT_EQ(h.checker("fenced-writes").violation_count(), 1u);
}

// The store's clock went back an hour: the lease is counted again from there, and runs out by the clock as it is.
TEST(FencedWrites, counts_a_rebased_lease_from_the_clock_as_it_is_now) {
  History h{reference_scenario()};
  h.granted(kN1, token(1), seconds(10));
  h.at(seconds(1));
  h.view.store_ahead = -Duration::hours(1);
  h.applies(kN2, reference::Request{reference::Acquire{kResource, kN2, 1, 9, seconds(10)}},
            reference::Reply{reference::Refused{reference::Denial::clock_stepped, kN1, 1, seconds(10)}});
  h.at(seconds(10));
  commit(h, kN1, token(1));
  EXPECT_EQ(h.checker("fenced-writes").violation_count(), 0u);
  h.at(seconds(12));
  commit(h, kN1, token(1));
  EXPECT_EQ(h.checker("fenced-writes").violation_count(), 1u);
}

TEST(FencedWrites, does_not_let_a_refusal_lengthen_the_lease) {
  History h{reference_scenario()};
  h.granted(kN1, token(1), seconds(10));
  h.at(seconds(9));
  h.applies(kN2, reference::Request{reference::Acquire{kResource, kN2, 1, 9, seconds(10)}},
            reference::Reply{reference::Refused{reference::Denial::other_holder, kN1, 1, seconds(10)}});
  h.at(seconds(11));
  commit(h, kN1, token(1));
  EXPECT_EQ(h.checker("fenced-writes").violation_count(), 1u);
}

TEST(FencedWrites, knows_nothing_after_a_promotion_until_the_next_grant) {
  History h{reference_scenario()};
  h.granted(kN1, token(1));
  const auto before = h.checker("fenced-writes").opportunities();
  h.applies(kN1, reference::Request{reference::CommitFires{kResource, kN1, Token{1, 1, 101}, {}}},
            reference::Reply{reference::Committed{}}, 1);
  EXPECT_EQ(h.checker("fenced-writes").opportunities(), before);
  commit(h, kN1, token(1), 1);  // but a token of the old branch is good for nothing
  EXPECT_EQ(h.checker("fenced-writes").violation_count(), 1u);
}

TEST(FencedWrites, lets_the_outside_world_refuse_what_is_stale) {
  History h{reference_scenario()};
  h.granted(kN1, token(1));
  h.lands(kN2, seconds(10), token(2));
  h.lands(kN1, {}, token(1), DeliveryOutcome::fenced);
  EXPECT_EQ(h.checker("fenced-writes").violation_count(), 0u);
  h.lands(kN1, {}, token(1), DeliveryOutcome::begun);
  EXPECT_EQ(h.first_message("fenced-writes"),
            "n1 began billing 2026-01-01T00:00:00Z under epoch 1 at 0.000s, after n2 had begun work under "
            "epoch 2 at "
            "0.000s");
}

TEST(FencedWrites, applies_where_something_is_written_under_tokens) {
  const CheckerKind* kind = find_checker_kind("fenced-writes");
  EXPECT_EQ(kind->not_applicable(reference_scenario()), nullptr);
  EXPECT_EQ(kind->not_applicable(ring_scenario()), nullptr);
  EXPECT_STREQ(kind->not_applicable(table_scenario()), "the protocol has no tokens");
  Scenario alone = ring_scenario();
  alone.scheduler = nullptr;
  EXPECT_STREQ(kind->not_applicable(alone), "nothing is written under the protocol's tokens");
}

}  // namespace
}  // namespace tenure::sim
