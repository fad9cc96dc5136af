// What a file states of its faults is all that a hunt does with them: every case, drawn or mutated, lies inside it.
#include "lab/hunt/envelope.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "format/print/print.h"
#include "lab/hunt/mutation.h"
#include "tests/lab/hunt/support.h"

namespace tenure::lab {
namespace {

// ---- an oracle of its own ------------------------------------------------------------------------------------

bool within(const sim::Range<Duration>& drawn, const sim::Range<Duration>& stated) {
  return stated.low <= drawn.low && drawn.high <= stated.high;
}

bool same_target(const sim::FaultSetting& drawn, const sim::FaultSetting& stated, std::size_t instances) {
  const auto has_named = [&](std::size_t count) {
    return drawn.target.kind == sim::Target::Kind::named && drawn.target.nodes.size() == count;
  };
  if (drawn.target == stated.target) return true;  // what strikes at each event is drawn as it strikes
  switch (stated.target.kind) {
    case sim::Target::Kind::one: return has_named(1);
    case sim::Target::Kind::minority: return has_named(std::max<std::size_t>((instances - 1) / 2, 1));
    case sim::Target::Kind::majority: return has_named(instances / 2 + 1);
    default: return false;
  }
}

bool same_parameters(const sim::FaultSetting& drawn, const sim::FaultSetting& stated) {
  for (const sim::FaultParameter& value : drawn.parameters)
    for (const sim::FaultParameter& range : stated.parameters) {
      if (value.name != range.name) continue;
      if (const auto* lengths = std::get_if<sim::Range<Duration>>(&range.value)) {
        if (!within(std::get<sim::Range<Duration>>(value.value), *lengths)) return false;
      } else if (const auto* numbers = std::get_if<sim::Range<std::int64_t>>(&range.value)) {
        const auto& drawn_numbers = std::get<sim::Range<std::int64_t>>(value.value);
        if (drawn_numbers.low < numbers->low || drawn_numbers.high > numbers->high) return false;
      } else if (value.value != range.value) {
        return false;
      }
    }
  return drawn.parameters.size() == stated.parameters.size();
}

bool same_strength(const sim::FaultSetting& drawn, const sim::FaultSetting& stated, std::size_t instances) {
  const bool lasts = drawn.duration.has_value() == stated.duration.has_value() &&
                     (!stated.duration || within(*drawn.duration, *stated.duration));
  return lasts && same_target(drawn, stated, instances) && same_parameters(drawn, stated);
}

bool same_time(const sim::FaultSetting& drawn, const sim::FaultSetting& stated,
               const format::ScenarioFile& file) {
  if (std::holds_alternative<sim::FaultSetting::On>(stated.when)) return drawn.when == stated.when;
  if (!std::holds_alternative<sim::FaultSetting::At>(drawn.when)) return false;
  const Duration at = std::get<sim::FaultSetting::At>(drawn.when).at;
  if (const auto* stated_at = std::get_if<sim::FaultSetting::At>(&stated.when))
    return stated_at->at <= at && at <= stated_at->latest.value_or(stated_at->at);
  return std::get<sim::FaultSetting::Every>(stated.when).gap.min() <= at && at < file.scenario.duration;
}

// What lies outside of the file; empty: nothing.
std::string outside(const Case& made, const format::ScenarioFile& file) {
  std::map<std::uint64_t, std::map<Duration, Duration>> strikes;
  for (const sim::FaultSetting& fault : made.scenario.faults) {
    const std::string text = format::print_fault(fault);
    const std::size_t instances = made.scenario.instances.size();
    bool inside = fault.entry == 0;
    bool stated = false;
    for (const sim::FaultSetting& each : file.scenario.faults) {
      if (fault.entry > 0 && each.entry == fault.entry)
        inside = same_time(fault, each, file) && same_strength(fault, each, instances);
      if (each.action != fault.action) continue;
      if (fault.entry == 0)
        inside =
            stated ? inside || same_strength(fault, each, instances) : same_strength(fault, each, instances);
      stated = true;
    }
    if (!inside) return text;
    const auto* at = std::get_if<sim::FaultSetting::At>(&fault.when);
    if (fault.entry > 0 && at != nullptr)
      strikes[fault.entry][at->at] = at->at + (fault.duration ? fault.duration->high : Duration{});
  }
  for (const sim::FaultSetting& each : file.scenario.faults) {
    const auto* every = std::get_if<sim::FaultSetting::Every>(&each.when);
    if (every == nullptr) continue;
    Duration free;
    for (const auto& [from, to] : strikes[each.entry]) {
      if (from - free < every->gap.min()) return "too soon: " + format::print_fault(each);
      free = to;
    }
  }
  return {};
}

// ---- files ---------------------------------------------------------------------------------------------------

std::string seconds_range(int low, int more) {
  const std::string first = std::to_string(low) + "s";
  return more == 0 ? "\"" + first + "\"" : "\"" + first + ".." + std::to_string(low + more) + "s\"";
}

std::string any_time() {
  switch (*rc::gen::inRange(0, 4)) {
    case 0: return "at = " + seconds_range(*rc::gen::inRange(0, 60), *rc::gen::inRange(0, 30));
    case 1: return "every = " + seconds_range(*rc::gen::inRange(5, 30), *rc::gen::inRange(0, 20));
    case 2: return "on = \"leads\"\nnth = " + std::to_string(*rc::gen::inRange(1, 4)) + "\nafter = \"3s\"";
    default: return "on = \"leads\"\nnth = \"all\"\nafter = \"3s\"";
  }
}

std::string any_fault() {
  const auto length = [] {
    return "\nduration = " + seconds_range(*rc::gen::inRange(1, 20), *rc::gen::inRange(0, 20));
  };
  const std::string target = "\ntarget = \"" +
                             *rc::gen::element(std::string("leader"), std::string("one"),
                                               std::string("minority"), std::string("n1")) +
                             "\"";
  const std::string text = "[[fault]]\n" + any_time();
  switch (*rc::gen::inRange(0, 5)) {
    case 0: return text + "\naction = \"pause\"" + target + length() + "\n";
    case 1: return text + "\naction = \"kill\"" + target + length() + "\n";
    case 2:
      return text + "\naction = \"delay\"" + target +
             "\nlatency = " + seconds_range(*rc::gen::inRange(1, 5), *rc::gen::inRange(0, 5)) + length() +
             "\n";
    case 3: return text + "\naction = \"loss\"" + target + "\nrate = 0.2" + length() + "\n";
    default: return text + "\naction = \"store-slow\"\nlatency = \"100ms..400ms\"" + length() + "\n";
  }
}

// A drawn case, and a line of mutants of mutants.
std::vector<Case> some_cases(const format::ScenarioFile& hunted, std::uint64_t seed) {
  std::vector<Case> cases = {draw_case(hunted, seed)};
  const Case other = draw_case(hunted, seed + 1'000'000);
  for (std::uint64_t i = 1; i <= 60; ++i)
    cases.push_back(mutate(cases.back(), other, hunted, seed * 1'000 + i));
  return cases;
}

RC_GTEST_PROP(Envelope, holds_every_case_that_is_drawn_or_mutated, ()) {
  std::string text;
  for (int i = *rc::gen::inRange(1, 4); i > 0; --i) text += any_fault();
  text += *rc::gen::element(std::string(), std::string("[hunt]\nfaults = \"0..4\"\n"),
                            std::string("[hunt]\nfaults = \"1..3\"\ninstances = \"1..5\"\n"));
  const format::ScenarioFile hunted = as_hunted(sim::file_of(sim::small(text)));
  for (const Case& each : some_cases(hunted, *rc::gen::inRange<std::uint64_t>(1, 1'000'000))) {
    const std::string what = outside(each, hunted);
    RC_ASSERT(what.empty() || (RC_LOG() << text << "\n# outside:\n" << what, false));
  }
}

// The pauses of a file that states 1 s to 8 s became 27.7 s.
TEST(Envelope, of_a_short_pause_holds_in_a_guided_hunt) {
  const std::string text =
      "[[fault]]\nevery = \"20s\"\naction = \"pause\"\ntarget = \"leader\"\nduration = \"1s..8s\"\n";
  Hunt hunt(sim::file_of(sim::small(text, "client-go", "none")), {.first_seed = 1, .cases = 768});
  std::set<Duration> lengths;
  while (hunt.begin_generation() > 0)
    while (hunt.generation_size() > 0) {
      Case made = hunt.make(hunt.next_case());
      ASSERT_EQ(outside(made, hunt.hunted()), "");
      for (const sim::FaultSetting& fault : made.scenario.faults) lengths.insert(fault.duration->low);
      const CaseResult result = result_of(made.scenario);
      hunt.take(std::move(made), result);
    }
  EXPECT_TRUE(lengths.contains(Duration::seconds(1)));
  EXPECT_TRUE(lengths.contains(Duration::seconds(8)));
  EXPECT_GT(lengths.size(), 100u);
}

// The oracle sees what is outside: with `beyond`, hunts leave the file soon.
TEST(Envelope, is_left_where_the_file_asks_for_it) {
  const format::ScenarioFile hunted = as_hunted(sim::file_of(sim::small(
      "[[fault]]\nevery = \"20s\"\naction = \"pause\"\ntarget = \"leader\"\nduration = \"1s..8s\"\n"
      "[hunt]\nfaults = 0\nbeyond = true\n")));
  std::size_t beyond = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed)
    for (const Case& each : some_cases(hunted, seed))
      if (!outside(each, hunted).empty()) ++beyond;
  EXPECT_GT(beyond, 100u);
}

TEST(Envelope, of_the_store_and_the_links_is_what_hunt_says) {
  const format::ScenarioFile hunted = as_hunted(sim::file_of(sim::small(
      "[hunt]\nstore_latency = \"10ms..40ms\"\nnetwork_latency = \"1ms..2ms\"\ninstances = \"2..4\"\n")));
  for (std::uint64_t seed = 1; seed <= 10; ++seed)
    for (const Case& each : some_cases(hunted, seed)) {
      EXPECT_GE(each.scenario.store.latency.max(), Duration::millis(10));
      EXPECT_LE(each.scenario.store.latency.max(), Duration::millis(40));
      EXPECT_GE(each.scenario.network.latency.max(), Duration::millis(1));
      EXPECT_LE(each.scenario.network.latency.max(), Duration::millis(2));
      EXPECT_GE(each.scenario.instances.size(), 2u);
      EXPECT_LE(each.scenario.instances.size(), 4u);
    }
}

}  // namespace
}  // namespace tenure::lab
