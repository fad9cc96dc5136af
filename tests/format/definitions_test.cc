// What files say of schedules, and of edits of them.

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "format/parse/parse.h"
#include "format/print/print.h"
#include "format/syntax/units.h"
#include "tests/format/good_files.h"
#include "tests/support/each_field.h"
#include "tests/support/zones.h"

namespace tenure::format::definitions_tests {
namespace {

const std::string kHead = R"(format = 1
name = "x"
[sim]
start = "2026-03-28T12:00:00Z"
duration = "10m"
[cluster]
protocol = "fenced-lease"
scheduler = "fenced-outbox"
)";

std::string schedule(const std::string& keys) { return "[[schedule]]\nname = \"s\"\n" + keys; }
std::string change(const std::string& keys) { return "[[change]]\nat = \"5m\"\nschedule = \"s\"\n" + keys; }

sim::Scenario parsed(const std::string& text) {
  ParseResult result = parse_scenario("x.toml", kHead + text, {}, tenure::testing::few_zones());
  std::string errors;
  for (const Diagnostic& diagnostic : result.diagnostics) errors += render(diagnostic);
  EXPECT_TRUE(result.scenario) << errors << text;
  return result.scenario ? *result.scenario : sim::Scenario{};
}

// Of the only schedule.
Definition definition(const std::string& keys) {
  const sim::Scenario scenario = parsed(schedule(keys));
  return scenario.schedules.empty() ? Definition{.recurrence = Interval{}} : scenario.schedules[0].definition;
}
// Of the only change, an update of a schedule of `keys`.
Definition updated(const std::string& keys, const std::string& update) {
  const sim::Scenario scenario = parsed(schedule(keys) + change("action = \"update\"\n" + update));
  return scenario.changes.empty() ? Definition{.recurrence = Interval{}} : scenario.changes[0].definition;
}

std::string first_error(const std::string& text) {
  const ParseResult result = parse_scenario("x.toml", kHead + text, {}, tenure::testing::few_zones());
  return result.diagnostics.empty() ? "" : result.diagnostics.front().message;
}

StoreTime at(const std::string& text) { return StoreTime::from_ns(parse_instant(text).value.value_or(0)); }

TEST(Definitions, a_cron_expression_is_read_in_its_zone) {
  const Definition nightly = definition("cron = \"30 2 * * *\"\ntimezone = \"Europe/Berlin\"\n");
  EXPECT_EQ(slot_at_or_after(nightly, at("2026-03-28T12:00:00Z")), at("2026-03-29T01:00:00Z"))
      << "the gap's end";
  const Definition shifted = definition(
      "cron = \"30 2 * * *\"\ntimezone = \"Europe/Berlin\"\ndst_gap = \"shift\"\ndst_overlap = \"both\"\n");
  EXPECT_EQ(slot_at_or_after(shifted, at("2026-03-28T12:00:00Z")), at("2026-03-29T01:30:00Z"));
  EXPECT_EQ(count_slots(shifted, at("2026-10-25T00:00:00Z"), at("2026-10-25T12:00:00Z")), 2);
}

// The keys that stand in backquotes in a cell of a table, one a line; where the cell has an alternative, the first.
std::string keys_in(const std::string& cell) {
  std::string keys;
  for (std::size_t begin = cell.find('`'); begin != std::string::npos;) {
    const std::size_t end = cell.find('`', begin + 1);
    const std::string key = cell.substr(begin + 1, end - begin - 1);
    if (keys.empty() || key.starts_with("jitter")) keys += key + "\n";
    begin = cell.find('`', end + 1);
  }
  return keys;
}

// The slots that a cell names, one after the other.
void expect_slots(const Definition& said, const std::string& cell) {
  std::istringstream slots(cell);
  StoreTime slot = at("2026-03-28T12:00:00Z");
  for (std::string text; std::getline(slots, text, ',');) {
    text.erase(0, text.find_first_not_of(' '));
    const auto next = slot_after(said, slot);
    if (text.starts_with("and none")) {
      EXPECT_FALSE(next) << cell;
    } else if (text.starts_with("2026")) {
      ASSERT_TRUE(next) << cell;
      EXPECT_EQ(*next, at(text.substr(0, text.find(' ')))) << cell;
      slot = *next;
    } else {
      EXPECT_EQ(said.jitter.max, Duration::seconds(5)) << cell;
      EXPECT_LT(due_time(said, {1}, slot), slot + said.jitter.max) << cell;
    }
  }
}

// The table of docs/cron.md.
TEST(Definitions, kinds_of_other_schedulers_are_due_as_the_page_says) {
  std::ifstream page(std::string(TENURE_SOURCE_DIR) + "/docs/cron.md");
  int kinds = 0;
  bool here = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("## ")) here = line == "## Other schedulers' kinds";
    if (!here || !line.starts_with("| ") || line.find("Z") == std::string::npos) continue;
    std::vector<std::string> cells;
    std::istringstream in(line.substr(2));
    for (std::string cell; std::getline(in, cell, '|');) cells.push_back(cell);
    ASSERT_EQ(cells.size(), 4U) << line;
    expect_slots(definition(keys_in(cells[1])), cells[3]);
    ++kinds;
  }
  EXPECT_EQ(kinds, 8);
}

TEST(Definitions, every_key_of_a_definition_arrives) {
  const Definition all = definition(R"(every = "10s"
start = "2026-01-01T00:00:00Z"
end = "2027-01-01T00:00:00Z"
jitter = "3s"
jitter_per = "schedule"
jitter_seed = 9
misfire = "fire_once"
fire_once = "earliest"
grace = "7s"
catchup_window = "1h"
overlap = "queue_one"
paused = true
)");
  EXPECT_EQ(all, (Definition{.recurrence = Interval{at("2026-01-01T00:00:00Z"), Duration::seconds(10)},
                             .until = at("2027-01-01T00:00:00Z"),
                             .jitter = {Duration::seconds(3), Jitter::Per::schedule, 9},
                             .misfire = {.policy = Misfire::Policy::fire_once,
                                         .once = Misfire::Which::earliest,
                                         .grace = Duration::seconds(7),
                                         .catchup_window = Duration::minutes(60)},
                             .overlap = Overlap::queue_one,
                             .paused = true}));
  EXPECT_EQ(definition("every = \"10s\"\nmax_catchup = 12\n").misfire.max_catchup, 12);
  EXPECT_EQ(definition("every = \"10s\"\noverlap = \"skip\"\n").overlap, Overlap::skip);
}

// A destination, and a worker with an event to claim.
const std::string kReceivers =
    "[[destination]]\nname = \"crm\"\n[[worker]]\nname = \"mailer\"\n"
    "[[schedule]]\nname = \"mail\"\nevery = \"10s\"\ndelivery = \"pull\"\n";

TEST(Definitions, each_field_is_read_as_it_is_printed) {
  for (const Definition& said : tenure::testing::each_field_said()) {
    const std::string text = print_schedule({"s", said, {}});
    const sim::Scenario scenario = parsed(kReceivers + text);
    ASSERT_EQ(scenario.schedules.size(), 2u) << text;
    EXPECT_EQ(scenario.schedules[1].definition, said) << text;
  }
}

// What no file says is as tenured has it.
TEST(Definitions, events_are_delivered_as_usual_for_their_kind) {
  const auto delivered = [](const std::string& keys) {
    return parsed(kReceivers + schedule("every = \"10s\"\n" + keys)).schedules.at(1).definition.delivery;
  };
  Delivery pushed = usual_delivery(Delivery::Kind::push);
  pushed.destination = "crm";
  EXPECT_EQ(delivered("destination = \"crm\"\n"), pushed);
  EXPECT_EQ(delivered("delivery = \"pull\"\n"), usual_delivery(Delivery::Kind::pull));
  EXPECT_EQ(delivered(""), Delivery{});
  EXPECT_EQ(delivered("delivery = \"pull\"\nback_off = \"1h\"\n").longest_back_off, Duration::hours(1));
  const std::string update = change("action = \"update\"\ndestination = \"crm\"\n");
  const std::string pulled = schedule("every = \"10s\"\ndelivery = \"pull\"\nattempts = 3\n");
  EXPECT_EQ(parsed(kReceivers + pulled + update).changes.at(0).definition.delivery, pushed)
      << "of another kind of delivery nothing is left";
}

TEST(Definitions, start_is_the_anchor_of_a_period_and_a_bound_of_everything_else) {
  EXPECT_EQ(std::get<Interval>(definition("every = \"7s\"\n").recurrence).start, at("2026-03-28T12:00:00Z"));
  const Definition cron = definition("cron = \"0 * * * *\"\nstart = \"2026-03-28T12:30:00Z\"\n");
  EXPECT_EQ(cron.not_before, at("2026-03-28T12:30:00Z"));
  EXPECT_EQ(slot_at_or_after(cron, StoreTime::min()), at("2026-03-28T13:00:00Z"));
  EXPECT_EQ(definition("cron = \"0 * * * *\"\n").not_before, StoreTime::min());
}

TEST(Definitions, at_every_in_cron_is_a_period) {
  EXPECT_EQ(definition("cron = \"@every 1m30s\"\n"), definition("every = \"90s\"\n"));
  EXPECT_EQ(definition("cron = \"@every 90s\"\nstart = \"2026-03-28T11:59:59Z\"\n"),
            definition("every = \"90s\"\nstart = \"2026-03-28T11:59:59Z\"\n"));
}

TEST(Definitions, instants_are_sorted_whatever_their_offset) {
  const Definition listed = definition("at = [\"2026-03-28T13:30:00+01:00\", \"2026-03-28T12:10:00Z\"]\n");
  EXPECT_EQ(*std::get<Times>(listed.recurrence).at,
            (std::vector<StoreTime>{at("2026-03-28T12:10:00Z"), at("2026-03-28T12:30:00Z")}));
  EXPECT_EQ(definition("once = \"2026-03-28T12:10:00Z\"\n"), definition("at = [\"2026-03-28T12:10:00Z\"]\n"));
}

TEST(Definitions, an_update_lays_over_what_it_does_not_name) {
  const std::string zoned =
      "cron = \"30 2 * * *\"\ntimezone = \"Europe/Berlin\"\ndst_gap = \"skip\"\njitter = \"5s\"\n";
  const Definition later = updated(zoned, "dst_overlap = \"second\"\njitter_seed = 4\ngrace = \"1s\"\n");
  const auto& rule = std::get<CronRule>(later.recurrence);
  EXPECT_EQ(rule.zone->name(), "Europe/Berlin");
  EXPECT_EQ(rule.gap, DstGap::skip);
  EXPECT_EQ(rule.overlap, DstOverlap::second);
  EXPECT_EQ(later.jitter, (Jitter{Duration::seconds(5), Jitter::Per::slot, 4}));
  EXPECT_EQ(later.misfire.grace, Duration::seconds(1));
}

TEST(Definitions, an_update_of_the_recurrence_takes_the_zone_with_it) {
  const std::string zoned =
      "cron = \"30 2 * * *\"\ntimezone = \"Europe/Berlin\"\ndst_gap = \"skip\"\ngrace = \"5s\"\n";
  const Definition later = updated(zoned, "cron = \"0 3 * * *\"\n");
  const auto& rule = std::get<CronRule>(later.recurrence);
  EXPECT_EQ(rule.zone, TimeZone::utc());
  EXPECT_EQ(rule.gap, DstGap::gap_end);
  EXPECT_EQ(later.misfire.grace, Duration::seconds(5));
  const Definition listed = updated(zoned, "times = [\"2026-03-28T12:09:00Z\", \"2026-03-28T12:08:00Z\"]\n");
  EXPECT_EQ(std::get<Times>(listed.recurrence).at->front(), at("2026-03-28T12:08:00Z"));
}

TEST(Definitions, an_update_of_the_recurrence_keeps_the_start) {
  const std::string start = "start = \"2026-03-28T12:00:05Z\"\n";
  EXPECT_EQ(updated("every = \"10s\"\n" + start, "every = \"20s\"\n"),
            definition("every = \"20s\"\n" + start));
  EXPECT_EQ(updated("every = \"10s\"\n" + start, "cron = \"0 3 * * *\"\n"),
            definition("cron = \"0 3 * * *\"\n" + start));
  EXPECT_EQ(updated("cron = \"0 3 * * *\"\n" + start, "every = \"20s\"\n"),
            definition("every = \"20s\"\n" + start));
  EXPECT_EQ(updated("cron = \"0 3 * * *\"\n", "every = \"20s\"\n"), definition("every = \"20s\"\n"));
}

TEST(Definitions, another_misfire_policy_leaves_nothing_of_the_last_one) {
  EXPECT_EQ(updated("every = \"10s\"\nmax_catchup = 3\n", "misfire = \"skip\"\n"),
            definition("every = \"10s\"\nmisfire = \"skip\"\n"));
  EXPECT_EQ(updated("every = \"10s\"\nmisfire = \"fire_once\"\nfire_once = \"earliest\"\n",
                    "misfire = \"fire_all\"\n"),
            definition("every = \"10s\"\n"));
  EXPECT_EQ(updated("every = \"10s\"\ncatchup_window = \"1m\"\n", "misfire = \"skip\"\n"),
            definition("every = \"10s\"\nmisfire = \"skip\"\n"));
  EXPECT_EQ(updated("every = \"10s\"\ncatchup_window = \"1m\"\n", "misfire = \"fire_once\"\n"),
            definition("every = \"10s\"\nmisfire = \"fire_once\"\ncatchup_window = \"1m\"\n"));
}

TEST(Definitions, a_backfill_names_the_slots_of_the_definition_in_force) {
  const sim::Scenario scenario = parsed(schedule("every = \"10s\"\nstart = \"2026-03-28T00:00:05Z\"\n") +
                                        change("action = \"update\"\nevery = \"20s\"\n") +
                                        "[[change]]\nat = \"6m\"\nschedule = \"s\"\naction = \"backfill\"\n"
                                        "from = \"2026-03-28T11:59:05Z\"\nto = \"2026-03-28T11:59:45Z\"\n");
  ASSERT_EQ(scenario.changes.size(), 2u);
  EXPECT_EQ(scenario.changes[1].action, sim::ChangeAction::backfill);
  EXPECT_EQ(scenario.changes[1].slots,
            (std::vector<StoreTime>{at("2026-03-28T11:59:05Z"), at("2026-03-28T11:59:25Z")}));
}

TEST(Definitions, a_backfill_ends_at_its_own_time_at_the_latest) {
  const std::string every = schedule("every = \"10s\"\nstart = \"2026-03-28T00:00:00Z\"\n");
  const std::string from = "action = \"backfill\"\nfrom = \"2026-03-28T12:04:00Z\"\n";
  EXPECT_EQ(first_error(every + change(from + "to = \"2026-03-28T12:05:00Z\"\n")), "");
  EXPECT_EQ(first_error(every + change(from + "to = \"2026-03-28T12:05:00.000001Z\"\n")),
            "a backfill of slots that have not come: the change is at 2026-03-28T12:05:00Z");
}

TEST(Definitions, a_caret_points_into_the_expression) {
  const auto place = [](const std::string& line) {
    const ParseResult result = parse_scenario("x.toml", kHead + schedule(line + "\n"));
    const Diagnostic& d = result.diagnostics.front();
    return line.substr(static_cast<std::size_t>(d.column) - 1, static_cast<std::size_t>(d.length));
  };
  EXPECT_EQ(place("cron = \"0 2 * FOO *\""), "FOO");
  EXPECT_EQ(place("cron   =  '61 2 * * *'"), "61");
  EXPECT_EQ(place("cron = \"\\u0030 2 * FOO *\""), "\"\\u0030 2 * FOO *\"")
      << "written with an escape: all of it";
  EXPECT_EQ(place("cron = \"\""), "\"");
}

TEST(Definitions, schedulers_without_a_ledger_have_no_jitter) {
  for (const char* scheduler : {"ticker", "in-memory"}) {
    const ParseResult result = parse_scenario("x", kHead + schedule("every = \"10s\"\njitter = \"1s\"\n"),
                                              std::vector<Override>{{"cluster.scheduler", scheduler}});
    ASSERT_EQ(result.diagnostics.size(), 1u);
    EXPECT_EQ(result.diagnostics[0].message, "`" + std::string(scheduler) + "` has no `jitter`");
  }
}

TEST(Definitions, a_database_of_another_version_is_refused) {
  const std::string text =
      "format = 1\nname = \"x\"\n[sim]\nduration = \"10m\"\ntzdb = \"2025b\"\n[cluster]\n"
      "protocol = \"fenced-lease\"\n";
  EXPECT_TRUE(parse_scenario("x", text, {}, tenure::testing::few_zones()).scenario);
  const ParseResult without = parse_scenario("x", text);
  ASSERT_EQ(without.diagnostics.size(), 1u);
  EXPECT_EQ(without.diagnostics[0].message,
            "the time zone database here is none, and the scenario needs 2025b");
}

}  // namespace
}  // namespace tenure::format::definitions_tests
