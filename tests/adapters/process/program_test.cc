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
           "goes_round": true,
           "parameters": {"kept": {"default": "168h", "recovery": false},
                          "period": {"default": "5s", "min": "1ms", "max": "1h", "doc": "how often"},
                          "tries": {"default": 3, "min": 1}, "strict": {"default": true},
                          "update": {"default": "after", "choices": ["before", "after"]}},
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
  EXPECT_EQ(parameters.choice("update"), "after");
  EXPECT_TRUE(kind.goes_round);
  EXPECT_FALSE(kind.parameters()[0].delays_recovery);
  EXPECT_TRUE(kind.parameters()[1].delays_recovery);
  const std::vector<Claim> claims = kind.claims();
  ASSERT_EQ(claims.size(), 2U);
  EXPECT_EQ(claims[0].invariant, "one-believer");
  EXPECT_EQ(claims[0].assumptions, std::vector{Assumption::no_crash});
  EXPECT_EQ(claims[0].aftermath, Claim::Aftermath::passes);
  EXPECT_EQ(claims[1].invariant, "design-error") << "no assumption excuses an error in the program";
}

// The rules of a design's own variables are tested in tests/adapters/design.
TEST(Description, that_is_wrong_is_told_in_words) {
  EXPECT_EQ(problem_of(R"({"tenure": 1, "name": "x"})"), "none");
  EXPECT_EQ(problem_of(R"({"tenure": 2, "name": "x"})"),
            "it speaks version 2 of the protocol, and this is version 1");
  EXPECT_EQ(problem_of(R"({"name": "x"})"), "there is no `tenure`");
  EXPECT_EQ(problem_of(R"({"tenure": 1})"), "`name` is missing");
  EXPECT_EQ(problem_of(R"({"tenure": 1, "name": "x", "vaildates": true})"),
            "unknown key `vaildates` of a design; did you mean `validates`?");
  EXPECT_EQ(problem_of(R"({"tenure": 1, "name": "x", "role": "elector"})"), "none");
  EXPECT_EQ(problem_of(R"({"tenure": 1, "name": "x", "role": "scheduler"})"),
            "a scheduler needs a `schema`, where its schedules are");
  EXPECT_EQ(problem_of(R"({"tenure": 1, "name": "x", "writes": 1})"), "`writes` must be true or false");
  EXPECT_EQ(problem_of(R"({"tenure": 1, "name": "x", "schema": "CREATE"})"),
            "a schema needs a store for SQL, and there is none here");
}

const std::string kValidates =
    R"({"tenure": 1, "name": "x", "validates": true, "parameters": {"a": {"default": "2s"}, "b": {"default": 5}}})";

TEST(Validation, is_asked_of_a_process) {
  const OneProgram design(node_py({"well", kValidates}));
  ASSERT_NE(design.program(), nullptr) << design.problem();
  Parameters values{design.program()->kind().parameters()};
  EXPECT_TRUE(design.program()->kind().validate(values).empty());
  values.set("a", Duration::seconds(6));
  for (int twice = 0; twice < 2; ++twice) {
    const std::vector<Complaint> complaints = design.program()->kind().validate(values);
    ASSERT_EQ(complaints.size(), 1U);
    EXPECT_EQ(complaints[0].parameter, "a");
    EXPECT_EQ(complaints[0].accept, "") << "ill-formed";
    EXPECT_EQ(complaints[0].text, "a must be below 5 s");
  }
}

TEST(Validation, that_fails_is_a_complaint) {
  for (const auto& [how, said] :
       {std::pair{"exits", "validate: it ended with exit status 7: out of ideas"},
        {"answers hello", "validate: it is no JSON"},
        {"answers {\"complaints\":[[\"c\",\"x\"]]}",
         "validate: `validate` complains of `c`, which is no parameter; there is a, b"},
        {"answers {\"complaints\":[\"a\"]}", "validate: a complaint is [\"parameter\", \"what is wrong\"]"},
        {"answers {\"error\":\"line 5: no\"}", "validate: line 5: no"},
        {"answers {}\\n{}", "validate: it has answered more than a line"}}) {
    const OneProgram design(node_py({how, kValidates}));
    const std::vector<Complaint> complaints =
        design.program()->kind().validate(Parameters(design.program()->kind().parameters()));
    ASSERT_EQ(complaints.size(), 1U) << how;
    EXPECT_EQ(complaints[0].parameter, "a");
    EXPECT_EQ(complaints[0].text, said);
  }
  const OneProgram design(node_py({"hangs", kValidates}), std::chrono::seconds(10));
  EXPECT_THROW(design.program()->kind().validate(Parameters(design.program()->kind().parameters())),
               HostFailure);
}

TEST(Description, of_a_program_that_is_none_says_why) {
  EXPECT_EQ(OneProgram({"./no-such-program"}).problem(),
            "cannot run `./no-such-program`: No such file or directory");
  EXPECT_EQ(OneProgram({"false"}).problem(), "it was asked what it is, and ended with exit status 1");
  EXPECT_EQ(OneProgram({"echo", "hello"}).problem(), "it is no JSON");
  EXPECT_EQ(OneProgram({"sh", "-c", "echo at length >&2; echo broken >&2; exit 3"}).problem(),
            "it was asked what it is, and ended with exit status 3: broken");
  EXPECT_EQ(OneProgram({"sh", "-c", "echo 'panic: broken' >&2; echo main.go:5 >&2; exit 2"}).problem(),
            "it was asked what it is, and ended with exit status 2: panic: broken");
}

// It may have to be compiled.
TEST(Description, is_waited_for_while_the_program_says_that_it_is_at_work) {
  const std::string busy = "for i in $(seq 18); do sleep 0.2; echo busy >&2; done; ";
  const std::string says = "echo '{\"tenure\":1,\"name\":\"late\"}'; read -r none";
  EXPECT_NE(OneProgram({"sh", "-c", busy + says}, std::chrono::milliseconds(3000)).program(), nullptr);
}

TEST(Description, that_does_not_come_is_no_finding_however_much_is_said) {
  EXPECT_THROW(OneProgram({"sh", "-c", "yes >&2"}, std::chrono::milliseconds(50)), HostFailure);
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
