// The statement of article 000: refused by Postgres as it is printed, and by us in the same words; and repaired.
#include <gtest/gtest.h>

#include "tests/adapters/sql/support.h"

namespace tenure::sql {
namespace {

constexpr const char* kPrinted = R"(
INSERT INTO leader_lock (resource, holder_id, expires_at)
VALUES ($1, $2, now() + interval '5 seconds')
ON CONFLICT (resource) DO UPDATE
SET holder_id = $2, expires_at = now() + interval '5 seconds'
WHERE holder_id = $2 OR expires_at < now()
RETURNING expires_at)";
constexpr const char* kRepaired = R"(
INSERT INTO leader_lock AS l (resource, holder_id, expires_at)
VALUES ($1, $2, now() + interval '5 seconds')
ON CONFLICT (resource) DO UPDATE
SET holder_id = excluded.holder_id, expires_at = excluded.expires_at
WHERE l.holder_id = excluded.holder_id OR l.expires_at < now()
RETURNING expires_at)";
constexpr const char* kTable =
    "CREATE TABLE leader_lock (resource text PRIMARY KEY, holder_id text NOT NULL, expires_at timestamptz "
    "NOT NULL)";

TEST(ArticleLease, as_printed_is_ambiguous_as_in_postgres) {
  Bench bench(kTable);
  const Error error = bench.error(kPrinted, {"jobs", "a"});
  EXPECT_EQ(error.sqlstate, "42702");
  EXPECT_EQ(error.message, "column reference \"holder_id\" is ambiguous");
  EXPECT_EQ(error.position, std::string(kPrinted).find("WHERE holder_id") + 7);
}

TEST(ArticleLease, repaired_one_holds_it_until_it_expires) {
  Bench bench(kTable);
  const StoreTime granted = bench.now;
  EXPECT_EQ(bench.show(kRepaired, {"jobs", "a"}), "expires_at\n1970-01-01 00:16:45\n(1)");
  bench.now = granted + Duration::seconds(3);
  EXPECT_EQ(bench.show(kRepaired, {"jobs", "b"}), "expires_at\n(0)");
  EXPECT_EQ(bench.show(kRepaired, {"jobs", "a"}), "expires_at\n1970-01-01 00:16:48\n(1)");
  bench.now = granted + Duration::seconds(8);
  EXPECT_EQ(bench.show(kRepaired, {"jobs", "b"}), "expires_at\n(0)") << "expires_at < now() is strict";
  bench.now = granted + Duration::seconds(8) + Duration::micros(1);
  EXPECT_EQ(bench.show(kRepaired, {"jobs", "b"}), "expires_at\n1970-01-01 00:16:53.000001\n(1)");
  EXPECT_EQ(bench.show("SELECT holder_id FROM leader_lock WHERE resource = $1", {"jobs"}),
            "holder_id\nb\n(1)");
}

TEST(ArticleLease, release_is_an_update) {
  Bench bench(kTable);
  bench.show(kRepaired, {"jobs", "a"});
  EXPECT_EQ(bench.show("UPDATE leader_lock SET expires_at = now() WHERE resource = ? AND holder_id = ?",
                       {"jobs", "b"}),
            "(0)");
  EXPECT_EQ(bench.show("UPDATE leader_lock SET expires_at = now() WHERE resource = ? AND holder_id = ?",
                       {"jobs", "a"}),
            "(1)");
  bench.now += Duration::micros(1);
  EXPECT_EQ(bench.show(kRepaired, {"jobs", "b"}), "expires_at\n1970-01-01 00:16:45.000001\n(1)");
}

TEST(SerialNumbers, are_not_taken_by_a_constant_that_does_not_fit) {
  Bench bench("CREATE TABLE job (id bigserial, name varchar(4), CHECK (name <> 'bad'))");
  EXPECT_EQ(bench.error("INSERT INTO job (name) VALUES ('too long')").sqlstate, "22001");
  EXPECT_EQ(bench.error("INSERT INTO job (name) VALUES ($1)", {"too long"}).sqlstate, "22001");
  EXPECT_EQ(bench.show("INSERT INTO job (name) VALUES ('a') RETURNING id"), "id\n1\n(1)");
  EXPECT_EQ(bench.error("INSERT INTO job (name) VALUES ('bad')").sqlstate, "23514");
  EXPECT_EQ(bench.show("INSERT INTO job (name) VALUES ('b') RETURNING id"), "id\n3\n(1)")
      << "what fails later has taken its number";
}

}  // namespace
}  // namespace tenure::sql
