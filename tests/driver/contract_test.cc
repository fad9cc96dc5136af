// Every host keeps every clause of the contract; and each planted bug of mutants.txt is noticed by a clause on every
// host that can show it. What noticed which bug is in noticed.txt: TENURE_REWRITE_GOLDEN=1 writes it anew.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "core/base/check.h"
#include "tests/driver/clauses.h"
#include "tests/mutants/switch.h"
#include "tests/mutants/table.h"

namespace tenure::testing {
namespace {

constexpr const char* kNoticed = TENURE_SOURCE_DIR "/tests/driver/noticed.txt";

struct Broken {
  std::string where;
};
[[noreturn]] void throw_broken(const CheckFailure& failure) {
  throw Broken{fmt::format("CHECK({})", failure.expression)};
}

std::vector<std::string> judge(const Clause& clause, std::unique_ptr<HostUnderTest> (*make)(Script&)) {
  Script script;
  Findings findings;
  const CheckHandler before = set_check_handler(throw_broken);
  try {
    clause.judge(*make(script), script, findings);
  } catch (const Broken& broken) {
    findings.expect(false, broken.where);
  }
  set_check_handler(before);
  return findings.wrong();
}

bool applies(const Clause& clause, std::unique_ptr<HostUnderTest> (*make)(Script&)) {
  Script script;
  return applies(clause, *make(script));
}

std::string name_of(std::unique_ptr<HostUnderTest> (*make)(Script&)) {
  Script script;
  return std::string{make(script)->name()};
}

TEST(DriverContract, every_host_keeps_every_clause) {
  for (const auto make : kHosts) {
    for (const Clause& clause : clauses()) {
      if (!applies(clause, make)) continue;
      for (const std::string& wrong : judge(clause, make))
        ADD_FAILURE() << name_of(make) << ": " << clause.name << ": " << wrong;
    }
  }
}

TEST(DriverContract, every_clause_is_shown_by_a_host_and_most_by_all) {
  int shown = 0;
  for (const Clause& clause : clauses()) {
    int hosts = 0;
    for (const auto make : kHosts) hosts += applies(clause, make) ? 1 : 0;
    EXPECT_GT(hosts, 0) << clause.name;
    shown += hosts == 3 ? 1 : 0;
  }
  EXPECT_GT(shown * 2, static_cast<int>(clauses().size()));
}

// One line for each bug: by how many clauses it was noticed, and on which hosts.
TEST(DriverContract, every_planted_bug_is_noticed) {
  std::string noticed;
  for (std::size_t i = 0; i < mutant::mutants().size(); ++i) {
    const mutant::Mutant& planted = mutant::mutants()[i];
    const mutant::On on(static_cast<int>(i));
    std::set<std::string> by;
    std::string hosts;
    for (const auto make : kHosts) {
      bool here = false;
      for (const Clause& clause : clauses())
        if (applies(clause, make) && !judge(clause, make).empty()) {
          by.emplace(clause.name);
          here = true;
        }
      if (here) hosts += (hosts.empty() ? "" : ", ") + name_of(make);
    }
    EXPECT_FALSE(hosts.empty()) << planted.name << ": " << planted.bug;
    noticed += fmt::format("{}: {} {} ({})\n", planted.name, by.size(), by.size() == 1 ? "clause" : "clauses",
                           hosts);
  }
  if (std::getenv("TENURE_REWRITE_GOLDEN") != nullptr) std::ofstream(kNoticed) << noticed;
  std::stringstream kept;
  kept << std::ifstream(kNoticed).rdbuf();
  EXPECT_EQ(kept.str(), noticed) << "TENURE_REWRITE_GOLDEN=1 writes it anew";
}

}  // namespace
}  // namespace tenure::testing
