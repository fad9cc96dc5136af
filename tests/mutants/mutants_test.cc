// Every planted bug of mutants.txt is noticed within the budget, and the core as it is passes the same budget.
//
// What noticed which bug, and how soon, is kept in killed.txt: TENURE_REWRITE_GOLDEN=1 on the whole test program writes
// it anew. Run as a whole, the program prints that table.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "core/store/reference/reference_store.h"
#include "sim/runner/run.h"
#include "tests/mutants/check_throws.h"
#include "tests/mutants/switch.h"
#include "tests/mutants/table.h"
#include "tests/scenarios/library.h"

namespace tenure::mutant {
namespace {

using sim::RunResult;
using sim::Scenario;
using sim::Verdict;

constexpr const char* kKept = TENURE_SOURCE_DIR "/tests/mutants/killed.txt";

constexpr Duration kMissed = Duration::seconds(7);

struct Tried {
  std::string scenario;
  std::uint64_t seed = 0;
  std::string failed;  // the demanded checks that failed, or the CHECK; empty when none did
  Verdict verdict = Verdict::pass;
};

Tried run_once(const Scenario& scenario, std::uint64_t seed) {
  Tried run{.scenario = scenario.name, .seed = seed, .failed = {}, .verdict = Verdict::fail};
  try {
    const RunResult result = sim::run(scenario, seed, {.trace = nullptr, .story = false});
    run.verdict = result.verdict;
    for (const sim::CheckResult& check : result.checks) {
      if (!check.demanded || check.verdict != Verdict::fail) continue;
      run.failed += (run.failed.empty() ? "" : ", ") + check.name;
    }
  } catch (const Stopped& stopped) {
    run.failed = stopped.by;  // a CHECK in core stops a mutant as a checker does
  }
  return run;
}

// A client that has missed a delete: it edits the schedule afterwards, and runs it by hand. No file can say that.
void add_client_that_missed_a_delete(Scenario& scenario) {
  std::vector<sim::ChangeSetting> late;
  for (const sim::ChangeSetting& change : scenario.changes) {
    if (change.action != sim::ChangeAction::remove || change.at + kMissed >= scenario.duration) continue;
    for (const sim::ChangeAction action : {sim::ChangeAction::pause, sim::ChangeAction::trigger}) {
      late.push_back(change);
      late.back().at += kMissed;
      late.back().action = action;
      late.back().id = scenario.changes.size() + late.size();
    }
  }
  scenario.changes.insert(scenario.changes.end(), late.begin(), late.end());
}

const std::vector<Scenario>& scenarios() {
  static const std::vector<Scenario> parsed = [] {
    std::vector<Scenario> all;
    for (const Share& share : budget()) {
      all.push_back(sim::parsed_file(fmt::format("{}/{}", TENURE_SOURCE_DIR, share.scenario)));
      add_client_that_missed_a_delete(all.back());
    }
    return all;
  }();
  return parsed;
}

// Calls see(run) for the runs of the budget, the first seed of each scenario first, until it returns false.
template <class See>
void spend_budget(See&& see) {
  std::uint64_t most = 0;
  for (const Share& share : budget()) most = std::max(most, share.seeds);
  for (std::uint64_t seed = 1; seed <= most; ++seed) {
    for (std::size_t i = 0; i < budget().size(); ++i) {
      if (seed <= budget()[i].seeds && !see(run_once(scenarios()[i], seed))) return;
    }
  }
}

// ---- the table of what kills what ------------------------------------------------------------------------

std::string line_of(std::string_view name, std::string_view runs, std::string_view scenario,
                    std::string_view seed, std::string_view failed) {
  return fmt::format("{:<38}  {:>4}  {:<24}  {:>4}  {}", name, runs, scenario, seed, failed);
}

std::string heading() { return line_of("mutant", "runs", "scenario", "seed", "noticed by"); }

std::map<std::string, std::string> kept_lines() {
  std::map<std::string, std::string> lines;
  std::ifstream file(kKept);
  for (std::string line; std::getline(file, line);) lines[line.substr(0, line.find(' '))] = line;
  return lines;
}

class Mutants : public ::testing::TestWithParam<int> {
 protected:
  static void TearDownTestSuite() {
    if (lines_.size() != mutants().size()) return;  // a part of the table, as when each test is run by itself
    std::string table = heading() + "\n";
    for (const auto& [number, line] : lines_) table += line + "\n";
    fmt::print("{}", table);
    if (std::getenv("TENURE_REWRITE_GOLDEN") != nullptr) std::ofstream(kKept) << table;
  }

  static std::map<int, std::string> lines_;
};

std::map<int, std::string> Mutants::lines_;

TEST_P(Mutants, is_noticed) {
  const Mutant& mutant = mutants()[static_cast<std::size_t>(GetParam())];
  const CheckThrows check_throws;
  const On on(GetParam());
  std::uint64_t runs = 0;
  Tried last;
  spend_budget([&](Tried run) {
    ++runs;
    last = std::move(run);
    return last.failed.empty();
  });
  if (last.failed.empty()) {
    lines_[GetParam()] = line_of(mutant.name, std::to_string(runs), "-", "-", "SURVIVES");
    FAIL() << mutant.name << " in " << mutant.file << " survives " << runs << " runs: " << mutant.bug;
  }
  const std::string line =
      line_of(mutant.name, std::to_string(runs), last.scenario, std::to_string(last.seed), last.failed);
  lines_[GetParam()] = line;
  if (std::getenv("TENURE_REWRITE_GOLDEN") != nullptr) return;
  const auto kept = kept_lines();
  const auto found = kept.find(std::string(mutant.name));
  ASSERT_NE(found, kept.end()) << "killed.txt has no line for it: " << line;
  EXPECT_EQ(line, found->second) << "what notices it has changed; see tests/mutants/README.md";
}

std::vector<int> numbers() {
  std::vector<int> all;
  for (int number = 0; number < static_cast<int>(mutants().size()); ++number) all.push_back(number);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Table, Mutants, ::testing::ValuesIn(numbers()), [](const auto& one) {
  std::string name(mutants()[static_cast<std::size_t>(one.param)].name);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

int number_of(std::string_view name) {
  for (const int number : numbers())
    if (mutants()[static_cast<std::size_t>(number)].name == name) return number;
  ADD_FAILURE() << "no mutant " << name;
  return kNone;
}

TEST(MutantTable, has_a_line_for_each_mutant_and_no_other) {
  EXPECT_EQ(kept_lines().size(), mutants().size() + 1) << "and one for the heading";
}

TEST(MutantTable, is_long_enough_to_say_something_about_the_checkers) { EXPECT_GE(mutants().size(), 30u); }

TEST(Budget, is_passed_by_the_core_as_it_is) {
  spend_budget([](const Tried& run) {
    EXPECT_EQ(run.verdict, Verdict::pass) << run.scenario << ", seed " << run.seed << ": " << run.failed;
    return true;
  });
}

// ---- what might be excused ---------------------------------------------------------------------------------

// A bug in a run in which something else happened that breaks an assumption, takes back what was owed, or moves the
// clock that is judged by. The files demand nothing: claims decide alone, and the bug must not hide behind the rest.
struct Hiding {
  const char* scenario;
  const char* mutant;
  const char* noticed_by;
};
class Excuses : public ::testing::TestWithParam<Hiding> {};

TEST_P(Excuses, do_not_hide_a_bug) {
  const Scenario scenario = sim::parsed_file(
      fmt::format("{}/tests/mutants/scenarios/excuses/{}.toml", TENURE_SOURCE_DIR, GetParam().scenario));
  EXPECT_EQ(run_once(scenario, 1).failed, "") << "the core as it is";
  const On on(number_of(GetParam().mutant));
  const Tried tried = run_once(scenario, 1);
  EXPECT_EQ(tried.verdict, Verdict::fail);
  EXPECT_NE(tried.failed.find(GetParam().noticed_by), std::string::npos) << tried.failed;
}

INSTANTIATE_TEST_SUITE_P(Claims, Excuses,
                         ::testing::Values(Hiding{"trivial-fault", "next-slot-from-now", "no-lost-fire"},
                                           Hiding{"small-step", "due-not-checked", "never-early"},
                                           Hiding{"step-back-at-the-end", "next-slot-from-now",
                                                  "no-lost-fire"},
                                           Hiding{"delete-at-the-end", "next-slot-from-now", "no-lost-fire"}),
                         [](const auto& one) {
                           std::string name = fmt::format("{}_{}", one.param.scenario, one.param.mutant);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// ---- the switch ------------------------------------------------------------------------------------------

// The epoch of a second grant.
std::uint64_t second_epoch() {
  reference::ReferenceStore store;
  std::vector<Notification> notifications;
  const auto acquire = [&](std::uint32_t node, std::uint64_t seen, StoreTime now) {
    const reference::Acquire asked{.resource = {},
                                   .holder = {NodeId{node}, 1},
                                   .epoch_seen = seen,
                                   .nonce = node,
                                   .duration = Duration::seconds(1)};
    store.apply(reference::Request{asked}, now, notifications);
  };
  acquire(1, 0, StoreTime{});
  acquire(2, 1, StoreTime{} + Duration::seconds(2));
  return store.lease({}).epoch;
}

TEST(Switch, changes_what_the_core_that_is_linked_here_does) {
  EXPECT_EQ(second_epoch(), 2u);
  {
    const On on(number_of("grant-keeps-the-epoch"));
    EXPECT_EQ(second_epoch(), 0u);
  }
  EXPECT_EQ(second_epoch(), 2u) << "and is off again";
}

}  // namespace
}  // namespace tenure::mutant
