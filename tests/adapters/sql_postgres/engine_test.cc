// What a real Postgres gives designs: values, errors, random bytes; and what is refused.
#include <set>

#include "adapters/sql_postgres/server.h"
#include "core/base/host_failure.h"
#include "tests/adapters/sql_postgres/sessions.h"

namespace tenure::sim {
namespace {

constexpr const char* kJobs =
    "CREATE TABLE job (id bigserial PRIMARY KEY, name varchar(8) NOT NULL UNIQUE, due timestamptz, every "
    "interval, "
    "done boolean)";

std::string error_of(const std::string& node, const char* schema = kJobs) {
  return Sessions(node, 1, "", schema).run().error;
}

TEST(PostgresEngine, gives_values_back_as_they_were_given) {
  EXPECT_EQ(error_of(R"lua(
    local rows = t.sql{[[INSERT INTO job (name, due, every, done) VALUES (?, now() + ?, ?, ?) RETURNING *]],
                       "a", t.duration("5s"), t.duration("36h"), false}
    local job = rows[1]
    assert(rows.count == 1 and #rows == 1)
    assert(job.id == 1 and job.name == "a" and job.every == t.duration("36h") and job.done == false)
    local again = t.sql{[[SELECT due, every, NULL AS nothing, id::int AS i, (-3)::smallint AS s FROM job
                          WHERE due = $1 AND every = $2]], job.due, job.every}
    assert(again[1].due == job.due and again[1].nothing == t.null and again[1].i == 1 and again[1].s == -3)
    local old = t.sql{"SELECT '1969-12-31 23:59:58.5+00'::timestamptz AS at"}[1].at
    assert(t.sql{"SELECT $1 = '1969-12-31 23:59:58.5+00'::timestamptz AS same", old}[1].same)
    assert(t.sql{"SELECT $1::interval = '-1.5 s' AS same", t.duration("0s") - t.duration("1500ms")}[1].same)
    assert(t.sql{"UPDATE job SET done = $1", true}.count == 1)
    local uuid = "00000000-0000-0000-0000-0000000000ff"
    assert(t.sql{"SELECT $1::uuid AS u", uuid}[1].u == uuid)
    assert(t.sql{"DELETE FROM job WHERE done"}.count == 1))lua"),
            "");
}

TEST(PostgresEngine, fails_as_postgres_does) {
  EXPECT_EQ(error_of(R"lua(
    t.sql{"INSERT INTO job (name) VALUES ('a')"}
    local rows, err = t.sql{"INSERT INTO job (name) VALUES ('a')"}
    assert(rows == nil and err.kind == "failed" and err.sqlstate == "23505", err and err.sqlstate)
    rows, err = t.sql{"SELECT $1::int"}
    assert(err.sqlstate == "08P01")
    rows, err = t.sql{"SELECT 1; SELECT 2"}
    assert(err.sqlstate == "42601")
    local results, err = t.transaction{
      {"INSERT INTO job (name) VALUES ($1)", "b"}, {"INSERT INTO job (name) VALUES ('a')"}}
    assert(results == nil and err.sqlstate == "23505")
    results = t.transaction{{"INSERT INTO job (name) VALUES ('c')"}, {"SELECT count(*) AS n FROM job"}}
    assert(results[1].count == 1 and results[2][1].n == 2))lua"),
            "");
}

TEST(PostgresEngine, refuses_what_no_design_can_have) {
  EXPECT_NE(error_of("t.sql{'SELECT 1.5 AS x'}").find("column x: its type (number 1700)"), std::string::npos);
  EXPECT_NE(error_of("t.sql{\"SELECT interval '1 month' AS x\"}").find("months"), std::string::npos);
  EXPECT_NE(error_of("t.sql{\"SELECT 'infinity'::timestamptz AS x\"}").find("1677"), std::string::npos);
  EXPECT_NE(error_of("t.sql{'COPY job FROM STDIN'}").find("COPY"), std::string::npos);
  EXPECT_NE(error_of("t.sql{'COPY job TO STDOUT'}").find("COPY"), std::string::npos);
  EXPECT_NE(error_of("t.sql{'SELECT $1 = ?', 1, 1}").find("refused"), std::string::npos);
}

TEST(PostgresEngine, lets_no_design_touch_the_machine) {
  EXPECT_EQ(error_of(R"lua(
    local _, err = t.sql{"COPY job TO PROGRAM 'true'"}
    assert(err.sqlstate == "42501", err.sqlstate)
    _, err = t.sql{"SELECT pg_read_file('/etc/hostname')"}
    assert(err.sqlstate == "42501", err.sqlstate))lua"),
            "");
}

TEST(PostgresEngine, draws_the_same_each_time_and_otherwise_in_each_connection) {
  const Ran ran = Sessions(R"lua(
    for i = 1, 2 do t.log(t.sql{"SELECT gen_random_uuid() AS u, random()::text AS x"}[1].u) end)lua",
                           3)
                      .run();
  std::set<std::string> drawn;
  for (const std::string& line : ran.remarks) drawn.insert(line.substr(line.rfind(' ')));
  EXPECT_EQ(drawn.size(), 6U);
}

TEST(PostgresEngine, knows_no_time_but_the_stores) {
  EXPECT_EQ(error_of(R"lua(
    local one = t.sql{[[SELECT now() AS a, clock_timestamp() AS b, CURRENT_TIMESTAMP AS c, 'now'::timestamptz AS d,
                        timeofday()::timestamptz AS e, statement_timestamp() AS f]]}[1]
    t.sleep("10s")
    local two = t.sql{"SELECT now() AS a"}[1]
    assert(one.b == one.a and one.c == one.a and one.d == one.a and one.e == one.a and one.f == one.a)
    assert(two.a - one.a >= t.duration("10s") and two.a - one.a < t.duration("10001ms"), tostring(two.a - one.a)))lua"),
            "");
}

// Nobody else does: autovacuum is off.
TEST(PostgresEngine, analyses_the_tables_of_the_schema) {
  EXPECT_EQ(
      Sessions("local n = t.sql{[[SELECT reltuples::int AS n FROM pg_class WHERE relname = 'm']]}[1].n\n"
               "assert(n == 2, n)",
               1)
          .run()
          .error,
      "");
}

TEST(PostgresEngine, leaves_nothing_to_the_next_run) {
  const Sessions first(R"lua(
    t.sql{"CREATE TABLE other (id int)"}
    assert(t.sql{"SELECT lo_create(77)::bigint AS x"})
    t.sql{"ALTER ROLE design SET lock_timeout = '1s'"}
    t.sql{"SELECT pg_advisory_lock(1)"})lua",
                       1);
  EXPECT_EQ(first.run().error, "");
  EXPECT_EQ(error_of(R"lua(
    local _, err = t.sql{"SELECT id FROM other"}
    assert(err.sqlstate == "42P01")
    assert(t.sql{"SELECT current_setting('lock_timeout') AS x"}[1].x == "0")
    assert(t.sql{"SELECT pg_try_advisory_lock(1) AS x"}[1].x))lua"),
            "");
}

TEST(PostgresServer, that_is_not_installed_is_said_to_come_with_a_package) {
  try {
    sql_postgres::Server server({.programs = "/nowhere", .clock = {}});
    FAIL() << "there is no such program";
  } catch (const HostFailure& failure) {
    EXPECT_EQ(
        std::string(failure.what()),
        "engine = \"postgres\" needs Postgres 15, and there is no /nowhere/initdb; on Debian 12: apt install "
        "postgresql-15");
  }
}

}  // namespace
}  // namespace tenure::sim
