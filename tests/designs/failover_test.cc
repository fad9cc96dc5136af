// What shipped designs say of their failover, beside the simulation: least and most are kept, the mean is within 2 %.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "cli/designs.h"
#include "cli/engines.h"
#include "lab/tune/explain.h"

namespace tenure::sim {
namespace {

struct Said {
  std::string design;
  std::uint64_t runs = 300;                     // of each of two clusters
  std::vector<format::Override> settings = {};  // where the defaults have no mean
};
void PrintTo(const Said& each, std::ostream* out) { *out << each.design; }

lab::TuneFile file_of(const std::string& design, int instances) {
  lab::TuneFile file;
  file.path = TENURE_SOURCE_DIR "/scenarios/designs/here.toml";
  file.text = "format = 1\nname = \"x\"\n[sim]\nduration = \"1h\"\ntail = \"2h\"\n[cluster]\ninstances = " +
              std::to_string(instances) + "\nprotocol = \"" + design + "/" + design +
              ".lua\"\n[store]\nlatency = \"5ms\"\n[network]\nlatency = \"1ms\"\n";
  file.zones = &only_utc();
  file.engines = cli::store_engines();
  file.designs = &cli::design_files();
  return file;
}

class SaidFailovers : public ::testing::TestWithParam<Said> {};

TEST_P(SaidFailovers, are_confirmed) {
  for (const int instances : {2, 3}) {
    SCOPED_TRACE(instances);
    lab::TuneFile file = file_of(GetParam().design, instances);
    file.sets = GetParam().settings;
    const lab::MadeSetting own = lab::make_setting(file, {});
    ASSERT_TRUE(own.setting) << own.problems.front().message;
    const std::optional<lab::ClosedForm> form = lab::closed_form(own.setting->scenario);
    ASSERT_TRUE(form);
    ASSERT_EQ(form->not_for, "");
    const std::vector<lab::Experiment> made = lab::experiments(file, own.setting->scenario, *form);
    ASSERT_EQ(made.size(), 1u);
    ASSERT_TRUE(made.front().setting) << made.front().why_not;
    std::vector<lab::RunNumbers> runs;
    for (std::uint64_t seed = 1; seed <= GetParam().runs; ++seed)
      runs.push_back(lab::measure_run(*made.front().setting, seed, lab::explain_questions()));
    const Samples seen = lab::shown_by(made.front(), runs).failover;
    const FailoverForm& said = *form->failover;
    EXPECT_NE(lab::judge_least(said, seen), lab::ExplainFinding::refuted)
        << seen.min().ns() << " below " << said.least.ns();
    EXPECT_NE(lab::judge_most(said, seen), lab::ExplainFinding::refuted)
        << seen.max().ns() << " above " << said.most.ns();
    ASSERT_TRUE(said.mean);
    EXPECT_EQ(lab::judge_mean(said, seen), lab::ExplainFinding::confirmed)
        << seen.mean().ns() << ", said " << said.mean->ns();
  }
}

// Where a failover differs much from the next, it takes more of them to tell 2 %.
INSTANTIATE_TEST_SUITE_P(Shipped, SaidFailovers,
                         ::testing::Values(Said{"article-lease", 1'500}, Said{"azure-blob-lease", 1'500},
                                           Said{"consul-session"}, Said{"dynamodb-conditional"},
                                           Said{"dynamodb-lock-client", 1'500}, Said{"etcd-campaign"},
                                           Said{"etcd-election"}, Said{"kinesis-lease", 1'500},
                                           Said{"lease-store", 300, {{"election.lease_duration", "\"14s\""}}},
                                           Said{"portal-lock"}, Said{"portal-lock-in-code", 600},
                                           Said{"redis-setnx"}, Said{"river"}, Said{"sqs-visibility"},
                                           Said{"zookeeper-latch"}),
                         [](const auto& said) {
                           std::string name = said.param.design;
                           for (char& c : name)
                             if (c == '-') c = '_';
                           return name;
                         });

TEST(SaidFailovers, of_settings_that_change_the_design_are_none) {
  lab::TuneFile file = file_of("etcd-campaign", 3);
  file.sets = {{"election.put", "\"plain\""}};
  EXPECT_FALSE(lab::closed_form(lab::make_setting(file, {}).setting->scenario));
}

}  // namespace
}  // namespace tenure::sim
