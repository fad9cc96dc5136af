// [cluster] node: a program in place of a protocol. Which programs there are is the caller's business.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "format/parse/parse.h"
#include "format/print/print.h"
#include "sim/protocols/registry.h"

namespace tenure::format {
namespace {

// Starts nothing, and says what it was asked for.
class OneProgram final : public sim::DesignFiles {
 public:
  bool names_one(std::string_view) const override { return false; }
  Found find(std::string_view, std::string_view) const override { return {}; }
  Found find_program(const std::vector<std::string>& command, std::string_view folder,
                     std::string_view scenario_path) const override {
    asked = fmt::format("{} in {} of {}", fmt::join(command, "|"), folder, scenario_path);
    if (command.front() == "missing") return {nullptr, "cannot run `missing`", "a program"};
    if (command.front() == "schedules")
      return {.scheduler = find_scheduler_kind("in-memory"), .warnings = {"slow"}};
    return {find_elector_kind("token-ring")};
  }
  mutable std::string asked;
};

ParseResult parsed(const std::string& cluster, const sim::DesignFiles* designs) {
  return parse_scenario("of/x.toml",
                        "format = 1\nname = \"x\"\n[sim]\nduration = \"1m\"\n[cluster]\n" + cluster + "\n",
                        {}, only_utc(), nullptr, {}, nullptr, Unsafe::must_be_accepted, designs);
}

std::string problem_of(const std::string& cluster, const sim::DesignFiles* designs) {
  const ParseResult result = parsed(cluster, designs);
  return result.diagnostics.size() == 1 ? result.diagnostics.front().message
                                        : fmt::format("{} problems", result.diagnostics.size());
}

TEST(Program, takes_the_place_of_a_protocol_and_is_printed_so) {
  const OneProgram programs;
  const ParseResult result =
      parsed("node = { command = [\"python3\", \"my \\\"node.py\"], folder = \"../there\" }", &programs);
  ASSERT_TRUE(result.scenario.has_value()) << result.diagnostics.front().message;
  EXPECT_EQ(programs.asked, "python3|my \"node.py in ../there of of/x.toml");
  const std::string text = print_scenario(result.file());
  EXPECT_NE(text.find("node = { command = [\"python3\", \"my \\\"node.py\"], folder = \"../there\" }\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("protocol"), std::string::npos);
}

TEST(Program, runs_where_the_file_is_unless_that_says_otherwise) {
  const OneProgram programs;
  EXPECT_TRUE(parsed("node = { command = [\"./a\"] }", &programs).scenario.has_value());
  EXPECT_EQ(programs.asked, "./a in . of of/x.toml");
}

TEST(Program, takes_the_place_of_a_scheduler_and_is_printed_so) {
  const OneProgram programs;
  const ParseResult result =
      parsed("protocol = \"fenced-lease\"\nscheduler_node = { command = [\"schedules\"] }", &programs);
  ASSERT_TRUE(result.scenario.has_value()) << result.diagnostics.front().message;
  EXPECT_EQ(result.scenario->scheduler, find_scheduler_kind("in-memory"));
  EXPECT_EQ(result.scenario->warnings, std::vector<std::string>{"slow"});
  const std::string text = print_scenario(result.file());
  EXPECT_NE(text.find("scheduler_node = { command = [\"schedules\"], folder = \".\" }\n"), std::string::npos)
      << text;
  EXPECT_EQ(text.find("scheduler = "), std::string::npos);
}

TEST(Program, that_is_none_is_an_error_with_its_place) {
  const OneProgram programs;
  EXPECT_EQ(problem_of("node = { command = [\"missing\"] }", &programs), "cannot run `missing`");
  EXPECT_EQ(problem_of("node = { command = [] }", &programs), "a `command` without a program");
  EXPECT_EQ(problem_of("node = { folder = \".\" }", &programs), "missing key `command` in node");
  EXPECT_EQ(problem_of("node = { command = [\"./a\"] }", nullptr), "no program is started here");
  EXPECT_EQ(problem_of("instances = 3", &programs), "missing key `protocol` in [cluster]");
}

TEST(Program, does_not_stand_beside_a_protocol) {
  const OneProgram programs;
  EXPECT_EQ(problem_of("protocol = \"token-ring\"\nnode = { command = [\"./a\"] }", &programs),
            "a `protocol` and a `node`");
  EXPECT_EQ(problem_of(
                "protocol = \"token-ring\"\nscheduler = \"ticker\"\nscheduler_node = { command = [\"./a\"] }",
                &programs),
            "a `scheduler` and a `scheduler_node`");
  EXPECT_EQ(programs.asked, "") << "nothing is started for it";
}

}  // namespace
}  // namespace tenure::format
