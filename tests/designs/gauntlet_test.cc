// Each situation of the gauntlet does harm to some design that is known to be weak there. One that harms nobody would
// say "0 of 200" of everybody, and nobody would see that it tests nothing.
#include "cli/gauntlet.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>

#include "cli/load.h"
#include "lab/compare/cell.h"
#include "lab/compare/situation.h"
#include "sim/runner/run.h"

namespace tenure::sim {
namespace {

struct Bite {
  std::string_view situation;
  std::string_view design;
  Damage damage = Damage::two_lead;
  std::optional<Duration> own_time = {};  // to stretch it to; none: it bites as it is
};
std::string path_of(std::string_view design) {
  return fmt::format("{}/scenarios/designs/{}/{}", TENURE_SOURCE_DIR, design.substr(0, design.rfind('.')),
                     design);
}

const Bite kBites[] = {
    {"answers-lost", "consul-session.lua"},
    {"clock-ahead", "shedlock.lua", Damage::two_lead, Duration::minutes(8)},
    {"clock-behind", "article-lease.lua"},
    {"crash", "row-mutex.lua", Damage::nobody_at_end},
    {"crashes", "row-mutex.lua", Damage::nobody_at_end},
    {"lost-commits", "river.lua"},
    {"lost-commits", "redis-setnx.lua", Damage::two_lead, Duration::seconds(25)},
    {"one-way-partition", "lease-store.lua"},
    {"pause", "client-go:15/10/2"},
    {"pause-before-acting", "client-go+ticker"},
    {"pause-before-acting", "db-lease", Damage::stale_writes},
    {"pause-before-acting", "redis-setnx.lua", Damage::stale_writes, Duration::seconds(25)},
    {"slow-clock", "db-lease"},
    {"store-clock-step", "db-lease"},
    {"store-hangs", "lease-store.lua"},
    {"vm-suspend", "fenced-lease"},
};
// These are measured, or every design that is shipped comes through: without a leader meanwhile, but with one leader.
constexpr std::string_view kHarmNobody[] = {"clean-stop", "deploy",       "ordinary-day",
                                            "quiet",      "slow-answers", "store-outage"};

lab::Situation situation_of(std::string_view name) {
  for (const cli::GauntletFile& each : cli::gauntlet()) {
    const lab::ScenarioReader reader = cli::scenario_reader();
    lab::TuneFile file;
    file.path = std::string(each.name);
    file.text = std::string(each.text);
    file.zones = reader.zones;
    file.engines = reader.engines;
    file.designs = reader.designs;
    lab::ReadSituation read = lab::read_situation(std::move(file));
    if (read.situation && read.situation->name == name) return *std::move(read.situation);
  }
  throw std::invalid_argument("there is no such situation");
}

class Gauntlet : public ::testing::TestWithParam<Bite> {};

TEST_P(Gauntlet, harms_a_design_that_is_weak_there) {
  const Bite& bite = GetParam();
  const bool is_file = bite.design.ends_with(".lua");
  const lab::ReadCandidate read = lab::read_candidate(
      is_file ? path_of(bite.design) : std::string(bite.design), cli::scenario_reader().designs);
  ASSERT_TRUE(read.candidate) << read.problem;
  const lab::MadeCase made =
      lab::make_case(situation_of(bite.situation), *read.candidate,
                     {.own_time = bite.own_time, .stretched = bite.own_time.has_value()});
  ASSERT_TRUE(made.scenario) << made.not_applicable;
  lab::Cell cell(true);
  for (std::uint64_t seed = 1; seed <= 40 && !cell.seen(bite.damage); ++seed)
    cell.add(lab::numbers_of_case(*made.scenario, run(*made.scenario, seed, {.story = false})));
  EXPECT_TRUE(cell.seen(bite.damage)) << cell.not_struck() << cell.moved_unread_clock();
}

std::string name_of_bite(const ::testing::TestParamInfo<Bite>& info) {
  std::string name = std::string(info.param.situation) + "_" + std::string(info.param.design);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(situations, Gauntlet, ::testing::ValuesIn(kBites), name_of_bite);

TEST(GauntletSituations, each_harm_some_design_or_are_known_to_harm_none) {
  std::set<std::string_view> known(std::begin(kHarmNobody), std::end(kHarmNobody));
  for (const Bite& bite : kBites) known.insert(bite.situation);
  for (const cli::GauntletFile& each : cli::gauntlet()) {
    std::string_view name = each.name;
    name.remove_prefix(name.rfind('/') + 1);
    EXPECT_TRUE(known.contains(name.substr(0, name.rfind('.')))) << each.name;
  }
}

}  // namespace
}  // namespace tenure::sim
