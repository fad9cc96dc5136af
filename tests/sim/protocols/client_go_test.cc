// What client-go does in each of its releases; lives/client_go.txt has the rest.
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

// ---- candidates ------------------------------------------------------------------------------------------

TEST(ClientGo, creates_a_record_that_is_not_there) {
  Candidate node;
  node.answer(node.asked<Get>(), record::NotFound{});
  const Put put = node.world.only_request<Put>().request;
  EXPECT_EQ(put.version, 0u);
  EXPECT_EQ(put.record.holder, node.world.self());
  EXPECT_EQ(put.record.duration, kL);
  EXPECT_EQ(put.record.transitions, 0u);
  EXPECT_EQ(put.record.acquired, put.record.renewed);
  EXPECT_EQ(put.record.renewed.ns() % Duration::seconds(1).ns(), 0);
}

// ---- leaders ---------------------------------------------------------------------------------------------

TEST(ClientGo, the_first_renewal_does_not_wait) {
  for (const std::string_view name : client_go::kReleases) {
    Candidate node(release(name));
    node.answer(node.asked<Get>(), record::NotFound{});
    node.answer(node.asked<Put>(), record::Stored{1});
    EXPECT_EQ(node.world.all<testing::Requested>().size(), 1u) << name;
    EXPECT_EQ(node.timer(kGiveUp), node.world.now() + kD) << name;
  }
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

// ---- release ---------------------------------------------------------------------------------------------

const Settings kWithRelease = {{"release_on_cancel", 1}};

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

TEST(ClientGo, loses_a_fraction_of_a_second_in_the_record) {
  Stand node(kClientGo, {{"lease_duration", Duration::millis(15'900).ns()}});
  node.start();
  node.answer(node.asked<Get>(), record::NotFound{});
  EXPECT_EQ(node.world.only_request<Put>().request.record.duration, kL);
}

}  // namespace
}  // namespace tenure
