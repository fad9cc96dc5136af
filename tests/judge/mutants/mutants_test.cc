// Each planted bug of the checkers is noticed by the second judge: in some history, real or forged, the checkers as
// they are agree with it about an invariant, and those with the bug do not.
//
// The test prints what noticed which bug.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <set>
#include <string>
#include <utility>

#include "core/base/hash.h"
#include "lab/hunt/swarm.h"
#include "sim/checkers/trackers/run_history.h"
#include "tests/judge/beside.h"
#include "tests/judge/check_throws.h"
#include "tests/judge/forge.h"
#include "tests/judge/mixed.h"
#include "tests/judge/replay.h"
#include "tests/mutants/switch.h"
#include "tests/mutants/table.h"
#include "tests/scenarios/library.h"

namespace tenure::judging {
namespace {

// A checker with a bug switched on, among others without it.
class Switched final : public sim::Observer {
 public:
  Switched(sim::Observer& inner, int mutant) : inner_(inner), mutant_(mutant) {}
  std::uint32_t wants() const override { return inner_.wants(); }
  void see(sim::TrueTime now, const sim::Record& record) override {
    const mutant::On on(mutant_);
    inner_.see(now, record);
  }

 private:
  sim::Observer& inner_;
  int mutant_;
};

// Files of sim/checkers that are a part of several checkers, and of which ones.
const std::map<std::string_view, std::vector<std::string_view>>& shared_parts() {
  static const std::vector<std::string_view> kOfSlots = {"caught-up", "never-early", "no-drift",
                                                         "no-duplicate-fire", "no-lost-fire"};
  static const std::map<std::string_view, std::vector<std::string_view>> kParts = {
      {"oracle/calendar.cc", kOfSlots},
      {"oracle/row_rules.cc", {"no-lost-fire"}},
      {"oracle/slots.cc", kOfSlots},
      {"trackers/belief_tracker.cc",
       {"acts-within-belief", "epochs-increase", "leader-elected", "no-stale-act", "one-believer"}},
      {"trackers/delivery_tracker.cc", {"no-lost-fire"}},
      {"trackers/event_rules.cc",
       {"begun-in-order", "caught-up", "dead-or-delivered", "delivered", "destinations-apart", "never-early",
        "no-drift", "no-lost-fire", "no-stale-completion", "one-live-attempt"}},
      {"trackers/execution_tracker.cc",
       {"dead-or-delivered", "delivered", "no-lost-fire", "no-stale-completion", "one-live-attempt"}},
      {"trackers/hand_outs.cc", {"no-stale-completion", "one-live-attempt"}},
      {"trackers/lease_model.cc", {"fenced-writes"}},
      {"trackers/overlap_judge.cc", {"no-lost-fire"}},
      {"trackers/range_set.cc", {"no-duplicate-fire", "no-lost-fire"}},
      {"trackers/schedule_tracker.cc", kOfSlots},
      {"trackers/slot_set.cc", {"no-duplicate-fire", "no-lost-fire"}},
      {"trackers/work_tracker.cc", {"one-worker", "work-within-limit"}},
  };
  return kParts;
}

constexpr std::string_view kRoom = "sim/checkers/";

// The checkers that a file is a part of: what the table says, or the one whose own it is. Of any other file, none.
std::vector<std::string> checkers_with(std::string_view file) {
  if (!file.starts_with(kRoom)) return {};
  const std::string_view part = file.substr(kRoom.size());
  if (const auto shared = shared_parts().find(part); shared != shared_parts().end())
    return {shared->second.begin(), shared->second.end()};
  std::string name = std::filesystem::path(part).stem().string();
  std::replace(name.begin(), name.end(), '_', '-');
  const bool own = part.starts_with("invariants/") && sim::find_checker_kind(name) != nullptr;
  return own ? std::vector<std::string>{name} : std::vector<std::string>{};
}

bool concerns(const mutant::Mutant& planted, std::string_view checker) {
  const std::vector<std::string> checkers = checkers_with(planted.file);
  return std::count(checkers.begin(), checkers.end(), checker) > 0;
}

using Verdicts =
    std::map<std::string_view, std::optional<sim::TrueTime>>;  // of each invariant: when it was broken

using Names = std::set<std::string, std::less<>>;
Names all_names() {
  Names names;
  for (const sim::CheckerKind& kind : sim::checker_kinds()) names.emplace(kind.name);
  return names;
}

// What these checkers say of a history, with a bug or without; nothing of those that a CHECK stopped.
Verdicts verdicts_of(const Case& run, int planted, const Names& asked = all_names()) {
  Verdicts verdicts;
  for (const sim::CheckerKind& kind : sim::checker_kinds()) {
    if (!asked.contains(kind.name) || kind.not_applicable(run.scenario) != nullptr) continue;
    if (planted != mutant::kNone &&
        !concerns(mutant::mutants()[static_cast<std::size_t>(planted)], kind.name))
      continue;
    const mutant::On on(planted);
    Replay own(run.history);
    sim::RunHistory history(run.scenario, own);
    const auto checker = kind.make({run.scenario, own, &history});
    Switched tracking(history, planted);
    Switched switched(*checker, planted);
    Switched after(history.after(), planted);
    own.show_to({&tracking, &switched, &after});
    const mutant::On at_the_end(planted);
    history.finish(run.history.end);
    checker->finish(run.history.end);
    const auto& violations = checker->violations();
    verdicts[kind.name] = violations.empty() ? std::nullopt : std::optional(violations.begin()->at);
  }
  return verdicts;
}
Verdicts judged(const Case& run, const Names& asked = all_names()) {
  Verdicts verdicts;
  for (const Invariant& invariant : invariants()) {
    if (!asked.contains(invariant.name)) continue;
    if (sim::find_checker_kind(invariant.name)->not_applicable(run.scenario) != nullptr) continue;
    const std::optional<Wrong> wrong = earliest(invariant.judge(run));
    verdicts[invariant.name] = wrong ? std::optional(wrong->at) : std::nullopt;
  }
  return verdicts;
}

bool same(const std::optional<sim::TrueTime>& a, const std::optional<sim::TrueTime>& b) {
  return a.has_value() == b.has_value() && (!a || same_moment(*a, *b));
}

struct Killed {
  std::string checker;
  std::string by;
};

class Trial {
 public:
  Trial() : killed_(mutant::mutants().size()) {}

  void look_at(const Case& run, const std::string& what) {
    const CheckThrows check_throws;
    const Names asked = checkers_with_living();
    Verdicts right;
    try {
      const Verdicts judge = judged(run, asked);
      for (const auto& [name, verdict] : verdicts_of(run, mutant::kNone, asked)) {
        const auto judged_too = judge.find(name);
        if (judged_too != judge.end() && same(judged_too->second, verdict)) right[name] = verdict;
      }
    } catch (const CheckThrows::Stopped&) {
      return;
    }
    for (std::size_t i = 0; i < killed_.size(); ++i)
      if (killed_[i].by.empty()) try_one(i, run, right, what);
  }

  bool all_killed() const {
    return std::all_of(killed_.begin(), killed_.end(),
                       [](const Killed& killed) { return !killed.by.empty(); });
  }
  const std::vector<Killed>& killed() const { return killed_; }

 private:
  // The others are asked no more: most bugs are noticed at once, and the last ones after many histories.
  Names checkers_with_living() const {
    Names names;
    for (std::size_t i = 0; i < killed_.size(); ++i)
      if (killed_[i].by.empty())
        for (std::string& name : checkers_with(mutant::mutants()[i].file)) names.insert(std::move(name));
    return names;
  }

  void try_one(std::size_t number, const Case& run, const Verdicts& right, const std::string& what) {
    try {
      for (const auto& [name, verdict] : verdicts_of(run, static_cast<int>(number))) {
        const auto expected = right.find(name);
        if (expected == right.end() || same(expected->second, verdict)) continue;
        killed_[number] = {std::string(name), what};
        return;
      }
    } catch (const CheckThrows::Stopped&) {
      killed_[number] = {"a CHECK", what};
    }
  }

  std::vector<Killed> killed_;
};

void spend(Trial& trial, const sim::Scenario& scenario, std::uint64_t seed,
           const std::vector<Forgery>& all = forgeries()) {
  const History real = simulate(scenario, seed, {}, {});
  trial.look_at({scenario, real}, fmt::format("{} {}: as it was", scenario.name, seed));
  for (const Forgery& forgery : all) {
    History forged = real;
    if (!forgery.forge(forged, mix64(seed, 77))) continue;
    if (trial.all_killed()) return;
    trial.look_at({scenario, forged}, fmt::format("{} {}: {}", scenario.name, seed, forgery.name));
  }
}

void print(const Trial& trial) {
  for (std::size_t i = 0; i < mutant::mutants().size(); ++i)
    std::cout << fmt::format("{:<34}  {:<22}  {}\n", mutant::mutants()[i].name, trial.killed()[i].checker,
                             trial.killed()[i].by);
}

// One test for all: each history is looked at for every bug that nobody has noticed yet.
TEST(CheckerMutants, every_one_is_noticed) {
  Trial made;
  const auto read = [](const char* name) {
    return sim::as_hunted(
        sim::file_at(fmt::format("{}/tests/judge/mutants/{}.toml", TENURE_SOURCE_DIR, name)));
  };
  const sim::ScenarioFile files[] = {read("policies"), read("autumn"), read("late")};
  const sim::ScenarioFile of_edits =
      sim::as_hunted(sim::file_at(TENURE_SOURCE_DIR "/scenarios/delivery/hunt-deliveries.toml"));
  const sim::ScenarioFile of_workers[] = {read("workers"), read("turns"), of_edits, read("placement")};
  const sim::ScenarioFile of_deliveries = read("deliveries");
  for (std::uint64_t seed = 1; seed <= 4 * mutant::budget().front().seeds && !made.all_killed(); ++seed) {
    spend(made, sim::draw_case(of_deliveries, seed).scenario, seed, forgeries_of_deliveries());
    spend(made, sim::draw_case(of_edits, seed).scenario, seed, forgeries_of_deliveries());
    for (const sim::ScenarioFile& file : of_workers)
      spend(made, sim::draw_case(file, seed).scenario, seed, forgeries_of_workers());
    for (const sim::ScenarioFile& file : files) spend(made, sim::draw_case(file, seed).scenario, seed);
    for (const Pair& pair : pairs())
      spend(made, sim::draw_case(mixed(pair, seed % 2 == 0), seed).scenario, seed);
  }
  print(made);
  for (std::size_t i = 0; i < mutant::mutants().size(); ++i)
    EXPECT_FALSE(made.killed()[i].by.empty())
        << mutant::mutants()[i].name << ": " << mutant::mutants()[i].bug;
}

// A bug that is tried on checkers which do not have it is noticed by nobody.
TEST(CheckerMutants, each_is_tried_on_the_checkers_that_its_file_is_a_part_of) {
  for (const mutant::Mutant& planted : mutant::mutants())
    EXPECT_FALSE(checkers_with(planted.file).empty())
        << planted.name << ": nobody has said of which checkers " << planted.file << " is a part";
  for (const auto& [part, checkers] : shared_parts()) {
    EXPECT_TRUE(std::filesystem::exists(fmt::format("{}/{}{}", TENURE_SOURCE_DIR, kRoom, part))) << part;
    for (const std::string_view checker : checkers)
      EXPECT_NE(sim::find_checker_kind(checker), nullptr) << part << ": " << checker;
  }
}

TEST(CheckerMutants, are_at_least_forty) { EXPECT_GE(mutant::mutants().size(), 40u); }

// A bug that changes nothing is noticed by nobody: the test can fail.
TEST(CheckerMutants, one_that_is_not_switched_on_is_not_noticed) {
  const sim::Scenario scenario = sim::draw_case(mixed(pairs().front(), true), 1).scenario;
  const History history = simulate(scenario, 1, {}, {});
  const Case run{scenario, history};
  const Verdicts judge = judged(run);
  for (const auto& [name, verdict] : verdicts_of(run, mutant::kNone)) {
    ASSERT_TRUE(judge.contains(name)) << name;
    EXPECT_TRUE(same(judge.at(name), verdict)) << name;
  }
}

}  // namespace
}  // namespace tenure::judging
