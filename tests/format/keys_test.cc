#include "format/schema/keys.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "format/parse/parse.h"
#include "format/schema/section.h"
#include "tests/format/good_files.h"

namespace tenure::format {
namespace {

// Every section reachable from the file, each once.
void collect(const SectionSpec& section, std::set<std::string>& seen,
             std::vector<const SectionSpec*>& sections) {
  if (!seen.insert(std::string(section.title)).second) return;
  sections.push_back(&section);
  for (const KeySpec& key : section.keys)
    if (key.section != nullptr) collect(*key.section, seen, sections);
}

std::vector<const SectionSpec*> all_sections() {
  std::set<std::string> seen;
  std::vector<const SectionSpec*> sections;
  collect(file_spec(), seen, sections);
  return sections;
}

TEST(Keys, have_a_doc_and_a_default_that_is_a_value_of_theirs) {
  EXPECT_GE(all_sections().size(), 15u);
  for (const SectionSpec* section : all_sections()) {
    EXPECT_FALSE(section->doc.empty()) << section->title;
    Diagnostics diagnostics("x", "", {});
    const Section read = read_section(nullptr, *section, all_keys(section->open), diagnostics);
    for (const KeySpec& key : section->keys) {
      EXPECT_FALSE(key.doc.empty()) << key.name;
      EXPECT_FALSE(key.doc.ends_with('.')) << key.name;
      EXPECT_TRUE(key.fallback.empty() || read.good(key.name)) << key.name;
      EXPECT_FALSE(key.required && !key.fallback.empty()) << key.name;
    }
  }
}

TEST(Keys, are_named_once_in_their_section) {
  for (const SectionSpec* section : all_sections()) {
    std::set<std::string_view> names;
    for (const KeySpec& key : section->keys) EXPECT_TRUE(names.insert(key.name).second) << key.name;
    for (const KeySpec& key : all_keys(section->open)) EXPECT_TRUE(names.insert(key.name).second) << key.name;
  }
}

TEST(Keys, are_all_in_the_file_of_every_key) {
  const std::string text = good_file("every-key");
  const auto has = [&](std::string_view key) {
    for (const std::string before : {"\n", "{ ", ", ", "."})
      if (text.find(before + std::string(key) + " =") != std::string::npos) return true;
    for (const std::string before : {"[", "."})
      if (text.find(before + std::string(key) + "]") != std::string::npos) return true;
    return false;
  };
  for (const SectionSpec* section : all_sections()) {
    // They stand in place of `protocol` and `scheduler`, which that file has (program_test.cc).
    if (section->title == "node") continue;
    for (const KeySpec& key : section->keys)
      EXPECT_TRUE(has(key.name) || key.name == "node" || key.name == "scheduler_node")
          << section->title << " " << key.name;
  }
  for (const KeySpec& key : keys_of_metrics()) EXPECT_TRUE(has(key.name)) << key.name;
}

// The defaults in the table are those of the struct: code that builds a Scenario gets what an empty file gives.
TEST(Keys, default_to_what_the_scenario_defaults_to) {
  const ParseResult parsed = parse_scenario("x", good_file("smallest"));
  ASSERT_TRUE(parsed.scenario);
  const sim::Scenario& file = *parsed.scenario;
  const sim::Scenario plain;
  EXPECT_EQ(file.start_spread, plain.start_spread);
  EXPECT_EQ(file.departure, plain.departure);
  EXPECT_EQ(file.store.latency, plain.store.latency);
  EXPECT_EQ(file.store.latency_of, plain.store.latency_of);
  EXPECT_EQ(file.store.notification, plain.store.notification);
  EXPECT_EQ(file.store.concurrent, plain.store.concurrent);
  EXPECT_EQ(file.store.queue, plain.store.queue);
  EXPECT_EQ(file.store.clock, plain.store.clock);
  EXPECT_EQ(file.network.latency, plain.network.latency);
  EXPECT_EQ(file.network.loss_ppm, plain.network.loss_ppm);
  EXPECT_EQ(file.work.duration, plain.work.duration);
  EXPECT_EQ(file.work.check_every, plain.work.check_every);
  EXPECT_EQ(file.work.stop_latency, plain.work.stop_latency);
  EXPECT_EQ(file.work.fenced, plain.work.fenced);
  EXPECT_EQ(file.work.honours_event_id, plain.work.honours_event_id);
  EXPECT_EQ(file.work.program.warmup, plain.work.program.warmup);
  EXPECT_EQ(file.work.program.startup, plain.work.program.startup);
  EXPECT_EQ(file.work.program.exits_on_loss, plain.work.program.exits_on_loss);
  EXPECT_EQ(file.work.program.restart_backoff, plain.work.program.restart_backoff);
  EXPECT_EQ(file.work.program.longest_backoff, plain.work.program.longest_backoff);
  EXPECT_EQ(file.expect.believer_overlap_max, plain.expect.believer_overlap_max);
  EXPECT_EQ(file.expect.believer_overlap_said, plain.expect.believer_overlap_said);
  EXPECT_FALSE(file.expect.always);
  EXPECT_FALSE(file.expect.eventually);
  EXPECT_FALSE(file.seed);
  EXPECT_EQ(file.scheduler, nullptr);
  EXPECT_EQ(file.instances.size(), 3u);
}

}  // namespace
}  // namespace tenure::format
