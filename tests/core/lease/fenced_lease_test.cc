#include "core/lease/fenced_lease/fenced_lease.h"

#include <gtest/gtest.h>

#include "core/base/int128.h"
#include "tests/core/lease/elector_harness.h"

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
constexpr std::uint8_t kEnd = 1;
constexpr Duration kLease = Duration::seconds(15);
constexpr Duration kRtt = Duration::millis(4);
// 15 s * 999500 / 1000500 - 100 ms, rounded down.
constexpr Duration kBelief = Duration::nanos(14'885'007'496);

Token epoch(std::uint64_t number, std::uint64_t nonce = 1) { return Token{0, number, nonce}; }

reference::Refused held_by_other(Duration remaining, std::uint64_t epoch = 7) {
  return {reference::Denial::other_holder, Incarnation{NodeId{1}, 1}, epoch, remaining};
}

// A node that was granted epoch 1, sent at `granted_at`, answered one round trip later.
struct Leader : Stand {
  explicit Leader(const Settings& settings = {}) : Stand(kFencedLease, settings) {
    start();
    granted_at = world.now();
    const RequestId id = asked<reference::Acquire>();
    world.advance(kRtt);
    answer(id, reference::Granted{epoch(1), kLease});
  }
  // Lets the renewal be sent and gives its id.
  RequestId renew() {
    fire(kNext);
    return asked<reference::Renew>();
  }
  MonoTime granted_at;
};

struct Standby : Stand {
  explicit Standby(const Settings& settings = {}) : Stand(kFencedLease, settings) {
    start();
    first = asked<reference::Acquire>();
    world.advance(kRtt);
  }
  RequestId first;
};

// ---- belief ----------------------------------------------------------------------------------------------

TEST(FencedLease, asks_for_the_lease_at_start) {
  Stand node(kFencedLease);
  node.start();
  const auto asked = node.world.only_request<reference::Acquire>();
  EXPECT_EQ(asked.request.holder, node.world.self());
  EXPECT_EQ(asked.request.epoch_seen, 0u);
  EXPECT_NE(asked.request.nonce, 0u);
  EXPECT_EQ(asked.request.duration, kLease);
  EXPECT_EQ(asked.submission.part, Part::elector);
  EXPECT_FALSE(asked.submission.as_leader);
  EXPECT_EQ(asked.submission.deadline, node.world.now() + Duration::seconds(3));
  EXPECT_FALSE(node.leads());
}

TEST(FencedLease, counts_belief_from_the_send) {
  Leader node;
  EXPECT_EQ(node.leadership().believed_until, node.granted_at + kBelief);
  EXPECT_EQ(node.leadership().token, epoch(1));
  const auto believes = node.world.notes<Believes>();
  ASSERT_EQ(believes.size(), 1u);
  EXPECT_EQ(std::get<MonoTime>(believes[0].until), node.granted_at + kBelief);
  EXPECT_EQ(node.timer(kEnd), node.granted_at + kBelief);
}

TEST(FencedLease, counts_belief_from_the_duration_in_the_reply) {
  Standby node;
  const MonoTime sent_at = node.world.now() - kRtt;
  node.answer(node.first, reference::Granted{epoch(1), Duration::seconds(8)});
  EXPECT_EQ(node.leadership().believed_until,
            sent_at + fenced_lease_belief(Duration::seconds(8), 500, Duration::millis(100)));
}

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

TEST(FencedLease, renews_a_period_after_the_send_before) {
  Leader node;
  EXPECT_EQ(node.timer(kNext), node.granted_at + Duration::seconds(5));
  node.renew();
  const auto renewal = node.world.only_request<reference::Renew>();
  EXPECT_EQ(renewal.request.token, epoch(1));
  EXPECT_EQ(node.timer(kNext), renewal.at + Duration::seconds(5));
  EXPECT_TRUE(node.world.notes<Believes>().empty());  // asking is not getting
}

TEST(FencedLease, a_renewal_extends_belief_from_its_own_send) {
  Leader node;
  const RequestId id = node.renew();
  const MonoTime sent_at = node.world.now();
  node.world.advance(Duration::seconds(2));
  node.answer(id, reference::Granted{epoch(1), kLease});
  EXPECT_EQ(node.leadership().believed_until, sent_at + kBelief);
  EXPECT_EQ(node.world.notes<Believes>().size(), 1u);
  EXPECT_EQ(node.timer(kEnd), sent_at + kBelief);
}

TEST(FencedLease, belief_is_the_latest_of_the_grants_whatever_their_order) {
  Leader node({{"request_timeout", Duration::seconds(20).ns()}});
  const RequestId early = node.renew();
  node.fire(kEnd);
  node.fire(kNext);
  const MonoTime sent_late = node.world.now();
  node.world.advance(kRtt);
  node.answer(node.asked<reference::Acquire>(), reference::Granted{epoch(1), kLease});
  EXPECT_EQ(node.leadership().believed_until, sent_late + kBelief);
  node.answer(early, reference::Granted{epoch(1), kLease});
  EXPECT_EQ(node.leadership().believed_until, sent_late + kBelief);
  EXPECT_TRUE(node.world.notes<Believes>().empty());
}

TEST(FencedLease, a_renewal_waits_for_the_answer_to_the_one_before) {
  Leader node({{"request_timeout", Duration::seconds(10).ns()}});
  const RequestId slow = node.renew();
  const MonoTime sent = node.world.now();
  node.fire(kNext);
  EXPECT_TRUE(node.world.all<testing::Requested>().empty());
  node.world.advance(Duration::seconds(2));
  node.answer(slow, reference::Granted{epoch(1), kLease});
  EXPECT_EQ(node.leadership().believed_until, sent + kBelief);
  EXPECT_EQ(node.timer(kNext), node.world.now());
  node.renew();
}

TEST(FencedLease, a_renewal_that_is_due_leaves_at_once_when_the_one_before_is_given_up) {
  Leader node({{"request_timeout", Duration::seconds(10).ns()}});
  const RequestId lost = node.renew();
  node.fire(kNext);
  node.world.advance(Duration::seconds(5));
  node.step(node.world.unknown(lost));
  EXPECT_EQ(node.timer(kNext), node.world.now()) << "and not after retry_period";
}

TEST(FencedLease, many_notifications_make_no_more_than_two_acquires) {
  Standby node;
  for (int i = 0; i < 20; ++i) {
    node.step(ChangeNotified{StoreId{0}, {Notification::What::lease_freed, ResourceId{0}}});
    if (node.timer(kNext)) node.fire(kNext);
    ASSERT_LE(node.world.outstanding().size(), 2u);
  }
  node.answer(node.first, held_by_other(Duration::seconds(9)));  // stale: says nothing of now
  EXPECT_EQ(node.timer(kNext), node.world.now());
}

TEST(FencedLease, a_shorter_grant_does_not_shorten_belief) {
  Leader node;
  const RequestId id = node.renew();
  node.answer(id, reference::Granted{epoch(1), Duration::seconds(1)});
  EXPECT_EQ(node.leadership().believed_until, node.granted_at + kBelief);
}

TEST(FencedLease, unknown_and_rejected_never_extend_belief) {
  for (const bool unknown : {true, false}) {
    Leader node;
    const RequestId id = node.renew();
    node.world.advance(Duration::seconds(1));
    node.world.draw("retry jitter", 150'000'000);
    node.step(unknown ? node.world.unknown(id) : node.world.rejected(id));
    EXPECT_EQ(node.leadership().believed_until, node.granted_at + kBelief);
    EXPECT_TRUE(node.world.notes<Believes>().empty());
    EXPECT_EQ(node.timer(kNext), node.world.now() + Duration::millis(2150));
  }
}

TEST(FencedLease, a_retry_is_never_later_than_the_renewal_planned) {
  Leader node;
  const RequestId id = node.renew();
  const MonoTime sent_at = node.world.now();
  node.world.advance(Duration::millis(3500));
  node.step(node.world.unknown(id));
  EXPECT_EQ(node.timer(kNext), sent_at + Duration::seconds(5));
}

// ---- stepping down ---------------------------------------------------------------------------------------

TEST(FencedLease, steps_down_by_itself_when_belief_runs_out) {
  Leader node;
  const RequestId unanswered = node.renew();
  node.fire(kEnd);
  EXPECT_FALSE(node.leads());
  EXPECT_EQ(node.leadership().token, std::nullopt);
  ASSERT_EQ(node.world.notes<StepsDown>().size(), 1u);
  EXPECT_EQ(node.world.notes<StepsDown>()[0].why, "belief ran out");
  EXPECT_EQ(node.timer(kNext), node.world.now());  // asks anew at once: the lease may still be its own
  static_cast<void>(unanswered);
}

TEST(FencedLease, leadership_ends_by_the_clock_before_any_step) {
  Leader node;
  node.world.advance(kBelief - kRtt - Duration::nanos(1));
  EXPECT_TRUE(node.leads());
  node.world.advance(Duration::nanos(1));
  EXPECT_FALSE(node.leads());
}

TEST(FencedLease, after_a_pause_any_input_first_meets_the_clock) {
  Leader node;
  node.world.advance(Duration::seconds(20));
  node.step(ChangeNotified{StoreId{}, {Notification::What::schedules_changed, ResourceId{}}});
  EXPECT_EQ(node.world.notes<StepsDown>().size(), 1u);
}

TEST(FencedLease, a_refused_renewal_ends_leadership_at_once) {
  Leader node;
  const RequestId id = node.renew();
  node.world.draw("retry jitter", 30);
  node.answer(id, held_by_other(Duration::seconds(9), 2));
  EXPECT_FALSE(node.leads());
  EXPECT_EQ(node.world.notes<StepsDown>()[0].why, "renewal refused: another holds the lease");
  EXPECT_EQ(node.timer(kEnd), std::nullopt);
  EXPECT_EQ(node.timer(kNext), node.world.now() + Duration::seconds(9) + Duration::nanos(30));
  node.fire(kNext);
  EXPECT_EQ(node.world.only_request<reference::Acquire>().request.epoch_seen, 2u);
}

TEST(FencedLease, a_refusal_of_an_older_token_does_not_end_a_newer_leadership) {
  Leader node;
  const RequestId old = node.renew();
  node.fire(kEnd);
  node.fire(kNext);
  node.answer(node.asked<reference::Acquire>(), reference::Granted{epoch(2, 2), kLease});
  ASSERT_TRUE(node.leads());
  node.answer(old, reference::Refused{reference::Denial::stale_token, node.world.self(), 2, kLease});
  EXPECT_TRUE(node.leads());
  EXPECT_EQ(node.leadership().token, epoch(2, 2));
}

TEST(FencedLease, a_grant_of_a_refused_token_is_not_believed) {
  Leader node({{"request_timeout", Duration::seconds(20).ns()}});
  const RequestId renewal = node.renew();
  node.fire(kEnd);
  node.fire(kNext);
  const RequestId acquire = node.asked<reference::Acquire>();
  node.answer(renewal, held_by_other(Duration::seconds(9), 2));
  node.answer(acquire,
              reference::Granted{epoch(1), kLease});  // executed before the other, delivered after it
  EXPECT_FALSE(node.leads());
  EXPECT_EQ(node.world.only_request<reference::Release>().request.token, epoch(1));
}

TEST(FencedLease, the_same_token_may_be_believed_again_after_belief_ran_out) {
  Leader node;
  node.renew();
  node.fire(kEnd);
  node.fire(kNext);
  const MonoTime sent_at = node.world.now();
  node.answer(node.asked<reference::Acquire>(),
              reference::Granted{epoch(1), kLease});  // extended: nobody took it
  EXPECT_TRUE(node.leads());
  EXPECT_EQ(node.leadership().believed_until, sent_at + kBelief);
}

// What it sends may arrive although no answer does. An acquire would then keep the lease from everybody else.
TEST(FencedLease, a_former_leader_that_is_not_answered_gives_the_lease_back) {
  Leader node;
  node.fire(kEnd);
  node.fire(kNext);
  node.step(node.world.unknown(node.asked<reference::Acquire>()));
  EXPECT_EQ(node.world.only_request<reference::Release>().request.token, epoch(1));
  node.step(node.world.unknown(node.asked<reference::Release>()));
  node.fire(kNext);
  EXPECT_EQ(node.world.only_request<reference::Release>().request.token, epoch(1));
}

TEST(FencedLease, a_former_leader_whose_request_was_rejected_asks_again) {
  Leader node;
  node.fire(kEnd);
  node.fire(kNext);
  node.step(node.world.rejected(node.asked<reference::Acquire>()));
  node.fire(kNext);
  node.world.only_request<reference::Acquire>();
}

TEST(FencedLease, a_grant_for_ever_lasts_for_ever_and_a_negative_one_not_at_all) {
  Standby eternal;
  eternal.answer(eternal.first, reference::Granted{epoch(1), Duration::max()});
  eternal.world.advance(Duration::hours(1'000'000));
  EXPECT_TRUE(eternal.leads());
  Standby absurd;
  absurd.answer(absurd.first, reference::Granted{epoch(1), -Duration::max()});
  EXPECT_FALSE(absurd.leads());
}

TEST(FencedLease, replies_to_nothing_asked_are_ignored) {
  Leader node;
  StoreReplied stray;
  stray.id = RequestId{node.world.self(), 99};
  stray.sent_at = node.world.now();
  stray.outcome = RequestOutcome::applied;
  stray.reply = reference::Reply{held_by_other(kLease)};
  node.step(stray);
  EXPECT_TRUE(node.leads());
  EXPECT_TRUE(node.world.effects().empty());
}

TEST(FencedLease, a_reply_of_another_family_counts_as_unknown) {
  Standby node;
  node.answer(node.first, elsewhere::NotFound{});
  EXPECT_EQ(node.timer(kNext), node.world.now() + Duration::seconds(2));
}

// ---- late grants -----------------------------------------------------------------------------------------

TEST(FencedLease, a_grant_that_comes_after_its_end_is_released) {
  Standby node;
  node.world.advance(kBelief - kRtt);
  node.answer(node.first, reference::Granted{epoch(1), kLease});
  EXPECT_FALSE(node.leads());
  EXPECT_TRUE(node.world.notes<Believes>().empty());
  EXPECT_EQ(node.world.only_request<reference::Release>().request.token, epoch(1));
  node.answer(node.asked<reference::Release>(), reference::Released{});
  EXPECT_EQ(node.timer(kNext), node.world.now() + Duration::seconds(2));  // the others first
}

TEST(FencedLease, a_grant_just_in_time_is_believed) {
  Standby node;
  node.world.advance(kBelief - kRtt - Duration::nanos(1));
  node.answer(node.first, reference::Granted{epoch(1), kLease});
  EXPECT_TRUE(node.leads());
}

TEST(FencedLease, a_release_with_unknown_fate_is_repeated_before_anything_else_is_asked) {
  Standby node;
  node.world.advance(kLease);
  node.answer(node.first, reference::Granted{epoch(1), kLease});
  node.step(node.world.unknown(node.asked<reference::Release>()));
  node.step(ChangeNotified{StoreId{}, {Notification::What::lease_freed, ResourceId{}}});
  EXPECT_TRUE(node.world.effects().empty());
  node.fire(kNext);
  const RequestId again = node.asked<reference::Release>();
  node.answer(again,
              reference::Refused{reference::Denial::no_lease, {}, 1, {}});  // so the first one had arrived
  node.fire(kNext);
  EXPECT_EQ(node.world.only_request<reference::Acquire>().request.epoch_seen, 1u);
}

TEST(FencedLease, a_token_that_was_released_is_never_believed_again) {
  Standby node;
  node.world.advance(kLease);
  node.answer(node.first, reference::Granted{epoch(1), kLease});
  const RequestId release = node.asked<reference::Release>();
  node.step(node.world.unknown(release));
  node.fire(kNext);
  node.answer(node.asked<reference::Release>(),
              reference::Refused{reference::Denial::expired, node.world.self(), 1, {}});
  node.fire(kNext);
  // A store whose clock went back may find the old lease unexpired and extend it. A release may still be on its way.
  node.answer(node.asked<reference::Acquire>(), reference::Granted{epoch(1), kLease});
  EXPECT_FALSE(node.leads());
  EXPECT_EQ(node.world.only_request<reference::Release>().request.token, epoch(1));
}

TEST(FencedLease, a_late_grant_does_not_disturb_a_leader) {
  Leader node({{"request_timeout", Duration::seconds(30).ns()}});
  const RequestId slow = node.renew();
  node.fire(kEnd);
  node.fire(kNext);
  node.answer(node.asked<reference::Acquire>(), reference::Granted{epoch(1), kLease});
  node.world.advance(Duration::seconds(6));
  node.world.take();
  ASSERT_TRUE(node.leads());
  node.answer(slow, reference::Granted{epoch(1), kLease});  // 15 s after its send
  EXPECT_TRUE(node.leads());
  EXPECT_TRUE(node.world.notes<Believes>().empty());
}

// ---- standby ---------------------------------------------------------------------------------------------

TEST(FencedLease, a_standby_sleeps_for_what_remains_and_a_jitter) {
  Standby node;
  node.world.draw("retry jitter", 123'000'000);
  node.answer(node.first, held_by_other(Duration::seconds(11)));
  EXPECT_EQ(node.timer(kNext), node.world.now() + Duration::millis(11'123));
  EXPECT_TRUE(node.world.all<testing::Requested>().empty());
  node.fire(kNext);
  EXPECT_EQ(node.world.only_request<reference::Acquire>().request.epoch_seen, 7u);
}

TEST(FencedLease, the_jitter_is_drawn_up_to_its_bound_inclusive) {
  Standby node;
  node.world.draw("retry jitter", UINT64_MAX);  // capped by the range asked for
  node.answer(node.first, held_by_other(Duration::seconds(1)));
  EXPECT_EQ(node.timer(kNext), node.world.now() + Duration::millis(1'200));
}

TEST(FencedLease, a_standby_never_sleeps_longer_than_its_own_lease) {
  Standby node;
  node.answer(node.first, held_by_other(Duration::hours(1)));
  EXPECT_EQ(node.timer(kNext), node.world.now() + kLease);
}

TEST(FencedLease, a_standby_retries_after_unknown_and_rejected) {
  for (const bool unknown : {true, false}) {
    Standby node;
    node.world.draw("retry jitter", 77);
    node.step(unknown ? node.world.unknown(node.first)
                      : node.world.rejected(node.first, Rejection::overloaded));
    EXPECT_EQ(node.timer(kNext), node.world.now() + Duration::seconds(2) + Duration::nanos(77));
  }
}

TEST(FencedLease, a_free_lease_is_asked_for_again_as_soon_as_its_epoch_is_known) {
  Standby node;
  node.answer(node.first, reference::Refused{reference::Denial::stale_view, {}, 5, {}});
  EXPECT_EQ(node.timer(kNext), node.world.now());
  node.fire(kNext);
  EXPECT_EQ(node.world.only_request<reference::Acquire>().request.epoch_seen, 5u);
  // A refusal that teaches nothing new is not answered at once: it could go on for ever.
  node.answer(node.asked<reference::Acquire>(), reference::Refused{reference::Denial::stale_view, {}, 5, {}});
  EXPECT_EQ(node.timer(kNext), node.world.now() + Duration::seconds(2));
}

TEST(FencedLease, a_lease_moved_to_another_branch_is_asked_for_again_at_once) {
  Leader node;
  const RequestId id = node.renew();
  node.answer(id, reference::Refused{reference::Denial::stale_token, node.world.self(), 1, kLease});
  EXPECT_FALSE(node.leads());
  node.fire(kNext);
  node.answer(node.asked<reference::Acquire>(),
              reference::Refused{reference::Denial::other_branch, node.world.self(), 1, kLease});
  node.fire(kNext);
  node.answer(node.asked<reference::Acquire>(), reference::Granted{Token{1, 1, 1}, kLease});
  EXPECT_EQ(node.leadership().token, (Token{1, 1, 1}));
}

TEST(FencedLease, every_acquire_has_a_nonce_of_its_own) {
  Stand node(kFencedLease);
  node.start();
  const auto first = node.world.only_request<reference::Acquire>();
  node.step(node.world.unknown(first.id));
  node.fire(kNext);
  EXPECT_NE(node.world.only_request<reference::Acquire>().request.nonce, first.request.nonce);
}

const Input kFreed = ChangeNotified{StoreId{}, {Notification::What::lease_freed, ResourceId{}}};

TEST(FencedLease, a_release_wakes_a_standby) {
  Standby node;
  node.answer(node.first, held_by_other(Duration::seconds(11)));
  node.world.draw("retry jitter", 5'000'000);
  node.step(kFreed);
  EXPECT_EQ(node.timer(kNext), node.world.now() + Duration::millis(5));
}

TEST(FencedLease, a_release_never_postpones_what_is_due_sooner) {
  Standby node;
  node.answer(node.first, held_by_other(Duration::millis(1)));
  const auto due = node.timer(kNext);
  node.world.draw("retry jitter", 5'000'000);
  node.step(kFreed);
  EXPECT_EQ(node.timer(kNext), due);
}

TEST(FencedLease, a_refusal_from_before_the_release_does_not_put_a_standby_back_to_sleep) {
  Standby node;
  node.world.draw("retry jitter", 50'000'000);
  node.step(kFreed);
  const auto due = node.timer(kNext);
  node.answer(node.first, held_by_other(Duration::seconds(11)));
  EXPECT_EQ(node.timer(kNext), due);
  node.fire(kNext);
  EXPECT_EQ(node.world.only_request<reference::Acquire>().request.epoch_seen, 7u);
}

TEST(FencedLease, changes_elsewhere_do_not_wake_a_standby) {
  Standby node;
  node.answer(node.first, held_by_other(Duration::seconds(11)));
  for (const ChangeNotified& input :
       {ChangeNotified{StoreId{1}, {Notification::What::lease_freed, ResourceId{}}},
        ChangeNotified{StoreId{}, {Notification::What::lease_freed, ResourceId{1}}},
        ChangeNotified{StoreId{}, {Notification::What::schedules_changed, ResourceId{}}},
        ChangeNotified{StoreId{}, {Notification::What::events_added, ResourceId{}}}}) {
    node.step(input);
    EXPECT_TRUE(node.world.effects().empty());
  }
}

// ---- stopping --------------------------------------------------------------------------------------------

TEST(FencedLease, a_leader_asked_to_stop_steps_down_then_releases_then_stops) {
  Leader node;
  node.step(StopAsked{});
  EXPECT_EQ(node.world.notes<StepsDown>()[0].why, "asked to stop");
  EXPECT_FALSE(node.leads());
  EXPECT_TRUE(node.world.notes<Stopped>().empty());
  const RequestId release = node.asked<reference::Release>();
  node.answer(release, reference::Released{});
  EXPECT_EQ(node.world.notes<Stopped>().size(), 1u);
}

TEST(FencedLease, a_release_that_is_not_answered_does_not_hold_up_the_stop) {
  Leader node;
  node.step(StopAsked{});
  node.step(node.world.unknown(node.asked<reference::Release>()));
  EXPECT_EQ(node.world.notes<Stopped>().size(), 1u);
}

TEST(FencedLease, a_renewal_answered_while_stopping_is_not_believed) {
  Leader node;
  const RequestId renewal = node.renew();
  node.step(StopAsked{});
  node.answer(renewal, reference::Granted{epoch(1), kLease});
  EXPECT_FALSE(node.leads());
  EXPECT_TRUE(node.world.effects().empty());
}

TEST(FencedLease, without_release_on_stop_a_leader_stops_at_once) {
  Leader node({{"release_on_stop", 0}});
  node.step(StopAsked{});
  EXPECT_TRUE(node.world.all<testing::Requested>().empty());
  EXPECT_EQ(node.world.notes<StepsDown>().size(), 1u);
  EXPECT_EQ(node.world.notes<Stopped>().size(), 1u);
}

TEST(FencedLease, a_standby_stops_at_once) {
  Standby node;
  node.step(StopAsked{});
  EXPECT_EQ(node.world.notes<Stopped>().size(), 1u);
  node.answer(node.first, reference::Granted{epoch(1), kLease});
  EXPECT_TRUE(node.world.effects().empty());
}

// ---- validation ------------------------------------------------------------------------------------------

std::vector<Complaint> complaints(const Stand::Settings& settings) {
  const ElectorKind* kind = &kFencedLease;
  Parameters parameters{kind->parameters()};
  for (const auto& [name, value] : settings) parameters.set(parameters.find(name), value);
  return kind->validate(parameters);
}

TEST(FencedLeaseParameters, a_renewal_that_may_come_after_belief_is_unsafe) {
  const auto found = complaints(
      {{"lease_duration", Duration::millis(8'100).ns()}, {"renew_period", Duration::seconds(10).ns()}});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].parameter, "renew_period");
  EXPECT_EQ(found[0].accept, "renew-beyond-belief");
  EXPECT_EQ(found[0].text,
            "renew_period (10s) + request_timeout (3s) exceeds the time a holder may believe (7.99s)");
}

// A renewal waits for the answer to the one before, however short renew_period is.
TEST(FencedLeaseParameters, answers_that_may_take_half_of_belief_are_unsafe) {
  const auto with_timeout = [](Duration timeout) {
    return complaints({{"lease_duration", Duration::seconds(6).ns()},
                       {"renew_period", Duration::seconds(2).ns()},
                       {"request_timeout", timeout.ns()}});
  };
  const auto found = with_timeout(Duration::millis(3'800));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].parameter, "request_timeout");
  EXPECT_EQ(found[0].accept, "renew-beyond-belief");
  EXPECT_EQ(found[0].text,
            "twice request_timeout (3.8s) exceeds the time a holder may believe (5.89s): a renewal waits for "
            "the answer to the one before");
  EXPECT_TRUE(with_timeout(Duration::millis(2'900)).empty());
}

TEST(FencedLeaseParameters, a_guard_that_eats_the_lease_is_ill_formed) {
  const auto found = complaints({{"guard", kLease.ns()}});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].parameter, "guard");
  EXPECT_EQ(found[0].accept, "");
}

TEST(FencedLeaseParameters, a_lease_finer_than_a_microsecond_is_ill_formed) {
  const auto found = complaints({{"lease_duration", kLease.ns() + 1}});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].parameter, "lease_duration");
  EXPECT_EQ(found[0].accept, "");
}

TEST(FencedLeaseParameters, belief_as_long_as_the_lease_is_unsafe) {
  const auto found = complaints({{"guard", 0}, {"max_clock_drift_ppm", 0}});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].accept, "no-margin");
}

// ---- stepping aside ------------------------------------------------------------------------------------------

constexpr StepAside kCannot{"cannot fire", Duration::seconds(40)};

void step_aside(Stand& node, const StepAside& request = kCannot) {
  node.world.take();
  node.elector->step_aside(request, node.world.env());
}

TEST(FencedLease, who_steps_aside_says_why_and_releases_the_lease) {
  Leader node;
  step_aside(node);
  EXPECT_FALSE(node.leads());
  ASSERT_EQ(node.world.notes<StepsDown>().size(), 1u);
  EXPECT_EQ(node.world.notes<StepsDown>()[0].why, "cannot fire");
  EXPECT_EQ(node.world.only_request<reference::Release>().request.token, epoch(1));
}

TEST(FencedLease, who_has_stepped_aside_lets_the_others_go_first_even_if_it_hears_that_the_lease_is_free) {
  Leader node;
  const MonoTime aside_at = node.world.now();
  step_aside(node);
  node.answer(node.asked<reference::Release>(), reference::Released{});
  node.step(ChangeNotified{StoreId{}, {Notification::What::lease_freed, ResourceId{}}});
  while (node.world.requests<reference::Acquire>().empty()) {
    ASSERT_TRUE(node.timer(kNext));
    node.fire(kNext);
  }
  EXPECT_GE(node.world.now(), aside_at + kCannot.behind);
  EXPECT_LE(node.world.now(), aside_at + kCannot.behind + Duration::seconds(3));
}

TEST(FencedLease, who_steps_aside_for_no_time_waits_for_longer_than_any_standby_all_the_same) {
  Leader node;
  const MonoTime aside_at = node.world.now();
  step_aside(node, {"cannot fire", Duration{}});
  node.answer(node.asked<reference::Release>(), reference::Released{});
  while (node.world.requests<reference::Acquire>().empty()) node.fire(kNext);
  EXPECT_GE(node.world.now(), aside_at + kLease);
}

TEST(FencedLease, a_renewal_that_is_granted_after_it_has_stepped_aside_is_not_believed) {
  Leader node;
  const RequestId renewal = node.renew();
  step_aside(node);
  node.answer(renewal, reference::Granted{epoch(1), kLease});
  EXPECT_FALSE(node.leads());
}

TEST(FencedLease, a_standby_that_is_asked_to_step_aside_does_nothing) {
  Standby node;
  step_aside(node);
  EXPECT_TRUE(node.world.effects().empty());
}

}  // namespace
}  // namespace tenure::fenced_lease_tests
