// A plan is made once for a connection, for the tables as they are then, and kept while they grow. Whatever it is, a
// request reads the rows that it is about, and not the tables (docs/adr/0062).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/adapters/postgres/cluster.h"

namespace tenure::pgtest {
namespace {

class PostgresPlans : public ::testing::Test {
 protected:
  PostgresPlans() {
    expect("SELECT (tenure.acquire(1000, 1, 1, 1, 0, 7, 600000000)).epoch", "1");
    // Schedules 1 and 2 are work of the leader; 3 to 8 are delivered by others, 6 and 7 one event at a time.
    expect(
        "INSERT INTO tenure.segment SELECT 1, i, 1, 0, 9223372036854775, 1000000, 0 FROM generate_series(1, "
        "8) i");
    expect(
        "INSERT INTO tenure.schedule (resource, schedule, version, change_seq, since_us, pause_us) "
        "SELECT 1, i, 1, i, 0, 0 FROM generate_series(1, 8) i");
    expect(
        "INSERT INTO tenure.change (resource, seq, schedule, version, begin_us, end_us, cursor_us, deleted, "
        "ended_us, definition) SELECT 1, i, i, 1, 0, 9223372036854775, 0, false, 9223372036854775, '{}' "
        "FROM generate_series(1, 8) i");
    expect("UPDATE tenure.head SET change_seq = 8");
    expect(
        R"(UPDATE tenure.segment SET delivery = tenure.delivery_of('{"overlap":"allow","delivery":{"kind":"pull"}}')
              WHERE schedule >= 3)");
    expect("UPDATE tenure.segment SET delivery.strict_order = true WHERE schedule = 6");
    expect("UPDATE tenure.segment SET delivery.overlap = 1 WHERE schedule = 7");
    expect(
        "INSERT INTO tenure.payload (resource, schedule, version, topic, type, data, labels, description) "
        "SELECT 1, i, 1, 't' || i, 'x', '', '{}', '' FROM generate_series(3, 8) i");
  }

  void expect(const std::string& sql, const std::string& answer = "") {
    EXPECT_EQ(owner_.ask(sql), answer) << sql;
  }

  // Of tables, and pages of tables and their indexes: what is passed over within an index is no row.
  struct Read {
    std::int64_t rows = 0, pages = 0;
  };
  Read read_so_far() {
    return {.rows = std::stoll(owner_.ask("SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) "
                                          "FROM pg_stat_xact_user_tables WHERE schemaname = 'tenure'")),
            .pages = std::stoll(owner_.ask("SELECT sum(pg_stat_get_xact_blocks_fetched(oid)) FROM pg_class "
                                           "WHERE relnamespace = 'tenure'::regnamespace"))};
  }
  // Each kind of request once, about the slot of that number; and how much each has read.
  std::map<std::string, Read> round(int number) {
    const std::int64_t slot = number * 1'000'000;
    const std::string lead = "1000, 1, 1, 1, tenure.branch(), 1, 7";
    const auto event = [&](int schedule) {
      return fmt::format("ARRAY[{}]::bigint[], ARRAY[{}]::bigint[], '{{0}}'", schedule, slot);
    };
    const auto fires = [&](int schedule) {
      return fmt::format(
          "(tenure.commit_fires({0}, '{{{1}}}', '{{1}}', '{{{2}}}', '{{{3}}}', '{{{2}}}', '{{{4}}}', "
          "'{{{2}}}', '{{0}}', '{{1}}')).results",
          lead, schedule, slot, slot + 1'000'000, slot + 1);
    };
    const auto attempt = [&](int schedule) { return event(schedule) + ", '{1}', '{9}'"; };
    const std::vector<std::pair<std::string, std::string>> requests = {
        {fires(1), "{0}"},
        {fmt::format("(tenure.commit_fire({0}, 2, 1, {1}, {2}, {1}, {3}, {1})).results", lead, slot,
                     slot + 1'000'000, slot + 1),
         "{0}"},
        {fires(3), "{0}"},
        {fires(4), "{0}"},
        {fires(5), "{0}"},
        {fmt::format("(tenure.acknowledge_events(1000, 1, {})).changed", event(1)), "t"},
        {fmt::format("(tenure.give_up_events({}, {}, '{{2}}', '{{x}}')).changed", lead, event(2)), "t"},
        {fmt::format("(tenure.redrive(1000, 1, {})).redriven", event(2)), "1"},
        {fmt::format("(tenure.acknowledge_events(1000, 1, {})).changed", event(2)), "t"},
        {fmt::format("(tenure.payloads(1, {})).topics", event(3)), "{t3}"},
        {"cardinality((tenure.schedules_covered(1, '', false, 3)).schedules)", "3"},
        {"cardinality((tenure.log(1, 0, 3)).schedules)", "3"},
        {"cardinality((tenure.changes(1, 0, 3)).schedules)", "3"},
        {"cardinality((tenure.schedules_covered(1, '4', true, 1)).schedules)", "1"},
        {"(SELECT count(*) FROM tenure.poll('t3', 0, 3, 1) p)", "1"},
        {fmt::format("tenure.ack(ARRAY['3/{}/0'], '', 1)", slot), "1"},
        {"cardinality((tenure.claim(1000, 1, 't4', 1, 1000000, 'me', 9)).seqs)", "1"},
        {fmt::format("(tenure.extend_attempts(1000, 1, 1000000, {})).changed", attempt(4)), "t"},
        {fmt::format("(tenure.end_attempts(1000, 1, {}, '{{0}}', '{{\"\"}}')).changed", attempt(4)), "t"},
        {fmt::format("(tenure.end_attempts(1000, 1, {}, '{{0}}', '{{\"\"}}')).standings[1]", attempt(4)),
         "3"},
        {fires(6), "{0}"},
        {"cardinality((tenure.claim(1000, 1, 't6', 1, 1000000, 'me', 9)).seqs)", "1"},
        {fmt::format("(tenure.acknowledge_events(1000, 1, {})).claimed", event(6)), "1"},
        {fmt::format("(tenure.end_attempts(1000, 1, {}, '{{0}}', '{{\"\"}}')).changed", attempt(6)), "t"},
        {fires(7), "{0}"},
        {"cardinality((tenure.claim(1000, 1, 't7', 1, 1000000, 'me', 9)).seqs)", "1"},
        {fmt::format("(tenure.end_attempts(1000, 1, {}, '{{0}}', '{{\"\"}}')).changed", attempt(7)), "t"},
        {"(SELECT count(tenure.give_back(c.execution, 1)) FROM tenure.claim_events('t5', 1, '1 minute', "
         "'me', "
         "1) c)",
         "1"},
        {fmt::format("(tenure.give_up_events({}, {}, '{{2}}', '{{x}}')).changed", lead, event(5)), "t"},
        {fmt::format("(tenure.discard(1000, 1, {}, 'me')).discarded", event(5)), "1"},
        {"cardinality((tenure.due(1, 9223372036854775, 0, 0, 0, 3)).schedules)", "3"},
        {"coalesce(cardinality((tenure.read_outbox(1, 0, 3)).seqs), 0) >= 0", "t"},
        {"coalesce(cardinality((tenure.read_waiting(1, 1, false, 't4', 0, 3)).seqs), 0) >= 0", "t"},
        {"coalesce(cardinality((tenure.read_waiting(1, 2, true, '', 0, 3)).seqs), 0) >= 0", "t"},
        {"coalesce(cardinality((tenure.history_rows(1, 3, 0, false, 3)).seqs), 0) > 0", "t"},
        {"coalesce(cardinality((tenure.dead_events(1, 0, 3, true)).seqs), 0) > 0", "t"},
        {"(tenure.depths(1, 3)).events IS NOT NULL", "t"},
        {fmt::format(
             "(tenure.put_named(1000, 1, 'n{}', -1, 0, '{{}}', 't', 'x', '', '{{}}', '', 'me', -1, 0, 0, "
             "9223372036854775, 0, 9223372036854775)).outcome",
             number),
         "0"},
        {fmt::format("(tenure.run_once(1000, 1, 8, {0}, '{{{1}}}', false, {1}, 0)).outcome", number, slot),
         "0"},
        {fmt::format("(tenure.register(1000, 1, 'k{}', 'n')).node > 0", number), "t"},
        {"(tenure.forget_all(1000, 1, -1, 10, 1000000)).forgotten", "0"},
    };
    std::map<std::string, Read> read;
    for (const auto& [request, answer] : requests) {
      owner_.ask("BEGIN");
      const Read before = read_so_far();
      expect("SELECT " + request, answer);
      const Read after = read_so_far();
      read[request] = {after.rows - before.rows, after.pages - before.pages};
      owner_.ask("COMMIT");
    }
    return read;
  }
  // So many rows more in each table, numbered from `first` on; their events are of the slot that the last round is
  // about.
  void grow(int first, int count) {
    const auto add = [&](const std::string& what) {
      expect(fmt::format("INSERT INTO tenure.{} FROM generate_series({}, {}) i", what, first,
                         first + count - 1));
    };
    const std::string waiting =
        "waiting (resource, seq, slot_us, schedule, run, version, at_us, kind, name, delivery) SELECT 1, ";
    const std::string pulled = R"(tenure.delivery_of('{"overlap":"allow","delivery":{"kind":"pull"}}'))";
    add("segment SELECT 1, i, 1, 0, 9223372036854775, 900000000, 0");
    add("schedule (resource, schedule, version, change_seq, since_us, pause_us) SELECT 1, i, 1, i, 0, 0");
    add("change (resource, seq, schedule, version, begin_us, end_us, cursor_us, deleted, ended_us, "
        "definition) "
        "SELECT 1, i, i, 1, 0, 9223372036854775, 0, false, 9223372036854775, '{}'");
    add("payload (resource, schedule, version, topic, type, data, labels, description) "
        "SELECT 1, i, 1, 'other', 'x', '', '{}', ''");
    add("outbox (resource, seq, slot_us, schedule, run, version, at_us) "
        "SELECT 1, 100000000 + i, 9000000, i, 0, 1, 0");
    add(waiting + "200000000 + i, 9000000, i, 0, 1, 0, 1 + i % 2, 't4', " + pulled);
    // All of one kind are before those of the other.
    add(waiting + fmt::format("-i, 2000000, i, 0, 1, 0, CASE WHEN i < {} THEN 1 ELSE 2 END, 'other', {}",
                              first + count / 2, pulled));
    add("dead (resource, seq, slot_us, schedule, run, attempts, since_us, version, why) "
        "SELECT 1, 300000000 + i, 9000000, i, 0, 1, 0, 1, ''");
    add("ended (resource, slot_us, schedule, run, attempt, nonce, how, at_us) SELECT 1, 9000000, i, 0, 1, 1, "
        "3, 0");
    add("history (resource, seq, schedule, version, slot_us, run, from_us, to_us, slots, at_us, what) "
        "SELECT 1, -i, i, 1, 0, 0, 0, 0, 0, 0, 0");
    add("run SELECT 1, 8, 100000 + i, 0, 0, 0");
    add("exception SELECT 1, i, 1, 0, 1, 0, 1");
  }
  // Takes it all away again. The pages stay, and so the planner takes such a table for one that has no row whatever is
  // put into it: that is all that it was told.
  void let_the_server_see_empty_tables() {
    for (const char* table : {"segment", "schedule", "change", "payload"})
      expect(fmt::format("DELETE FROM tenure.{} WHERE schedule >= 1000", table));
    for (const char* table : {"outbox", "waiting", "dead", "ended", "history", "run", "exception"})
      expect(fmt::format("DELETE FROM tenure.{}", table));
    expect("ANALYZE");
  }
  // Left alone, the server makes a plan for each call until one for all calls looks no dearer. That is so for hundreds
  // of events in a call, which it takes for ten.
  void make_plans() {
    expect("SET plan_cache_mode = force_generic_plan");
    for (int number = 1; number <= 8; ++number) round(number);
  }
  void expect_few_rows_read() {
    grow(10'000, 20'000);
    for (const auto& [request, read] : round(9)) {
      EXPECT_LT(read.rows, 70) << request;
      EXPECT_LT(read.pages, 100) << request;
    }
  }

  FreshDatabase database_;
  Raw owner_{database_.connection()};
};

TEST_F(PostgresPlans, made_for_empty_tables_read_no_more_of_large_ones) {
  make_plans();
  expect_few_rows_read();
}

TEST_F(PostgresPlans, made_for_analyzed_small_tables_read_no_more_of_large_ones) {
  grow(1'000, 5);
  expect("ANALYZE");
  make_plans();
  expect_few_rows_read();
}

// As a queue that was empty when the server looked at it.
TEST_F(PostgresPlans, made_for_tables_that_were_seen_empty_read_no_more_of_large_ones) {
  grow(1'000, 50);
  let_the_server_see_empty_tables();
  make_plans();
  expect_few_rows_read();
}

// Among indexes that cost the same the planner takes one by luck. No request lives on that.
TEST_F(PostgresPlans, have_no_use_for_an_index_that_every_request_could_use) {
  for (const char* table : {"segment", "outbox", "waiting", "dead", "ended", "history", "run", "exception"})
    expect(fmt::format("CREATE INDEX {0}_all ON tenure.{0} (resource)", table));
  grow(1'000, 50);
  let_the_server_see_empty_tables();
  make_plans();
  expect_few_rows_read();
}

// Nobody has counted what is in a table that was filled just now.
TEST_F(PostgresPlans, made_for_tables_that_were_filled_just_now_read_no_more_of_larger_ones) {
  grow(1'000, 2'000);
  make_plans();
  expect_few_rows_read();
}

}  // namespace
}  // namespace tenure::pgtest
