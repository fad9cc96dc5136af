// What a program says of itself, and when it says nothing.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "core/base/host_failure.h"
#include "tests/adapters/process/processes.h"

namespace tenure::sim {
namespace {

std::string problem_of(const std::string& description) {
  const OneProgram design(node_py({"well", description}));
  return design.program() == nullptr ? design.problem() : "none";
}

TEST(Description, gives_a_kind_with_parameters_and_claims) {
  const OneProgram design(node_py({"well",
                                   R"({"tenure": 1, "name": "my-lease", "summary": "mine", "tokens": true,
           "parameters": {"period": {"default": "5s", "min": "1ms", "max": "1h", "doc": "how often"},
                          "tries": {"default": 3, "min": 1}, "strict": {"default": true}},
           "claims": {"one-believer": {"assumes": ["no-crash"], "passes": true}}})"}));
  ASSERT_NE(design.program(), nullptr) << design.problem();
  const ElectorKind& kind = design.program()->kind();
  EXPECT_EQ(kind.name, "my-lease");
  EXPECT_EQ(kind.summary, "mine");
  EXPECT_TRUE(kind.has_tokens);
  EXPECT_NE(kind.design, nullptr);
  const Parameters parameters(kind.parameters());
  EXPECT_EQ(parameters.duration("period"), Duration::seconds(5));
  EXPECT_EQ(parameters.number("tries"), 3);
  EXPECT_TRUE(parameters.flag("strict"));
  const std::vector<Claim> claims = kind.claims();
  ASSERT_EQ(claims.size(), 2U);
  EXPECT_EQ(claims[0].invariant, "one-believer");
  EXPECT_EQ(claims[0].assumptions, std::vector{Assumption::no_crash});
  EXPECT_EQ(claims[0].aftermath, Claim::Aftermath::passes);
  EXPECT_EQ(claims[1].invariant, "design-error") << "no assumption excuses an error in the program";
}

TEST(Description, that_is_wrong_is_told_in_words) {
  EXPECT_EQ(problem_of(R"({"tenure": 1, "name": "x"})"), "none");
  EXPECT_EQ(problem_of(R"({"tenure": 2, "name": "x"})"),
            "it speaks version 2 of the protocol, and this is version 1");
  EXPECT_EQ(problem_of(R"({"name": "x"})"), "there is no `tenure`");
  EXPECT_EQ(problem_of(R"({"tenure": 1})"), "there is no `name`");
  EXPECT_EQ(problem_of(R"({"tenure": 1, "name": "My lease"})"),
            "`name` must be of small letters, digits and hyphens, like \"my-lease\"");
  EXPECT_EQ(problem_of(R"({"tenure": 1, "name": "x", "clams": {}})"),
            "unknown key `clams` of a description; there is tenure, name, summary, parameters, schema, "
            "claims, tokens, "
            "copies_itself");
  EXPECT_EQ(problem_of(R"({"tenure": 1, "name": "x", "claims": {"one-believer": {"assumes": ["luck"]}}})"),
            "unknown assumption `luck` of `one-believer`");
  EXPECT_EQ(problem_of(R"({"tenure": 1, "name": "x", "parameters": {"p": {"default": "5"}}})"),
            "`p`: `5` has no unit");
  EXPECT_EQ(problem_of(R"({"tenure": 1, "name": "x", "parameters": {"p": {"default": "5s", "max": "1s"}}})"),
            "the default of parameter `p` is not between its `min` and its `max`");
  EXPECT_EQ(problem_of(R"({"tenure": 1, "name": "x", "parameters": {"accept": {"default": true}}})"),
            "a parameter cannot be called `accept`, which is a key of [election]");
  EXPECT_EQ(problem_of(R"({"tenure": 1, "name": "x", "schema": "CREATE"})"),
            "schema: a schema needs a store for SQL, and there is none here");
}

TEST(Description, of_a_program_that_is_none_says_why) {
  EXPECT_EQ(OneProgram({"./no-such-program"}).problem(),
            "cannot run `./no-such-program`: No such file or directory");
  EXPECT_EQ(OneProgram({"false"}).problem(), "it was asked what it is, and ended with exit status 1");
  EXPECT_EQ(OneProgram({"echo", "hello"}).problem(), "it is no JSON");
  EXPECT_EQ(OneProgram({"sh", "-c", "echo at length >&2; echo broken >&2; exit 3"}).problem(),
            "it was asked what it is, and ended with exit status 3: broken");
}

TEST(Description, that_does_not_come_is_no_finding) {
  EXPECT_THROW(OneProgram({"sleep", "1000"}, std::chrono::milliseconds(200)), HostFailure);
}

TEST(Hash, changes_with_the_command_and_with_the_files_that_it_names) {
  const auto hash_of = [](const std::vector<std::string>& command) {
    return OneProgram(command).program()->kind().design->hash;
  };
  const std::uint64_t one = hash_of(node_py({"well"}));
  EXPECT_EQ(one, hash_of(node_py({"well"})));
  EXPECT_NE(one, hash_of(node_py({"other"})));
}

}  // namespace
}  // namespace tenure::sim
