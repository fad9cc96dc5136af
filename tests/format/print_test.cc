// A scenario that is printed and parsed again is the same scenario.

#include "format/print/print.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "format/parse/parse.h"
#include "tests/format/good_files.h"
#include "tests/format/scenario_text.h"
#include "tests/support/zones.h"

namespace tenure::format {
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

// What differs that the text alone may not show; empty: nothing.
std::string difference(const ScenarioFile& one, const ScenarioFile& other) {
  const sim::Scenario& a = one.scenario;
  const sim::Scenario& b = other.scenario;
  std::string found;
  const auto same = [&](const char* what, bool is_same) {
    if (!is_same && found.empty()) found = what;
  };
  const auto same_each = [&](const char* what, const auto& of_a, const auto& of_b, const auto& are_same) {
    same(what, of_a.size() == of_b.size() && std::equal(of_a.begin(), of_a.end(), of_b.begin(), are_same));
  };
  same("start", a.start_ns == b.start_ns && a.tzdb == b.tzdb);
  same("departure", a.departure == b.departure);
  same("start spread", a.start_spread == b.start_spread);
  same("store", a.store.latency == b.store.latency && a.store.latency_of == b.store.latency_of &&
                    a.store.notification == b.store.notification);
  same("work", a.work.duration == b.work.duration);
  same("network", a.network.loss_ppm == b.network.loss_ppm);
  same("overlap", a.expect.believer_overlap_max == b.expect.believer_overlap_max &&
                      a.expect.believer_overlap_said == b.expect.believer_overlap_said);
  same("hunt", one.plans.hunt.has_value() == other.plans.hunt.has_value() &&
                   (!one.plans.hunt || one.plans.hunt->beyond == other.plans.hunt->beyond));
  same_each("instances", a.instances, b.instances,
            [](const sim::InstanceSetting& x, const sim::InstanceSetting& y) {
              for (std::size_t p = 0; p < x.election.specs().size(); ++p)
                if (x.election.value(static_cast<int>(p)) != y.election.value(static_cast<int>(p)))
                  return false;
              return x.clock == y.clock;
            });
  same_each("schedules", a.schedules, b.schedules,
            [](const sim::ScheduleSetting& x, const sim::ScheduleSetting& y) {
              return x.name == y.name && x.definition == y.definition;
            });
  same_each("changes", a.changes, b.changes, [](const sim::ChangeSetting& x, const sim::ChangeSetting& y) {
    const bool defines = x.action == sim::ChangeAction::update || x.action == sim::ChangeAction::create;
    return x.schedule == y.schedule && x.slots == y.slots && (!defines || x.definition == y.definition);
  });
  same_each("faults", a.faults, b.faults, [](const sim::FaultSetting& x, const sim::FaultSetting& y) {
    return x.id == y.id && x.when == y.when && x.target == y.target && x.duration == y.duration &&
           x.parameters == y.parameters && x.optional == y.optional;
  });
  same_each("thresholds", a.thresholds, b.thresholds,
            [](const sim::Threshold& x, const sim::Threshold& y) { return x.bound_nano == y.bound_nano; });
  return found;
}

TEST(Print, keeps_what_the_text_alone_does_not_show) {
  const ParseResult first = parse_scenario("x", good_file("every-key"), {}, kZones);
  ASSERT_TRUE(first.scenario) << shown(first);
  const ParseResult second = parse_scenario("x", print_scenario(first.file()), {}, kZones);
  ASSERT_TRUE(second.scenario) << shown(second);
  EXPECT_EQ(difference(first.file(), second.file()), "");
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

// Whatever value a key has, it is an error or a scenario, and a scenario prints and parses back. Damage of other
// kinds is done by tests/fuzz.
RC_GTEST_PROP(Print, of_files_with_other_values_parses_back, ()) {
  static const std::string text = good_file("every-key");
  const ParseResult first = parse_scenario("x", text, OverrideGenerator().overrides(), kZones);
  RC_ASSERT(first.scenario.has_value() == first.diagnostics.empty());
  if (!first.scenario) {
    RC_ASSERT(!shown(first).empty());
    return;
  }
  const std::string printed = print_scenario(first.file());
  const ParseResult second = parse_scenario("x", printed, {}, kZones);
  if (!second.scenario) RC_FAIL(shown(second) + printed);
  RC_ASSERT(print_scenario(second.file()) == printed);
  RC_ASSERT(difference(first.file(), second.file()) == "");
}

// The generator is no use if what it makes is never good.
TEST(Print, generated_values_are_often_good) {
  const std::string text = good_file("every-key");
  const rc::Gen<std::vector<Override>> sets = rc::gen::exec([] { return OverrideGenerator().overrides(); });
  int good = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed)
    good +=
        parse_scenario("x", text, sets(rc::Random(seed), rc::kNominalSize).value(), kZones).scenario ? 1 : 0;
  EXPECT_GT(good, 40);
}

}  // namespace
}  // namespace tenure::format
