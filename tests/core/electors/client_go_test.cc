#include "core/electors/client_go/client_go.h"

#include <gtest/gtest.h>

#include "tests/core/electors/stand.h"

namespace tenure {
namespace {

using record::Found;
using record::Get;
using record::LeaseRecord;
using record::Put;
using testing::Stand;

constexpr std::uint8_t kNext = 0;
constexpr std::uint8_t kGiveUp = 1;
constexpr Duration kR = Duration::seconds(2);
constexpr Duration kD = Duration::seconds(10);
constexpr Duration kL = Duration::seconds(15);
constexpr Incarnation kOther{NodeId{1}, 1};

Found held(Incarnation holder, std::uint64_t version, Duration duration = kL) {
  return {version, LeaseRecord{holder, duration, 4, version}};
}

struct Candidate : Stand {
  explicit Candidate(const Settings& settings = {}) : Stand("client-go", settings) { start(); }

  // The next poll reads `found`.
  void poll(const Found& found) {
    fire(kNext);
    answer(asked<Get>(), found);
  }
};

struct Leader : Candidate {
  explicit Leader(const Settings& settings = {}) : Candidate(settings) {
    answer(asked<Get>(), record::NotFound{});
    answer(asked<Put>(), record::Stored{1});
  }
  // One renewal from sleep to success, as version `version`.
  void renew(std::uint64_t version) {
    poll(held(world.self(), version - 1));
    answer(asked<Put>(), record::Stored{version});
  }
};

// ---- candidates ------------------------------------------------------------------------------------------

TEST(ClientGo, gets_the_record_at_start) {
  Candidate node;
  EXPECT_EQ(node.world.only_request<Get>().submission.deadline, node.world.now() + Duration::seconds(5));
}

TEST(ClientGo, creates_a_record_that_is_not_there) {
  Candidate node;
  node.answer(node.asked<Get>(), record::NotFound{});
  const Put put = node.world.only_request<Put>().request;
  EXPECT_EQ(put.version, 0u);
  EXPECT_EQ(put.record, (LeaseRecord{node.world.self(), kL, 0, 0}));
}

TEST(ClientGo, takes_an_empty_record_at_once) {
  Candidate node;
  node.answer(node.asked<Get>(), held(Incarnation{}, 9, Duration::seconds(1)));
  const Put put = node.world.only_request<Put>().request;
  EXPECT_EQ(put.version, 9u);
  EXPECT_EQ(put.record, (LeaseRecord{node.world.self(), kL, 5, 10}));
}

TEST(ClientGo, polls_after_r_to_two_point_two_r_from_the_end_of_the_attempt) {
  for (const std::uint64_t draw : {std::uint64_t{0}, std::uint64_t{7}, UINT64_MAX}) {
    Candidate node;
    node.world.draw("poll jitter", draw);
    node.world.advance(Duration::millis(3));
    node.answer(node.asked<Get>(), held(kOther, 1));
    const Duration extra =
        draw == UINT64_MAX ? Duration::millis(2'400) : Duration::nanos(static_cast<std::int64_t>(draw));
    EXPECT_EQ(node.timer(kNext), node.world.now() + kR + extra);
  }
}

TEST(ClientGo, counts_expiry_from_when_it_saw_the_record_change) {
  Candidate node;
  node.answer(node.asked<Get>(), held(kOther, 1));
  for (int polls = 1; polls < 8; ++polls) {  // every 2 s, to 14 s
    node.poll(held(kOther, 1));
    EXPECT_TRUE(node.world.requests<Put>().empty());
  }
  node.poll(held(kOther, 1));  // 16 s
  EXPECT_EQ(node.world.requests<Put>().size(), 1u);
}

TEST(ClientGo, a_record_that_changed_starts_the_count_anew) {
  Candidate node;
  node.answer(node.asked<Get>(), held(kOther, 1));
  for (std::uint64_t polls = 1; polls < 20; ++polls) {
    node.poll(held(kOther, 1 + polls / 7));
    EXPECT_TRUE(node.world.requests<Put>().empty());
  }
}

TEST(ClientGo, expiry_is_by_the_duration_in_the_record) {
  Candidate node;  // configured for 15 s itself
  node.answer(node.asked<Get>(), held(kOther, 1, Duration::seconds(3)));
  node.poll(held(kOther, 1, Duration::seconds(3)));
  EXPECT_TRUE(node.world.requests<Put>().empty());
  node.poll(held(kOther, 1, Duration::seconds(3)));
  EXPECT_EQ(node.world.requests<Put>().size(), 1u);
}

TEST(ClientGo, expires_exactly_at_the_end) {
  Candidate node;
  node.answer(node.asked<Get>(), held(kOther, 1, Duration::seconds(2)));
  node.poll(held(kOther, 1, Duration::seconds(2)));
  EXPECT_EQ(node.world.requests<Put>().size(), 1u);
}

TEST(ClientGo, a_lost_race_or_a_failure_is_another_poll) {
  for (const int failure : {0, 1, 2}) {
    Candidate node;
    node.answer(node.asked<Get>(), record::NotFound{});
    const RequestId put = node.asked<Put>();
    if (failure == 0) node.answer(put, record::Conflict{});
    if (failure == 1) node.step(node.world.unknown(put));
    if (failure == 2) node.step(node.world.rejected(put));
    EXPECT_FALSE(node.leads());
    EXPECT_EQ(node.timer(kNext), node.world.now() + kR);
  }
}

TEST(ClientGo, a_put_with_unknown_fate_is_found_out_by_the_next_get) {
  Candidate node;
  node.answer(node.asked<Get>(), record::NotFound{});
  node.step(node.world.unknown(node.asked<Put>()));
  node.poll(held(node.world.self(), 1));
  EXPECT_EQ(node.world.only_request<Put>().request.record.transitions, 4u);  // its own: no transition
  node.answer(node.asked<Put>(), record::Stored{2});
  EXPECT_TRUE(node.leads());
}

// ---- leaders ---------------------------------------------------------------------------------------------

TEST(ClientGo, belief_is_open_and_has_no_token) {
  Leader node;
  ASSERT_EQ(node.world.notes<Believes>().size(), 1u);
  EXPECT_TRUE(std::holds_alternative<Open>(node.world.notes<Believes>()[0].until));
  EXPECT_EQ(node.leadership().believed_until, MonoTime::max());
  EXPECT_EQ(node.leadership().token, std::nullopt);
}

TEST(ClientGo, a_leader_sleeps_r_then_polls) {
  Leader node;
  EXPECT_EQ(node.timer(kNext), node.world.now() + kR);
  EXPECT_EQ(node.timer(kGiveUp), std::nullopt);
  node.fire(kNext);
  EXPECT_EQ(node.world.requests<Get>().size(), 1u);
  EXPECT_EQ(node.timer(kGiveUp), node.world.now() + kD);
}

TEST(ClientGo, a_renewal_puts_the_deadline_away) {
  Leader node;
  node.renew(2);
  EXPECT_EQ(node.timer(kGiveUp), std::nullopt);
  EXPECT_EQ(node.timer(kNext), node.world.now() + kR);
  EXPECT_TRUE(node.world.notes<Believes>().empty());
}

TEST(ClientGo, a_leader_without_success_polls_every_r_and_gives_up_at_d) {
  Leader node;
  node.fire(kNext);
  const MonoTime from = node.world.now();
  for (int tick = 1; tick <= 4; ++tick) {
    node.step(node.world.rejected(node.asked<Get>()));
    EXPECT_EQ(node.timer(kNext), from + kR * tick);
    node.fire(kNext);
  }
  EXPECT_TRUE(node.leads());
  node.fire(kGiveUp);
  EXPECT_EQ(node.world.now(), from + kD);
  EXPECT_FALSE(node.leads());
  EXPECT_EQ(node.world.notes<StepsDown>()[0].why, "renew deadline passed");
  EXPECT_EQ(node.world.requests<Get>().size(), 1u);  // a candidate again, at once
}

TEST(ClientGo, ticks_that_fall_into_an_attempt_are_lost) {
  Leader node;
  node.fire(kNext);
  const MonoTime from = node.world.now();
  node.world.advance(Duration::millis(4'500));
  node.step(node.world.unknown(node.asked<Get>()));
  EXPECT_EQ(node.timer(kNext), from + kR * 3);
}

TEST(ClientGo, requests_of_a_poll_do_not_outlive_it) {
  Leader node;
  node.fire(kNext);
  const MonoTime from = node.world.now();
  node.world.advance(Duration::seconds(7));
  node.step(node.world.unknown(node.asked<Get>()));
  node.fire(kNext);
  EXPECT_EQ(node.world.only_request<Get>().submission.deadline, from + kD);
}

TEST(ClientGo, another_holders_name_does_not_end_leadership) {
  Leader node;
  node.poll(held(kOther, 5));
  EXPECT_TRUE(node.leads());
  EXPECT_TRUE(node.world.notes<StepsDown>().empty());
  EXPECT_TRUE(node.world.requests<Put>().empty());
  EXPECT_EQ(node.timer(kNext), node.world.now() + kR);
}

TEST(ClientGo, after_a_pause_a_leader_still_believes_and_starts_a_fresh_deadline) {
  Leader node;
  node.world.advance(Duration::seconds(20));  // past lease and deadline, asleep between two polls
  EXPECT_TRUE(node.leads());
  node.fire(kNext);
  EXPECT_TRUE(node.leads());
  EXPECT_EQ(node.timer(kGiveUp), node.world.now() + kD);
}

TEST(ClientGo, a_success_that_comes_after_the_deadline_is_none) {
  Leader node;
  node.poll(held(node.world.self(), 1));
  const RequestId put = node.asked<Put>();
  node.world.advance(kD);
  node.answer(put, record::Stored{2});
  EXPECT_FALSE(node.leads());
  EXPECT_EQ(node.world.notes<StepsDown>().size(), 1u);
}

TEST(ClientGo, a_reply_that_nobody_waits_for_is_ignored) {
  Leader node;
  node.fire(kNext);
  const RequestId old = node.asked<Get>();
  node.fire(kGiveUp);
  node.answer(old, held(node.world.self(), 1));
  EXPECT_TRUE(node.world.effects().empty());
  EXPECT_FALSE(node.leads());
}

// ---- stopping --------------------------------------------------------------------------------------------

TEST(ClientGo, by_default_nothing_is_released) {
  Leader node;
  node.step(StopAsked{});
  EXPECT_TRUE(node.world.all<testing::Requested>().empty());
  EXPECT_EQ(node.world.notes<StepsDown>().size(), 1u);
  EXPECT_EQ(node.world.notes<Stopped>().size(), 1u);
}

TEST(ClientGo, release_on_cancel_empties_the_record_and_then_stops) {
  Leader node({{"release_on_cancel", 1}});
  node.step(StopAsked{});
  const auto put = node.world.only_request<Put>();
  EXPECT_EQ(put.request.version, 1u);
  EXPECT_EQ(put.request.record, (LeaseRecord{Incarnation{}, Duration::seconds(1), 0, 1}));
  EXPECT_TRUE(node.world.notes<Stopped>().empty());
  node.answer(put.id, record::Stored{2});
  EXPECT_EQ(node.world.notes<Stopped>().size(), 1u);
}

TEST(ClientGo, release_on_cancel_also_tries_when_the_deadline_passes) {
  Leader node({{"release_on_cancel", 1}});
  node.fire(kNext);
  node.fire(kGiveUp);
  EXPECT_EQ(node.world.requests<Put>().size(), 1u);
  EXPECT_EQ(node.world.requests<Get>().size(), 1u);
}

TEST(ClientGo, a_release_while_a_renewal_is_under_way_shows_a_stale_version) {
  Leader node({{"release_on_cancel", 1}});
  node.poll(held(node.world.self(), 1));
  ASSERT_EQ(node.world.requests<Put>().size(), 1u);  // would make version 2
  node.step(StopAsked{});
  EXPECT_EQ(node.world.only_request<Put>().request.version, 1u);
}

TEST(ClientGo, a_standby_stops_at_once) {
  Candidate node({{"release_on_cancel", 1}});
  node.step(StopAsked{});
  EXPECT_EQ(node.world.notes<Stopped>().size(), 1u);
  EXPECT_TRUE(node.world.all<testing::Requested>().empty());
}

// ---- validation ------------------------------------------------------------------------------------------

std::vector<Complaint> complaints(Duration lease, Duration deadline, Duration retry) {
  const ElectorKind* kind = find_elector_kind("client-go");
  Parameters parameters{kind->parameters()};
  parameters.set(parameters.find("lease_duration"), lease.ns());
  parameters.set(parameters.find("renew_deadline"), deadline.ns());
  parameters.set(parameters.find("retry_period"), retry.ns());
  return kind->validate(parameters);
}

TEST(ClientGoParameters, what_the_library_refuses_is_ill_formed) {
  const auto lease = complaints(kD, kD, kR);
  ASSERT_EQ(lease.size(), 1u);
  EXPECT_EQ(lease[0].parameter, "lease_duration");
  EXPECT_EQ(lease[0].accept, "");
  const auto deadline = complaints(kL, Duration::millis(2'400), kR);
  ASSERT_EQ(deadline.size(), 1u);
  EXPECT_EQ(deadline[0].parameter, "renew_deadline");
  EXPECT_EQ(deadline[0].accept, "");
  EXPECT_TRUE(complaints(kL, Duration::millis(2'401), kR).empty());
}

TEST(ClientGoParameters, a_belief_that_outlives_the_lease_is_unsafe) {
  const auto found = complaints(kL, Duration::seconds(13), kR);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].accept, "belief-beyond-lease");
  EXPECT_TRUE(complaints(kL, Duration::millis(12'999), kR).empty());
}

TEST(ClientGoParameters, a_fraction_of_a_second_is_lost_in_the_record) {
  const auto found = complaints(Duration::millis(15'900), kD, kR);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].accept, "truncated-lease");

  Stand node("client-go", {{"lease_duration", Duration::millis(15'900).ns()}});
  node.start();
  node.answer(node.asked<Get>(), record::NotFound{});
  EXPECT_EQ(node.world.only_request<Put>().request.record.duration, kL);
}

}  // namespace
}  // namespace tenure
