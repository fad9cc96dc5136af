// Statements that wait for one another on a real Postgres: when they go on, and how they fail.
#include "tests/adapters/sql_postgres/sessions.h"

namespace tenure::sim {
namespace {

using Lines = std::vector<std::string>;

// `first` runs on n1 at once, and `then` on the others, a second later for each.
Ran beside(const std::string& first, const std::string& then, int instances = 2,
           const std::string& more = "") {
  const Sessions sessions(fmt::format(R"lua(
    local function ask(text, ...)
      local rows, err = t.sql{{text, ..., timeout = "50s"}}
      if err then t.log((err.sqlstate or err.kind) .. " " .. err.message) end
      return rows
    end
    if t.identity == "n1#1" then
      {}
    elseif t.number > 1 then
      t.sleep(t.duration("1s") * (t.number - 1))
      {}
    end)lua",
                                      first, then),
                          instances, more);
  return sessions.run();
}

TEST(WaitingStatements, go_on_when_the_lock_is_free) {
  const Ran ran =
      beside(R"lua(ask("BEGIN"); ask("UPDATE m SET n = 7 WHERE id = 1"); t.sleep("5s"); ask("COMMIT"))lua",
             R"lua(local rows = ask([[UPDATE m SET n = n + 1 WHERE id = 1
           RETURNING n, extract(epoch FROM clock_timestamp() - now())::int AS waited]])
         t.log("n = " .. rows[1].n .. " after " .. rows[1].waited .. " s"))lua");
  EXPECT_EQ(ran.remarks, (Lines{"5.000 n2 n = 8 after 4 s"}))
      << "now() is the time at which the transaction began, before the wait";
}

TEST(WaitingStatements, of_one_instance_wait_for_another_connection_of_its_own) {
  const Ran ran = Sessions(R"lua(
    t.sql{"BEGIN"}
    t.sql{"UPDATE m SET n = 1 WHERE id = 1"}
    local _, err = t.sql{"UPDATE m SET n = 2 WHERE id = 1", on = "other", timeout = "3s"}
    t.log(err.kind)
    t.log("n = " .. t.sql{"SELECT n FROM m WHERE id = 1"}[1].n)
    t.sql{"COMMIT"}
    t.log("n = " .. t.sql{"SELECT n FROM m WHERE id = 1", on = "other"}[1].n))lua",
                           1)
                      .run();
  EXPECT_EQ(ran.error, "");
  EXPECT_EQ(ran.remarks, (Lines{"3.000 n1 unknown", "3.000 n1 n = 1", "3.000 n1 n = 2"}))
      << "what waited goes on when the first session ends its transaction, and that session has lived on";
}

TEST(WaitingStatements, go_on_in_the_order_in_which_they_came) {
  const Ran ran = beside(
      R"lua(ask("BEGIN"); ask("SELECT n FROM m WHERE id = 1 FOR UPDATE"); t.sleep("10s"); ask("COMMIT"))lua",
      R"lua(local rows = ask("UPDATE m SET n = n + 1 WHERE id = 1 RETURNING n"); t.log("n = " .. rows[1].n))lua",
      5);
  EXPECT_EQ(ran.remarks, (Lines{"10.000 n2 n = 1", "10.000 n3 n = 2", "10.000 n4 n = 3", "10.000 n5 n = 4"}));
}

TEST(WaitingStatements, of_which_one_lock_frees_many_run_one_by_one) {
  const Ran ran =
      beside(R"lua(ask("BEGIN"); ask("LOCK TABLE m"); t.sleep("10s"); ask("COMMIT"))lua",
             R"lua(local rows = ask("INSERT INTO m (id, n) SELECT max(id) + 1, 0 FROM m RETURNING id")
            t.log("id = " .. rows[1].id))lua",
             6);
  EXPECT_EQ(ran.remarks, (Lines{"10.000 n2 id = 3", "10.000 n3 id = 4", "10.000 n4 id = 5",
                                "10.000 n5 id = 6", "10.000 n6 id = 7"}));
}

TEST(WaitingStatements, skip_what_is_locked_if_they_say_so) {
  const Ran ran =
      beside(R"lua(ask("BEGIN"); ask("SELECT n FROM m WHERE id = 1 FOR UPDATE"); t.sleep("10s"))lua",
             R"lua(t.log("id = " .. ask("SELECT id FROM m ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED")[1].id)
         ask("SELECT id FROM m ORDER BY id LIMIT 1 FOR UPDATE NOWAIT"))lua");
  EXPECT_EQ(ran.remarks,
            (Lines{"1.000 n2 id = 2", "1.000 n2 55P03 could not obtain lock on row in relation \"m\""}));
}

TEST(TimeOuts, of_a_lock_go_off_in_the_stores_time) {
  const Ran ran = beside(R"lua(ask("BEGIN"); ask("UPDATE m SET n = 7 WHERE id = 1"); t.sleep("20s"))lua",
                         R"lua(ask("SET lock_timeout = '3s'"); ask("UPDATE m SET n = 8 WHERE id = 1"))lua");
  EXPECT_EQ(ran.remarks, (Lines{"4.000 n2 55P03 canceling statement due to lock timeout"}));
}

TEST(TimeOuts, of_a_statement_go_off_in_the_stores_time) {
  const Ran ran =
      beside(R"lua(ask("BEGIN"); ask("UPDATE m SET n = 7 WHERE id = 1"); t.sleep("20s"))lua",
             R"lua(ask("SET statement_timeout = '2500ms'"); ask("UPDATE m SET n = 8 WHERE id = 1"))lua");
  EXPECT_EQ(ran.remarks, (Lines{"3.500 n2 57014 canceling statement due to statement timeout"}));
}

TEST(TimeOuts, of_an_idle_transaction_free_its_locks) {
  const Ran ran = beside(
      R"lua(ask("SET idle_in_transaction_session_timeout = '4s'")
         ask("BEGIN"); ask("UPDATE m SET n = 7 WHERE id = 1"); t.sleep("20s"); ask("COMMIT"); ask("SELECT 1"))lua",
      R"lua(t.log("n = " .. ask("UPDATE m SET n = n + 1 WHERE id = 1 RETURNING n")[1].n))lua");
  EXPECT_EQ(
      ran.remarks,
      (Lines{"4.000 n2 n = 1", "20.000 n1 25P03 terminating connection due to idle-in-transaction timeout"}));
}

TEST(TimeOuts, of_a_deadlock_go_off_a_second_after_the_wait_began) {
  const Ran ran = beside(
      R"lua(ask("BEGIN"); ask("UPDATE m SET n = 7 WHERE id = 1"); t.sleep("2s"); ask("UPDATE m SET n = 7 WHERE id = 2")
         t.log("done"); ask("COMMIT"))lua",
      R"lua(ask("BEGIN"); ask("UPDATE m SET n = 8 WHERE id = 2"); t.sleep("500ms")
         ask("UPDATE m SET n = 8 WHERE id = 1"); ask("COMMIT"))lua");
  // n1 closes the circle at 2 s; n2, which has waited since 1.5 s, is the first to look.
  EXPECT_EQ(ran.remarks, (Lines{"2.500 n2 40P01 deadlock detected", "2.500 n1 done"}));
}

TEST(TimeOuts, are_what_a_sleep_in_the_store_waits_for) {
  const Ran ran = beside(R"lua(ask("SELECT pg_sleep(5)"); t.log("slept"))lua", "");
  EXPECT_EQ(ran.remarks, (Lines{"5.000 n1 slept"}));
}

// ---- what becomes of a session --------------------------------------------------------------------------------

constexpr const char* kHolds =
    R"lua(ask("BEGIN"); ask("UPDATE m SET n = 7 WHERE id = 1"); t.sleep("30s"); ask("COMMIT"))lua";
constexpr const char* kWantsIt =
    R"lua(t.log("n = " .. ask("UPDATE m SET n = n + 1 WHERE id = 1 RETURNING n")[1].n))lua";

TEST(Sessions, end_with_their_process) {
  const Ran ran = beside(kHolds, kWantsIt, 2,
                         "[[fault]]\nat = \"10s\"\naction = \"kill\"\ntarget = \"n1\"\nduration = \"5s\"\n");
  EXPECT_EQ(ran.remarks, (Lines{"10.000 n2 n = 1"}));
}

TEST(Sessions, end_with_their_process_and_so_do_advisory_locks) {
  const Ran ran = beside(R"lua(ask("SELECT pg_advisory_lock(1)"); t.sleep("30s"))lua",
                         R"lua(ask("SELECT pg_advisory_lock(1)"); t.log("mine"))lua", 2,
                         "[[fault]]\nat = \"10s\"\naction = \"kill\"\ntarget = \"n1\"\nduration = \"5s\"\n");
  EXPECT_EQ(ran.remarks, (Lines{"10.000 n2 mine"}));
}

TEST(Sessions, of_a_dead_process_last_as_long_as_nobody_tells_the_server) {
  const Ran ran =
      beside(kHolds, kWantsIt, 2,
             "[[fault]]\nat = \"10s\"\naction = \"kill\"\ntarget = \"n1\"\nduration = \"5s\"\n"
             "[[fault]]\nat = \"9s\"\naction = \"partition\"\ntarget = \"n1\"\npeers = \"store\"\n"
             "duration = \"11s\"\n");
  EXPECT_EQ(ran.remarks, (Lines{"20.000 n2 n = 1"}));
}

TEST(Sessions, end_when_the_server_does_and_who_held_something_is_told) {
  const Ran ran = beside(kHolds, R"lua(t.sleep("20s"))lua" + std::string(kWantsIt), 2,
                         "[[fault]]\nat = \"10s\"\naction = \"store-down\"\nduration = \"5s\"\n");
  EXPECT_EQ(ran.remarks, (Lines{"21.000 n2 n = 1",
                                "30.000 n1 57P01 terminating connection due to administrator command"}));
}

TEST(UnloggedTables, are_empty_after_a_crash) {
  const Sessions sessions(R"lua(
      t.sql{"BEGIN"}
      t.sql{"UPDATE gone SET n = 2"}
      t.sleep("20s")
      t.sql{"SELECT 1"}  -- tells of the end of the session
      t.log("kept " .. t.sql{"SELECT n FROM kept"}.count)
      t.log("gone " .. t.sql{"SELECT n FROM gone"}.count)
    )lua",
                          1, "[[fault]]\nat = \"10s\"\naction = \"store-down\"\nduration = \"5s\"\n",
                          "CREATE TABLE kept (n int); CREATE UNLOGGED TABLE gone (n int);"
                          "INSERT INTO kept VALUES (1); INSERT INTO gone VALUES (1)");
  EXPECT_EQ(sessions.run().remarks, (Lines{"20.000 n1 kept 1", "20.000 n1 gone 0"}));
}

TEST(Sessions, that_a_client_has_given_up_go_on_until_their_statement_is_done) {
  const Sessions sessions(R"lua(
    if t.number == 1 then
      t.sql{"BEGIN"}
      t.sql{"UPDATE m SET n = 7 WHERE id = 1"}
      t.sleep("10s")
      t.sql{"COMMIT"}
      t.sleep("1s")
      t.log("n = " .. t.sql{"SELECT n FROM m WHERE id = 1"}[1].n)
    else
      t.sleep("1s")
      local _, err = t.sql{"UPDATE m SET n = n + 1 WHERE id = 1", timeout = "2s"}
      t.log(err.kind)
      t.log("n = " .. t.sql{"SELECT n FROM m WHERE id = 1"}[1].n)
    end)lua",
                          2);
  EXPECT_EQ(sessions.run().remarks, (Lines{"3.000 n2 unknown", "3.000 n2 n = 0", "11.000 n1 n = 8"}));
}

TEST(Sessions, that_a_client_has_given_up_end_with_their_transaction_once_they_can) {
  const Sessions sessions(R"lua(
    t.sleep(t.duration("1s") * (t.number - 1))
    if t.number == 1 then
      t.sql{"BEGIN"}
      t.sql{"UPDATE m SET n = 7 WHERE id = 1"}
      t.sleep("10s")
      t.sql{"COMMIT"}
    elseif t.number == 2 then
      t.sql{"BEGIN"}
      t.sql{"UPDATE m SET n = 5 WHERE id = 2"}
      t.sql{"UPDATE m SET n = 5 WHERE id = 1", timeout = "2s"}
      t.sql{"SELECT 1 AS in_a_new_session"}
    else
      t.log("n = " .. t.sql{"UPDATE m SET n = n + 1 WHERE id = 2 RETURNING n", timeout = "50s"}[1].n)
    end)lua",
                          3);
  EXPECT_EQ(sessions.run().remarks, (Lines{"10.000 n3 n = 1"}));
}

TEST(Sessions, that_are_serializable_fail_as_they_do_on_postgres) {
  const Ran ran = beside(
      R"lua(ask("BEGIN ISOLATION LEVEL SERIALIZABLE"); ask("SELECT sum(n)::bigint FROM m"); t.sleep("3s")
         ask("UPDATE m SET n = 1 WHERE id = 1"); ask("COMMIT"); t.log("done"))lua",
      R"lua(ask("BEGIN ISOLATION LEVEL SERIALIZABLE"); ask("SELECT sum(n)::bigint FROM m")
         ask("UPDATE m SET n = 1 WHERE id = 2"); ask("COMMIT"); t.log("done"))lua");
  EXPECT_EQ(ran.remarks,
            (Lines{"1.000 n2 done",
                   "3.000 n1 40001 could not serialize access due to read/write dependencies among "
                   "transactions",
                   "3.000 n1 done"}));
}

}  // namespace
}  // namespace tenure::sim
