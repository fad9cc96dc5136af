#include "core/lease/fenced_lease/fenced_lease.h"

#include <gtest/gtest.h>

#include "core/base/int128.h"
#include "tests/core/lease/elector_talk.h"

// A store that fenced-lease does not know.
namespace tenure::elsewhere {
struct NotFound {};
using Reply = std::variant<NotFound>;
static const MessageKind& kind_of(const Reply*) {
  static constexpr MessageKind kKind{.number = 255,
                                     .describe = [](const void*) { return std::string("not found"); }};
  return kKind;
}
static Reply family_of(Reply family) { return family; }
}  // namespace tenure::elsewhere

namespace tenure::fenced_lease_tests {
namespace {

using testing::Stand;

constexpr std::uint8_t kNext = 0;
constexpr Duration kLease = Duration::seconds(15);
TEST(FencedLease, does_as_its_text_says) {
  testing::expect_interaction<testing::ElectorTalk>("tests/core/lease/fenced_lease.txt", &kFencedLease);
}

// ---- belief ----------------------------------------------------------------------------------------------

TEST(FencedLease, belief_is_exact_where_64_bits_overflow) {
  constexpr Duration lease = Duration::hours(10);  // 3.6e13 ns * 999500 > 2^64
  const auto exact = static_cast<std::int64_t>(static_cast<int128>(lease.ns()) * 999'500 / 1'000'500) -
                     Duration::millis(100).ns();
  EXPECT_EQ(fenced_lease_belief(lease, 500, Duration::millis(100)).ns(), exact);
  EXPECT_EQ(exact, 35'963'917'991'004);
}

TEST(FencedLease, belief_is_rounded_down) {
  // 10 * 999500 / 1000500 = 9.99…
  EXPECT_EQ(fenced_lease_belief(Duration::nanos(10), 500, Duration{}), Duration::nanos(9));
  EXPECT_EQ(fenced_lease_belief(Duration::nanos(10), 0, Duration{}), Duration::nanos(10));
  EXPECT_LT(fenced_lease_belief(Duration::nanos(10), 500, Duration::nanos(20)), Duration{});
}

// However the two clocks run within the bound, B on the holder's clock is over before T on the store's.
TEST(FencedLease, belief_ends_before_the_lease_for_all_rates_within_the_bound) {
  for (const std::int64_t ppm : {0, 1, 500, 83'333, 500'000}) {
    for (const Duration lease : {Duration::micros(1), Duration::seconds(15), Duration::hours(100)}) {
      const Duration belief = fenced_lease_belief(lease, ppm, Duration{});
      // The holder's clock slow, the store's fast: true lengths B / (1 - rho) and T / (1 + rho), multiplied out.
      EXPECT_LE(static_cast<int128>(belief.ns()) * (1'000'000 + ppm),
                static_cast<int128>(lease.ns()) * (1'000'000 - ppm));
    }
  }
}

TEST(FencedLease, replies_to_nothing_asked_are_ignored) {
  Stand node(kFencedLease);
  node.start();
  node.answer(node.asked<reference::Acquire>(), reference::Granted{Token{0, 1, 1}, kLease});
  StoreReplied stray;
  stray.id = RequestId{node.world.self(), 99};
  stray.sent_at = node.world.now();
  stray.outcome = RequestOutcome::applied;
  stray.reply =
      reference::Reply{reference::Refused{reference::Denial::other_holder, {NodeId{1}, 1}, 7, kLease}};
  node.step(stray);
  EXPECT_TRUE(node.leads());
  EXPECT_TRUE(node.world.effects().empty());
}

TEST(FencedLease, a_reply_of_another_family_counts_as_unknown) {
  Stand node(kFencedLease);
  node.start();
  node.answer(node.asked<reference::Acquire>(), elsewhere::NotFound{});
  EXPECT_EQ(node.timer(kNext), node.world.now() + Duration::seconds(2));
}

}  // namespace
}  // namespace tenure::fenced_lease_tests
