// What `tenure next` prints, by the real program. Dates are such that no newer database will move them.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/process.h"

namespace tenure::cli {
namespace {

using nlohmann::ordered_json;
using testing::Ended;
using testing::has;
using testing::tenure;

// stdout of a command that must end well.
std::string out_of(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "next");
  const Ended ended = tenure(arguments);
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.err, "");
  return ended.out;
}

// stderr of one that must end with 65 and print nothing.
std::string err_of(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "next");
  const Ended ended = tenure(arguments);
  EXPECT_EQ(ended.code, 65);
  EXPECT_EQ(ended.out, "");
  return ended.err;
}

std::vector<std::string> berlin(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--timezone", "Europe/Berlin"});
  return arguments;
}

TEST(Next, says_what_becomes_of_a_time_in_a_gap) {
  const std::vector<std::string> nightly = berlin({"30 2 * * *", "--from", "2026-03-28", "--count", "3"});
  EXPECT_EQ(out_of(nightly),
            "2026-03-28 02:30:00 +01:00  2026-03-28T01:30:00Z\n"
            "2026-03-29 03:00:00 +02:00  2026-03-29T01:00:00Z  gap: 02:30 does not exist, fires at the end "
            "of the gap\n"
            "2026-03-30 02:30:00 +02:00  2026-03-30T00:30:00Z\n");
  std::vector<std::string> shifted = nightly;
  shifted.insert(shifted.end(), {"--dst-gap", "shift"});
  EXPECT_EQ(out_of(shifted),
            "2026-03-28 02:30:00 +01:00  2026-03-28T01:30:00Z\n"
            "2026-03-29 03:30:00 +02:00  2026-03-29T01:30:00Z  gap: 02:30 does not exist, shifted\n"
            "2026-03-30 02:30:00 +02:00  2026-03-30T00:30:00Z\n");
  std::vector<std::string> skipped = nightly;
  skipped.insert(skipped.end(), {"--dst-gap", "skip"});
  EXPECT_EQ(out_of(skipped),
            "2026-03-28 02:30:00 +01:00  2026-03-28T01:30:00Z\n"
            "2026-03-30 02:30:00 +02:00  2026-03-30T00:30:00Z\n"
            "2026-03-31 02:30:00 +02:00  2026-03-31T00:30:00Z\n");
  EXPECT_EQ(out_of(berlin({"0,15,30 2 * * *", "--from", "2026-03-29", "--count", "1"})),
            "2026-03-29 03:00:00 +02:00  2026-03-29T01:00:00Z  gap: 02:00 and 2 more do not exist, fires at "
            "the end of "
            "the gap\n");
}

TEST(Next, says_which_of_two_readings_it_is) {
  const std::string first = "2026-10-25 02:30:00 +02:00  2026-10-25T00:30:00Z  overlap: first of two\n";
  const std::string second = "2026-10-25 02:30:00 +01:00  2026-10-25T01:30:00Z  overlap: second of two\n";
  const std::string next_day = "2026-10-26 02:30:00 +01:00  2026-10-26T01:30:00Z\n";
  const auto with = [](const std::string& policy) {
    return out_of(
        berlin({"30 2 * * *", "--from", "2026-10-25", "--until", "2026-10-27", "--dst-overlap", policy}));
  };
  EXPECT_EQ(with("first"), first + next_day);
  EXPECT_EQ(with("second"), second + next_day);
  EXPECT_EQ(with("both"), first + second + next_day);
}

TEST(Next, notes_nothing_where_the_clock_reads_as_ever) {
  EXPECT_EQ(out_of(berlin({"0 * * * *", "--from", "2026-03-29T01:00", "--count", "2"})),
            "2026-03-29 01:00:00 +01:00  2026-03-29T00:00:00Z\n"
            "2026-03-29 03:00:00 +02:00  2026-03-29T01:00:00Z\n")
      << "of interval type: no reading is moved";
  EXPECT_EQ(out_of(berlin({"30 3 * * *", "--from", "2026-03-29", "--count", "1", "--dst-gap", "shift"})),
            "2026-03-29 03:30:00 +02:00  2026-03-29T01:30:00Z\n");
}

TEST(Next, reads_local_times_in_the_zone) {
  const auto first = [](const std::string& from) {
    return out_of(berlin({"* * * * * *", "--count", "1", "--from", from})).substr(28, 20);
  };
  EXPECT_EQ(first("2026-07-01"), "2026-06-30T22:00:00Z");
  EXPECT_EQ(first("2026-07-01 12:30"), "2026-07-01T10:30:00Z");
  EXPECT_EQ(first("2026-07-01T12:30:15.000001"), "2026-07-01T10:30:16Z");
  EXPECT_EQ(first("2026-07-01T12:30:15Z"), "2026-07-01T12:30:15Z");
  EXPECT_EQ(first("2026-07-01T12:30:15-07:00"), "2026-07-01T19:30:15Z");
  EXPECT_EQ(first("2026-07-01T12:30Z"), "2026-07-01T12:30:00Z");
  EXPECT_EQ(first("2026-07-01T12:30-07:00"), "2026-07-01T19:30:00Z");
}

TEST(Next, says_what_it_takes_a_local_time_for_that_is_skipped_or_repeated) {
  std::vector<std::string> arguments =
      berlin({"next", "* * * * * *", "--count", "1", "--from", "2026-03-29 02:30"});
  Ended ended = tenure(arguments);
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.out, "2026-03-29 03:00:00 +02:00  2026-03-29T01:00:00Z\n");
  EXPECT_EQ(ended.err,
            "note: --from `2026-03-29 02:30` does not exist in Europe/Berlin: the end of the gap is taken, "
            "2026-03-29T03:00:00+02:00\n");
  ended = tenure(berlin({"next", "--once", "2026-10-25T02:30", "--from", "2026-10-01"}));
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.out, "2026-10-25 02:30:00 +02:00  2026-10-25T00:30:00Z\nnever again\n");
  EXPECT_EQ(ended.err,
            "note: --once `2026-10-25T02:30` comes twice in Europe/Berlin: the first is taken, "
            "2026-10-25T02:30:00+02:00\n");
  EXPECT_EQ(out_of(berlin({"--at", "2026-10-25T03:00", "--at", "2026-03-29 03:00", "--from", "2026-10-01"})),
            "2026-10-25 03:00:00 +01:00  2026-10-25T02:00:00Z\nnever again\n")
      << "these exist once";
}

TEST(Next, says_why_a_time_is_none) {
  const auto why = [](const std::string& from) { return err_of({"@daily", "--from", from}); };
  const auto says = [&](const std::string& from, const char* message, const char* hint) {
    const std::string text = why(from);
    EXPECT_NE(text.find(message), std::string::npos) << text;
    EXPECT_NE(text.find(hint), std::string::npos) << text;
  };
  says("2026-02-30", "`2026-02-30` is no such day", "the last of this month is the 28");
  says("2026-04-31T10:00Z", "`2026-04-31` is no such day", "the last of this month is the 30");
  says("2026-13-01", "there is no month 13", "01 to 12");
  says("2026-12-31 24:00", "there is no hour 24", "2027-01-01 00:00");
  says("2026-12-31T25:00:00Z", "there is no hour 25", "00 to 23");
  says("2026-12-31 10:60", "there is no minute 60", "00 to 59");
  says("2026-12-31 10:00:60", "there is no second 60", "00 to 59");
  says("1969-12-31", "is not a time", "from 1970");
  says("2026-12-31 1:00", "is not a time", "from 1970");
  says("2026-12-31Z", "is not a time", "from 1970");
}

TEST(Next, knows_periods_and_lists) {
  EXPECT_EQ(out_of({"--every", "90s", "--start", "2026-01-01", "--from", "2026-01-01T00:01", "--count", "2"}),
            "2026-01-01 00:01:30 +00:00  2026-01-01T00:01:30Z\n"
            "2026-01-01 00:03:00 +00:00  2026-01-01T00:03:00Z\n");
  EXPECT_EQ(out_of({"@every 250ms", "--from", "2026-01-01", "--count", "2"}),
            "2026-01-01 00:00:00 +00:00  2026-01-01T00:00:00Z\n"
            "2026-01-01 00:00:00.25 +00:00  2026-01-01T00:00:00.25Z\n");
  EXPECT_EQ(out_of(berlin({"--at", "2026-01-02", "--at", "2026-01-01T00:00:00Z", "--from", "2025-12-31"})),
            "2026-01-01 01:00:00 +01:00  2026-01-01T00:00:00Z\n"
            "2026-01-02 00:00:00 +01:00  2026-01-01T23:00:00Z\n"
            "never again\n");
  EXPECT_EQ(out_of({"--once", "2026-01-01", "--from", "2026-01-02"}), "never again\n");
}

TEST(Next, goes_back_as_well) {
  EXPECT_EQ(out_of({"0 0 1 1 *", "--previous", "--from", "1970-01-01", "--count", "2"}),
            "1969-01-01 00:00:00 +00:00  1969-01-01T00:00:00Z\n"
            "1968-01-01 00:00:00 +00:00  1968-01-01T00:00:00Z\n");
  EXPECT_EQ(out_of({"0 0 1 1 *", "--previous", "--start", "2024-06-01", "--from", "2026-01-01"}),
            "2025-01-01 00:00:00 +00:00  2025-01-01T00:00:00Z\nnever before\n");
}

TEST(Next, ends_where_the_schedule_ends_but_not_where_the_list_does) {
  const std::string slots =
      "2026-01-01 00:00:00 +00:00  2026-01-01T00:00:00Z\n2026-01-02 00:00:00 +00:00  2026-01-02T00:00:00Z\n";
  EXPECT_EQ(out_of({"@daily", "--from", "2026-01-01", "--end", "2026-01-03"}), slots + "never again\n");
  EXPECT_EQ(out_of({"@daily", "--from", "2026-01-01", "--until", "2026-01-03"}), slots);
}

TEST(Next, shows_when_jitter_makes_a_slot_due) {
  const std::vector<std::string> arguments = {"@hourly", "--from",   "2026-01-01", "--count",
                                              "2",       "--jitter", "30s"};
  const std::string text = out_of(arguments);
  EXPECT_NE(text.find("2026-01-01T00:00:00Z  jitter +"), std::string::npos) << text;
  EXPECT_NE(text.find(" due 2026-01-01T01:00:"), std::string::npos) << text;
  std::vector<std::string> other = arguments;
  other.insert(other.end(), {"--schedule-id", "1"});
  EXPECT_NE(out_of(other), text);
  EXPECT_EQ(out_of(arguments), text);
}

TEST(Next, prints_json) {
  const ordered_json printed = ordered_json::parse(
      out_of(berlin({"30 2 * * *", "--from", "2026-03-29", "--end", "2026-03-30", "--format", "json"})));
  EXPECT_EQ(printed["format"], 1);
  EXPECT_TRUE(printed["tzdb"].is_string());
  EXPECT_EQ(printed["end"], true);
  ASSERT_EQ(printed["slots"].size(), 1u);
  EXPECT_EQ(printed["slots"][0].dump(),
            R"({"utc":"2026-03-29T01:00:00Z","local":"2026-03-29T03:00:00+02:00",)"
            R"("note":"gap: 02:30 does not exist, fires at the end of the gap"})");
  const ordered_json jittered = ordered_json::parse(
      out_of({"@daily", "--from", "2026-01-01", "--count", "1", "--jitter", "1s", "--format", "json"}));
  EXPECT_EQ(jittered["end"], false);
  EXPECT_TRUE(jittered["slots"][0].contains("due"));
  EXPECT_EQ(jittered["slots"][0]["note"], "");
}

TEST(Next, points_at_what_is_wrong_all_of_it) {
  EXPECT_EQ(err_of({"0 2 * * FOO", "--timezone", "Europe/Berlni", "--from", "yesterday", "--jitter", "5"}),
            "error: unknown time zone `Europe/Berlni`\n"
            "  --> --timezone\n"
            "   | --timezone Europe/Berlni\n"
            "   |            ^^^^^^^^^^^^^ did you mean `Europe/Berlin`?\n"
            "error: `yesterday` is not a time\n"
            "  --> --from\n"
            "   | --from yesterday\n"
            "   |        ^^^^^^^^^ like 2026-03-28, \"2026-03-28 02:30\" or 2026-03-28T02:30:00Z, from 1970 "
            "to 2200\n"
            "error: `FOO` is no day of week\n"
            "  --> the expression\n"
            "   | 0 2 * * FOO\n"
            "   |         ^^^ write one of SUN MON TUE WED THU FRI SAT\n"
            "error: `5` has no unit\n"
            "  --> --jitter\n"
            "   | --jitter 5\n"
            "   |          ^ did you mean `5s`?\n");
}

// stderr of a command line that is no good: it must end with 64.
std::string usage_of(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "next");
  const Ended ended = tenure(arguments);
  EXPECT_EQ(ended.code, 64) << ended.err;
  EXPECT_EQ(ended.out, "");
  return ended.err;
}
TEST(Next, wants_the_expression_in_quotes) {
  EXPECT_TRUE(
      has(usage_of({"0", "3", "*", "*", "*"}), "put the expression in quotes: tenure next '0 3 * * *'"));
  EXPECT_TRUE(has(usage_of({"15", "4", "*", "*", "1-5", "--count", "2"}),
                  "put the expression in quotes: tenure next '15 4 * * 1-5'"));
  EXPECT_TRUE(has(usage_of({"15", "4", "a.txt", "b.txt"}), "in quotes: tenure next '0 3 * * *'"))
      << "the shell has put file names in place of the star";
}

TEST(Next, knows_what_others_call_its_flags) {
  EXPECT_TRUE(has(usage_of({"@daily", "--tz", "Europe/Berlin"}), "did you mean `--timezone`?"));
  EXPECT_TRUE(has(usage_of({"@daily", "--limit", "3"}), "did you mean `--count`?"));
  EXPECT_TRUE(has(usage_of({"@daily", "--form", "now"}), "did you mean `--from`?"));
}

TEST(Next, takes_no_empty_value) {
  for (const char* flag : {"--timezone", "--from", "--until", "--start", "--end", "--every", "--once",
                           "--jitter", "--dst-gap", "--dst-overlap"})
    EXPECT_TRUE(has(usage_of({"@daily", flag, ""}), std::string(flag) + ": is empty")) << flag;
}

TEST(Next, takes_policies_for_clock_changes_with_calendar_fields_only) {
  EXPECT_TRUE(has(usage_of({"--every", "90s", "--dst-gap", "skip"}), "--dst-gap means nothing to --every"));
  EXPECT_TRUE(has(usage_of({"@every 90s", "--dst-gap", "skip"}), "--dst-gap means nothing to `@every`"));
  EXPECT_TRUE(has(usage_of({"--once", "2026-01-01", "--dst-overlap", "both"}),
                  "--dst-overlap means nothing to --once"));
  EXPECT_TRUE(
      has(usage_of({"--at", "2026-01-01", "--dst-overlap", "first"}), "--dst-overlap means nothing to --at"));
}

TEST(Next, suggests_no_zone_for_an_abbreviation_or_an_offset) {
  const auto hint = [](const char* zone) { return err_of({"@daily", "--from", "now", "--timezone", zone}); };
  for (const char* zone : {"PST", "ist", "CEST", "XYZ", "GMT+1", "GMT-10", "utc+2", "UTC+01:00"}) {
    EXPECT_TRUE(has(hint(zone), "zones are named like Europe/Berlin (Etc/GMT-1 is UTC+1)")) << zone;
    EXPECT_FALSE(has(hint(zone), "did you mean")) << zone;
  }
  EXPECT_TRUE(has(hint("Rome"), "did you mean `Europe/Rome`?"));
  EXPECT_TRUE(has(hint("utc"), "did you mean `UTC`?") || has(hint("utc"), "did you mean `Etc/UTC`?"));
  EXPECT_TRUE(has(hint("Europe/Berlni"), "did you mean `Europe/Berlin`?"));
}

TEST(Next, lists_from_now_on_if_asked_to) {
  EXPECT_TRUE(has(out_of({"* * * * * *", "--from", "now", "--count", "1"}), "Z\n"));
}

TEST(Next, refuses_an_end_of_the_list_before_its_beginning) {
  EXPECT_TRUE(has(err_of({"@daily", "--from", "2026-01-02", "--until", "2026-01-01"}),
                  "error: this is before --from\n  --> --until\n"));
  EXPECT_EQ(out_of({"@daily", "--from", "2026-01-02", "--until", "2026-01-02"}), "");
}

TEST(Next, refuses_what_never_comes_at_all) {
  EXPECT_NE(err_of({"0 2 30 2 *"}).find("no such day ever comes"), std::string::npos);
  EXPECT_NE(err_of({"@daily", "--start", "2026-01-02", "--end", "2026-01-02"}).find("no slot ever comes"),
            std::string::npos);
}

}  // namespace
}  // namespace tenure::cli
