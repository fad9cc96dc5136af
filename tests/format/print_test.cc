// A scenario that is printed and parsed again is the same scenario.

#include "format/print/print.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "format/build/parse.h"
#include "tests/format/good_files.h"
#include "tests/format/scenario_text.h"
#include "tests/support/zones.h"

namespace tenure::sim {
namespace {

const TimeZones& kZones = tenure::testing::few_zones();

// What is shown of errors when there should be none.
std::string shown(const ParseResult& result) {
  std::string text;
  for (const Diagnostic& diagnostic : result.diagnostics) text += render(diagnostic);
  return text;
}

TEST(Print, parsed_again_prints_the_same) {
  for (const GoodFile& file : good_files()) {
    const ParseResult first = parse_scenario(file.name, file.text, {}, kZones);
    ASSERT_TRUE(first.scenario) << file.name << "\n" << shown(first);
    const std::string printed = print_scenario(first.file());
    const ParseResult second = parse_scenario(file.name, printed, {}, kZones);
    ASSERT_TRUE(second.scenario) << shown(second) << printed;
    EXPECT_EQ(print_scenario(second.file()), printed);
  }
}

TEST(Print, keeps_what_the_text_alone_does_not_show) {
  const ParseResult first = parse_scenario("x", good_file("every-key"), {}, kZones);
  ASSERT_TRUE(first.scenario) << shown(first);
  const ParseResult second = parse_scenario("x", print_scenario(first.file()), {}, kZones);
  ASSERT_TRUE(second.scenario) << shown(second);
  const Scenario& a = *first.scenario;
  const Scenario& b = *second.scenario;
  EXPECT_EQ(a.start_ns, b.start_ns);
  EXPECT_EQ(a.departure, b.departure);
  EXPECT_EQ(a.store.latency, b.store.latency);
  EXPECT_EQ(a.work.duration, b.work.duration);
  EXPECT_EQ(a.network.loss_ppm, b.network.loss_ppm);
  EXPECT_EQ(a.expect.believer_overlap_max, b.expect.believer_overlap_max);
  EXPECT_EQ(a.expect.believer_overlap_said, b.expect.believer_overlap_said);
  EXPECT_EQ(first.plans.hunt->beyond, second.plans.hunt->beyond);
  ASSERT_EQ(a.instances.size(), b.instances.size());
  for (std::size_t i = 0; i < a.instances.size(); ++i) {
    EXPECT_EQ(a.instances[i].clock, b.instances[i].clock);
    for (std::size_t p = 0; p < a.instances[i].election.specs().size(); ++p)
      EXPECT_EQ(a.instances[i].election.value(static_cast<int>(p)),
                b.instances[i].election.value(static_cast<int>(p)));
  }
  ASSERT_EQ(a.schedules.size(), b.schedules.size());
  for (std::size_t i = 0; i < a.schedules.size(); ++i) {
    EXPECT_EQ(a.schedules[i].name, b.schedules[i].name);
    EXPECT_EQ(a.schedules[i].definition, b.schedules[i].definition);
  }
  ASSERT_EQ(a.changes.size(), b.changes.size());
  for (std::size_t i = 0; i < a.changes.size(); ++i) {
    EXPECT_EQ(a.changes[i].schedule, b.changes[i].schedule);
    EXPECT_EQ(a.changes[i].definition, b.changes[i].definition);
    EXPECT_EQ(a.changes[i].slots, b.changes[i].slots);
  }
  EXPECT_EQ(a.tzdb, b.tzdb);
  ASSERT_EQ(a.faults.size(), b.faults.size());
  for (std::size_t i = 0; i < a.faults.size(); ++i) {
    EXPECT_EQ(a.faults[i].id, b.faults[i].id);
    EXPECT_EQ(a.faults[i].when, b.faults[i].when);
    EXPECT_EQ(a.faults[i].target, b.faults[i].target);
    EXPECT_EQ(a.faults[i].duration, b.faults[i].duration);
    EXPECT_EQ(a.faults[i].parameters, b.faults[i].parameters);
    EXPECT_EQ(a.faults[i].optional, b.faults[i].optional);
  }
  ASSERT_EQ(a.thresholds.size(), b.thresholds.size());
  for (std::size_t i = 0; i < a.thresholds.size(); ++i)
    EXPECT_EQ(a.thresholds[i].bound_nano, b.thresholds[i].bound_nano);
}

// An update keeps what it does not name: what goes back to its default has to be said too.
TEST(Print, says_that_the_leader_does_the_work_again) {
  const ParseResult first = parse_scenario("x", R"(
format = 1
name = "back-to-work"
[sim]
duration = "1m"
[cluster]
instances = 2
protocol = "fenced-lease"
scheduler = "fenced-outbox"
[[worker]]
name = "mailer"
[[schedule]]
name = "pulled"
every = "5s"
delivery = "pull"
attempts = 3
[[change]]
at = "10s"
action = "update"
schedule = "pulled"
delivery = "work"
)",
                                           {}, kZones);
  ASSERT_TRUE(first.scenario) << shown(first);
  const ParseResult second = parse_scenario("x", print_scenario(first.file()), {}, kZones);
  ASSERT_TRUE(second.scenario) << shown(second);
  EXPECT_EQ(second.scenario->changes.at(0).definition, first.scenario->changes.at(0).definition);
}

// Whatever one does to a good file, it is an error or a scenario, and a scenario prints and parses back.
void holds_up(const std::string& text) {
  const ParseResult first = parse_scenario("x", text, {}, kZones);
  RC_ASSERT(first.scenario.has_value() == first.diagnostics.empty());
  if (!first.scenario) {
    RC_ASSERT(!shown(first).empty());
    return;
  }
  const std::string printed = print_scenario(first.file());
  const ParseResult second = parse_scenario("x", printed, {}, kZones);
  if (!second.scenario) RC_FAIL(shown(second) + printed);
  RC_ASSERT(print_scenario(second.file()) == printed);
  const Scenario& a = *first.scenario;
  const Scenario& b = *second.scenario;
  RC_ASSERT(a.expect.believer_overlap_said == b.expect.believer_overlap_said);
  RC_ASSERT(a.faults.size() == b.faults.size());
  for (std::size_t i = 0; i < a.faults.size(); ++i) {
    RC_ASSERT(a.faults[i].when == b.faults[i].when);
    RC_ASSERT(a.faults[i].optional == b.faults[i].optional);
  }
  RC_ASSERT(a.schedules.size() == b.schedules.size());
  for (std::size_t i = 0; i < a.schedules.size(); ++i)
    RC_ASSERT(a.schedules[i].definition == b.schedules[i].definition);
  RC_ASSERT(a.changes.size() == b.changes.size());
  for (std::size_t i = 0; i < a.changes.size(); ++i) {
    RC_ASSERT(a.changes[i].slots == b.changes[i].slots);
    if (a.changes[i].action == ChangeAction::update || a.changes[i].action == ChangeAction::create)
      RC_ASSERT(a.changes[i].definition == b.changes[i].definition);
  }
}

RC_GTEST_PROP(Print, of_mutated_files_parses_back, ()) {
  const std::vector<GoodFile> files = good_files();
  std::string text = one_of(files).text;
  const auto edits = *rc::gen::inRange(1, 6);
  for (int i = 0; i < edits; ++i) text = *mutation_of(text);
  holds_up(text);
}

RC_GTEST_PROP(Print, of_generated_files_parses_back, ()) { holds_up(*generated_scenario()); }

// The generator is no use if what it makes is never good.
TEST(Print, generated_files_are_often_good) {
  int good = 0;
  int zoned = 0;
  int backfills = 0;
  for (int seed = 0; seed < 2'400; ++seed) {
    const std::string text =
        generated_scenario()(rc::Random(static_cast<std::uint64_t>(seed)), rc::kNominalSize).value();
    const ParseResult result = parse_scenario("x", text, {}, kZones);
    if (!result.scenario) continue;
    ++good;
    for (const ScheduleSetting& schedule : result.scenario->schedules) {
      const auto* rule = std::get_if<CronRule>(&schedule.definition.recurrence);
      if (rule != nullptr && rule->zone->name() == "Europe/Berlin") ++zoned;
    }
    for (const ChangeSetting& change : result.scenario->changes)
      if (change.action == ChangeAction::backfill) ++backfills;
  }
  EXPECT_GT(good, 40);
  EXPECT_GT(zoned, 5);
  EXPECT_GT(backfills, 2);
}

}  // namespace
}  // namespace tenure::sim
