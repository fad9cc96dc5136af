#include "lab/calibrate/leases.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace tenure::lab::leases_tests {
namespace {

std::string lease(std::string_view holder, std::string_view renewed, std::string_view acquired,
                  std::string_view name = "a", int transitions = 0, int seconds = 15) {
  return fmt::format(R"({{"apiVersion":"coordination.k8s.io/v1","kind":"Lease",
    "metadata":{{"name":"{}","namespace":"prod"}},
    "spec":{{"holderIdentity":"{}","renewTime":"2026-01-01T00:{}Z","acquireTime":"2026-01-01T00:{}Z",
             "leaseDurationSeconds":{},"leaseTransitions":{}}}}})",
                     name, holder, renewed, acquired, seconds, transitions) +
         "\n";
}

std::vector<ObservedLease> read(const std::string& text) {
  auto result = read_leases(text);
  if (const auto* problem = std::get_if<std::string>(&result)) {
    ADD_FAILURE() << *problem;
    return {};
  }
  return std::get<std::vector<ObservedLease>>(std::move(result));
}

std::string problem(const std::string& text) {
  const auto result = read_leases(text);
  const auto* what = std::get_if<std::string>(&result);
  return what == nullptr ? "none" : *what;
}

TEST(Leases, gaps_are_between_renewals_of_one_holder_to_the_microsecond) {
  const auto leases =
      read(lease("x", "00:00.000001", "00:00.000001") + lease("x", "00:02.000004", "00:00.000001") +
           lease("x", "00:02.000004", "00:00.000001") + lease("x", "00:12.5", "00:00.000001"));
  ASSERT_EQ(leases.size(), 1u);
  EXPECT_EQ(leases[0].name, "prod/a");
  EXPECT_EQ(leases[0].sightings.size(), 3u) << "a renewal that is seen twice counts once";
  EXPECT_EQ(leases[0].gaps,
            (std::vector<Duration>{Duration::micros(2'000'003), Duration::micros(10'499'996)}));
  EXPECT_EQ(leases[0].observed(), Duration::micros(12'499'999));
  EXPECT_TRUE(leases[0].handovers.empty());
}

TEST(Leases, a_gap_is_judged_by_the_lease_in_which_it_began) {
  const auto longer = read(lease("x", "00:00", "00:00") + lease("x", "00:20", "00:00", "a", 0, 60) +
                           lease("x", "00:50", "00:00", "a", 0, 60));
  ASSERT_TRUE(longer[0].worst_gap);
  EXPECT_EQ(longer[0].worst_gap->length, Duration::seconds(20)) << "30s of 60s is less";
  EXPECT_EQ(longer[0].worst_gap->lease_duration, Duration::seconds(15));
  EXPECT_EQ(longer[0].lease_duration(), Duration::seconds(60));
  const auto released = read(lease("x", "00:00", "00:00") + lease("x", "00:02.2", "00:00") +
                             lease("", "00:03", "00:03", "a", 0, 1));
  ASSERT_TRUE(released[0].worst_gap);
  EXPECT_EQ(released[0].worst_gap->length, Duration::millis(2'200));
  EXPECT_EQ(released[0].worst_gap->lease_duration, Duration::seconds(15));
  EXPECT_EQ(released[0].lease_duration(), Duration::seconds(15)) << "not the second of the release";
  EXPECT_FALSE(read(lease("x", "00:00", "00:00", "a", 0, 0) + lease("x", "00:02", "00:00"))[0].worst_gap);
}

TEST(Leases, where_others_held_it_unseen_no_time_is_known_to_be_leaderless) {
  const auto leases = read(lease("x", "00:10", "00:00") + lease("y", "01:48", "01:48", "a", 5) +
                           lease("z", "02:13", "02:13", "a", 6));
  ASSERT_EQ(leases[0].handovers.size(), 2u);
  EXPECT_EQ(leases[0].handovers[0].unseen, 4);
  EXPECT_EQ(leases[0].handovers[1].unseen, 0);
  EXPECT_EQ(leases[0].unseen_handovers, 4);
  EXPECT_EQ(leases[0].leaderless().low, Duration::seconds(10)) << "of the second alone";
  EXPECT_EQ(leases[0].leaderless().high, Duration::seconds(123));
}

TEST(Leases, handovers_are_missed_at_a_release_and_by_a_holder_that_comes_back) {
  const auto released = read(lease("x", "00:10", "00:00") + lease("", "00:40", "00:40", "a", 2));
  EXPECT_EQ(released[0].unseen_handovers, 2);
  const auto next = read(lease("x", "00:10", "00:00") + lease("", "00:40", "00:40", "a", 2) +
                         lease("y", "00:50", "00:50", "a", 3));
  ASSERT_EQ(next[0].handovers.size(), 1u);
  EXPECT_EQ(next[0].unseen_handovers, 2);
  EXPECT_EQ(next[0].handovers[0].unseen, 2);
  const auto back = read(lease("x", "00:10", "00:00") + lease("x", "00:40", "00:00", "a", 2));
  EXPECT_TRUE(back[0].gaps.empty()) << "not all of it was x's";
  EXPECT_EQ(back[0].unseen_handovers, 1);
  const auto anew = read(lease("x", "00:10", "00:00", "a", 7) + lease("y", "00:40", "00:40", "a", 2));
  EXPECT_EQ(anew[0].unseen_handovers, 2) << "since it was made anew";
}

TEST(Leases, a_renewal_that_went_back_is_no_gap_and_is_counted) {
  const auto leases =
      read(lease("x", "00:10", "00:00") + lease("x", "00:08", "00:00") + lease("x", "00:12", "00:00"));
  EXPECT_EQ(leases[0].went_back, 1);
  EXPECT_EQ(leases[0].gaps, std::vector{Duration::seconds(4)});
}

TEST(Leases, a_handover_is_no_gap) {
  const auto leases = read(lease("x", "00:10", "00:00") + lease("y", "00:27", "00:26.5", "a", 1) +
                           lease("y", "00:29", "00:26.5", "a", 1));
  ASSERT_EQ(leases[0].handovers.size(), 1u);
  EXPECT_EQ(leases[0].gaps.size(), 1u);
  const Handover& handover = leases[0].handovers[0];
  EXPECT_EQ(handover.from + handover.to, "xy");
  EXPECT_EQ(handover.unrenewed, Duration::millis(16'500));
  EXPECT_EQ(leases[0].leaderless().low, Duration::millis(1'500)) << "after the lease of 15s";
  EXPECT_EQ(leases[0].leaderless().high, Duration::millis(16'500));
}

TEST(Leases, a_release_ends_a_lease_early) {
  const auto leases =
      read(lease("x", "00:10", "00:00") + lease("", "00:11", "00:00") + lease("y", "00:13", "00:13"));
  ASSERT_EQ(leases[0].handovers.size(), 1u);
  EXPECT_TRUE(leases[0].handovers[0].released);
  EXPECT_EQ(leases[0].handovers[0].from, "x");
  EXPECT_EQ(leases[0].leaderless().low, Duration::seconds(2));
  EXPECT_EQ(leases[0].leaderless().high, Duration::seconds(2));
}

TEST(Leases, a_holder_that_takes_its_own_lease_again_has_handed_over_to_itself) {
  const auto leases = read(lease("x", "00:10", "00:00") + lease("x", "00:40", "00:40"));
  EXPECT_TRUE(leases[0].gaps.empty());
  EXPECT_EQ(leases[0].handovers.size(), 1u);
}

TEST(Leases, a_clock_that_is_behind_makes_no_negative_gap) {
  const auto leases =
      read(lease("x", "00:10", "00:00") + lease("y", "00:08", "00:08") + lease("y", "00:07", "00:08"));
  EXPECT_EQ(leases[0].handovers[0].unrenewed, Duration{});
  EXPECT_TRUE(leases[0].gaps.empty());
}

TEST(Leases, lists_events_and_several_leases_are_read) {
  const std::string list = R"({"kind":"List","items":[)" + lease("x", "00:10", "00:00") + "," +
                           lease("z", "00:10", "00:00", "b") + "]}";
  const std::string event = R"({"type":"MODIFIED","object":)" + lease("x", "00:12", "00:00") + "}";
  const std::string gone = R"({"type":"DELETED","object":)" + lease("x", "00:50", "00:00") + "}";
  const auto leases = read(list + event + gone);
  ASSERT_EQ(leases.size(), 2u);
  EXPECT_EQ(leases[0].gaps.size(), 1u);
  EXPECT_EQ(leases[1].name, "prod/b");
}

TEST(Leases, that_nobody_has_had_are_none) {
  EXPECT_TRUE(read(R"({"kind":"Lease","metadata":{"name":"a"}})").empty());
  EXPECT_TRUE(read(R"({"kind":"Lease","metadata":{"name":"a"},"spec":{"holderIdentity":null}})").empty());
}

TEST(Leases, a_file_that_is_still_being_written_is_read_as_far_as_it_goes) {
  const std::string text = lease("x", "00:10", "00:00") + lease("x", "00:12", "00:00");
  EXPECT_EQ(read(text + text.substr(0, 100))[0].gaps.size(), 1u);
}

TEST(Leases, times_at_the_ends_of_the_calendar_do_not_overflow) {
  const auto at = [](const char* holder, const char* time) {
    return fmt::format(
        R"({{"kind":"Lease","metadata":{{"name":"a"}},"spec":{{"holderIdentity":"{}","renewTime":"{}"}}}})",
        holder, time);
  };
  EXPECT_EQ(problem(at("x", "1969-12-31T23:59:59Z")),
            "object 1: `renewTime`: `1969-12-31T23:59:59Z` is not an instant");
  std::string text;
  for (int i = 0; i < 6; ++i)
    text += at(i % 2 == 0 ? "x" : "y", i % 2 == 0 ? "1970-01-01T00:00:01Z" : "2200-01-01T00:00:00Z");
  EXPECT_EQ(read(text)[0].leaderless().high, Duration::nanos(INT64_MAX));
}

TEST(Leases, that_make_no_sense_are_errors) {
  EXPECT_EQ(problem(""), "the file is empty");
  EXPECT_EQ(problem("  \n"), "the file is empty");
  EXPECT_EQ(problem("{").substr(0, 21), "object 1 is not JSON:");
  EXPECT_EQ(problem(lease("x", "00:10", "00:00") + "xyz {}").substr(0, 21), "object 2 is not JSON:");
  EXPECT_EQ(problem("[]"), "object 1: an object without a `kind`");
  EXPECT_EQ(problem(R"({"kind":"Pod"})"), "object 1: a `Pod`, which is no Lease");
  EXPECT_EQ(problem(R"({"kind":"Lease","metadata":{}})"), "object 1: a Lease without a name");
  EXPECT_EQ(problem(lease("x", "00:99", "00:00")),
            "object 1: `renewTime`: `2026-01-01T00:00:99Z` is not an instant");
  EXPECT_EQ(problem(R"({"kind":"Lease","metadata":{"name":"a"},"spec":{"leaseDurationSeconds":-1}})"),
            "object 1: `leaseDurationSeconds` is not a count");
  EXPECT_EQ(
      problem(R"({"kind":"Lease","metadata":{"name":"a"},"spec":{"leaseDurationSeconds":99999999999}})"),
      "object 1: `leaseDurationSeconds` is longer than a year");
  EXPECT_EQ(
      problem(R"({"kind":"Lease","metadata":{"name":"a"},"spec":{"leaseTransitions":9223372036854775807}})"),
      "object 1: `leaseTransitions` is above 2147483647");
  EXPECT_EQ(problem(R"({"kind":"Lease","metadata":{"name":"a"},"spec":{"holderIdentity":3}})"),
            "object 1: `holderIdentity` is not text");
}

}  // namespace
}  // namespace tenure::lab::leases_tests
