// Each planted bug of the checkers is noticed by the second judge: in some history, real or forged, the checkers as
// they are agree with it about an invariant, and those with the bug do not.
//
// The test prints what noticed which bug.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <string>
#include <utility>

#include "lab/hunt/swarm.h"
#include "tests/judge/beside.h"
#include "tests/judge/histories.h"
#include "tests/mutants/check_throws.h"
#include "tests/mutants/switch.h"
#include "tests/mutants/table.h"

namespace tenure::judging {
namespace {

// Files of sim/checkers that are a part of several checkers, and of which ones.
const std::map<std::string_view, Names>& shared_parts() {
  static const std::map<std::string_view, Names> kParts = {
      {"oracle/row_rules.cc", {"no-lost-fire"}},
      {"trackers/belief_tracker.cc",
       {"acts-within-belief", "epochs-increase", "no-stale-act", "one-believer"}},
      {"trackers/event_lifecycle.cc", {"no-lost-fire"}},
      {"trackers/event_rules.cc",
       {"begun-in-order", "dead-or-delivered", "no-lost-fire", "no-stale-completion", "one-live-attempt"}},
      {"trackers/execution_tracker.cc",
       {"dead-or-delivered", "no-lost-fire", "no-stale-completion", "one-live-attempt"}},
      {"trackers/claim_rules.cc", {"no-stale-completion", "one-live-attempt"}},
      {"trackers/lease_model.cc", {"fenced-writes"}},
      {"trackers/schedule_tracker.cc", {"never-early", "no-drift", "no-duplicate-fire", "no-lost-fire"}},
      {"trackers/slot_set.cc", {"no-duplicate-fire", "no-lost-fire"}},
  };
  return kParts;
}

constexpr std::string_view kRoom = "sim/checkers/";

// The checkers that a file is a part of: what the table says, or the one whose own it is. Of any other file, none.
Names checkers_with(std::string_view file) {
  if (!file.starts_with(kRoom)) return {};
  const std::string_view part = file.substr(kRoom.size());
  if (const auto shared = shared_parts().find(part); shared != shared_parts().end()) return shared->second;
  std::string name = std::filesystem::path(part).stem().string();
  std::replace(name.begin(), name.end(), '_', '-');
  const Invariant* own = part.starts_with("invariants/") ? find_invariant(name) : nullptr;
  return own != nullptr ? Names{own->name} : Names{};
}

// Which checkers, without a bug, agree with the judge, and what the judge says.
using Agreed = std::map<std::string_view, std::optional<Wrong>>;

bool agrees(std::string_view name, const std::optional<Wrong>& judged,
            const std::optional<sim::Violation>& found) {
  return agree(*find_invariant(name), judged, found ? std::optional(found->at) : std::nullopt);
}
Agreed agreed(const Case& run, const Names& asked) {
  Agreed agreed;
  for (const auto& [name, found] : found_in(run, asked)) {
    const std::optional<Wrong> judged = earliest(find_invariant(name)->judge(run));
    if (agrees(name, judged, found)) agreed[name] = judged;
  }
  return agreed;
}

struct Killed {
  std::string checker;
  std::string by;
};

class Trial {
 public:
  void look_at(const Case& run, const std::string& what) {
    const mutant::CheckThrows check_throws;
    Agreed right;
    try {
      right = agreed(run, checkers_with_living());
    } catch (const mutant::Stopped&) {
      return;
    }
    for (std::size_t i = 0; i < killed_.size(); ++i)
      if (killed_[i].by.empty()) try_one(i, run, right, what);
  }

  bool all_killed() const { return checkers_with_living().empty(); }
  const std::vector<Killed>& killed() const { return killed_; }

 private:
  // The others are asked no more: most bugs are noticed at once, and the last ones after many histories.
  Names checkers_with_living() const {
    Names names;
    for (std::size_t i = 0; i < killed_.size(); ++i)
      if (killed_[i].by.empty()) names.merge(checkers_with(mutant::mutants()[i].file));
    return names;
  }

  void try_one(std::size_t number, const Case& run, const Agreed& right, const std::string& what) {
    const mutant::On on(static_cast<int>(number));
    try {
      for (const auto& [name, found] : found_in(run, checkers_with(mutant::mutants()[number].file))) {
        const auto judged = right.find(name);
        if (judged == right.end() || agrees(name, judged->second, found)) continue;
        killed_[number] = {std::string(name), what};
        return;
      }
    } catch (const mutant::Stopped& stopped) {
      killed_[number] = {stopped.by, what};
    }
  }

  std::vector<Killed> killed_ = std::vector<Killed>(mutant::mutants().size());
};

// One test for all: each history is looked at for every bug that nobody has noticed yet.
TEST(CheckerMutants, every_one_is_noticed) {
  Trial made;
  for (std::uint64_t seed = 1; seed <= mutant::budget().front().seeds && !made.all_killed(); ++seed)
    for_each_history(seed, [&](const Case& run, const std::string& of, std::string_view forgery) {
      if (!made.all_killed()) made.look_at(run, fmt::format("{}: {}", of, forgery));
    });
  for (std::size_t i = 0; i < mutant::mutants().size(); ++i) {
    const auto& [checker, by] = made.killed()[i];
    std::cout << fmt::format("{:<34}  {:<22}  {}\n", mutant::mutants()[i].name, checker, by);
    EXPECT_FALSE(by.empty()) << mutant::mutants()[i].name << ": " << mutant::mutants()[i].bug;
  }
}

// A bug that is tried on checkers which do not have it is noticed by nobody.
TEST(CheckerMutants, each_is_tried_on_the_checkers_that_its_file_is_a_part_of) {
  for (const mutant::Mutant& planted : mutant::mutants())
    EXPECT_FALSE(checkers_with(planted.file).empty())
        << planted.name << ": nobody has said of which checkers " << planted.file << " is a part";
  for (const auto& [part, checkers] : shared_parts()) {
    EXPECT_TRUE(std::filesystem::exists(fmt::format("{}/{}{}", TENURE_SOURCE_DIR, kRoom, part))) << part;
    for (const std::string_view checker : checkers)
      EXPECT_NE(find_invariant(checker), nullptr) << part << ": " << checker;
  }
}

TEST(CheckerMutants, are_at_least_forty) { EXPECT_GE(mutant::mutants().size(), 40u); }

// A bug that changes nothing is noticed by nobody: the test can fail.
TEST(CheckerMutants, one_that_is_not_switched_on_is_not_noticed) {
  const sim::Scenario scenario = lab::draw_case(sources().front().file, 1).scenario;
  const History history = simulate(scenario, 1);
  const Case run{scenario, history};
  for (const Invariant& invariant : invariants()) {
    if (sim::find_checker_kind(invariant.name)->not_applicable(scenario) != nullptr) continue;
    EXPECT_EQ(agreed(run, {invariant.name}).size(), 1u) << invariant.name;
  }
}

}  // namespace
}  // namespace tenure::judging
