// What consumers in the database can do, and what they cannot: the functions of schema/5_consume.sql.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/adapters/postgres/cluster.h"
#include "tests/adapters/postgres/consumer_sql.h"

namespace tenure::pgtest {
namespace {

class Consumers : public ::testing::Test {
 protected:
  Consumers() {
    EXPECT_EQ(owner_.ask(fmt::format("SELECT tenure.grant_consume('{}')", role_)), "");
    const Definition definition{
        .recurrence = Interval{StoreTime{}, Duration::hours(1'000'000)},
        .delivery = {.kind = Delivery::Kind::pull, .attempts = 2, .back_off = Duration::micros(1)}};
    const reference::Payload payload{
        .topic = "mail", .type = "greeting", .data = R"({"to": "ann"})", .labels = {}, .description = {}};
    EXPECT_EQ(outcome(store_->execute(
                  reference::PutNamed{ResourceId{}, "mails", {}, definition, payload, "ann"}, kSecond * 60)),
              "applied");
  }
  ~Consumers() override { owner_.ask(fmt::format("DROP OWNED BY {0}; DROP ROLE {0}", role_)); }

  // An event of the schedule.
  void trigger() {
    EXPECT_EQ(outcome(store_->execute(
                  reference::TriggerSchedule{ResourceId{}, {1}, ++runs_, StoreTime{} + Duration::seconds(1)},
                  kSecond * 60)),
              "applied");
  }
  std::string claim(const std::string& duration = "1 hour") {
    const Given given = consumer_.ask("SELECT execution FROM tenure.claim_events('mail', 1, $1)", {duration});
    EXPECT_EQ(given.sqlstate, "");
    return given.rows.empty() ? "nothing" : given.rows[0][0];
  }
  std::string one(const std::string& statement, const std::vector<std::string>& values = {}) {
    const Given given = consumer_.ask(statement, values);
    if (!given.sqlstate.empty()) return given.sqlstate;
    return given.rows.empty() ? "nothing" : given.rows[0][0];
  }

  FreshDatabase database_;
  std::unique_ptr<PostgresStore> store_ = database_.open();
  Raw owner_{database_.connection()};
  const std::string role_ = database_.name() + "_mailer";
  ConsumerSql consumer_{[this] {  // after the role is there
    owner_.ask(fmt::format("CREATE ROLE {} LOGIN PASSWORD 'pw'", role_));
    return fmt::format("{} user={} password=pw host=localhost", database_.connection(), role_);
  }()};
  std::uint64_t runs_ = 0;
};

TEST_F(Consumers, an_event_is_seen_claimed_and_completed) {
  trigger();
  EXPECT_EQ(
      one("SELECT concat_ws(' ', seq, schedule, topic, type, data::json->>'to', attempt) FROM tenure.events"),
      "1 mails mail greeting ann 0");
  EXPECT_EQ(one("SELECT count(*) FROM tenure.poll('mail')"), "1");
  EXPECT_EQ(one("SELECT count(*) FROM tenure.poll('mail', 1)"), "0");
  EXPECT_EQ(one("SELECT count(*) FROM tenure.poll('other')"), "0");
  const std::string execution = claim();
  EXPECT_EQ(claim(), "nothing") << "one worker has it";
  EXPECT_EQ(one("SELECT worker FROM tenure.events"), role_);
  EXPECT_EQ(one("SELECT standing FROM tenure.heartbeat($1)", {execution}), "claimed");
  EXPECT_EQ(
      one("SELECT until > now() + interval '30 hours' FROM tenure.heartbeat($1, '40 hours')", {execution}),
      "t");
  EXPECT_EQ(one("SELECT until > now() + interval '30 hours' FROM tenure.heartbeat($1)", {execution}), "t")
      << "as long as before";
  EXPECT_EQ(one("SELECT tenure.ack(ARRAY(SELECT key FROM tenure.events))"), "TN002");
  for (int i = 0; i < 2; ++i) EXPECT_EQ(one("SELECT tenure.complete($1)", {execution}), "");
  EXPECT_EQ(one("SELECT count(*) FROM tenure.events"), "0");
}

TEST_F(Consumers, a_stale_execution_is_refused_and_undoes_its_transaction) {
  owner_.ask(fmt::format("CREATE TABLE public.sent (n int); GRANT ALL ON public.sent TO {}", role_));
  trigger();
  const std::string first = claim("1 us"), second = claim();
  ASSERT_NE(second, "nothing");
  EXPECT_EQ(one("BEGIN"), "nothing");
  EXPECT_EQ(one("INSERT INTO public.sent VALUES (1)"), "nothing");
  EXPECT_EQ(one("SELECT tenure.complete($1)", {first}), "TN002");
  EXPECT_EQ(one("COMMIT"), "nothing");
  EXPECT_EQ(one("SELECT count(*) FROM public.sent"), "0");
  for (const char* late : {"SELECT tenure.heartbeat($1)", "SELECT tenure.fail($1)"}) {
    EXPECT_EQ(one(late, {first}), "TN002") << late;
    EXPECT_EQ(consumer_.ask(late, {first}).detail, "reissued") << late;
  }
  EXPECT_EQ(one("SELECT standing FROM tenure.fail($1, 'no route')", {second}), "dead");
  EXPECT_EQ(one("SELECT standing FROM tenure.fail($1)", {second}), "dead") << "again";
  EXPECT_EQ(one("SELECT tenure.complete($1)", {second}), "TN002");
  EXPECT_EQ(owner_.ask("SELECT why FROM tenure.dead"), "no route");
}

TEST_F(Consumers, what_is_given_back_is_claimed_at_once_and_does_not_count) {
  trigger();
  std::string execution;
  for (int i = 0; i < 3; ++i) {  // of two attempts
    execution = claim();
    for (int twice = 0; twice < 2; ++twice)
      EXPECT_EQ(one("SELECT standing FROM tenure.give_back($1)", {execution}), "released");
  }
  const std::string last = claim();
  EXPECT_EQ(one("SELECT tenure.give_back($1)", {execution}), "TN002");
  EXPECT_EQ(one("SELECT standing FROM tenure.fail($1)", {last}), "failed");
}

TEST_F(Consumers, a_worker_is_asked_to_stop_and_its_event_gives_way) {
  trigger();
  const std::string execution = claim();
  owner_.ask("UPDATE tenure.waiting SET cancelled = true");
  EXPECT_EQ(one("SELECT standing || ' ' || cancel FROM tenure.heartbeat($1)", {execution}), "cancelled true");
  EXPECT_EQ(one("SELECT standing FROM tenure.fail($1)", {execution}), "replaced");
  EXPECT_EQ(consumer_.ask("SELECT tenure.complete($1)", {execution}).detail, "replaced");
}

TEST_F(Consumers, of_two_pollers_the_one_that_comes_second_undoes_what_it_did) {
  trigger();
  trigger();
  const std::string keys = one("SELECT string_agg(key, ' ' ORDER BY seq) FROM tenure.poll('mail')");
  EXPECT_EQ(one("SELECT tenure.ack(string_to_array($1, ' '))", {keys.substr(0, keys.find(' '))}), "1");
  EXPECT_EQ(one("SELECT tenure.ack(string_to_array($1, ' '))", {keys}), "TN002") << "one of two";
  EXPECT_EQ(consumer_.ask("SELECT tenure.ack(string_to_array($1, ' '))", {keys}).detail, "acknowledged");
  EXPECT_EQ(one("SELECT tenure.ack(array_agg(key) || array_agg(key)) FROM tenure.poll('mail')"), "1")
      << "named twice";
  EXPECT_EQ(one("SELECT tenure.ack('{}')"), "0");
}

// The statement of docs/consumers.md, and one that claims and completes.
TEST_F(Consumers, four_consumers_of_which_some_are_killed_work_once_on_each_event) {
  constexpr int kEvents = 300;
  owner_.ask(fmt::format("CREATE TABLE public.mails (key text); GRANT ALL ON public.mails TO {}", role_));
  const std::string connection =
      fmt::format("{} user={} password=pw host=localhost", database_.connection(), role_);
  std::atomic<bool> over = false;
  std::atomic<int> second = 0;
  std::vector<std::thread> consumers;
  for (int i = 0; i < 4; ++i)
    consumers.emplace_back([&, i] {
      while (!over) {
        ConsumerSql sql(connection);
        for (Given given; !over; second += given.sqlstate == "TN002") {
          given = sql.ask(i % 2 == 0
                              ? "WITH batch AS MATERIALIZED (SELECT * FROM tenure.poll('mail')), "
                                "sent AS (INSERT INTO public.mails SELECT key FROM batch) "
                                "SELECT tenure.ack(ARRAY(SELECT key FROM batch))"
                              : "WITH batch AS MATERIALIZED (SELECT * FROM tenure.claim_events('mail', 3)), "
                                "sent AS (INSERT INTO public.mails SELECT key FROM batch) "
                                "SELECT count(tenure.complete(execution)) FROM batch");
          if (given.rows.empty() && given.sqlstate != "TN002") break;  // it was killed
        }
      }
    });
  for (int i = 0; i < kEvents; ++i) {
    trigger();
    if (i % 30 == 29)
      owner_.ask(
          fmt::format("SELECT count(pg_terminate_backend(pid)) FROM (SELECT pid FROM pg_stat_activity "
                      "WHERE usename = '{}' ORDER BY random() LIMIT 2) x",
                      role_));
  }
  for (int i = 0; i < 3'000 && owner_.ask("SELECT count(*) FROM tenure.waiting") != "0"; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  over = true;
  for (std::thread& one : consumers) one.join();
  EXPECT_EQ(owner_.ask("SELECT count(*) || ' ' || count(DISTINCT key) FROM public.mails"),
            fmt::format("{} {}", kEvents, kEvents));
  EXPECT_GT(second, 0) << "no two have polled the same";
}

// Transactions that stay open (docs/adr/0100). Without it each statement kept all fires waiting until its transaction
// was over, and the lease with them.
TEST_F(Consumers, open_transactions_lock_nothing_that_a_fire_needs) {
  for (int i = 0; i < 4; ++i) trigger();
  owner_.ask(
      "UPDATE tenure.waiting SET run = 0, slot_us = slot_us + seq");  // as of slots: runs are not replaced
  const std::string execution = claim();
  owner_.ask("SET lock_timeout = '5s'");
  for (const char* changes :
       {"SELECT count(*) FROM tenure.claim_events('mail', 2)", "SELECT tenure.heartbeat($1)",
        "SELECT tenure.fail($1)", "SELECT tenure.give_back($1)", "SELECT tenure.complete($1)",
        "SELECT tenure.ack(ARRAY(SELECT key FROM tenure.poll('mail', 1)))", "SELECT tenure.ack('{}')"}) {
    const bool takes = std::string_view(changes).find("$1") != std::string_view::npos;
    EXPECT_EQ(one("BEGIN"), "nothing");
    EXPECT_EQ(consumer_.ask(changes, takes ? std::vector{execution} : std::vector<std::string>{}).sqlstate,
              "")
        << changes;
    owner_.ask("BEGIN");
    EXPECT_EQ(owner_.ask("SELECT resource FROM tenure.head WHERE resource = 0 FOR NO KEY UPDATE NOWAIT"), "0")
        << changes;
    // A fire of a schedule that replaces, and the end of a hold: they change the events that wait.
    EXPECT_EQ(owner_.ask("SELECT tenure.replace_waiting(0, 1, tenure.now_us(), 1000)").substr(0, 1), "1")
        << changes;
    EXPECT_EQ(owner_.ask("SELECT tenure.restart_attempts(0, tenure.now_us(), true)"), "") << changes;
    owner_.ask("ROLLBACK");
    EXPECT_EQ(one("ROLLBACK"), "nothing");
  }
}

TEST_F(Consumers, a_commit_tells_the_head_of_each_change) {
  for (int i = 0; i < 3; ++i) trigger();
  const auto head = [&] {
    return owner_.ask("SELECT concat_ws(' ', stamp, history_seq, attempts_us) FROM tenure.head");
  };
  const std::int64_t stamp = std::stoll(owner_.ask("SELECT stamp FROM tenure.head"));
  const std::string before = head();
  one("BEGIN");
  const std::string first = claim(), second = claim();
  EXPECT_NE(first, second);
  EXPECT_EQ(one("SELECT tenure.complete($1)", {first}), "") << "it sees its own claim";
  EXPECT_EQ(head(), before);
  one("COMMIT");
  EXPECT_EQ(owner_.ask("SELECT stamp FROM tenure.head"), std::to_string(stamp + 3));
  EXPECT_EQ(owner_.ask("SELECT attempts_us = (SELECT max(from_us) FROM tenure.waiting) FROM tenure.head"),
            "t");
  owner_.ask("UPDATE tenure.waiting SET cancelled = true WHERE claimed");
  EXPECT_EQ(one("SELECT standing FROM tenure.fail($1)", {second}), "replaced");
  EXPECT_EQ(owner_.ask("SELECT what FROM tenure.history WHERE seq = (SELECT history_seq FROM tenure.head)"),
            "6");
  EXPECT_EQ(owner_.ask("SELECT count(*) FROM tenure.unsettled"), "0");
}

TEST_F(Consumers, others_pass_over_the_events_of_an_open_transaction) {
  for (int i = 0; i < 2; ++i) trigger();
  ConsumerSql other(fmt::format("{} user={} password=pw host=localhost", database_.connection(), role_));
  const std::string of_others = "SELECT (tenure.claim(60000, 0, 'mail', 9, 60000000, 'me', 9)).seqs";
  one("BEGIN");
  const std::string first = claim();
  EXPECT_EQ(other.ask("SELECT seq FROM tenure.claim_events('mail', 9)").rows.at(0).at(0), "2");
  EXPECT_EQ(owner_.ask(of_others), "{}");
  const std::string event =
      "ARRAY(SELECT schedule FROM tenure.waiting WHERE seq = 1), ARRAY(SELECT slot_us FROM "
      "tenure.waiting WHERE seq = 1), ARRAY(SELECT run FROM tenure.waiting WHERE seq = 1)";
  EXPECT_EQ(owner_.ask(fmt::format("SELECT claimed FROM tenure.acknowledge_events(60000, 0, {})", event)),
            "1");
  EXPECT_EQ(
      owner_.ask(fmt::format("SELECT tenure.extend_attempts(60000, 0, 0, {}, '{{1}}', '{{1}}')", event)),
      "!55P03")
      << "it does not wait, because it has the head";
  one("ROLLBACK");
  EXPECT_EQ(owner_.ask(of_others), "{1}");
}

TEST_F(Consumers, one_event_at_a_time_is_handed_out_across_open_transactions) {
  for (int i = 0; i < 2; ++i) trigger();
  owner_.ask("UPDATE tenure.waiting SET delivery.overlap = 1");
  ConsumerSql other(fmt::format("{} user={} password=pw host=localhost", database_.connection(), role_));
  one("BEGIN");
  EXPECT_NE(claim(), "nothing");
  EXPECT_EQ(other.ask("SELECT seq FROM tenure.claim_events('mail', 9)").rows.size(), 0u);
  one("COMMIT");
  EXPECT_EQ(other.ask("SELECT seq FROM tenure.claim_events('mail', 9)").rows.size(), 0u);
}

// A snapshot of the transaction's first statement could not write the head after a fire.
TEST_F(Consumers, transactions_above_read_committed_have_the_head_at_once) {
  trigger();
  one("BEGIN ISOLATION LEVEL REPEATABLE READ");
  EXPECT_NE(claim(), "nothing");
  EXPECT_EQ(owner_.ask("SELECT resource FROM tenure.head FOR NO KEY UPDATE NOWAIT"), "!55P03");
  one("COMMIT");
  EXPECT_EQ(owner_.ask("SELECT count(*) FROM tenure.waiting WHERE claimed"), "1");
}

TEST_F(Consumers, what_makes_no_sense_is_refused_in_words) {
  trigger();
  for (const char* wrong :
       {"SELECT tenure.claim_events('mail', 1001)", "SELECT tenure.claim_events('mail', -1)",
        "SELECT tenure.claim_events('mail', 1, '0 s')", "SELECT tenure.claim_events('mail', 1, '31 days')",
        "SELECT tenure.claim_events(repeat('x', 121))",
        "SELECT tenure.claim_events('mail', 1, '1 s', e'a\\x01')",
        "SELECT tenure.fail('1.2.3.4.5', repeat('ä', 501))", "SELECT tenure.ack('{x}')",
        "SELECT tenure.ack('{01/2/3}')", "SELECT tenure.ack('{1/2/3/4}')",
        "SELECT tenure.ack('{1/2/18446744073709551616}')"})
    EXPECT_EQ(one(wrong), "22023") << wrong;
  for (const char* none : {"x", "1.2.3.4", "1.2.3.4.5.6", "01.2.3.4.5", "1.2.3.4.5.",
                           "1.2.3.4.18446744073709551616", "1.2.3.1.5", "1.99999999999999999.3.1.5"})
    EXPECT_EQ(one("SELECT tenure.complete($1)", {none}), "TN003") << none;
  EXPECT_EQ(one("SELECT attempt FROM tenure.events"), "0");
}

TEST_F(Consumers, a_consumers_own_wait_for_locks_is_heeded_and_stays) {
  trigger();
  Raw other(database_.connection());
  other.ask("BEGIN; SELECT FROM tenure.head FOR NO KEY UPDATE");
  consumer_.ask("SET lock_timeout = '20ms'");
  EXPECT_EQ(one("SELECT tenure.claim_events('mail')"), "55P03");
  EXPECT_EQ(one("BEGIN"), "nothing");
  other.ask("COMMIT");
  EXPECT_NE(claim(), "nothing");
  EXPECT_EQ(one("SHOW lock_timeout"), "20ms");
}

// What a consumer's role may do, and nothing else of what there is.
TEST_F(Consumers, consumers_have_rights_on_nothing_else) {
  EXPECT_EQ(one("SELECT string_agg(DISTINCT proname, ' ' ORDER BY proname) FROM pg_proc WHERE "
                "pronamespace = 'tenure'::regnamespace AND has_function_privilege(oid, 'EXECUTE')"),
            "ack claim_events complete fail give_back heartbeat poll");
  EXPECT_EQ(
      one("SELECT string_agg(relname, ' ') FROM pg_class WHERE relnamespace = 'tenure'::regnamespace AND "
          "relkind IN ('r', 'v') AND has_table_privilege(oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE')"),
      "events");
  EXPECT_EQ(one("SELECT has_table_privilege('tenure.events', 'INSERT, UPDATE, DELETE, TRUNCATE')"), "f");
  EXPECT_EQ(one("SELECT tenure.grant_consume(current_user::regrole)"), "42501");
  // Whoever runs an instance may consume, too.
  EXPECT_EQ(owner_.ask(fmt::format("SELECT tenure.grant_run('{}')", role_)), "");
  EXPECT_EQ(one("SELECT count(*) FROM tenure.events"), "0");
  EXPECT_EQ(one("SELECT tenure.ack('{}')"), "0");
}

}  // namespace
}  // namespace tenure::pgtest
