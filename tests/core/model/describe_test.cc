// What no text in lives/, of fenced-lease or of the reference store shows.
#include "core/model/describe.h"

#include <gtest/gtest.h>

namespace tenure {
namespace {

constexpr StoreTime kNoon = StoreTime::from_ns(1'767'268'800'000'000'000);  // 2026-01-01T12:00:00Z
constexpr Incarnation kFirst{NodeId{0}, 1};

TEST(Describe, durations_in_the_largest_unit_that_fits) {
  EXPECT_EQ(describe(Duration{}), "0s");
  EXPECT_EQ(describe(Duration::millis(1500)), "1.5s");
  EXPECT_EQ(describe(Duration::millis(200)), "200ms");
  EXPECT_EQ(describe(Duration::micros(-3)), "-3us");
  EXPECT_EQ(describe(Duration::nanos(1)), "1ns");
  EXPECT_EQ(describe(Duration::nanos(1'001)), "1.001us");
  EXPECT_EQ(describe(Duration::nanos(1'000'000'001)), "1.000000001s");
  EXPECT_EQ(describe(Duration::minutes(2)), "120s");
  EXPECT_EQ(describe(Duration::max()), "never");
  EXPECT_EQ(describe(Duration::nanos(INT64_MIN)), "-9223372036.854775808s");
}

TEST(Describe, a_nodes_times_in_seconds) {
  EXPECT_EQ(describe(MonoTime::from_ns(1'000'250'000'000)), "1000.250000000");
  EXPECT_EQ(describe(MonoTime::from_ns(-500'000'000)), "-0.500000000");
  EXPECT_EQ(describe(WallTime::from_ns(7)), "0.000000007");
  EXPECT_EQ(describe(MonoTime::max()), "never");
}

TEST(Describe, a_stores_times_as_dates) {
  EXPECT_EQ(describe(kNoon), "2026-01-01T12:00:00Z");
  EXPECT_EQ(describe(kNoon + Duration::micros(250)), "2026-01-01T12:00:00.000250Z");
  EXPECT_EQ(describe(StoreTime{}), "1970-01-01T00:00:00Z");
  EXPECT_EQ(describe(StoreTime{} - Duration::micros(1)), "1969-12-31T23:59:59.999999Z");
  EXPECT_EQ(describe(StoreTime::max()), "never");
}

TEST(Describe, dates_around_leap_days) {
  const auto day = [](std::int64_t days) {
    return describe(StoreTime{} + Duration::hours(24 * days)).substr(0, 10);
  };
  EXPECT_EQ(day(789), "1972-02-29");
  EXPECT_EQ(day(790), "1972-03-01");
  EXPECT_EQ(day(11'016), "2000-02-29");
  EXPECT_EQ(day(20'454), "2026-01-01");
  EXPECT_EQ(day(47'540), "2100-02-28");
  EXPECT_EQ(day(47'541), "2100-03-01");  // not a leap year
  EXPECT_EQ(day(-25'508), "1900-03-01");
}

TEST(Describe, identities) {
  EXPECT_EQ(describe(NodeId{0}), "n1");
  EXPECT_EQ(describe(NodeId{0xffffffff}), "n4294967296");
  EXPECT_EQ(describe(kFirst), "n1");
  EXPECT_EQ(describe(Incarnation{NodeId{1}, 3}), "n2#3");
  EXPECT_EQ(describe(Incarnation{}), "nobody");
  EXPECT_EQ(describe(Token{0, 3, 99}), "epoch 3");
  EXPECT_EQ(describe(Token{2, 3, 99}), "branch 2 epoch 3");
  EXPECT_EQ(describe(reference::EventId{ScheduleId{4}, kNoon, 0}), "schedule 4 at 2026-01-01T12:00:00Z");
  EXPECT_EQ(describe(reference::EventId{ScheduleId{4}, kNoon, 6}),
            "schedule 4 at 2026-01-01T12:00:00Z run 6");
}

TEST(Describe, what_a_leader_reads_and_commits) {
  reference::CommitFires commit{ResourceId{}, kFirst, Token{0, 5, 1}, {}};
  commit.rows.push_back(
      {ScheduleId{1}, 2, kNoon, kNoon + Duration::seconds(10), kNoon, kNoon, reference::Disposition::fired});
  commit.rows.push_back(
      {ScheduleId{3}, 1, kNoon, kNoon + Duration::seconds(5), {}, {}, reference::Disposition::missed, 4});
  EXPECT_EQ(describe(Request{reference::Request{commit}}),
            "commit fires as n1, epoch 5: [schedule 1 v2 fired [2026-01-01T12:00:00Z, 2026-01-01T12:00:10Z); "
            "schedule 3 v1 missed [2026-01-01T12:00:00Z, 2026-01-01T12:00:05Z) 4 slots]");
  reference::Due due;
  due.segments.push_back({ScheduleId{1}, 2, kNoon, StoreTime::max(), kNoon});
  due.segments.push_back({ScheduleId{2}, 1, kNoon, kNoon + Duration::seconds(1), kNoon});
  due.more = true;
  due.change_seq = 9;
  due.hold = reference::Hold{kNoon, Duration::hours(1)};
  EXPECT_EQ(
      describe(Reply{reference::Reply{due}}),
      "due [schedule 1 v2 at 2026-01-01T12:00:00Z; schedule 2 v1 at 2026-01-01T12:00:00Z ending "
      "2026-01-01T12:00:01Z] and more, changes up to 9, held since 2026-01-01T12:00:00Z for a jump of 3600s");
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

TEST(Describe, every_request_and_reply_has_words) {
  expect_words<Request, reference::Request>();
  expect_words<Reply, reference::Reply>();
}

TEST(Describe, every_enumerator_has_a_name) {
  for (int i = 0; i <= static_cast<int>(reference::Denial::stale_view); ++i)
    EXPECT_NE(name_of(static_cast<reference::Denial>(i)), "?");
  for (int i = 0; i <= static_cast<int>(reference::Disposition::deleted); ++i)
    EXPECT_NE(name_of(static_cast<reference::Disposition>(i)), "?");
  for (int i = 0; i <= static_cast<int>(reference::RowResult::no_segment); ++i)
    EXPECT_NE(name_of(static_cast<reference::RowResult>(i)), "?");
  for (int i = 0; i <= static_cast<int>(RequestOutcome::unknown); ++i)
    EXPECT_NE(name_of(static_cast<RequestOutcome>(i)), "?");
  for (int i = 0; i <= static_cast<int>(Rejection::not_permitted); ++i)
    EXPECT_NE(name_of(static_cast<Rejection>(i)), "?");
  for (int i = 0; i <= static_cast<int>(WorkResult::failed); ++i)
    EXPECT_NE(name_of(static_cast<WorkResult>(i)), "?");
}

}  // namespace
}  // namespace tenure
