// Statements of designs, in the simulator: what they give, how they fail, and what is refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "adapters/lua/design.h"
#include "adapters/sql/sql_store.h"
#include "format/parse/parse.h"
#include "sim/runner/run.h"

namespace tenure::sim {
namespace {

constexpr const char* kSchema =
    "CREATE TABLE job (id bigserial PRIMARY KEY, name varchar(8) NOT NULL UNIQUE, due timestamptz, every "
    "interval, "
    "done boolean)";

std::string problem_of(const std::string& schema) {
  lua::Problem problem;
  const auto design = lua::Design::read(
      "my.lua", "return { name = 'x', node = function(t) end, schema = [[" + schema + "]] }", sql::store_kind,
      problem);
  return design == nullptr ? problem.text : "none";
}

// A design with this process, in a minute of one instance.
class Ran {
 public:
  explicit Ran(const std::string& node, const std::string& more = "", int instances = 1) {
    lua::Problem problem;
    const std::string text = fmt::format(
        "return {{ name = 'mine', schema = [[{}]], node = function(t)\n{}\nend }}", kSchema, node);
    design_ = lua::Design::read("my.lua", text, sql::store_kind, problem);
    EXPECT_NE(design_, nullptr) << problem.text;
    const OnlyOne files(design_->kind());
    const format::ParseResult parsed = format::parse_scenario(
        "x.toml",
        fmt::format(
            "format = 1\nname = \"x\"\n[sim]\nduration = \"1m\"\ntail = \"30s\"\n[cluster]\ninstances = {}\n"
            "protocol = \"my.lua\"\n{}",
            instances, more),
        {}, only_utc(), nullptr, {}, nullptr, format::Unsafe::must_be_accepted, &files);
    for (const format::Diagnostic& each : parsed.diagnostics) ADD_FAILURE() << each.message;
    result_ = run(parsed.scenario.value(), 1);
  }
  // What the program failed with; empty: it did not.
  std::string error() const {
    for (const CheckResult& check : result_.checks)
      if (check.name == "design-error" && !check.violations.empty()) return check.violations.front().message;
    return {};
  }

 private:
  class OnlyOne final : public DesignFiles {
   public:
    explicit OnlyOne(const ElectorKind& kind) : kind_(kind) {}
    bool names_one(std::string_view) const override { return true; }
    Found find(std::string_view, std::string_view) const override { return {&kind_}; }

   private:
    const ElectorKind& kind_;
  };
  std::unique_ptr<const lua::Design> design_;
  RunResult result_;
};

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(Schema, that_is_refused_is_told_with_its_place) {
  EXPECT_TRUE(has(problem_of("CREATE TABLE a (\n  b money)"), "schema: line 2, column 5: "))
      << problem_of("CREATE TABLE a (\n  b money)");
  EXPECT_TRUE(has(problem_of("CREATE TABEL a (b int)"), "schema: ")) << problem_of("CREATE TABEL a (b int)");
  EXPECT_EQ(problem_of(kSchema), "none");
}

TEST(Statements, give_rows_with_the_types_of_their_columns) {
  const Ran ran(R"lua(
    local rows = t.sql{[[INSERT INTO job (name, due, every, done)
      VALUES ($1, now() + $2, $2, false) RETURNING *]], "a", t.duration("5s")}
    local job = rows[1]
    assert(rows.count == 1 and #rows == 1)
    assert(job.id == 1 and job.name == "a" and job.every == t.duration("5s") and job.done == false)
    local again = t.sql{"SELECT due, NULL AS nothing FROM job WHERE due = $1", job.due}
    assert(again[1].due == job.due and again[1].nothing == t.null)
    assert(t.sql{"UPDATE job SET done = $1", true}.count == 1)
    assert(t.sql{"DELETE FROM job WHERE done"}.count == 1)
    assert(#t.sql{"SELECT 1 AS x FROM job"} == 0))lua");
  EXPECT_EQ(ran.error(), "");
}

TEST(Statements, that_fail_return_an_error_with_a_state) {
  const Ran ran(R"lua(
    t.sql{"INSERT INTO job (name) VALUES ('a')"}
    local rows, err = t.sql{"INSERT INTO job (name) VALUES ('a')"}
    assert(rows == nil and err.kind == "failed" and err.sqlstate == "23505", err and err.sqlstate)
    rows, err = t.sql{"SELECT nothing FROM job"}
    assert(err.sqlstate == "42703")
    rows, err = t.sql{"SELECT $1::int"}
    assert(err.sqlstate == "08P01")
    rows, err = t.sql{"SELECT 1", timeout = "0s"}
    assert(err.kind == "unknown"))lua");
  EXPECT_EQ(ran.error(), "");
}

TEST(Statements, of_a_transaction_happen_whole_or_not_at_all) {
  const Ran ran(R"lua(
    local results, err = t.transaction{{"INSERT INTO job (name) VALUES ($1)", "a"}, {
  "INSERT INTO job (name) VALUES ('a')"
}
}
assert(results == nil and err.sqlstate == "23505")
    assert(t.sql{"SELECT count(*) AS n FROM job"}[1].n == 0) results = t.transaction {
  {"INSERT INTO job (name) VALUES ('a')"}, { "SELECT count(*) AS n FROM job" }
}
    assert(results[2][1].n == 1))lua");
  EXPECT_EQ(ran.error(), "");
}

TEST(Statements, have_bounds) {
  const std::string doubles = R"lua(
    t.sql{"INSERT INTO job (name) VALUES ('n0')"}
    for i = 1, times do
      local rows, err = t.sql{"INSERT INTO job (name) SELECT 'n' || (id + $1::bigint) FROM job", 1 << (i - 1)}
      if err then error(err.message) end
    end)lua";
  const Ran large("local times = 60" + doubles);
  EXPECT_TRUE(has(large.error(), "a database of more than 64 MB") ||
              has(large.error(), "a statement that takes more than 20000000 steps"))
      << large.error();
  const Ran slow("local times = 9" + doubles + R"lua(
    t.sql{"SELECT count(*) AS n FROM job AS a JOIN job AS b ON true JOIN job AS c ON true"})lua");
  EXPECT_TRUE(has(slow.error(), "a statement that takes more than 20000000 steps")) << slow.error();
}

TEST(Statements, wait_for_those_on_their_connection_alone) {
  EXPECT_EQ(Ran(R"lua(
    local begun, took = t.mono(), {}
    local function ask(name, on)
      t.spawn(function()
        t.sql{"SELECT 1 AS x", on = on, timeout = "9s"}
        took[name] = t.mono() - begun
      end)
    end
    ask("first")
    ask("second")
    ask("other", "watch")
    t.sleep("8s")
    assert(took.first < t.duration("2s"), tostring(took.first))
    assert(took.second > t.duration("2s"), tostring(took.second))
    assert(took.other < t.duration("2s"), tostring(took.other))
    t.transaction{{"SELECT 1 AS x"}, on = "watch"})lua",
                "[store]\nlatency = \"1s\"\n")
                .error(),
            "");
  EXPECT_TRUE(has(Ran("for i = 1, 8 do t.sql{'SELECT 1 AS x', on = 'c' .. i} end").error(),
                  "more than 7 named connections"));
  EXPECT_TRUE(
      has(Ran("t.sql{'SELECT 1 AS x', on = 5}").error(), "`on` is the name of a connection, and not"));
}

TEST(Statements, have_no_options_but_two) {
  EXPECT_TRUE(has(Ran("t.sql{'SELECT 1 AS x', timout = '1s'}").error(),
                  "t.sql has no option `timout`; did you mean `timeout`?"));
  EXPECT_TRUE(has(Ran("t.transaction{{'SELECT 1 AS x', timeout = '1s'}}").error(),
                  "a statement of a transaction has no option `timeout`; it has none"));
  EXPECT_TRUE(has(Ran("t.sql('SELECT 1')").error(), "t.sql takes a table"));
}

TEST(Statements, have_rows_that_know_their_columns) {
  const std::string rows = "local rows = t.sql{[[SELECT 1 AS one, NULL AS none, 'x' AS name]]}\n";
  EXPECT_EQ(
      Ran(rows + "assert(rows[2] == nil and rows[1].none == t.null and #rows == 1)\n"
                 "for _, row in ipairs(rows) do for column in pairs(row) do assert(row[column]) end end")
          .error(),
      "");
  const auto said = [&rows](const std::string& use) { return Ran(rows + "local x = " + use).error(); };
  EXPECT_NE(said("rows[1].nmae").find("my.lua:3: the row has no column `nmae`; did you mean `name`?"),
            std::string::npos)
      << said("rows[1].nmae");
  EXPECT_NE(said("rows[1].holder").find("the row has no column `holder`; there is name, none, one"),
            std::string::npos);
  EXPECT_NE(said("rows.name")
                .find("my.lua:3: rows have no `name`: there is rows.count, and a column of the first row is "
                      "rows[1].name"),
            std::string::npos);
}

TEST(Statements, may_have_placeholders_of_jdbc) {
  const Ran ran(R"lua(
    t.sql{"INSERT INTO job (name, every) VALUES (?, ?)", "a?", t.duration("1s")}
    assert(t.sql{"SELECT name FROM job WHERE name = ?", "a?"}[1].name == "a?"))lua");
  EXPECT_EQ(ran.error(), "");
}

TEST(Statements, that_are_refused_end_the_program_with_their_place) {
  const std::string said = Ran("t.sql{[[SELECT id FROM job\n  FOR UPDATE]]}").error();
  EXPECT_TRUE(has(said, "this statement is refused, line ")) << said;
  EXPECT_TRUE(has(said, "FOR UPDATE")) << said;
  EXPECT_TRUE(has(said, "my.lua:2")) << "where the program asked: " << said;
}

TEST(Statements, that_are_hostile_are_errors_and_no_more) {
  for (const char* const statement :
       {"string.rep('(', 100000)", "'SELECT ' .. string.rep('(', 5000) .. '1' .. string.rep(')', 5000)",
        "'SELECT ' .. string.rep('1+', 3000) .. '1'", "'SELECT 1 -- ' .. string.rep('x', 1000000)",
        "'SELECT \\0 1'", "'SELECT \\255\\254'", "''", "';;'", "'SELECT 1; SELECT 2'"})
    EXPECT_NE(Ran(fmt::format("t.sql{{{}}}\nerror('ran')", statement)).error(), "") << statement;
  for (const char* const value :
       {"'\\255'", "'a\\0b'", "string.rep('x', 9)", "t.wall()", "1.5", "{}", "1 << 62"})
    EXPECT_TRUE(has(Ran(fmt::format("local rows, err = t.sql{{'INSERT INTO job (name) VALUES ($1)', {}}}\n"
                                    "if err then error(err.sqlstate) end error('ran')",
                                    value))
                        .error(),
                    "my.lua:"))
        << value;
}

TEST(Statements, whose_answer_is_too_large_for_the_program_end_it) {
  const Ran ran(R"lua(
    for i = 1, 100 do t.sql{"INSERT INTO job (name) VALUES ($1)", "j" .. i} end
    t.sql{"SELECT a.name, $1::text AS x FROM job a, job b WHERE a.id < 100", string.rep("x", 4000)})lua");
  EXPECT_TRUE(has(ran.error(), "not enough memory") || has(ran.error(), "refused")) << ran.error();
}

TEST(Statements, survive_a_restart_of_the_process_and_the_store) {
  const Ran ran(R"lua(
    local rows, err = t.sql{"SELECT count(*) AS n FROM job"}
    t.sql{"INSERT INTO job (name) VALUES ($1)", t.identity}
    t.sleep("10s")
    local seen = t.sql{"SELECT count(*) AS n FROM job"}[1].n
    if t.identity == "n1#2" and seen ~= 2 then error("rows: " .. seen) end
    t.sleep("1h"))lua",
                "[[fault]]\nat = \"20s\"\naction = \"kill\"\ntarget = \"n1\"\nduration = \"1s\"\n");
  EXPECT_EQ(ran.error(), "");
}

}  // namespace
}  // namespace tenure::sim
