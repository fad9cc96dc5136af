#include "sim/protocols/token_ring/token_ring.h"

#include <gtest/gtest.h>

#include "sim/protocols/registry.h"
#include "tests/core/lease/elector_harness.h"
#include "tests/sim/protocols/families.h"

namespace tenure {
namespace {

using testing::Sent;
using testing::Stand;

constexpr std::uint8_t kHold = 0;
constexpr std::uint8_t kTokenAck = 1;
constexpr std::uint8_t kElectAck = 2;
constexpr std::uint8_t kLost = 3;

Token number(std::uint64_t epoch, std::uint64_t seq) { return Token{0, epoch << 32 | seq, 0}; }

// n2 of three: n3 comes after it, then n1.
struct Member : Stand {
  explicit Member(std::uint32_t size = 3, std::uint32_t self = 1) : Stand(kTokenRing, {}, size, self) {
    start();
  }

  // The one message of the last step that is not an acknowledgement.
  Sent sent() const {
    std::vector<Sent> found;
    for (const Sent& sent : world.all<Sent>())
      if (sent.message.kind == "token" || sent.message.kind == "elect") found.push_back(sent);
    EXPECT_EQ(found.size(), 1u);
    return found.empty() ? Sent{} : found.front();
  }
  std::size_t sent_count() const { return world.all<Sent>().size(); }
};

struct Holder : Member {
  explicit Holder(std::uint32_t size = 3, std::uint32_t self = 1) : Member(size, self) {
    hear(0, "token", {1, 5});
  }
};

void expect_message(const Sent& sent, std::uint32_t to, const std::string& kind,
                    std::vector<std::int64_t> words) {
  EXPECT_EQ(sent.to, NodeId{to});
  EXPECT_EQ(sent.message, (Message{kind, std::move(words)}));
}

// ---- the token -------------------------------------------------------------------------------------------

TEST(TokenRing, acknowledges_the_token_and_leads_while_it_holds_it) {
  Holder node;
  ASSERT_EQ(node.sent_count(), 1u);
  expect_message(node.world.all<Sent>()[0], 0, "token-ack", {1, 5});
  ASSERT_EQ(node.world.notes<Believes>().size(), 1u);
  EXPECT_TRUE(std::holds_alternative<Open>(node.world.notes<Believes>()[0].until));
  EXPECT_EQ(node.world.notes<Believes>()[0].token, number(1, 5));
  EXPECT_EQ(node.leadership().token, number(1, 5));
  EXPECT_EQ(node.timer(kHold), node.world.now() + Duration::seconds(1));
  EXPECT_EQ(node.timer(kLost), std::nullopt);
}

TEST(TokenRing, hands_the_token_on_under_the_next_number) {
  Holder node;
  node.fire(kHold);
  EXPECT_FALSE(node.leads());
  EXPECT_EQ(node.world.notes<StepsDown>().size(), 1u);
  expect_message(node.sent(), 2, "token", {1, 6});
  EXPECT_EQ(node.timer(kTokenAck), node.world.now() + Duration::millis(200));
  node.hear(2, "token-ack", {1, 6});
  EXPECT_EQ(node.timer(kTokenAck), std::nullopt);
  EXPECT_EQ(node.timer(kLost), node.world.now() + Duration::seconds(10));
}

TEST(TokenRing, sends_the_same_token_again_when_no_acknowledgement_comes) {
  Holder node;
  node.fire(kHold);
  for (int retry = 0; retry < 2; ++retry) {
    node.fire(kTokenAck);
    expect_message(node.sent(), 2, "token", {1, 6});
  }
}

// The published weak point: with the acknowledgements lost, n3 and n1 both hold number 6.
TEST(TokenRing, takes_silence_for_death_and_hands_the_same_token_to_the_next_one) {
  Holder node;
  node.fire(kHold);
  node.fire(kTokenAck);
  node.fire(kTokenAck);
  node.fire(kTokenAck);
  expect_message(node.sent(), 0, "token", {1, 6});
  node.hear(2, "token-ack", {1, 6});  // too late: it has been given up
  EXPECT_NE(node.timer(kTokenAck), std::nullopt);
}

TEST(TokenRing, keeps_the_token_when_nobody_takes_it) {
  Holder node;
  node.fire(kHold);
  for (int silence = 0; silence < 6; ++silence) node.fire(kTokenAck);
  EXPECT_TRUE(node.leads());
  EXPECT_EQ(node.leadership().token, number(1, 6));
}

TEST(TokenRing, a_token_sent_again_is_acknowledged_and_dropped) {
  Holder node;
  node.hear(0, "token", {1, 5});
  EXPECT_EQ(node.sent_count(), 1u);
  EXPECT_TRUE(node.world.notes<Believes>().empty());
  node.fire(kHold);
  node.hear(2, "token-ack", {1, 6});
  node.hear(0, "token", {1, 5});  // it held that one before
  node.hear(0, "token", {1, 6});  // it made that one itself
  EXPECT_FALSE(node.leads());
}

TEST(TokenRing, tokens_of_lower_epochs_are_dropped_and_of_higher_ones_taken) {
  Holder node;
  node.hear(0, "token", {2, 1});
  EXPECT_EQ(node.leadership().token, number(2, 1));
  node.hear(0, "token", {1, 99});
  EXPECT_EQ(node.sent_count(), 1u);
  EXPECT_EQ(node.leadership().token, number(2, 1));
}

TEST(TokenRing, a_newer_token_takes_the_place_of_one_being_handed_on) {
  Holder node;
  node.fire(kHold);
  node.hear(0, "token", {1, 8});
  EXPECT_EQ(node.timer(kTokenAck), std::nullopt);
  EXPECT_EQ(node.leadership().token, number(1, 8));
}

TEST(TokenRing, an_acknowledgement_must_match) {
  Holder node;
  node.fire(kHold);
  node.hear(0, "token-ack", {1, 6});  // not whom it was sent to
  node.hear(2, "token-ack", {1, 5});
  node.hear(2, "elect-ack", {1, 6});
  EXPECT_NE(node.timer(kTokenAck), std::nullopt);
}

TEST(TokenRing, a_ring_of_one_keeps_the_token) {
  Member node(1, 0);
  node.fire(kLost);
  EXPECT_EQ(node.leadership().token, number(1, 1));
  node.fire(kHold);
  EXPECT_EQ(node.leadership().token, number(1, 2));
  EXPECT_EQ(node.sent_count(), 0u);
}

TEST(TokenRing, a_paused_holder_still_believes) {
  Holder node;
  node.world.advance(Duration::minutes(1));
  EXPECT_TRUE(node.leads());
}

// ---- elections -------------------------------------------------------------------------------------------

TEST(TokenRing, a_node_that_misses_the_token_stands_for_the_next_epoch) {
  Member node;
  node.fire(kLost);
  expect_message(node.sent(), 2, "elect", {1, 1});
  node.hear(0, "token", {4, 1});
  node.fire(kHold);
  node.hear(2, "token-ack", {4, 2});
  node.fire(kLost);
  expect_message(node.sent(), 2, "elect", {5, 1});
}

TEST(TokenRing, the_higher_candidate_goes_on) {
  Member node;
  node.hear(0, "elect", {1, 0});
  expect_message(node.world.all<Sent>()[0], 0, "elect-ack", {1, 0});
  expect_message(node.sent(), 2, "elect", {1, 1});
  node.hear(0, "elect", {1, 2});
  expect_message(node.sent(), 2, "elect", {1, 2});
  node.hear(0, "elect", {1, 0});  // overtaken
  EXPECT_EQ(node.sent_count(), 1u);
}

TEST(TokenRing, a_candidacy_that_comes_back_wins_the_first_token_of_its_epoch) {
  Member node;
  node.fire(kLost);
  node.hear(2, "elect-ack", {1, 1});
  node.hear(0, "elect", {1, 1});
  EXPECT_EQ(node.leadership().token, number(1, 1));
}

TEST(TokenRing, a_candidacy_goes_round_once) {
  Member node;
  node.hear(0, "elect", {1, 2});
  node.hear(0, "elect", {1, 2});  // its owner is dead, or it would have taken it
  EXPECT_EQ(node.sent_count(), 1u);
}

TEST(TokenRing, an_own_candidacy_that_was_beaten_does_not_win) {
  Member node;
  node.fire(kLost);
  node.hear(0, "elect", {1, 2});
  node.hear(0, "elect", {1, 1});
  EXPECT_FALSE(node.leads());
}

TEST(TokenRing, elections_for_epochs_decided_or_overtaken_are_dropped) {
  Holder node;
  node.hear(0, "elect", {1, 2});
  EXPECT_EQ(node.sent_count(), 1u);  // the acknowledgement
  node.hear(0, "elect", {4, 2});
  EXPECT_EQ(node.sent_count(), 2u);
  node.hear(0, "elect", {3, 2});
  EXPECT_EQ(node.sent_count(), 1u);
}

TEST(TokenRing, an_election_does_not_take_the_token_from_its_holder) {
  Holder node;  // the published weak point: the token was not lost, and soon there are two
  node.hear(0, "elect", {2, 2});
  EXPECT_TRUE(node.leads());
}

TEST(TokenRing, elections_skip_the_silent_too) {
  Member node;
  node.fire(kLost);
  for (int silence = 0; silence < 3; ++silence) node.fire(kElectAck);
  expect_message(node.sent(), 0, "elect", {1, 1});
  for (int silence = 0; silence < 3; ++silence) node.fire(kElectAck);
  EXPECT_EQ(node.leadership().token, number(1, 1));  // alone
}

TEST(TokenRing, an_election_that_comes_to_nothing_is_followed_by_another) {
  Member node;
  node.fire(kLost);
  node.hear(2, "elect-ack", {1, 1});
  node.fire(kLost);
  expect_message(node.sent(), 2, "elect", {2, 1});
}

// ---- stopping --------------------------------------------------------------------------------------------

TEST(TokenRing, a_holder_asked_to_stop_hands_the_token_on_first) {
  Holder node;
  node.step(StopAsked{});
  expect_message(node.sent(), 2, "token", {1, 6});
  EXPECT_TRUE(node.world.notes<Stopped>().empty());
  node.hear(0, "token", {1, 8});  // not acknowledged: it goes to the next one
  EXPECT_EQ(node.sent_count(), 0u);
  node.hear(2, "token-ack", {1, 6});
  EXPECT_EQ(node.world.notes<Stopped>().size(), 1u);
  EXPECT_TRUE(node.world.timers().empty());
}

TEST(TokenRing, others_stop_at_once) {
  Member node;
  node.fire(kLost);  // an election under way is not waited for
  node.step(StopAsked{});
  EXPECT_EQ(node.world.notes<Stopped>().size(), 1u);
  EXPECT_TRUE(node.world.timers().empty());
}

TEST(TokenRing, a_stop_does_not_wait_for_ever) {
  Holder node;
  node.step(StopAsked{});
  for (int silence = 0; silence < 6; ++silence) node.fire(kTokenAck);
  EXPECT_EQ(node.world.notes<Stopped>().size(), 1u);
}

// ---- input from outside ----------------------------------------------------------------------------------

TEST(TokenRing, nonsense_is_ignored) {
  Member node;
  for (const Message& message :
       {Message{"token", {}}, Message{"token", {1}}, Message{"token", {0, 1}}, Message{"token", {-1, 1}},
        Message{"token", {1, -1}}, Message{"token", {1, 1, 1}}, Message{"token", {INT64_MAX, 1}},
        Message{"elect", {1, 3}}, Message{"hello", {1, 1}}}) {
    node.step(MessageReceived{NodeId{0}, message});
    EXPECT_TRUE(node.world.effects().empty()) << describe(message);
  }
  node.hear(3, "token", {1, 1});  // no such node in the ring
  EXPECT_TRUE(node.world.effects().empty());
}

TEST(TokenRingParameters, a_timeout_below_the_smallest_rotation_is_unsafe) {
  const ElectorKind* kind = &kTokenRing;
  Parameters parameters{kind->parameters()};
  EXPECT_TRUE(kind->validate(parameters).empty());
  parameters.set(parameters.find("token_timeout"), Duration::seconds(2).ns());
  const auto found = kind->validate(parameters);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].accept, "timeout-below-rotation");
}

}  // namespace
}  // namespace tenure
