#include "sim/protocols/client_go/client_go.h"

#include <gtest/gtest.h>

#include "sim/protocols/client_go/client_go_kind.h"
#include "sim/protocols/registry.h"
#include "sim/stores/record/requests.h"
#include "tests/core/lease/elector_harness.h"
#include "tests/sim/protocols/families.h"

namespace tenure {
namespace {

using record::Found;
using record::Get;
using record::LeaseRecord;
using record::Put;
using testing::Stand;
using Settings = Stand::Settings;

constexpr std::uint8_t kNext = 0;
constexpr std::uint8_t kGiveUp = 1;
constexpr Duration kR = Duration::seconds(2);
constexpr Duration kD = Duration::seconds(10);
constexpr Duration kL = Duration::seconds(15);
constexpr Incarnation kOther{NodeId{1}, 1};

WallTime second(std::int64_t n) { return WallTime::from_ns(Duration::seconds(n).ns()); }

// Renewed in the second that its version says.
Found held(Incarnation holder, std::uint64_t version, Duration duration = kL) {
  return {version, LeaseRecord{holder, duration, 4, second(1), second(static_cast<std::int64_t>(version))}};
}

Settings release(std::string_view name, Settings more = {}) {
  for (std::int64_t i = 0; i < std::ssize(client_go::kReleases); ++i)
    if (client_go::kReleases[i] == name) more.emplace_back("release", i);
  return more;
}

struct Candidate : Stand {
  explicit Candidate(const Settings& settings = {}) : Stand(kClientGo, settings) { start(); }

  // The next poll reads `found`.
  void poll(const Found& found) {
    fire(kNext);
    answer(asked<Get>(), found);
  }
};

// Renewed once, and asleep.
struct Leader : Candidate {
  explicit Leader(const Settings& settings = {}) : Candidate(settings) {
    answer(asked<Get>(), record::NotFound{});
    answer(asked<Put>(), record::Stored{1});
    finish_attempt(2);
  }
  // The attempt under way succeeds, with version `version`.
  void finish_attempt(std::uint64_t version) {
    if (!world.requests<Get>().empty()) answer(asked<Get>(), held(world.self(), version - 1));
    answer(asked<Put>(), record::Stored{version});
  }
};
const Settings kOld = release("0.29");

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
  EXPECT_EQ(put.record.holder, node.world.self());
  EXPECT_EQ(put.record.duration, kL);
  EXPECT_EQ(put.record.transitions, 0u);
  EXPECT_EQ(put.record.acquired, put.record.renewed);
}

TEST(ClientGo, writes_times_in_whole_seconds) {
  Candidate node;
  node.answer(node.asked<Get>(), record::NotFound{});
  EXPECT_EQ(node.world.only_request<Put>().request.record.renewed.ns() % Duration::seconds(1).ns(), 0);
}

TEST(ClientGo, takes_an_empty_record_at_once) {
  Candidate node;
  node.answer(node.asked<Get>(), held(Incarnation{}, 9, Duration::seconds(1)));
  const Put put = node.world.only_request<Put>().request;
  EXPECT_EQ(put.version, 9u);
  EXPECT_EQ(put.record.holder, node.world.self());
  EXPECT_EQ(put.record.transitions, 5u);
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

// A renewal within the second of the one before looks like the one before.
TEST(ClientGo, a_record_written_again_in_the_same_second_has_not_changed) {
  Candidate node;
  Found same = held(kOther, 1);
  node.answer(node.asked<Get>(), same);
  for (int polls = 1; polls < 8; ++polls) {
    ++same.version;
    node.poll(same);
    EXPECT_TRUE(node.world.requests<Put>().empty());
  }
  ++same.version;
  node.poll(same);  // 16 s
  EXPECT_EQ(node.world.only_request<Put>().request.version, same.version);
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
  Candidate node;
  node.answer(node.asked<Get>(), record::NotFound{});
  node.answer(node.asked<Put>(), record::Stored{1});
  ASSERT_EQ(node.world.notes<Believes>().size(), 1u);
  EXPECT_TRUE(std::holds_alternative<Open>(node.world.notes<Believes>()[0].until));
  EXPECT_EQ(node.leadership().believed_until, MonoTime::max());
  EXPECT_EQ(node.leadership().token, std::nullopt);
}

TEST(ClientGo, the_first_renewal_does_not_wait) {
  for (const std::string_view name : client_go::kReleases) {
    Candidate node(release(name));
    node.answer(node.asked<Get>(), record::NotFound{});
    node.answer(node.asked<Put>(), record::Stored{1});
    EXPECT_EQ(node.world.all<testing::Requested>().size(), 1u) << name;
    EXPECT_EQ(node.timer(kGiveUp), node.world.now() + kD) << name;
  }
}

TEST(ClientGo, a_leader_sleeps_r_then_polls) {
  Leader node;
  EXPECT_EQ(node.timer(kNext), node.world.now() + kR);
  EXPECT_EQ(node.timer(kGiveUp), std::nullopt);
  node.fire(kNext);
  EXPECT_EQ(node.timer(kGiveUp), node.world.now() + kD);
}

TEST(ClientGo, up_to_0_29_a_renewal_is_a_get_and_an_update) {
  Leader node(kOld);
  node.fire(kNext);
  node.answer(node.asked<Get>(), held(node.world.self(), 2));
  node.answer(node.asked<Put>(), record::Stored{3});
  EXPECT_EQ(node.timer(kNext), node.world.now() + kR);
}

TEST(ClientGo, since_0_30_a_renewal_is_one_update_over_the_version_written_last) {
  for (const std::string_view name : {"0.31", "0.33", "0.36", "0.37"}) {
    Leader node(release(name));
    node.fire(kNext);
    EXPECT_EQ(node.world.only_request<Put>().request.version, 2u) << name;
    node.answer(node.asked<Put>(), record::Stored{3});
    EXPECT_EQ(node.timer(kNext), node.world.now() + kR) << name;
    EXPECT_EQ(node.timer(kGiveUp), std::nullopt) << name;
  }
}

TEST(ClientGo, an_update_that_fails_is_followed_by_a_get_and_an_update_in_the_same_attempt) {
  for (const int failure : {0, 1, 2}) {
    Leader node;
    node.fire(kNext);
    const RequestId put = node.asked<Put>();
    if (failure == 0) node.answer(put, record::Conflict{});
    if (failure == 1) node.step(node.world.unknown(put));
    if (failure == 2) node.step(node.world.rejected(put));
    node.answer(node.asked<Get>(), held(node.world.self(), 9));
    EXPECT_EQ(node.world.only_request<Put>().request.version, 9u);
    node.answer(node.asked<Put>(), record::Stored{10});
    EXPECT_EQ(node.timer(kNext), node.world.now() + kR);
  }
}

TEST(ClientGo, a_lease_that_its_holder_sees_expired_is_read_first) {
  Leader node;
  node.world.advance(kL);
  node.fire(kNext);
  EXPECT_EQ(node.world.requests<Get>().size(), 1u);
}

TEST(ClientGo, a_renewal_puts_the_deadline_away) {
  Leader node;
  node.fire(kNext);
  node.finish_attempt(3);
  EXPECT_EQ(node.timer(kGiveUp), std::nullopt);
  EXPECT_EQ(node.timer(kNext), node.world.now() + kR);
  EXPECT_TRUE(node.world.notes<Believes>().empty());
}

// The whole attempt under way fails.
void reject_attempt(Stand& node) {
  if (!node.world.requests<Put>().empty()) node.step(node.world.rejected(node.asked<Put>()));
  node.step(node.world.rejected(node.asked<Get>()));
}

TEST(ClientGo, a_leader_without_success_polls_every_r_and_gives_up_at_d) {
  for (const std::string_view name : client_go::kReleases) {
    Leader node(release(name));
    node.fire(kNext);
    const MonoTime from = node.world.now();
    for (int tick = 1; tick <= 4; ++tick) {
      reject_attempt(node);
      EXPECT_EQ(node.timer(kNext), from + kR * tick) << name;
      node.fire(kNext);
    }
    EXPECT_TRUE(node.leads());
    node.fire(kGiveUp);
    EXPECT_EQ(node.world.now(), from + kD);
    EXPECT_FALSE(node.leads());
    EXPECT_EQ(node.world.notes<StepsDown>()[0].why, "renew deadline passed");
    // A candidate again, at once; its own last renewal is valid still.
    EXPECT_EQ(node.world.requests<Get>().size() + node.world.requests<Put>().size(), 1u) << name;
    EXPECT_EQ(node.world.requests<Put>().size(), name == "0.29" ? 0u : 1u) << name;
  }
}

// Up to v0.31 the ticker begins when the first attempt has ended; what ticks during another attempt is lost.
TEST(ClientGo, up_to_0_31_ticks_come_from_the_end_of_the_first_attempt_and_those_within_another_are_lost) {
  Leader node(kOld);
  node.fire(kNext);
  const MonoTime from = node.world.now();
  node.world.advance(Duration::millis(1'500));
  node.step(node.world.rejected(node.asked<Get>()));
  EXPECT_EQ(node.timer(kNext), from + Duration::millis(1'500) + kR);
  node.fire(kNext);
  node.world.advance(Duration::millis(2'500));
  node.step(node.world.rejected(node.asked<Get>()));
  EXPECT_EQ(node.timer(kNext), from + Duration::millis(1'500) + kR * 3);
}

TEST(ClientGo, since_0_32_ticks_come_from_the_start_of_the_poll_and_one_is_kept) {
  Leader node(release("0.33"));
  node.fire(kNext);
  const MonoTime from = node.world.now();
  node.world.advance(Duration::millis(4'500));
  reject_attempt(node);
  EXPECT_EQ(node.timer(kNext), node.world.now());  // two ticks have passed, one of them waited
  node.fire(kNext);
  reject_attempt(node);
  EXPECT_EQ(node.timer(kNext), from + kR * 3);
}

TEST(ClientGo, requests_of_a_poll_do_not_outlive_it) {
  Leader node;
  node.fire(kNext);
  const MonoTime from = node.world.now();
  node.world.advance(Duration::seconds(7));
  reject_attempt(node);
  node.fire(kNext);
  EXPECT_EQ(node.world.only_request<Put>().submission.deadline, from + kD);
}

TEST(ClientGo, another_holders_name_does_not_end_leadership) {
  Leader node;
  node.fire(kNext);
  node.answer(node.asked<Put>(), record::Conflict{});
  node.answer(node.asked<Get>(), held(kOther, 5));
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
  node.fire(kNext);
  const RequestId put = node.asked<Put>();
  node.world.advance(kD);
  node.answer(put, record::Stored{3});
  EXPECT_FALSE(node.leads());
  EXPECT_EQ(node.world.notes<StepsDown>().size(), 1u);
}

// After a pause the timeout is seen first.
TEST(ClientGo, an_answer_after_the_timeout_of_its_request_is_none) {
  Leader node;
  node.fire(kNext);
  const RequestId put = node.asked<Put>();
  node.world.advance(Duration::seconds(5));
  node.answer(put, record::Stored{3});
  EXPECT_EQ(node.world.requests<Get>().size(), 1u);  // as if the update had failed
  EXPECT_TRUE(node.leads());
}

TEST(ClientGo, a_reply_that_nobody_waits_for_is_ignored) {
  Leader node;
  node.fire(kNext);
  const RequestId old = node.asked<Put>();
  node.fire(kGiveUp);
  node.answer(old, record::Stored{3});
  EXPECT_TRUE(node.world.effects().empty());
  EXPECT_FALSE(node.leads());
}

// ---- release ---------------------------------------------------------------------------------------------

const Settings kWithRelease = {{"release_on_cancel", 1}};

TEST(ClientGo, by_default_nothing_is_released) {
  Leader node;
  node.step(StopAsked{});
  EXPECT_TRUE(node.world.all<testing::Requested>().empty());
  EXPECT_EQ(node.world.notes<StepsDown>().size(), 1u);
  EXPECT_EQ(node.world.notes<Stopped>().size(), 1u);
}

TEST(ClientGo, release_on_cancel_empties_the_record_and_then_stops) {
  Leader node(release("0.33", kWithRelease));
  node.step(StopAsked{});
  EXPECT_EQ(node.world.notes<StepsDown>().size(), 1u);
  const auto put = node.world.only_request<Put>();
  EXPECT_EQ(put.request.version, 2u);
  EXPECT_EQ(put.request.record.holder, Incarnation{});
  EXPECT_EQ(put.request.record.duration, Duration::seconds(1));
  EXPECT_TRUE(node.world.notes<Stopped>().empty());
  node.answer(put.id, record::Stored{3});
  EXPECT_EQ(node.world.notes<Stopped>().size(), 1u);
}

// A leader that gives up sends the release first, and its context ends when the release has returned.
TEST(ClientGo, a_leader_that_gives_up_leads_on_until_its_release_has_returned) {
  for (const std::string_view name : client_go::kReleases) {
    for (const bool answered : {true, false}) {
      Leader node(release(name, kWithRelease));
      node.fire(kNext);
      node.fire(kGiveUp);
      const auto asked = node.world.all<testing::Requested>();
      ASSERT_EQ(asked.size(), 1u) << name;
      EXPECT_TRUE(node.leads()) << name;
      EXPECT_TRUE(node.world.notes<StepsDown>().empty()) << name;
      if (answered && name >= "0.36") node.answer(asked[0].id, held(node.world.self(), 3));
      if (answered)
        node.answer(node.asked<Put>(), record::Stored{4});
      else
        node.step(node.world.unknown(asked[0].id));
      EXPECT_FALSE(node.leads()) << name;
      EXPECT_EQ(node.world.notes<StepsDown>().size(), 1u) << name;
      // A candidate again. What it has not emptied is its own, and valid still.
      const bool by_update = !answered && name != "0.29";
      EXPECT_EQ(node.world.requests<Get>().size(), by_update ? 0u : 1u) << name;
    }
  }
}

TEST(ClientGo, a_release_is_bounded_by_the_timeout_and_since_0_31_by_the_renew_deadline) {
  for (const std::string_view name : client_go::kReleases) {
    Leader node(release(name, {{"release_on_cancel", 1}, {"request_timeout", Duration::seconds(60).ns()}}));
    node.step(StopAsked{});
    const auto asked = node.world.all<testing::Requested>();
    ASSERT_EQ(asked.size(), 1u);
    EXPECT_EQ(asked[0].submission.deadline, node.world.now() + (name == "0.29" ? Duration::seconds(60) : kD))
        << name;
  }
}

TEST(ClientGo, before_0_34_a_release_while_a_renewal_is_under_way_shows_a_stale_version) {
  Leader node(release("0.33", kWithRelease));
  node.fire(kNext);
  ASSERT_EQ(node.world.requests<Put>().size(), 1u);  // would make version 3
  node.step(StopAsked{});
  EXPECT_EQ(node.world.only_request<Put>().request.version, 2u);
}

// The record it reads gives the version alone: that it is another's by now goes unnoticed.
TEST(ClientGo, since_0_34_a_release_empties_the_record_of_a_successor) {
  Leader node(release("0.36", kWithRelease));
  node.world.advance(Duration::seconds(20));
  node.step(StopAsked{});
  node.answer(node.asked<Get>(), held(kOther, 8));
  const Put put = node.world.only_request<Put>().request;
  EXPECT_EQ(put.version, 8u);
  EXPECT_EQ(put.record.holder, Incarnation{});
}

TEST(ClientGo, in_0_37_a_release_that_meets_a_conflict_begins_anew_until_its_deadline) {
  for (const std::string_view name : {"0.36", "0.37"}) {
    Leader node(release(name, kWithRelease));
    node.step(StopAsked{});
    const MonoTime until = node.world.now() + kD;
    for (const std::uint64_t version : {3, 4}) {
      node.answer(node.asked<Get>(), held(node.world.self(), version));
      EXPECT_EQ(node.world.only_request<Put>().request.version, version) << name;
      node.world.advance(Duration::seconds(4));
      node.answer(node.asked<Put>(), record::Conflict{});
      EXPECT_EQ(node.world.notes<Stopped>().empty(), name == "0.37") << name;
      if (name == "0.36") break;
      EXPECT_EQ(node.world.only_request<Get>().submission.deadline,
                std::min(until, node.world.now() + Duration::seconds(5)));
    }
  }
}

TEST(ClientGo, a_leader_that_has_seen_its_successor_does_not_release) {
  for (const std::string_view name : client_go::kReleases) {
    Leader node(release(name, kWithRelease));
    node.fire(kNext);
    if (name != "0.29") node.answer(node.asked<Put>(), record::Conflict{});
    node.answer(node.asked<Get>(), held(kOther, 8));
    node.step(StopAsked{});
    if (name >= "0.36") node.answer(node.asked<Get>(), held(kOther, 8));
    EXPECT_TRUE(node.world.requests<Put>().empty()) << name;
    EXPECT_EQ(node.world.notes<Stopped>().size(), 1u) << name;
  }
}

TEST(ClientGo, a_stop_during_a_release_ends_leadership_and_the_release_goes_on) {
  Leader node(release("0.33", kWithRelease));
  node.fire(kNext);
  node.fire(kGiveUp);
  const RequestId put = node.asked<Put>();
  node.step(StopAsked{});
  EXPECT_FALSE(node.leads());
  EXPECT_TRUE(node.world.notes<Stopped>().empty());
  node.answer(put, record::Stored{3});
  EXPECT_EQ(node.world.notes<Stopped>().size(), 1u);
}

TEST(ClientGo, a_standby_stops_at_once) {
  Candidate node(kWithRelease);
  node.step(StopAsked{});
  EXPECT_EQ(node.world.notes<Stopped>().size(), 1u);
  EXPECT_TRUE(node.world.all<testing::Requested>().empty());
}

// ---- validation ------------------------------------------------------------------------------------------

std::vector<Complaint> complaints(Duration lease, Duration deadline, Duration retry,
                                  const Settings& more = {}) {
  const ElectorKind* kind = &kClientGo;
  Parameters parameters{kind->parameters()};
  for (const auto& [name, value] : more) parameters.set(parameters.find(name), value);
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
  EXPECT_FALSE(found[0].warning);
}

// R + D + 1 s < L.
TEST(ClientGoParameters, a_second_that_nobody_sees_is_warned_of) {
  for (const Duration deadline : {Duration::millis(12'999), Duration::seconds(12)}) {
    const auto found = complaints(kL, deadline, kR);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].accept, "unseen-renewals");
    EXPECT_TRUE(found[0].warning);
  }
  EXPECT_TRUE(complaints(kL, Duration::millis(11'999), kR).empty());
}

TEST(ClientGoParameters, a_release_that_can_outlast_the_lease_is_warned_of) {
  for (const std::string_view name : client_go::kReleases) {
    const auto found = complaints(kL, kD, kR, release(name, kWithRelease));
    ASSERT_EQ(found.size(), 1u) << name;
    EXPECT_EQ(found[0].accept, "leads-while-releasing");
    EXPECT_TRUE(found[0].warning);
    const bool two = name >= "0.36";
    const Settings prompt = release(
        name, {{"release_on_cancel", 1}, {"request_timeout", Duration::millis(two ? 999 : 1'999).ns()}});
    EXPECT_TRUE(complaints(kL, kD, kR, prompt).empty()) << name;
  }
}

TEST(ClientGoParameters, a_fraction_of_a_second_is_lost_in_the_record) {
  const auto found = complaints(Duration::millis(15'900), kD, kR);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].accept, "truncated-lease");

  Stand node(kClientGo, {{"lease_duration", Duration::millis(15'900).ns()}});
  node.start();
  node.answer(node.asked<Get>(), record::NotFound{});
  EXPECT_EQ(node.world.only_request<Put>().request.record.duration, kL);
}

}  // namespace
}  // namespace tenure
