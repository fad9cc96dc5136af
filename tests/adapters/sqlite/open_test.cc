// Opening: what is made, what is migrated, and what is said of a file that is of no use.
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "adapters/sqlite/listener.h"
#include "adapters/sqlite/migrate.h"
#include "tests/adapters/sqlite/support.h"
#include "tests/support/definitions.h"

namespace tenure::testing {
namespace {

struct SqliteOpen : ::testing::Test {
  void set_version(std::int64_t version) const {
    Sqlite(path).execute(fmt::format("UPDATE tenure_meta SET schema_version = {}", version));
  }
  // That the tables are of this version, which it cannot use.
  std::string no_use(std::int64_t version) const {
    return fmt::format("{}: its tables are of version {}, and this program works with {} and {}", path,
                       version, sqlite::kSchemaVersion, sqlite::kNewestSchema);
  }

  TemporaryFolder folder;
  std::string path = folder.path() + "/tenure.db";
};

TEST_F(SqliteOpen, makes_what_is_not_there_and_finds_it_again) {
  EXPECT_EQ(store_at(path)->execute(put(1), kSecond).outcome, RequestOutcome::applied);
  EXPECT_EQ(schedules_in(*store_at(path)), std::set<std::uint32_t>{1});
  EXPECT_EQ(Sqlite(path).ask("SELECT schema_version FROM tenure_meta"),
            std::to_string(sqlite::kSchemaVersion));
  EXPECT_EQ(Sqlite(path).ask("PRAGMA journal_mode"), "wal");
}

TEST_F(SqliteOpen, many_at_once_migrate_once) {
  std::vector<std::thread> threads;
  std::vector<std::unique_ptr<SqliteStore>> stores(8);
  for (std::size_t i = 0; i < stores.size(); ++i)
    threads.emplace_back([&, i] { stores[i] = store_at(path); });
  for (std::thread& thread : threads) thread.join();
  for (const auto& store : stores) ASSERT_NE(store, nullptr);
  for (std::uint32_t i = 0; i < stores.size(); ++i)
    EXPECT_EQ(stores[i]->execute(put(i), Duration::seconds(10)).outcome, RequestOutcome::applied);
  EXPECT_EQ(schedules_in(*stores.front()).size(), stores.size());
  EXPECT_EQ(Sqlite(path).ask("SELECT count(*) FROM tenure_meta"), "1");
}

TEST_F(SqliteOpen, shares_a_file_with_the_tables_of_others) {
  Sqlite(path).execute("CREATE TABLE mine (x); INSERT INTO mine VALUES (42); PRAGMA user_version = 7");
  EXPECT_EQ(store_at(path)->execute(put(1), kSecond).outcome, RequestOutcome::applied);
  EXPECT_EQ(Sqlite(path).ask("SELECT x FROM mine"), "42");
  EXPECT_EQ(Sqlite(path).ask("PRAGMA user_version"), "7");
}

TEST_F(SqliteOpen, works_with_the_next_version_of_the_tables_and_with_no_later_one) {
  store_at(path);
  set_version(sqlite::kNewestSchema);
  EXPECT_EQ(store_at(path)->execute(put(1), kSecond).outcome, RequestOutcome::applied);
  set_version(sqlite::kNewestSchema + 1);
  const OpenError error = error_at(path);
  EXPECT_EQ(error.trouble, StoreError::wrong_schema);
  EXPECT_EQ(error.message, no_use(sqlite::kNewestSchema + 1) + ": run a newer program");
}

TEST_F(SqliteOpen, notices_tables_that_become_too_new_while_it_runs) {
  const auto store = store_at(path);
  set_version(sqlite::kNewestSchema + 1);
  const Answer answer = store->execute(put(1), kSecond);
  EXPECT_EQ(answer.outcome, RequestOutcome::rejected);
  EXPECT_EQ(answer.trouble, StoreError::wrong_schema);
  EXPECT_EQ(Sqlite(path).ask("SELECT count(*) FROM tenure_schedule"), "0");
}

// A file that version 1 has made ends as one that this program makes, with what it held.
TEST_F(SqliteOpen, migrates_a_file_of_version_1_with_what_it_holds) {
  std::ifstream in(std::string(TENURE_SOURCE_DIR) + "/tests/adapters/sqlite/released/1.sql");
  const std::string released{std::istreambuf_iterator<char>(in), {}};
  Sqlite(path).execute("BEGIN;" + released + "COMMIT");
  Sqlite(path).execute(
      "INSERT INTO tenure_exception VALUES (1, 1, 1, 0, 5, 0, 'missed');"
      "INSERT INTO tenure_run VALUES (1, 1, 5, 5)");
  auto looking = SqliteStore::open({.path = path, .zones = &few_zones(), .migrate = false});
  ASSERT_TRUE(std::holds_alternative<OpenError>(looking));
  EXPECT_EQ(std::get<OpenError>(looking).message, no_use(1) + ": migrate them");
  const Answer answer = store_at(path)->execute(reference::Prune{kResource, StoreTime{} + kSecond}, kSecond);
  ASSERT_EQ(answer.outcome, RequestOutcome::applied) << answer.message;
  EXPECT_EQ(std::get<reference::Pruned>(answer.reply).rows, 2u);
  const std::string anew = folder.path() + "/anew.db";
  store_at(anew);
  const std::string tables =
      "SELECT group_concat(sql) FROM (SELECT type || name || replace(coalesce(sql, ''), 'adapters/store/', "
      "'core/journal/') AS sql FROM sqlite_master ORDER BY type, name)";
  EXPECT_EQ(Sqlite(path).ask(tables), Sqlite(anew).ask(tables));
}

// The file is filled by hand as version 2 wrote it: a schedule that fires, a paused one, and one that is deleted; an
// event that waits and one that is dead.
TEST_F(SqliteOpen, migrates_a_file_of_version_2_with_what_it_holds_and_lets_its_programs_go_on) {
  std::ifstream in(std::string(TENURE_SOURCE_DIR) + "/tests/adapters/sqlite/released/2.sql");
  const std::string released{std::istreambuf_iterator<char>(in), {}};
  const auto definition = [](bool paused) {
    return R"('{"every":{"period_us":10000000,"start_us":0},"misfire":{"grace_ns":60000000000,"once":"latest",)"
           R"("policy":"fire_all"},"overlap":"allow","paused":)" +
           std::string(paused ? "true" : "false") + R"(,"v":1}')";
  };
  const std::string never = "9223372036854775";
  {
    Sqlite old(path);
    old.execute("BEGIN;" + released + "COMMIT");
    old.execute("INSERT INTO tenure_resource VALUES (1, 9, 0, 0, 3, 0, 1, 0, 0, NULL, NULL, 4, 7)");
    old.execute(
        "INSERT INTO tenure_schedule VALUES (1, 1, 1, 1, 5, 0), (1, 2, 1, 2, 6, 0), (1, 8, 1, 4, 7, 1)");
    old.execute("INSERT INTO tenure_segment VALUES (1, 1, 1, 5, " + never +
                ", 20000000, 10000001), (1, 2, 1, 6, " + never + ", 10000000, 0)");
    old.execute("INSERT INTO tenure_change VALUES (1, 1, 1, 1, 5, " + never + ", 10000000, 0, " + never +
                ", " + definition(false) + "), (1, 2, 2, 1, 6, " + never + ", 10000000, 0, " + never + ", " +
                definition(true) + "), (1, 4, 8, 1, 7, 7, 7, 1, 7, " + definition(false) + ")");
    old.execute("INSERT INTO tenure_outbox VALUES (1, 7, 10000000, 1, 0)");
    old.execute("INSERT INTO tenure_dead VALUES (1, 6, 5000000, 1, 3, 5, 6000000)");
  }
  const auto store = store_at(path);
  const auto ask = [&](const reference::Request& request) {
    const Answer answer = store->execute(request, kSecond);
    EXPECT_EQ(answer.outcome, RequestOutcome::applied) << answer.message;
    return answer.reply;
  };
  const auto list =
      std::get<reference::NamedSchedules>(ask(reference::ListNamed{kResource, "", 10})).schedules;
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].name, "1");
  EXPECT_FALSE(list[0].pause.has_value());
  EXPECT_EQ(list[1].name, "2");
  EXPECT_EQ(list[1].pause, (reference::Pause{"", "", StoreTime{} + Duration::micros(6)}));
  EXPECT_EQ(std::get<reference::Outbox>(ask(reference::ReadOutbox{kResource, 10, 0})).events.size(), 1u);

  // What was fired before has no version: it is given the last payload.
  const reference::Payload mail{.topic = "mail", .type = {}, .data = "{}", .labels = {}, .description = {}};
  const Definition every = put(1).definition;
  ask(reference::PutNamed{kResource, "1", reference::Edition{{1}, 1}, every, mail, "ann"});
  const reference::EventId waits{{1}, StoreTime{} + Duration::seconds(10), 0};
  const reference::EventId dead{{1}, StoreTime{} + Duration::seconds(5), 3};
  const auto payloads = std::get<reference::Payloads>(ask(reference::ReadPayloads{kResource, {waits, dead}}));
  ASSERT_EQ(payloads.events.size(), 2u);
  for (const reference::EventPayload& event : payloads.events) {
    EXPECT_TRUE(event.found);
    EXPECT_EQ(event.version, 0u);
    EXPECT_EQ(event.payload, mail);
  }
  // No number that there ever was is given again.
  const auto created = ask(reference::PutNamed{kResource, "report", {}, every, mail, "ann"});
  EXPECT_EQ(std::get<reference::NamedEdited>(created).edition, (reference::Edition{{9}, 1}));

  // The statements of programs of version 2, as they are.
  Sqlite old(path);
  old.execute(
      "INSERT INTO tenure_schedule (resource, schedule, version, change_seq, since_us, deleted) "
      "VALUES (1, 9, 2, 6, 8, 0) ON CONFLICT (resource, schedule) DO UPDATE SET version = 2, since_us = 8");
  old.execute(
      "INSERT INTO tenure_outbox (resource, seq, slot_us, schedule, run) VALUES (1, 8, 20000000, 9, 0)");
  old.execute(
      "INSERT INTO tenure_dead (resource, seq, slot_us, schedule, run, attempts, since_us) "
      "SELECT resource, seq, slot_us, schedule, run, 5, 6 FROM tenure_outbox WHERE seq = 8");
  EXPECT_EQ(old.ask("SELECT name FROM tenure_schedule WHERE schedule = 9"), "report");
}

// The file is filled by hand as version 3 wrote it: a schedule with a name and a payload, an event of it that waits and
// one that is dead, and a one-time schedule whose only slot has fired and was delivered.
TEST_F(SqliteOpen, migrates_a_file_of_version_3_with_what_it_holds_and_lets_its_programs_go_on) {
  std::ifstream in(std::string(TENURE_SOURCE_DIR) + "/tests/adapters/sqlite/released/3.sql");
  const std::string released{std::istreambuf_iterator<char>(in), {}};
  const std::string never = "9223372036854775";
  const std::string rest =
      R"("misfire":{"grace_ns":60000000000,"once":"latest","policy":"fire_all"},"overlap":)"
      R"("allow","paused":false,)";
  {
    Sqlite old(path);
    old.execute("BEGIN;" + released + "COMMIT");
    old.execute("INSERT INTO tenure_resource VALUES (1, 9, 0, 0, 3, 0, 1, 0, 0, NULL, NULL, 2, 7)");
    old.execute(
        "INSERT INTO tenure_schedule (resource, schedule, version, change_seq, since_us, deleted, name) "
        "VALUES "
        "(1, 1, 1, 1, 5, 0, 'report'), (1, 2, 1, 2, 6, 0, NULL)");
    old.execute("INSERT INTO tenure_segment VALUES (1, 1, 1, 5, " + never +
                ", 20000000, 10000001), (1, 2, 1, 6, " + never + ", " + never + ", 10000001)");
    old.execute(
        "INSERT INTO tenure_change (resource, seq, schedule, version, begin_us, end_us, cursor_us, deleted, "
        "ended_us, definition) VALUES (1, 1, 1, 1, 5, " +
        never + ", 10000000, 0, " + never + R"(, '{"every":{"period_us":10000000,"start_us":0},)" + rest +
        R"("v":1}'), (1, 2, 2, 1, 6, )" + never + ", 10000000, 0, " + never + ", '{" + rest +
        R"("times_us":[10000000],"v":1}'))");
    old.execute(
        "INSERT INTO tenure_payload (resource, schedule, version, topic, type, data, labels, description) "
        "VALUES (1, 1, 1, 'mail', '', '{}', '{}', '')");
    old.execute("INSERT INTO tenure_outbox VALUES (1, 7, 10000000, 1, 0, 1)");
    old.execute("INSERT INTO tenure_dead VALUES (1, 6, 5000000, 1, 3, 5, 6000000, 1)");
  }
  const auto store = store_at(path);
  const auto ask = [&](const reference::Request& request) {
    const Answer answer = store->execute(request, kSecond);
    EXPECT_EQ(answer.outcome, RequestOutcome::applied) << answer.message;
    return answer.reply;
  };
  EXPECT_EQ(std::get<reference::Outbox>(ask(reference::ReadOutbox{kResource, 10, 0})).events.size(), 1u);
  const auto depths = std::get<reference::Depths>(ask(reference::ReadDepths{kResource}));
  EXPECT_EQ(depths.work.events, 1u);
  EXPECT_EQ(depths.work.oldest, StoreTime{} + Duration::seconds(10))
      << "its slot: when it was committed was not said";
  EXPECT_TRUE(std::get<reference::HistoryPage>(ask(reference::ReadHistory{kResource})).rows.empty());
  const auto registered = ask(reference::RegisterNode{kResource, "key", "host"});
  EXPECT_EQ(std::get<reference::NodeRegistered>(registered).node.value, reference::kFirstRegistered);

  // An event that was dead before is delivered as before, and what comes is a row of the history.
  const reference::EventId dead{{1}, StoreTime{} + Duration::seconds(5), 3};
  EXPECT_EQ(std::get<reference::Redriven>(ask(reference::Redrive{kResource, {dead}})).events, 1u);
  EXPECT_EQ(std::get<reference::Outbox>(ask(reference::ReadOutbox{kResource, 10, 0})).events.size(), 2u);
  ask(reference::TriggerSchedule{kResource, {1}, 9, StoreTime{}});
  EXPECT_EQ(std::get<reference::HistoryPage>(ask(reference::ReadHistory{kResource})).rows.size(), 1u);

  // The one-time schedule is finished, and its number is not used again.
  ask(reference::Prune{kResource, StoreTime{} + Duration::seconds(60)});
  EXPECT_EQ(
      std::get<reference::NamedSchedules>(ask(reference::ListNamed{kResource, "", 10})).schedules.size(), 1u);

  // The statements of programs of version 3, as they are.
  Sqlite old(path);
  old.execute(
      "INSERT INTO tenure_segment (resource, schedule, version, begin_us, end_us, cursor_us, covered_us) "
      "VALUES (1, 4, 1, 5, 9, 6, 0)");
  old.execute(
      "UPDATE tenure_segment SET cursor_us = 7, covered_us = 7 WHERE resource = 1 AND schedule = 4 AND "
      "version = 1 "
      "AND cursor_us = 6");
  old.execute(
      "INSERT INTO tenure_outbox (resource, seq, slot_us, schedule, run, version) VALUES (1, 99, 6, 4, 0, "
      "1)");
  old.execute(
      "INSERT INTO tenure_dead (resource, seq, slot_us, schedule, run, attempts, since_us, version) "
      "SELECT resource, seq, slot_us, schedule, run, 5, 6, version FROM tenure_outbox WHERE seq = 99");
  old.execute(
      "INSERT INTO tenure_resource (resource, commits, holder_node, holder_life, epoch, nonce, branch, "
      "written_us, "
      "expires_us, change_seq, outbox_seq, hold_since_us, hold_jump_ns) VALUES (1, 2, 3, 4, 5, 6, 7, 8, 9, "
      "10, 11, "
      "NULL, NULL) ON CONFLICT (resource) DO UPDATE SET commits = 2");
  EXPECT_EQ(old.ask("SELECT history_seq FROM tenure_resource"), "1") << "as it was: the trigger";
}

// The file is filled by hand as version 4 wrote it: a schedule, and a manual run of it.
TEST_F(SqliteOpen, migrates_a_file_of_version_4_with_what_it_holds_and_lets_its_programs_go_on) {
  std::ifstream in(std::string(TENURE_SOURCE_DIR) + "/tests/adapters/sqlite/released/4.sql");
  const std::string released{std::istreambuf_iterator<char>(in), {}};
  const std::string never = "9223372036854775";
  {
    Sqlite old(path);
    old.execute("BEGIN;" + released + "COMMIT");
    old.execute(
        "INSERT INTO tenure_resource (resource, commits, holder_node, holder_life, epoch, nonce, branch, "
        "written_us, expires_us, change_seq, outbox_seq) VALUES (1, 9, 0, 0, 3, 0, 1, 0, 0, 1, 1)");
    old.execute(
        "INSERT INTO tenure_schedule (resource, schedule, version, change_seq, since_us, deleted, name) "
        "VALUES (1, 1, 1, 1, 5, 0, 'report')");
    old.execute(
        "INSERT INTO tenure_segment (resource, schedule, version, begin_us, end_us, cursor_us, covered_us) "
        "VALUES (1, 1, 1, 5, " +
        never + ", " + never + ", 0)");
    old.execute("INSERT INTO tenure_run (resource, schedule, run, asked_us) VALUES (1, 1, 5, 6)");
  }
  const auto store = store_at(path);
  const auto ask = [&](const reference::Request& request) {
    const Answer answer = store->execute(request, kSecond);
    EXPECT_EQ(answer.outcome, RequestOutcome::applied) << answer.message;
    return answer.reply;
  };
  // What version 4 was asked for it did not say, so every request is a repetition of it.
  const StoreTime at = StoreTime{} + kSecond;
  const auto repeated =
      std::get<reference::Edited>(ask(reference::TriggerSchedule{kResource, {1}, 5, at, 7}));
  EXPECT_FALSE(repeated.first_at.has_value());
  EXPECT_TRUE(std::get<reference::Outbox>(ask(reference::ReadOutbox{kResource, 10, 0})).events.empty());
  ask(reference::TriggerSchedule{kResource, {1}, 6, at, 7});
  EXPECT_EQ(std::get<reference::EditRefused>(ask(reference::TriggerSchedule{kResource, {1}, 6, at, 8})).why,
            reference::EditDenial::other_request);

  // The statement of programs of version 4, as it is.
  Sqlite old(path);
  old.execute(
      "INSERT INTO tenure_run (resource, schedule, run, asked_us) VALUES (1, 1, 6, 9) "
      "ON CONFLICT (resource, schedule, run) DO NOTHING");
  EXPECT_EQ(old.ask("SELECT count(*) FROM tenure_run"), "2");
  EXPECT_EQ(std::get<reference::Outbox>(ask(reference::ReadOutbox{kResource, 10, 0})).events.size(), 1u);
}

// The file is filled by hand as version 5 wrote it: a dead event.
TEST_F(SqliteOpen, migrates_a_file_of_version_5_with_what_it_holds_and_lets_its_programs_go_on) {
  std::ifstream in(std::string(TENURE_SOURCE_DIR) + "/tests/adapters/sqlite/released/5.sql");
  const std::string released{std::istreambuf_iterator<char>(in), {}};
  // The statement of programs of version 5, as it is.
  const std::string bury =
      "INSERT INTO tenure_dead (resource, seq, slot_us, schedule, run, attempts, since_us, version, name, "
      "delivery, why) SELECT 1, coalesce(max(seq), 0) + 1, 5000000, 1, coalesce(max(seq), 0) + 1, 3, 6, 1, "
      "NULL, NULL, 'it failed' FROM tenure_dead";
  {
    Sqlite old(path);
    old.execute("BEGIN;" + released + "COMMIT");
    old.execute(
        "INSERT INTO tenure_resource (resource, commits, holder_node, holder_life, epoch, nonce, branch, "
        "written_us, expires_us, change_seq, outbox_seq) VALUES (1, 9, 0, 0, 3, 0, 1, 0, 0, 1, 9)");
    old.execute(bury);
  }
  const auto store = store_at(path);
  const auto dead = [&](bool discarded) {
    const Answer answer = store->execute(reference::ReadDead{kResource, 9, 0, discarded}, kSecond);
    EXPECT_EQ(answer.outcome, RequestOutcome::applied) << answer.message;
    return std::get<reference::Dead>(answer.reply);
  };
  ASSERT_EQ(dead(false).events.size(), 1u);
  EXPECT_TRUE(dead(true).events.empty());
  const reference::EventId first = dead(false).events[0].id;
  ASSERT_EQ(store->execute(reference::DiscardDead{kResource, {first}, "ann"}, kSecond).outcome,
            RequestOutcome::applied);
  EXPECT_TRUE(dead(false).events.empty());
  Sqlite(path).execute(bury);
  EXPECT_EQ(dead(false).events.size(), 1u);
  ASSERT_EQ(dead(true).discards.size(), 1u);
  EXPECT_EQ(dead(true).discards[0].actor, "ann");
  EXPECT_EQ(Sqlite(path).ask("SELECT count(*) FROM tenure_waiting WHERE released = 0"), "0");
}

// The file is filled by hand as version 6 wrote it: an event that waits, and one whose claim is over.
TEST_F(SqliteOpen, migrates_a_file_of_version_6_with_what_it_holds_and_lets_its_programs_go_on) {
  std::ifstream in(std::string(TENURE_SOURCE_DIR) + "/tests/adapters/sqlite/released/6.sql");
  const std::string released{std::istreambuf_iterator<char>(in), {}};
  // The statement of programs of version 6, as it is.
  const auto wait = [](int slot, int attempt) {
    return fmt::format(
        "INSERT INTO tenure_waiting (resource, seq, slot_us, schedule, run, version, kind, name, delivery, "
        "at_us, attempt, nonce, claimed, cancelled, from_us, until_us, worker, why) VALUES (1, {0}, {0}, 1, "
        "0, "
        "1, 1, 'mail', '{{\"overlap\":\"allow\",\"delivery\":{{\"kind\":\"pull\",\"attempts\":1}}}}', 0, "
        "{1}, 7, {1}, "
        "0, 0, {1}, 'w', '')",
        slot, attempt);
  };
  {
    Sqlite old(path);
    old.execute("BEGIN;" + released + "COMMIT");
    old.execute(
        "INSERT INTO tenure_resource (resource, commits, holder_node, holder_life, epoch, nonce, branch, "
        "written_us, expires_us, change_seq, outbox_seq) VALUES (1, 9, 0, 0, 3, 0, 1, 0, 0, 1, 9)");
    old.execute(wait(1, 0));
    old.execute(wait(2, 1));
  }
  const auto store = store_at(path);
  Sqlite(path).execute(wait(3, 1));
  const Answer answer = store->execute(
      reference::ClaimExecutions{kResource, "mail", 9, Duration::minutes(1), "me", 8}, kSecond);
  ASSERT_EQ(answer.outcome, RequestOutcome::applied) << answer.message;
  const auto& claimed = std::get<reference::ClaimedExecutions>(answer.reply).executions;
  ASSERT_EQ(claimed.size(), 1u);
  EXPECT_EQ(claimed[0].seq, 1u);
  EXPECT_EQ(Sqlite(path).ask("SELECT count(*) FROM tenure_dead"), "2") << "they had one attempt";
}

// The file is filled by hand as version 7 wrote it: events of a schedule in strict order and of one that skips.
TEST_F(SqliteOpen, migrates_a_file_of_version_7_with_what_it_holds_and_lets_its_programs_go_on) {
  std::ifstream in(std::string(TENURE_SOURCE_DIR) + "/tests/adapters/sqlite/released/7.sql");
  const std::string released{std::istreambuf_iterator<char>(in), {}};
  // The statement of programs of version 7, as it is.
  const auto wait = [](int seq, int schedule, const std::string& rules) {
    return fmt::format(
        "INSERT INTO tenure_waiting (resource, seq, slot_us, schedule, run, version, kind, name, delivery, "
        "at_us) "
        "VALUES (1, {0}, {0}, {1}, 0, 1, 1, 'mail', '{2}', 0) "
        "ON CONFLICT (resource, slot_us, schedule, run) DO NOTHING",
        seq, schedule, rules);
  };
  const std::string strict = R"({"delivery":{"kind":"pull","strict_order":true},"overlap":"allow"})";
  const std::string skip = R"({"delivery":{"kind":"pull"},"overlap":"skip"})";
  {
    Sqlite old(path);
    old.execute("BEGIN;" + released + "COMMIT");
    old.execute(
        "INSERT INTO tenure_resource (resource, commits, holder_node, holder_life, epoch, nonce, branch, "
        "written_us, expires_us, change_seq, outbox_seq) VALUES (1, 9, 0, 0, 3, 0, 1, 0, 0, 1, 9)");
    old.execute(wait(1, 1, strict) + ";" + wait(2, 1, strict) + ";" + wait(3, 2, skip));
  }
  const auto store = store_at(path);
  Sqlite(path).execute(wait(4, 2, skip) + ";" + wait(5, 3, skip));
  const Answer answer = store->execute(
      reference::ClaimExecutions{kResource, "mail", 9, Duration::minutes(1), "me", 8}, kSecond);
  ASSERT_EQ(answer.outcome, RequestOutcome::applied) << answer.message;
  std::vector<std::uint64_t> seqs;
  for (const auto& one : std::get<reference::ClaimedExecutions>(answer.reply).executions)
    seqs.push_back(one.seq);
  EXPECT_EQ(seqs, (std::vector<std::uint64_t>{1, 3, 5}));
  // And this is how they look for what is over.
  EXPECT_EQ(Sqlite(path).ask("SELECT count(*) FROM tenure_waiting INDEXED BY tenure_waiting_claimed "
                             "WHERE resource = 1 AND name = 'mail' AND claimed"),
            "3");
}

// What programs of version 8 save of a resource stays as they say it, and says nothing of what clients added.
TEST_F(SqliteOpen, migrates_a_file_of_version_8_with_what_it_holds_and_lets_its_programs_go_on) {
  std::ifstream in(std::string(TENURE_SOURCE_DIR) + "/tests/adapters/sqlite/released/8.sql");
  const std::string released{std::istreambuf_iterator<char>(in), {}};
  const auto save = [](int outbox_seq) {
    return fmt::format(
        "INSERT INTO tenure_resource (resource, commits, holder_node, holder_life, epoch, nonce, branch, "
        "written_us, expires_us, change_seq, outbox_seq, history_seq, next_node, attempts_us) "
        "VALUES (1, 9, 0, 0, 3, 0, 1, 0, 0, 0, {0}, 0, 1000, 0) "
        "ON CONFLICT (resource) DO UPDATE SET outbox_seq = {0}",
        outbox_seq);
  };
  {
    Sqlite old(path);
    old.execute("BEGIN;" + released + "COMMIT");
    old.execute(save(8));
  }
  const auto store = store_at(path);
  SqliteListener listener(path);
  EXPECT_TRUE(listener.wait(kSecond).missed);
  Sqlite(path).execute(save(9));
  EXPECT_TRUE(listener.wait(Duration::millis(50)).notifications.empty());
  ASSERT_EQ(store->execute(put(1), kSecond).outcome, RequestOutcome::applied);
  ASSERT_EQ(store->execute(reference::TriggerSchedule{kResource, {1}, 5, {}}, kSecond).outcome,
            RequestOutcome::applied);
  EXPECT_EQ(Sqlite(path).ask("SELECT max(seq) FROM tenure_outbox"), "10");
  EXPECT_EQ(Sqlite(path).ask("SELECT clients_events FROM tenure_resource"), "1");
}

// A file is not read on trust: what others wrote into it is text like any other.
TEST_F(SqliteOpen, reads_labels_and_payloads_whatever_stands_there) {
  const auto store = store_at(path);
  const Definition every = put(1).definition;
  const reference::Payload mail{
      .topic = "mail", .type = {}, .data = "{}", .labels = {{"team", "ops"}}, .description = {}};
  ASSERT_EQ(store->execute(reference::PutNamed{kResource, "report", {}, every, mail, ""}, kSecond).outcome,
            RequestOutcome::applied);
  for (const std::string labels : {"", "no JSON", "[1]", R"({"a":1})"}) {
    Sqlite(path).execute("UPDATE tenure_payload SET labels = '" + labels + "'");
    const Answer answer = store->execute(reference::ReadNamed{kResource, "report"}, kSecond);
    ASSERT_EQ(answer.outcome, RequestOutcome::applied) << answer.message;
    EXPECT_TRUE(std::get<reference::NamedSchedules>(answer.reply).schedules.at(0).payload.labels.empty());
  }
}

// A definition of a newer program, which says in its own way what it does.
TEST_F(SqliteOpen, a_definition_that_it_cannot_read_stays_paused_and_is_not_paused) {
  const auto store = store_at(path);
  ASSERT_EQ(store->execute(put(1), kSecond).outcome, RequestOutcome::applied);
  Sqlite(path).execute("UPDATE tenure_change SET definition = '{\"v\":7,\"paused\":false}'");
  Answer answer = store->execute(reference::PauseNamed{kResource, "1", true, "ann", ""}, kSecond);
  ASSERT_EQ(answer.outcome, RequestOutcome::applied) << answer.message;
  EXPECT_EQ(std::get<reference::NamedRefused>(answer.reply).why, reference::EditDenial::unreadable);
  Sqlite(path).execute("UPDATE tenure_change SET definition = '{\"v\":7,\"paused\":true}'");
  answer = store->execute(reference::ReadNamed{kResource, "1"}, kSecond);
  const auto& read = std::get<reference::NamedSchedules>(answer.reply).schedules;
  ASSERT_EQ(read.size(), 1u);
  EXPECT_TRUE(read[0].unreadable);
  EXPECT_TRUE(read[0].pause.has_value());
  answer = store->execute(
      reference::PutNamed{kResource, "1", reference::Edition{{1}, 1}, put(1).definition, {}, "ann"}, kSecond);
  EXPECT_EQ(std::get<reference::NamedEdited>(answer.reply).edition.version, 2u);
  EXPECT_EQ(
      Sqlite(path).ask("SELECT json_extract(definition, '$.paused') FROM tenure_change WHERE version = 2"),
      "1");
}

TEST_F(SqliteOpen, makes_no_tables_when_it_must_not) {
  auto opened = SqliteStore::open({.path = path, .zones = &few_zones(), .migrate = false});
  ASSERT_TRUE(std::holds_alternative<OpenError>(opened));
  EXPECT_EQ(std::get<OpenError>(opened).trouble, StoreError::wrong_schema);
  EXPECT_NE(std::get<OpenError>(opened).message.find("has no tables of Tenure"), std::string::npos);
  EXPECT_NE(std::get<OpenError>(opened).message.find("`tenure print migrations sqlite`"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(path));
  Sqlite(path).execute("BEGIN;" + sqlite::migration_script() + "COMMIT");
  opened = SqliteStore::open({.path = path, .zones = &few_zones(), .migrate = false});
  EXPECT_TRUE(std::holds_alternative<std::unique_ptr<SqliteStore>>(opened)) << "with a tool of their own";
}

// One definition that a program cannot read must not keep it from the others (decision 17).
TEST_F(SqliteOpen, a_definition_that_it_cannot_read_is_named_and_stops_nothing) {
  reference::PutSchedule berlin = put(1);
  berlin.definition.recurrence =
      CronRule{std::make_shared<const Cron>(cron_of("0 9 * * *")), few_zones().find("Europe/Berlin")};
  ASSERT_EQ(store_at(path)->execute(berlin, kSecond).outcome, RequestOutcome::applied);
  ASSERT_EQ(store_at(path)->execute(put(2), kSecond).outcome, RequestOutcome::applied);
  auto opened = SqliteStore::open({.path = path});
  const auto& store = std::get<std::unique_ptr<SqliteStore>>(opened);
  const Answer answer = store->execute(reference::ChangesSince{kResource, 0, 10}, kSecond);
  ASSERT_EQ(answer.outcome, RequestOutcome::applied);
  const auto& changes = std::get<reference::Changes>(answer.reply).changes;
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_TRUE(changes[0].unreadable);
  EXPECT_FALSE(changes[1].unreadable);
  EXPECT_EQ(changes[1].definition, put(2).definition);
  ASSERT_EQ(answer.warnings.size(), 1u);
  EXPECT_NE(answer.warnings[0].find(
                "schedule 1, version 1: this program cannot read its definition (cron.zone: the "
                "schedule is in time zone `Europe/Berlin`"),
            std::string::npos)
      << answer.warnings[0];
}

TEST_F(SqliteOpen,
       a_definition_that_it_cannot_read_can_be_replaced_and_deleted_and_leaves_its_slots_to_a_leader) {
  for (const std::uint32_t schedule : {1u, 2u}) {
    reference::PutSchedule from_the_future = put(schedule);
    ASSERT_EQ(store_at(path)->execute(from_the_future, kSecond).outcome, RequestOutcome::applied);
  }
  Sqlite(path).execute("UPDATE tenure_change SET definition = '{\"v\":7}'");
  Sqlite(path).execute("UPDATE tenure_segment SET cursor_us = begin_us");
  const auto store = store_at(path);
  reference::PutSchedule better = put(1);
  better.expected_version = 1;
  Answer answer = store->execute(better, kSecond);
  ASSERT_EQ(answer.outcome, RequestOutcome::applied) << answer.message;
  EXPECT_EQ(std::get<reference::Edited>(answer.reply).version, 2u);
  EXPECT_EQ(Sqlite(path).ask("SELECT count(*) FROM tenure_segment WHERE schedule = 1"), "2")
      << "a slot of the old version may be left, and nobody here can say";
  answer = store->execute(reference::DeleteSchedule{kResource, {2}, 1}, kSecond);
  ASSERT_EQ(answer.outcome, RequestOutcome::applied) << answer.message;
  EXPECT_EQ(Sqlite(path).ask("SELECT count(*) FROM tenure_segment WHERE schedule = 2"), "0");
}

TEST_F(SqliteOpen, says_what_stands_in_its_place) {
  const OpenError is_folder = error_at(folder.path());
  EXPECT_EQ(is_folder.trouble, StoreError::unreachable);
  EXPECT_NE(is_folder.message.find("is a folder"), std::string::npos) << is_folder.message;
  const OpenError nowhere = error_at(folder.path() + "/no/tenure.db");
  EXPECT_EQ(nowhere.message, folder.path() + "/no/tenure.db: there is no folder " + folder.path() + "/no");
  EXPECT_EQ(error_at("").trouble, StoreError::unreachable);
  const OpenError long_name = error_at(folder.path() + "/" + std::string(10'000, 'x'));
  EXPECT_EQ(long_name.trouble, StoreError::unreachable);
  EXPECT_NE(long_name.message.find(": it cannot be opened (SQLite: "), std::string::npos)
      << long_name.message;

  std::ofstream(path) << std::string(8'192, 'x');
  const OpenError text = error_at(path);
  EXPECT_EQ(text.trouble, StoreError::corrupt);
  EXPECT_NE(text.message.find("not an SQLite database"), std::string::npos) << text.message;
}

TEST_F(SqliteOpen, a_name_is_a_name) {
  for (const std::string name : {"'; DROP TABLE tenure_meta; --", "file:x?mode=ro", "a b%20c#d"}) {
    const std::string before = std::filesystem::current_path();
    std::filesystem::current_path(folder.path());
    EXPECT_EQ(store_at(name)->execute(put(1), kSecond).outcome, RequestOutcome::applied) << name;
    EXPECT_TRUE(std::filesystem::exists(folder.path() + "/" + name)) << name;
    std::filesystem::current_path(before);
  }
}

// As an account that may read the file and its folder, and no more: root may everything.
TEST_F(SqliteOpen, says_that_a_file_may_only_be_read) {
  store_at(path)->execute(put(1), kSecond);
  ASSERT_EQ(chmod(path.c_str(), 0444), 0);
  ASSERT_EQ(chmod(folder.path().c_str(), 0555), 0);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    if (getuid() == 0 && setuid(65'534) != 0) _exit(1);
    auto opened = open_store(path);
    const auto* error = std::get_if<OpenError>(&opened);
    const std::string said =
        error == nullptr ? "opened" : std::string(name_of(error->trouble)) + ": " + error->message;
    _exit(write(ends[1], said.data(), said.size()) < 0 ? 1 : 0);
  }
  close(ends[1]);
  char said[1'024] = {};
  EXPECT_GT(read(ends[0], said, sizeof said - 1), 0);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  chmod(folder.path().c_str(), 0755);
  EXPECT_EQ(std::string(said).rfind("read only: ", 0), 0u) << said;
  EXPECT_NE(std::string(said).find("needs to write the file and its folder"), std::string::npos) << said;
}

}  // namespace
}  // namespace tenure::testing
