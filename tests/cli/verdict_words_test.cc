// What is no pass although nothing demanded is amiss says so on every surface, by one rule.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/process.h"

namespace tenure::cli {
namespace {

using nlohmann::ordered_json;
using testing::Ended;
using testing::expect_err;
using testing::expect_out;
using testing::has;

struct Surface {
  std::string_view name;
  std::string_view file;
  std::string_view check;  // its name in reports
  std::string_view what;   // in a few words
};

// In a folder of their own: files as a newcomer writes them, without [expect].
const std::string kFiles = R"sh(
  head() { printf 'format = 1\nname = "%s"\n[sim]\nduration = "2m"\n[cluster]\nprotocol = "client-go"\n' "$1"; }
  { head two; printf '[[fault]]\nat = "30s"\naction = "pause"\ntarget = "leader"\nduration = "20s"\n'; } >two.toml
  { head nobody; printf '[store]\nlatency = "7s"\n'; } >nobody.toml
  { head idle; printf '[[fault]]\non = "steps-down"\naction = "restart"\ntarget = "leader"\n'; } >idle.toml
)sh";

constexpr Surface kSurfaces[] = {
    {"two", "two.toml", "one-believer", "PASS, but two led for "},
    {"nobody", "nobody.toml", "leader-elected", "nobody ever led"},
    {"idle", "idle.toml", "fault 1 (restart)", "never struck: "},
};

class EverySurface : public ::testing::TestWithParam<Surface> {
 protected:
  Ended run(const std::string& arguments) const {
    return testing::in_a_folder(kFiles + "\"$TENURE\" run " + std::string(GetParam().file) + " " + arguments);
  }
  std::string what() const { return std::string(GetParam().what); }
  std::string check() const { return std::string(GetParam().check); }
};

TEST_P(EverySurface, of_a_run) {
  const Ended text = run("--seed 1");
  EXPECT_EQ(text.code, 2);
  EXPECT_TRUE(text.out.starts_with("INCONCLUSIVE ")) << text.out;
  EXPECT_TRUE(has(text.out.substr(0, text.out.find('\n')), what())) << text.out;

  const Ended as_json = run("--seed 1 --format json");
  EXPECT_EQ(as_json.code, 2);
  const ordered_json document = ordered_json::parse(as_json.out);
  EXPECT_EQ(document["verdict"], "inconclusive");
  bool said = false;
  for (const ordered_json& each : document["checks"])
    if (each["name"] == check())
      said = !each["unasked"].get<std::string>().empty() || each["verdict"] == "inconclusive";
  EXPECT_TRUE(said) << as_json.out;
}

TEST_P(EverySurface, of_a_batch) {
  const Ended text = run("--seeds 1..3");
  EXPECT_EQ(text.code, 2);
  EXPECT_FALSE(has(text.out, "\nPASS ")) << text.out;
  expect_out(text, what());
  const Ended as_json = run("--seeds 1..3 --format json");
  EXPECT_EQ(as_json.code, 2);
  const ordered_json summary =
      ordered_json::parse(as_json.out.substr(as_json.out.rfind("\n", as_json.out.size() - 2) + 1));
  EXPECT_EQ(summary["verdict"], "inconclusive");
}

TEST_P(EverySurface, for_ci_servers) {
  for (const std::string seeds : {"--seed 1", "--seeds 1..3"}) {
    const Ended ended = run(seeds +
                            " --format github --junit junit.xml --summary summary.md; code=$?; cat junit.xml "
                            "summary.md >&2; exit $code");
    EXPECT_EQ(ended.code, 2);
    expect_out(ended, "::warning file=" + std::string(GetParam().file));
    EXPECT_FALSE(has(ended.out, "::error")) << ended.out;
    const std::size_t testcase = ended.err.find("<testcase name=\"" + check() + "\"");
    ASSERT_NE(testcase, std::string::npos) << ended.err;
    const std::string about = ended.err.substr(testcase, 900);
    EXPECT_TRUE(has(about, "<error message=")) << about;
    EXPECT_TRUE(has(about, "type=\"inconclusive\"")) << about;
    EXPECT_TRUE(has(about, std::string(GetParam().what.substr(GetParam().what.starts_with("PASS") ? 10 : 0))))
        << about;
    expect_err(ended, "### Tenure: 1 inconclusive");
  }
}

INSTANTIATE_TEST_SUITE_P(Verdicts, EverySurface, ::testing::ValuesIn(kSurfaces),
                         [](const auto& one) { return std::string(one.param.name); });

// A fault that is skipped with one seed and strikes with another.
TEST(Verdicts, of_a_batch_need_each_fault_in_one_of_its_runs) {
  const std::string fault =
      "printf '[[fault]]\\nevery = \"1s..400s\"\\naction = \"kill\"\\ntarget = \"leader\"\\nduration = "
      "\"5s\"\\n' >>some.toml;";
  const Ended ended =
      testing::in_a_folder(kFiles + "head some >some.toml;" + fault +
                           "for i in 1 2 3 4 5 6 7 8; do \"$TENURE\" run some.toml --seed $i >out; "
                           "printf \"$? \"; done; \"$TENURE\" run some.toml --seeds 1..8 >out; echo $?");
  expect_out(ended, "2 ");
  EXPECT_TRUE(ended.out.ends_with(" 0\n")) << ended.out;
}

TEST(Verdicts, of_a_plan_that_is_printed_and_run_are_those_of_its_file) {
  const Ended ended = testing::in_a_folder(
      kFiles +
      "head own >own.toml; printf '[[fault]]\\nevery = \"20s..40s\"\\naction = \"kill\"\\ntarget = "
      "\"leader\"\\n"
      "duration = \"1s\"\\n[[fault]]\\nat = \"10s..50s\"\\naction = \"kill\"\\ntarget = \"n2\"\\nduration = "
      "\"60s\"\\n[expect]\\nbeliever_overlap = \"report\"\\n' >>own.toml; "
      "\"$TENURE\" run own.toml --seed 3 --print-plan >plan.toml; "
      "trace() { \"$TENURE\" run $1 --seed 3 | grep -o 'trace.*'; }; "
      "[ \"$(trace own.toml)\" = \"$(trace plan.toml)\" ] && \"$TENURE\" run plan.toml");
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
}

TEST(Replays, take_settings_over_the_file) {
  const Ended ended = testing::in_a_folder(
      "\"$TENURE\" hunt fail.toml --seeds 300 --no-replay --no-shrink --out kept >/dev/null 2>&1; "
      "\"$TENURE\" replay kept >as_kept; echo $?; "
      "\"$TENURE\" replay kept --set election.lease_duration=60s >mended; echo $?; cat mended");
  EXPECT_TRUE(ended.out.starts_with("1\n")) << ended.out;
  EXPECT_FALSE(ended.out.starts_with("1\n1\n")) << ended.out;
  EXPECT_TRUE(has(ended.out, "--set election.lease_duration=60s") || !has(ended.out, "reproduce"))
      << ended.out;
}

}  // namespace
}  // namespace tenure::cli
