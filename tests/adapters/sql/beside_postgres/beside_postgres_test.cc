// The same statements on this engine and on the real server: the same rows, counts and SQLSTATEs.
#include <gtest/gtest.h>
#include <libpq-fe.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tests/adapters/sql/support.h"

namespace tenure::sql {
namespace {

constexpr const char* kTables = R"(
CREATE TABLE leader_lock (resource text PRIMARY KEY, holder_id text, expires_at timestamptz NOT NULL,
                  epoch bigint DEFAULT 1);
CREATE TABLE job (id bigserial PRIMARY KEY, name varchar(8) UNIQUE, due timestamptz,
                  every interval NOT NULL DEFAULT '10 s',
                  runs int DEFAULT 0 CHECK (runs >= 0), state text DEFAULT 'new', busy boolean DEFAULT false);
CREATE TABLE num (a int, b int, c bigint, d smallint);
INSERT INTO num VALUES (1, 2, 3, 4), (NULL, 5, 9223372036854775807, 32767), (7, 0, -3, -4), (2147483647, -2, NULL,
                  NULL), (-7, 2, 0, 0);
INSERT INTO leader_lock (resource, holder_id, expires_at) VALUES ('a', 'x', '1970-01-01 00:16:30'), ('b', NULL,
                  '1970-01-01 00:17:00'))";

// Run in this order: later ones see what earlier ones have done. :1 and :2 stand for parameters, texts in both.
constexpr const char* kStatements[] = {
    "INSERT INTO job (name, due) VALUES ('j1', now()), ('j2', now() - interval '1 minute'), (NULL, NULL)",
    "INSERT INTO job (name) VALUES ('j1')",
    "UPDATE job SET name = 'too long a name'",
    "INSERT INTO job (name) VALUES ('too long a name')",
    "INSERT INTO job (name) VALUES ('fits') RETURNING id",
    "INSERT INTO job (name) SELECT 'too long a name' || runs FROM job",
    "INSERT INTO job (name) VALUES ('fits 3') RETURNING id",
    "INSERT INTO job (name) VALUES ('short   ') RETURNING id, name, every, runs, state, busy",
    "INSERT INTO job (name, runs) VALUES ('neg', -1)",
    "INSERT INTO job (name, every) VALUES ('n', NULL)",
    "INSERT INTO job (name) VALUES ('j1') ON CONFLICT DO NOTHING RETURNING id",
    "INSERT INTO job (name) VALUES ('j9') RETURNING id",
    "INSERT INTO job (name) VALUES ('j1') ON CONFLICT (name) DO UPDATE SET runs = job.runs + 1 RETURNING id, "
    "runs",
    "INSERT INTO job (name) VALUES ('j1') ON CONFLICT (state) DO NOTHING",
    "INSERT INTO job (id, name) VALUES (1, 'j2') ON CONFLICT (name) DO UPDATE SET runs = 5 RETURNING id",
    "INSERT INTO job (id, name) VALUES (1, 'j2') ON CONFLICT (id) DO UPDATE SET runs = 6 RETURNING id",
    "INSERT INTO leader_lock (resource, holder_id, expires_at) VALUES ('a', 'y', now()) ON CONFLICT "
    "(resource) DO UPDATE SET "
    "holder_id = 'y' WHERE holder_id = 'y'",
    "INSERT INTO leader_lock AS l (resource, holder_id, expires_at) VALUES ('a', 'y', now() + '5 s') ON "
    "CONFLICT (resource) DO "
    "UPDATE SET holder_id = excluded.holder_id, epoch = l.epoch + 1, expires_at = excluded.expires_at WHERE "
    "l.expires_at < "
    "now() RETURNING *",
    "INSERT INTO leader_lock VALUES ('c')",
    "INSERT INTO leader_lock VALUES (NULL, 'q', now())",
    "INSERT INTO nowhere VALUES (1)",
    "INSERT INTO num (a, a) VALUES (1, 2)",
    "INSERT INTO num (z) VALUES (1)",
    "INSERT INTO num VALUES (1, 2, 3, 4, 5)",
    "INSERT INTO num (a, b) VALUES (1)",
    "INSERT INTO num (d) VALUES (40000)",
    "INSERT INTO num (a) VALUES (3000000000)",
    "INSERT INTO num (a) VALUES ('x')",
    "INSERT INTO num (a) VALUES (true)",
    "INSERT INTO num (a) VALUES (now())",
    "UPDATE leader_lock SET expires_at = now() + interval '1 minute 30 s' WHERE holder_id = 'y' RETURNING "
    "expires_at - now()",
    "UPDATE job SET due = due + every, runs = runs + 1 WHERE due <= now() RETURNING id, due, runs",
    "UPDATE job SET runs = -1",
    "UPDATE job SET runs = 1, runs = 2",
    "UPDATE job SET nope = 1",
    "UPDATE job SET name = 'j1'",
    "UPDATE job j SET state = l.holder_id FROM leader_lock l WHERE l.resource = j.name",
    "WITH d AS (SELECT id FROM job WHERE due IS NOT NULL ORDER BY due, id LIMIT 1) UPDATE job SET busy = "
    "true FROM d WHERE job.id "
    "= d.id RETURNING job.id, busy",
    "SELECT a / b FROM num WHERE b <> 0 ORDER BY a",
    "SELECT 7 / 0",
    "SELECT a % b FROM num WHERE b <> 0 ORDER BY a",
    "SELECT a + 1 FROM num",
    "SELECT c + 1 FROM num",
    "SELECT d + d FROM num",
    "SELECT -5, 0, - 7, +3, -2147483648",
    "SELECT a FROM num ORDER BY a",
    "SELECT a FROM num ORDER BY a DESC",
    "SELECT a FROM num ORDER BY a NULLS FIRST LIMIT 2 OFFSET 1",
    "SELECT greatest(a, b), least(a, b), coalesce(a, b), nullif(a, 1) FROM num ORDER BY b",
    "SELECT a IS DISTINCT FROM 1 FROM num ORDER BY b",
    "SELECT a, count(*) FROM num",
    "SELECT a, count(*) FROM num GROUP BY b",
    "SELECT count(a), min(a), max(b), sum(b) FROM num",
    "SELECT b > 0, count(*) FROM num GROUP BY 1 ORDER BY 1",
    "SELECT name, count(*) FROM job GROUP BY id ORDER BY id",
    "SELECT state, count(*) AS n FROM job GROUP BY state HAVING count(*) > 1 ORDER BY n",
    "SELECT sum(a) FROM num WHERE count(*) > 1",
    "SELECT now() - '5 seconds'",
    "SELECT now() - interval '5 seconds', now() + '1 day', 3 * interval '1 s', interval '10 s' / 4",
    "SELECT interval '1 minute 30 s', '5s'::interval, make_interval(secs => 5), make_interval(mins => 2)",
    "SELECT now() + 5",
    "SELECT 'a' = 1",
    "SELECT 'a'::text = 1",
    "SELECT 1 + 'a'",
    "SELECT '1' + '2'",
    "SELECT interval 'x'",
    "SELECT extract(epoch FROM interval '1500 ms')::bigint, extract(epoch FROM now())::bigint",
    "SELECT NULL || 'x', 'a' || 1",
    "SELECT NULL AND false, NULL OR true, NOT NULL::boolean",
    "SELECT 1 IN (2, NULL), 1 IN (1, NULL), 1 NOT IN (2, NULL)",
    "SELECT resource FROM leader_lock l, job j WHERE id = 1 ORDER BY 1",
    "SELECT resource FROM leader_lock x, leader_lock y",
    "SELECT zz FROM num",
    "SELECT n.a FROM num",
    "SELECT num.zz FROM num",
    "SELECT count(*) FROM num a JOIN num b ON a.a = b.b",
    "SELECT a.a, b.b FROM num a LEFT JOIN num b ON a.a = b.d ORDER BY a.b, b.b, a.a",
    "SELECT (SELECT a FROM num)",
    "SELECT (SELECT max(a) FROM num)",
    "SELECT b FROM num n WHERE EXISTS (SELECT 1 FROM num m WHERE m.a = n.b) ORDER BY 1",
    "SELECT b FROM num WHERE b IN (SELECT a FROM num)",
    "SELECT b FROM num WHERE b NOT IN (SELECT a FROM num)",
    "SELECT 1 UNION ALL SELECT 2 ORDER BY 1 DESC",
    "SELECT 1 UNION SELECT 'a'",
    "SELECT CASE WHEN a > 0 THEN 'pos' WHEN a IS NULL THEN NULL ELSE 'neg' END FROM num ORDER BY b",
    "SELECT CASE a WHEN 1 THEN 2 END FROM num ORDER BY b",
    "SELECT a FROM num LIMIT -1",
    "SELECT DISTINCT a FROM num ORDER BY b",
    "SELECT a FROM num ORDER BY 3",
    "SELECT a FROM num WHERE a",
    "SELECT true AND 1",
    "SELECT 'yes'::boolean, '0'::boolean, 1::boolean, true::int, '12'::int",
    "SELECT 'abc'::varchar(2), 'maybe'::boolean",
    "SELECT 3000000000::int",
    "SELECT 70000::smallint",
    "SELECT lower('AbC'), length('äöü'), abs(-3)",
    "SELECT a FROM",
    "SELEC 1",
    "SELECT date_trunc('minute', now()), to_timestamp(5)",
    "SELECT a BETWEEN 1 AND 7, b NOT BETWEEN 1 AND 4 FROM num ORDER BY b",
    "SELECT 'b' > 'A', 'a' < 'B'",
    "SELECT bool_and(b > -5), bool_or(a > 100) FROM num",
    "SELECT count(*) FILTER (WHERE a > 0), count(DISTINCT b) FROM num",
    "DELETE FROM job USING leader_lock l WHERE l.holder_id = job.name",
    "DELETE FROM num WHERE a > 0 RETURNING *",
    "DELETE FROM num",
    "SELECT count(*), sum(a) FROM num"};

// A result in the words of support.h, its rows sorted unless the statement orders them.
std::string settled(std::string text, const std::string& sql) {
  if (sql.find("ORDER BY") != std::string::npos || text.find('\n') == std::string::npos) return text;
  std::vector<std::string> lines;
  for (std::size_t at = text.find('\n'); at != std::string::npos && at + 1 < text.size();) {
    const std::size_t end = text.find('\n', at + 1);
    if (end == std::string::npos) break;
    lines.push_back(text.substr(at + 1, end - at - 1));
    at = end;
  }
  std::sort(lines.begin(), lines.end());
  std::string all = text.substr(0, text.find('\n'));
  for (const std::string& line : lines) all += "\n" + line;
  return all + text.substr(text.rfind('\n'));
}

// "1 day -00:00:05.5" as "86394500000us".
std::string micros_of(const std::string& interval) {
  std::int64_t total = 0, sign = 1;
  std::size_t at = interval.find("day");
  if (at != std::string::npos) total = std::stoll(interval) * 86'400'000'000;
  at = at == std::string::npos ? 0 : interval.find(' ', at);
  if (at == std::string::npos) return std::to_string(total) + "us";
  const std::string clock = interval.substr(at + (at > 0 ? 1 : 0));
  if (clock.starts_with("-")) sign = -1;
  const std::size_t first = clock.find(':');
  const std::string second = clock.substr(first + 4);
  std::string fraction = second.size() > 2 ? second.substr(3) : "";
  fraction.resize(6, '0');
  const std::int64_t seconds =
      std::abs(std::stoll(clock)) * 3'600 + std::stoll(clock.substr(first + 1)) * 60 + std::stoll(second);
  return std::to_string(total + sign * (seconds * 1'000'000 + std::stoll(fraction))) + "us";
}

std::string from_server(PGconn* connection, const std::string& sql) {
  const std::unique_ptr<PGresult, decltype(&PQclear)> result(
      PQexecParams(connection, sql.c_str(), 0, nullptr, nullptr, nullptr, nullptr, 0), PQclear);
  if (PQresultStatus(result.get()) == PGRES_FATAL_ERROR)
    return std::string("!") + PQresultErrorField(result.get(), PG_DIAG_SQLSTATE);
  std::string text;
  for (int c = 0; c < PQnfields(result.get()); ++c)
    text += (c == 0 ? "" : "|") + std::string(PQfname(result.get(), c));
  if (PQnfields(result.get()) > 0) text += "\n";
  for (int r = 0; r < PQntuples(result.get()); ++r) {
    for (int c = 0; c < PQnfields(result.get()); ++c) {
      std::string value = PQgetisnull(result.get(), r, c) ? "NULL" : PQgetvalue(result.get(), r, c);
      constexpr Oid kTimestamptz = 1184, kInterval = 1186;
      if (PQftype(result.get(), c) == kTimestamptz && value.ends_with("+00")) value.resize(value.size() - 3);
      if (PQftype(result.get(), c) == kInterval && value != "NULL") value = micros_of(value);
      text += (c == 0 ? "" : "|") + value;
    }
    text += "\n";
  }
  return text + "(" + PQcmdTuples(result.get()) + ")";
}

TEST(BesidePostgres, same_rows_counts_and_sqlstates) {
  const std::unique_ptr<PGconn, decltype(&PQfinish)> connection(PQconnectdb("dbname=postgres"), PQfinish);
  ASSERT_EQ(PQstatus(connection.get()), CONNECTION_OK) << PQerrorMessage(connection.get());
  Bench bench(kTables);
  // For this comparison alone: now() is a function of ours, which real designs could get around in many ways.
  for (const char* sql :
       {"CREATE SCHEMA sim", "SET timezone = 'UTC'",
        "CREATE DATABASE c TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'",
        "CREATE FUNCTION sim.now() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT to_timestamp(1000)'",
        "SET search_path = sim, pg_catalog, public", "SET intervalstyle = 'postgres'"})
    PQclear(PQexec(connection.get(), sql));
  PQclear(PQexec(connection.get(), (std::string("SET search_path = public; ") + kTables +
                                    "; SET search_path = sim, pg_catalog, public")
                                       .c_str()));
  for (const char* sql : kStatements) {
    const auto admitted = bench.admit(sql);
    if (std::get_if<Refusal>(&admitted) != nullptr) {
      ADD_FAILURE() << sql << "\n" << bench.refusal(sql);
      from_server(connection.get(), sql);
      continue;
    }
    std::string ours = bench.show(sql);
    if (ours.starts_with("!")) ours = ours.substr(0, 6);
    EXPECT_EQ(settled(ours, sql), settled(from_server(connection.get(), sql), sql)) << sql;
  }
}

}  // namespace
}  // namespace tenure::sql
