#include <gtest/gtest.h>

#include <utility>
#include <variant>

#include "core/model/describe.h"
#include "sim/stores/lease_table/requests.h"
#include "sim/stores/record/requests.h"
#include "sim/stores/schedule_table/requests.h"

namespace tenure {
namespace {

constexpr StoreTime kNoon = StoreTime::from_ns(1'767'268'800'000'000'000);
constexpr Incarnation kFirst{NodeId{0}, 1};

TEST(StoreWords, of_the_plain_stores) {
  EXPECT_EQ(describe(Request{
                lease_table::Request{lease_table::TryLock{ResourceId{}, kFirst, Duration::seconds(5)}}}),
            "try lock as n1 for 5s");
  EXPECT_EQ(describe(Reply{lease_table::Reply{lease_table::Locked{kNoon}}}),
            "locked until 2026-01-01T12:00:00Z");
  const WallTime renewed = WallTime::from_ns(kNoon.ns());
  EXPECT_EQ(describe(Request{record::Request{
                record::Put{ResourceId{}, 4, {kFirst, Duration::seconds(15), 1, renewed, renewed}}}}),
            "put record over version 4: held by n1 for 15s, transition 1, renewed at 2026-01-01T12:00:00Z");
  EXPECT_EQ(describe(Reply{record::Reply{record::Conflict{}}}), "conflict");
  EXPECT_EQ(describe(Request{
                schedule_table::Request{schedule_table::SetNextRun{ResourceId{}, ScheduleId{1}, kNoon}}}),
            "set next run of schedule 1 to 2026-01-01T12:00:00Z");
  EXPECT_EQ(describe(Reply{schedule_table::Reply{schedule_table::Written{false}}}), "no such row");
}

// One of each, so that a new one cannot be forgotten: a request or reply that had no words would not compile, and
// one that said nothing would fail here.
template <class Whole, class Family, std::size_t... kIndex>
void expect_words(std::index_sequence<kIndex...>) {
  for (const Whole& one : {Whole{Family{std::in_place_index<kIndex>}}...})
    EXPECT_FALSE(describe(one).empty());
}
template <class Whole, class Family>
void expect_words() {
  expect_words<Whole, Family>(std::make_index_sequence<std::variant_size_v<Family>>{});
}

TEST(StoreWords, every_request_and_reply_has_some) {
  expect_words<Request, lease_table::Request>();
  expect_words<Request, record::Request>();
  expect_words<Request, schedule_table::Request>();
  expect_words<Reply, lease_table::Reply>();
  expect_words<Reply, record::Reply>();
  expect_words<Reply, schedule_table::Reply>();
}

}  // namespace
}  // namespace tenure
