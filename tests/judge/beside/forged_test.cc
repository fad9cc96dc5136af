// The fast checkers and the second judge say the same of histories that never happened: real ones with a mistake put
// into them. A core that does nothing wrong gives both little to differ in.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "core/base/hash.h"
#include "lab/hunt/swarm.h"
#include "sim/checkers/trackers/run_history.h"
#include "tests/judge/beside.h"
#include "tests/judge/check_throws.h"
#include "tests/judge/forge.h"
#include "tests/judge/mixed.h"
#include "tests/judge/replay.h"
#include "tests/scenarios/library.h"

namespace tenure::judging {
namespace {

// Where the two may differ: what is wrong breaks another invariant before, in which they agree.
struct Apart {
  std::string_view invariant;
  std::string_view forgery;
  std::string_view why;
};
constexpr Apart kApart[] = {
    {"no-lost-fire", "a commit is applied again", "one slot, covered twice: no-duplicate-fire"},
    {"no-lost-fire", "a commit too early", "the store has covered what was not due: never-early"},
    {"no-lost-fire", "another disposition", "a range that was given up fires the slot of 1970: no-drift"},
    {"never-early", "a slot off the grid", "fired is no slot: no-drift. One names the row, one the work"},
};

bool may_differ(std::string_view invariant, std::string_view forgery) {
  for (const Apart& apart : kApart)
    if (apart.invariant == invariant && apart.forgery == forgery) return true;
  return false;
}

std::string differences_of(const Case& run, std::string_view forgery) {
  const CheckThrows check_throws;
  std::string text;
  try {
    Replay own(run.history);
    sim::RunHistory history(run.scenario, own);
    std::vector<Watcher> watchers = watchers_for({run.scenario, own}, history);
    std::vector<sim::Observer*> observers{&history};
    for (const Watcher& watcher : watchers) observers.push_back(watcher.checker.get());
    observers.push_back(&history.after());
    own.show_to(observers);
    history.finish(run.history.end);
    for (const Watcher& watcher : watchers) {
      watcher.checker->finish(run.history.end);
      if (!may_differ(watcher.kind->name, forgery)) text += difference(watcher, run);
    }
  } catch (const CheckThrows::Stopped&) {
    return {};
  }
  return text;
}

void compare_forged(const sim::Scenario& scenario, std::uint64_t seed,
                    const std::vector<Forgery>& all = forgeries()) {
  const History real = simulate(scenario, seed, {}, {});
  for (const Forgery& forgery : all) {
    History forged = real;
    if (!forgery.forge(forged, mix64(seed, 77))) continue;
    EXPECT_EQ(differences_of({scenario, forged}, forgery.name), "")
        << scenario.name << " seed " << seed << ": " << forgery.name;
  }
}

TEST(Forged, four_kinds_of_difference_are_known) {
  EXPECT_EQ(std::size(kApart), 4u);
  for (const Apart& apart : kApart) {
    EXPECT_NE(sim::find_checker_kind(apart.invariant), nullptr) << apart.invariant;
    EXPECT_TRUE(std::any_of(forgeries().begin(), forgeries().end(), [&apart](const Forgery& forgery) {
      return forgery.name == apart.forgery;
    })) << apart.forgery;
  }
}

// TENURE_JUDGE_FORGED: how many seeds.
TEST(Forged, histories_are_judged_alike_by_both) {
  const char* text = std::getenv("TENURE_JUDGE_FORGED");
  const std::uint64_t seeds = text != nullptr ? std::strtoull(text, nullptr, 10) : 5;
  std::vector<sim::ScenarioFile> files;
  for (const char* name : {"policies", "autumn", "late"})
    files.push_back(
        sim::as_hunted(sim::file_at(fmt::format("{}/tests/judge/mutants/{}.toml", TENURE_SOURCE_DIR, name))));
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    for (const sim::ScenarioFile& file : files) compare_forged(sim::draw_case(file, seed).scenario, seed);
    for (const Pair& pair : pairs())
      compare_forged(sim::draw_case(mixed(pair, seed % 2 == 0), seed).scenario, seed);
  }
}

TEST(Forged, what_becomes_of_edits_is_judged_alike_by_both) {
  const sim::ScenarioFile file =
      sim::as_hunted(sim::file_at(TENURE_SOURCE_DIR "/scenarios/delivery/hunt-deliveries.toml"));
  for (std::uint64_t seed = 1; seed <= 10; ++seed)
    compare_forged(sim::draw_case(file, seed).scenario, seed, forgeries_of_workers());
}

TEST(Forged, what_workers_do_is_judged_alike_by_both) {
  for (const char* name : {"workers", "turns", "placement"}) {
    const sim::ScenarioFile file =
        sim::as_hunted(sim::file_at(fmt::format("{}/tests/judge/mutants/{}.toml", TENURE_SOURCE_DIR, name)));
    for (std::uint64_t seed = 1; seed <= 20; ++seed)
      compare_forged(sim::draw_case(file, seed).scenario, seed, forgeries_of_workers());
  }
}

TEST(Forged, what_is_delivered_is_judged_alike_by_both) {
  const sim::ScenarioFile file =
      sim::as_hunted(sim::file_at(TENURE_SOURCE_DIR "/tests/judge/mutants/deliveries.toml"));
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    compare_forged(sim::draw_case(file, seed).scenario, seed, forgeries_of_deliveries());
}

}  // namespace
}  // namespace tenure::judging
