// What designs say of themselves: the rules that every language has in common.
#include "adapters/design/description.h"

#include <gtest/gtest.h>

#include <array>

namespace tenure::design {
namespace {

constexpr std::array<std::string_view, 1> kAlso = {"node"};

const StoreKind* any_store(const std::string&, std::string&) {
  static const StoreKind store;
  return &store;
}
const StoreKind* no_store(const std::string&, std::string& problem) {
  problem = "line 1: no";
  return nullptr;
}

std::string problem_of(const std::string& json, MakeStore make_store = nullptr) {
  try {
    Description().read(object_of(json), kAlso, make_store);
    return "none";
  } catch (const Nonsense& nonsense) {
    return nonsense.what;
  }
}
std::string with(const std::string& more) { return R"({"name": "mine", )" + more + "}"; }
std::string with_parameter(const std::string& row) { return with(R"("parameters": {"a": )" + row + "}"); }
std::string with_claim(const std::string& claim) {
  return with(R"("claims": {"one-believer": )" + claim + "}");
}

TEST(Description, is_an_election_with_parameters_and_claims) {
  Description said;
  said.read(
      object_of(with(R"("summary": "a lease\u001b[31m", "tokens": true, "goes_round": true, "schema": "x",
      "parameters": {"kept": {"default": "168h", "recovery": false},
                     "poll": {"default": "3s", "min": "1ms", "max": "1h", "doc": "between polls"},
                     "strict": {"default": true}, "tries": {"default": 3, "max": 9},
                     "update": {"default": "after", "choices": ["before", "after"]}},
      "claims": {"leader-elected": [], "one-believer": {"assumes": ["no-crash"], "passes": true}})")),
      kAlso, any_store);
  EXPECT_TRUE(said.elects());
  EXPECT_FALSE(said.schedules());
  const ElectorKind kind = said.kind();
  EXPECT_EQ(kind.name, "mine");
  EXPECT_EQ(kind.summary, "a lease\\x1b[31m") << "it is printed";
  EXPECT_TRUE(kind.has_tokens);
  EXPECT_TRUE(kind.goes_round);
  EXPECT_NE(kind.store, nullptr);
  const Parameters values{said.parameters()};
  EXPECT_EQ(values.duration("kept"), Duration::hours(168));
  EXPECT_EQ(values.duration("poll"), Duration::seconds(3));
  EXPECT_TRUE(values.flag("strict"));
  EXPECT_EQ(values.number("tries"), 3);
  EXPECT_EQ(values.choice("update"), "after");
  EXPECT_FALSE(said.parameters()[0].delays_recovery);
  EXPECT_TRUE(said.parameters()[1].delays_recovery);
  EXPECT_EQ(said.parameters()[1].min, Duration::millis(1).ns());
  EXPECT_EQ(said.parameters()[1].max, Duration::hours(1).ns());
  EXPECT_EQ(said.parameters()[1].doc, "between polls");
  EXPECT_EQ(said.parameters()[3].max, 9);
  ASSERT_EQ(said.claims().size(), 3U);
  EXPECT_TRUE(said.claims()[0].assumptions.empty());
  EXPECT_EQ(said.claims()[0].aftermath, Claim::Aftermath::for_good);
  EXPECT_EQ(said.claims()[1].assumptions, std::vector{Assumption::no_crash});
  EXPECT_EQ(said.claims()[1].aftermath, Claim::Aftermath::passes);
  EXPECT_EQ(said.claims()[2].invariant, "design-error") << "no assumption excuses an error in the program";
}

TEST(Description, is_told_what_it_lacks) {
  EXPECT_EQ(problem_of("{}"), "`name` is missing");
  EXPECT_EQ(problem_of(R"({"name": "My lease"})"),
            "`name` must be of small letters, digits and hyphens, like \"my-lease\"");
  EXPECT_EQ(problem_of(R"({"name": "db-lease"})"), "`db-lease` is the name of one that Tenure has already");
  EXPECT_EQ(problem_of(with(R"("node": null)")), "none") << "its language reads that one";
  EXPECT_EQ(problem_of(with(R"("clams": {})")), "unknown key `clams` of a design; did you mean `claims`?");
  EXPECT_EQ(problem_of(with(R"("summary": 5)")), "`summary` must be text");
  EXPECT_EQ(problem_of(with(R"("tokens": 1)")), "`tokens` must be true or false");
  EXPECT_EQ(problem_of(with(R"("goes_round": 5)")), "`goes_round` must be true or false");
  EXPECT_EQ(problem_of(with(R"("role": "boss")")), "`role` is \"elector\", \"scheduler\" or \"both\"");
  EXPECT_EQ(problem_of(with(R"("role": "both")")), "a scheduler needs a `schema`, where its schedules are");
  EXPECT_EQ(problem_of(with(R"("schema": "x")")), "a schema needs a store for SQL, and there is none here");
  EXPECT_EQ(problem_of(with(R"("schema": "x")"), no_store), "schema: line 1: no");
  EXPECT_EQ(problem_of(with(R"("schema": "x", "role": "both")"), any_store), "none");
}

TEST(Description, has_parameters_that_fit_their_rows) {
  EXPECT_EQ(problem_of(with(R"("parameters": [])")), "`parameters` must be a table with names, and no list");
  EXPECT_EQ(problem_of(with(R"("parameters": {"a b": {"default": 5}})")),
            "a parameter's name must be of small letters, digits and underscores");
  EXPECT_EQ(problem_of(with(R"("parameters": {"accept": {"default": 5}})")),
            "a parameter cannot be called `accept`, which is a key of its section");
  for (const auto& [row, problem] : {
           std::pair{"5", "parameter `a` must be a row that has a `default`, like \"5s\""},
           {"{}", "parameter `a` has no `default`, which says its type"},
           {R"({"default": 5, "maxx": 9})", "unknown key `maxx` of parameter `a`; did you mean `max`?"},
           {R"({"default": "5"})",
            "`default` of parameter `a` must be a duration, like \"5s\": `5` has no unit"},
           {R"({"default": "5s", "max": 9})", "`max` of parameter `a` must be a duration, like \"5s\""},
           {R"({"default": null})", "`default` of parameter `a` must be a duration, like \"5s\""},
           {R"({"default": 1.5})", "`default` of parameter `a` must be a whole number"},
           {R"({"default": 5, "min": "4s"})", "`min` of parameter `a` must be a whole number"},
           {R"({"default": 5, "max": 4})",
            "the default of parameter `a` is not between its `min` and its `max`"},
           {R"({"default": 5, "min": 6})",
            "the default of parameter `a` is not between its `min` and its `max`"},
           {R"({"default": true, "min": 1})", "parameter `a` has no `min`: it is no duration and no number"},
           {R"({"default": "y", "choices": ["y"], "max": 1})",
            "parameter `a` has no `max`: it is no duration and no number"},
           {R"({"default": "x", "choices": ["y"]})", "the default of parameter `a` is none of its `choices`"},
           {R"({"default": "x", "choices": []})", "`choices` of parameter `a` must be a list of texts"},
           {R"({"default": "x", "choices": "x"})", "`choices` of parameter `a` must be a list of texts"},
           {R"({"default": 5, "recovery": false})",
            "`recovery` of parameter `a` is true or false, and for a duration"},
           {R"({"default": "5s", "recovery": 1})",
            "`recovery` of parameter `a` is true or false, and for a duration"},
       })
    EXPECT_EQ(problem_of(with_parameter(row)), problem) << row;
}

TEST(Description, has_claims_that_can_be_judged) {
  EXPECT_EQ(problem_of(with(R"("claims": [])")), "`claims` must be a table with names, and no list");
  for (const auto& [claim, problem] : {
           std::pair{"5", "the claim of `one-believer` must be a list of what it assumes"},
           {R"(["no-crsh"])", "unknown assumption `no-crsh` of `one-believer`; did you mean `no-crash`?"},
           {R"(["good-luck"])",
            "unknown assumption `good-luck` of `one-believer`; there is rate-bound, rates-equal, "
            "wall-in-step, "
            "no-store-step, no-lost-commits, no-mono-freeze, no-pause, prompt-store, prompt-at-rest, "
            "reliable-network, steady-leader, no-crash"},
           {R"({"pases": true})",
            "unknown key `pases` of the claim of `one-believer`; did you mean `passes`?"},
           {R"({"passes": 3})", "`passes` in the claim of `one-believer` must be true or false"},
           {R"({"election": []})", "`election` in a claim is for a scheduler's"},
       })
    EXPECT_EQ(problem_of(with_claim(claim)), problem) << claim;
}

TEST(Description, of_a_line_is_one_object_whose_keys_differ) {
  EXPECT_EQ(problem_of("hello"), "it is no JSON");
  EXPECT_EQ(problem_of("[]"), "it is no JSON object");
  EXPECT_EQ(problem_of(R"({"name": "x", "name": "y"})"), "the key `name` comes twice");
  EXPECT_EQ(problem_of(with_parameter(R"({"default": 5, "default": 6})")), "the key `default` comes twice");
  EXPECT_EQ(problem_of(with(R"("parameters": {"a": {"default": 5}, "b": {"default": 5}})")), "none");
}

TEST(Complaint, is_about_a_parameter_that_there_is) {
  Description said;
  said.read(object_of(with_parameter(R"({"default": 5})")), kAlso, nullptr);
  const Parameters values{said.parameters()};
  const Complaint complaint = complaint_about("a", "no\x1b", values);
  EXPECT_EQ(complaint.parameter, "a");
  EXPECT_EQ(complaint.text, "no\\x1b");
  EXPECT_THROW(complaint_about("b", "no", values), Nonsense);
  EXPECT_EQ(failed_validation(values, "line 5")[0].text, "validate: line 5");
}

}  // namespace
}  // namespace tenure::design
