// Our slots against those of croniter, robfig/cron and systemd, over thousands of drawn expressions and instants.
//
// Every difference is sorted under a policy with a name (policies.h). What no policy explains fails the test, and so
// does a policy that explains nothing, or a combination of policies that differences.txt does not list.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "adapters/tzdb/tzdb.h"
#include "tests/differential/policies.h"

namespace tenure::differential {
namespace {

constexpr int kSlots = 8;
constexpr const char* kZones[] = {"Europe/Berlin",     "America/New_York",    "America/Santiago",
                                  "Africa/Casablanca", "Australia/Lord_Howe", "Asia/Kathmandu",
                                  "Pacific/Apia"};

struct Oracle {
  const char* name;
  std::span<const Policy> (*policies)();
  std::vector<std::optional<Answer>> (*ask)(const std::vector<Case>&, int);
  bool knows_zones;
};
constexpr Oracle kOracles[] = {
    {"croniter", croniter_policies, ask_croniter, false},
    {"robfig", robfig_policies, ask_robfig, true},
    {"systemd", systemd_policies, ask_systemd, true},
};
void PrintTo(const Oracle& oracle, std::ostream* out) { *out << oracle.name; }

std::string text_of(const Answer& answer) {
  if (answer.refused) return *answer.refused;
  std::string text;
  for (const std::int64_t slot : answer.slots) text += fmt::format("{} ", slot);
  return text + (answer.never ? "never" : "");
}

// What differences.txt says of one oracle: the sets of policies that are known to be needed.
std::set<std::string> listed(const std::string& oracle) {
  std::ifstream file(TENURE_SOURCE_DIR "/tests/differential/differences.txt");
  std::set<std::string> sets;
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(oracle + ": ")) sets.insert(line.substr(oracle.size() + 2));
  return sets;
}

class Differential : public ::testing::TestWithParam<Oracle> {};

TEST_P(Differential, every_difference_has_a_name) {
  const Oracle& oracle = GetParam();
  const Tzdb tzdb;
  std::vector<Case> cases = draw_utc(1, 2'500);
  for (Case& one : kept_cases()) cases.push_back(std::move(one));
  if (oracle.knows_zones) {
    for (const char* name : kZones) {
      const auto zone = tzdb.find(name);
      ASSERT_NE(zone, nullptr) << name;
      for (Case& one : draw_near_changes(2, 300, *zone)) cases.push_back(std::move(one));
    }
  }
  const auto answers = oracle.ask(cases, kSlots);

  std::map<std::string, int> found;
  int asked = 0;
  int unexplained = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (!answers[i]) continue;
    ++asked;
    const auto zone = tzdb.find(cases[i].zone);
    const auto names = explain(cases[i], zone, *answers[i], oracle.policies(), kSlots);
    if (names) {
      ++found[fmt::format("{}", fmt::join(*names, " and "))];
    } else if (++unexplained <= 10) {
      ADD_FAILURE() << expression_of(cases[i]) << " in " << cases[i].zone << " after " << cases[i].from
                    << "\n  theirs " << text_of(*answers[i]) << "\n  ours   "
                    << text_of(our_answer({.one = cases[i]}, zone, kSlots));
    }
  }
  EXPECT_EQ(unexplained, 0) << "of " << asked;
  EXPECT_GT(asked, 1'000);
  EXPECT_GT(found[""], asked / 2) << "most of the time they agree";
  found.erase("");

  std::set<std::string> sets;
  for (const auto& [names, count] : found) {
    RecordProperty(names, count);
    sets.insert(names);
  }
  EXPECT_EQ(sets, listed(oracle.name));
  for (const Policy& policy : oracle.policies()) {
    const bool used = std::any_of(sets.begin(), sets.end(), [&](const std::string& set) {
      return set.find(policy.name) != std::string::npos;
    });
    EXPECT_TRUE(used) << policy.name << " explains nothing";
  }
}

INSTANTIATE_TEST_SUITE_P(All, Differential, ::testing::ValuesIn(kOracles),
                         [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace tenure::differential
