// Design files: what is read, and what is wrong with them.
#include "adapters/lua/design.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sim/protocols/failover_form.h"

namespace tenure::lua {
namespace {

const StoreKind* any_store(const std::string&, std::string&) {
  static const StoreKind store;
  return &store;
}

std::string problem_of(const std::string& text, design::MakeStore make_store = nullptr) {
  Problem problem;
  const auto design = Design::read("my.lua", text, make_store, problem);
  if (design != nullptr) return "none";
  std::string said = problem.text;
  if (problem.line > 0) said = std::to_string(problem.line) + ": " + said + " [" + problem.source + "]";
  return said;
}

std::string with(const std::string& more) {
  return "return { name = 'mine', node = function(t) return t.p.poll, t.p.tries, t.p.strict, t.p.a end,\n" +
         more + "}\n";
}

const FailoverTerms kTerms{.trip = {Duration::millis(2), Duration::millis(4), Duration::millis(8)},
                           .back = {Duration::millis(1), Duration::millis(1), Duration::millis(2)},
                           .departure = Duration::millis(1),
                           .standbys = 2};

SaidFailover failover_said(const std::string& function) {
  Problem problem;
  const auto design = Design::read(
      "my.lua", with("parameters = { poll = { default = '3s' } }, failover = " + function), nullptr, problem);
  EXPECT_NE(design, nullptr) << problem.text;
  if (design == nullptr) return {};
  const Parameters values{design->kind().parameters()};
  return design->kind().failover(values, kTerms);
}

TEST(Design, says_how_long_its_failover_takes) {
  const SaidFailover said = failover_said(R"(function(p, d)
    return { least = p.poll - d.trip.width - d.departure, mean = p.poll + d.trip.mean * d.standbys + d.back.least,
             most = p.poll + d.duration("1s"), formula = "P + d" }
  end)");
  EXPECT_EQ(said.problem, "");
  ASSERT_TRUE(said.form);
  EXPECT_EQ(said.form->least, Duration::millis(2'993));
  EXPECT_EQ(said.form->mean, Duration::millis(3'009));
  EXPECT_EQ(said.form->most, Duration::seconds(4));
  EXPECT_EQ(said.form->formula, "P + d");
}

TEST(Design, says_nothing_of_its_failover_or_says_what_is_wrong_with_that) {
  EXPECT_FALSE(failover_said("function(p, d) end").form);
  EXPECT_EQ(failover_said("function(p, d) end").problem, "");
  EXPECT_FALSE(
      failover_said("function() return { least = '1s', most = '2s', formula = 'x' } end").form->mean);
  const std::pair<const char*, const char*> wrong[] = {
      {"function() return 3 end", "returns { least"},
      {"function() return { least = '1s', most = '2s' } end", "`formula`"},
      {"function() return { least = '3s', most = '2s', formula = 'x' } end", "not in this order"},
      {"function() return { least = '1s', most = '2s', mean = '3s', formula = 'x' } end",
       "not in this order"},
      {"function() return { least = '1s', most = '2s', average = '1s', formula = 'x' } end", "average"},
      {"function(p) return { least = p.pool, most = '2s', formula = 'x' } end", "`poll`"},
      {"function() while true do end end", "instructions"}};
  for (const auto& [function, problem] : wrong) {
    const SaidFailover said = failover_said(function);
    EXPECT_FALSE(said.form) << function;
    EXPECT_NE(said.problem.find(problem), std::string::npos) << function << ": " << said.problem;
  }
}

TEST(Design, has_a_failover_only_if_it_elects) {
  EXPECT_NE(problem_of(with("failover = 3")).find("`failover` must be a function"), std::string::npos);
  EXPECT_NE(
      problem_of(
          with("role = 'scheduler', schema = 'x', put_schedule = function() end, failover = function() end"),
          any_store)
          .find("for an election"),
      std::string::npos);
}

TEST(Design, is_a_kind_of_election) {
  Problem problem;
  const auto design = Design::read("my.lua", with(R"(
    summary = "a lease",
    tokens = true,
    parameters = { poll = { default = "3s", min = "1ms", max = "1h", doc = "between polls" },
                   tries = { default = 3, max = 9 },
                   strict = { default = true } },
    claims = { ["one-believer"] = { "rates-equal", "no-store-step", passes = true } })"),
                                   nullptr, problem);
  ASSERT_NE(design, nullptr) << problem.text;
  const ElectorKind& kind = design->kind();
  EXPECT_EQ(kind.name, "mine");
  EXPECT_EQ(kind.summary, "a lease");
  ASSERT_NE(kind.design, nullptr);
  EXPECT_EQ(kind.design->path, "my.lua");
  EXPECT_TRUE(kind.has_tokens);
  EXPECT_EQ(kind.store, nullptr);
  const Parameters values{kind.parameters()};
  EXPECT_EQ(values.duration("poll"), Duration::seconds(3));
  EXPECT_EQ(values.number("tries"), 3);
  EXPECT_TRUE(values.flag("strict"));
  EXPECT_EQ(kind.parameters()[0].max, Duration::hours(1).ns());
  EXPECT_EQ(kind.parameters()[0].doc, "between polls");
  const std::vector<Claim> claims = kind.claims();
  ASSERT_EQ(claims.size(), 2U);
  EXPECT_EQ(claims[0].invariant, "one-believer");
  EXPECT_EQ(claims[0].assumptions, (std::vector{Assumption::rates_equal, Assumption::no_store_step}));
  EXPECT_EQ(claims[0].aftermath, Claim::Aftermath::passes);
  EXPECT_EQ(claims[1].invariant, "design-error") << "nothing excuses an error in the program";
}

TEST(Design, that_does_not_compile_is_told_with_its_line) {
  EXPECT_EQ(problem_of("return {\n  name = ,\n}"), "2: unexpected symbol near ',' [  name = ,]");
  EXPECT_EQ(problem_of("local x = 1\nerror('no')"), "2: no [error('no')]");
  EXPECT_EQ(problem_of("return nothing.at_all"),
            "1: attempt to index a nil value (global 'nothing') [return nothing.at_all]");
}

TEST(Design, may_begin_as_editors_and_shells_have_it) {
  EXPECT_EQ(problem_of("\xEF\xBB\xBF" + with("")), "none");
  EXPECT_EQ(problem_of("#!/usr/bin/lua\n" + with("")), "none");
}

TEST(Design, judges_its_parameters_together) {
  Problem problem;
  const auto design = Design::read("my.lua", with(R"(
    parameters = { poll = { default = "3s" }, a = { default = "5s" } },
    validate = function(p) if p.poll >= p.a then return { { "poll", "poll must be below " .. p.a } } end end)"),
                                   nullptr, problem);
  ASSERT_NE(design, nullptr) << problem.text;
  Parameters values{design->kind().parameters()};
  EXPECT_TRUE(design->kind().validate(values).empty());
  values.set("poll", Duration::seconds(5));
  const std::vector<Complaint> complaints = design->kind().validate(values);
  ASSERT_EQ(complaints.size(), 1U);
  EXPECT_EQ(complaints[0].parameter, "poll");
  EXPECT_EQ(complaints[0].accept, "") << "ill-formed";
  EXPECT_EQ(complaints[0].text, "poll must be below 5s");
}

TEST(Design, takes_claims_as_lists_of_what_they_assume) {
  Problem problem;
  const auto design = Design::read(
      "my.lua", with("claims = { a = { 'no-crash' }, b = { assumes = { 'no-pause' } }, c = {} }"), nullptr,
      problem);
  ASSERT_NE(design, nullptr) << problem.text;
  EXPECT_EQ(design->kind().claims()[0].assumptions, std::vector{Assumption::no_crash});
  EXPECT_EQ(design->kind().claims()[1].assumptions, std::vector{Assumption::no_pause});
  EXPECT_TRUE(design->kind().claims()[2].assumptions.empty());
}

// The rules that Lua has in common with other languages are tested in tests/adapters/design.
TEST(Design, is_told_what_it_lacks) {
  EXPECT_EQ(problem_of("return 5"),
            "a design returns a table: return { name = \"…\", node = function(t) … end }");
  EXPECT_EQ(problem_of("return { node = function(t) end }"), "`name` is missing");
  EXPECT_EQ(problem_of("return { name = 'x' }"),
            "`node` must be a function: node = function(t) … end, the process");
  EXPECT_EQ(problem_of(with("sumary = 'x'")), "unknown key `sumary` of a design; did you mean `summary`?");
  EXPECT_EQ(problem_of(with("parameters = { a = 5 }")),
            "parameter `a` must be a row that has a `default`, like \"5s\"");
  EXPECT_EQ(problem_of(with("claims = { ['one-believer'] = { 'no-crsh' } }")),
            "unknown assumption `no-crsh` of `one-believer`; did you mean `no-crash`?");
  EXPECT_EQ(problem_of(with("claims = { ['one-believer'] = { ['no-crash'] = true } }")),
            "unknown key `no-crash` of the claim of `one-believer`; there is assumes, passes, election");
  EXPECT_EQ(
      problem_of(with("parameters = { retention = { default = '168h' } }")),
      "nothing in the file reads parameter `retention`, but it reads `p.poll`, which is not a parameter");
  EXPECT_EQ(problem_of("return { name = 'x', parameters = { a = { default = 5 } }, node = function(t) end }"),
            "nothing in the file reads parameter `a`");
  EXPECT_EQ(problem_of(with("summary = function() end")), "`summary` must be text");
  EXPECT_EQ(problem_of("local p = {} p.a = p return { name = 'x', parameters = p, node = function(t) end }"),
            "`a` has too many tables in tables");
  EXPECT_EQ(problem_of(with("parameters = { a = { default = 5, [{}] = 1 } }")),
            "`a` has a key that is no name");
  EXPECT_EQ(problem_of("error({})"), "table");
  EXPECT_EQ(problem_of(with("put_schedule = function(s) end")),
            "`put_schedule` is for a scheduler: role = \"scheduler\", or \"both\"");
  EXPECT_EQ(
      problem_of(with("role = 'scheduler', schema = 'CREATE TABLE t (a int)'"), any_store),
      "a scheduler needs `put_schedule`: function(s) return { [[INSERT …]], s.id, s.first, s.period } end");
}

}  // namespace
}  // namespace tenure::lua
