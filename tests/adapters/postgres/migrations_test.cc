// Databases that released versions have made and filled, opened by this one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "adapters/postgres/listener.h"
#include "adapters/postgres/migrate.h"
#include "core/journal/definition_codec.h"
#include "tests/adapters/postgres/cluster.h"
#include "tests/adapters/postgres/schema_fixture.h"
#include "tests/support/zones.h"

namespace tenure::pgtest {
namespace {

using PostgresMigrations = PostgresSchema;

std::string released(int version) {
  std::ifstream in(fmt::format("{}/tests/adapters/postgres/released/{}.sql", TENURE_SOURCE_DIR, version));
  std::ostringstream text;
  text << in.rdbuf();
  EXPECT_FALSE(text.str().empty());
  return text.str();
}

TEST_F(PostgresMigrations, a_database_of_version_1_is_migrated_with_what_it_holds) {
  EXPECT_EQ(owner_.ask("DROP SCHEMA tenure CASCADE"), "");
  EXPECT_EQ(owner_.ask(released(1)), "");
  const std::string role = database_.name() + "_app";
  owner_.ask(fmt::format("CREATE ROLE {} LOGIN PASSWORD 'pw'", role));
  EXPECT_EQ(owner_.ask(fmt::format("SELECT tenure.grant_run('{}')", role)), "");
  EXPECT_EQ(owner_.ask("SELECT (tenure.acquire(1000, 1, 1, 1, 0, 7, 600000000)).epoch"), "1");
  EXPECT_EQ(owner_.ask("SELECT tenure.assert_epoch(1, NULL, NULL)"), "");  // that is what is wrong with it

  {
    // Whoever may not migrate says so; the first that may does it.
    auto opened = PostgresStore::open({.connection = as(role), .zones = &testing::few_zones()});
    ASSERT_NE(std::get_if<OpenError>(&opened), nullptr);
    EXPECT_NE(std::get<OpenError>(opened).message.find("migrate them"), std::string::npos)
        << std::get<OpenError>(opened).message;
  }
  ASSERT_NE(database_.open(), nullptr);
  EXPECT_EQ(owner_.ask("SELECT schema_version FROM tenure.meta"), std::to_string(postgres::kSchemaVersion));
  EXPECT_EQ(owner_.ask("SELECT tenure.assert_epoch(1, NULL, NULL)"), "!TN001");
  EXPECT_EQ(owner_.ask("SELECT tenure.assert_epoch(1, 1, 7)"), "");
  {
    // Programs of version 1, which look for rights on the tables, go on until they are taken away.
    EXPECT_EQ(Raw(as(role)).ask("SELECT has_table_privilege('tenure.lease', 'UPDATE')"), "t");
    auto opened = PostgresStore::open({.connection = as(role), .zones = &testing::few_zones()});
    EXPECT_EQ(std::get_if<OpenError>(&opened), nullptr) << std::get<OpenError>(opened).message;
    EXPECT_EQ(owner_.ask(fmt::format("SELECT tenure.grant_run('{}')", role)), "");
    EXPECT_EQ(Raw(as(role)).ask("SELECT has_table_privilege('tenure.lease', 'UPDATE')"), "f");
    EXPECT_EQ(Raw(as(role)).ask("SELECT (tenure.renew(1000, 1, 1, 1, 1, 1, 7, 1000000)).why"), "");
  }
  expect_as_made_anew();
  owner_.ask(fmt::format("DROP OWNED BY {0}; DROP ROLE {0}", role));
}

// A database of version 2 may have been made before edits of a false future were drawn back (decision 14): its tables
// are the same, its functions are not.
TEST_F(PostgresMigrations, a_database_of_version_2_is_given_the_functions_that_came_after_it) {
  EXPECT_EQ(owner_.ask("DROP SCHEMA tenure CASCADE"), "");
  EXPECT_EQ(owner_.ask(released(2)), "");
  EXPECT_EQ(owner_.ask("SELECT (tenure.acquire(1000, 1, 1, 1, 0, 7, 600000000)).epoch"), "1");
  EXPECT_EQ(owner_.ask("SELECT to_regproc('tenure.draw_back') IS NULL"), "t");
  const std::string put =
      "SELECT (tenure.put(1000, 1, 1, 0, '{}', 0, 0, 9223372036854775, 0, 9223372036854775)).outcome";
  EXPECT_EQ(owner_.ask(put), "0");
  const std::string role = database_.name() + "_app";
  owner_.ask(fmt::format("CREATE ROLE {0} LOGIN PASSWORD 'pw'; SELECT tenure.grant_run('{0}')", role));
  ASSERT_NE(database_.open(), nullptr);
  {
    // Whoever could run before may call what is new.
    auto opened = PostgresStore::open({.connection = as(role), .zones = &testing::few_zones()});
    EXPECT_EQ(std::get_if<OpenError>(&opened), nullptr) << std::get<OpenError>(opened).message;
  }
  owner_.ask(fmt::format("DROP OWNED BY {0}; DROP ROLE {0}", role));
  expect_as_made_anew();
  EXPECT_EQ(owner_.ask("SELECT schema_version FROM tenure.meta"), std::to_string(postgres::kSchemaVersion));
  EXPECT_EQ(owner_.ask("SELECT tenure.assert_epoch(1, 1, 7)"), "");
  EXPECT_EQ(owner_.ask("SELECT count(*) FROM tenure.segment"), "1");
  // Programs of version 2 ask as they did.
  EXPECT_EQ(owner_.ask("SELECT (tenure.prune(1000, 1, 0)).forgotten"), "0");
}

// The database is filled by the functions of version 3, as its programs call them: a schedule that fired and whose
// event waits, a paused one, one that is deleted, and a dead event.
TEST_F(PostgresMigrations, a_database_of_version_3_is_migrated_with_what_it_holds) {
  EXPECT_EQ(owner_.ask("DROP SCHEMA tenure CASCADE"), "");
  EXPECT_EQ(owner_.ask(released(3)), "");
  const std::string definition = encode(Definition{.recurrence = Interval{StoreTime{}, Duration::hours(1)}});
  Definition quiet{.recurrence = Interval{StoreTime{}, Duration::hours(1)}};
  quiet.paused = true;
  const std::string never = "9223372036854775";
  EXPECT_EQ(owner_.ask("SELECT (tenure.acquire(1000, 1, 1, 1, 0, 7, 600000000)).epoch"), "1");
  const auto put = [&](int schedule, const std::string& text) {
    return owner_.ask(fmt::format("SELECT (tenure.put(1000, 1, {}, 0, '{}', 0, 0, {}, 0, {})).outcome",
                                  schedule, text, never, never));
  };
  EXPECT_EQ(put(1, definition), "0");
  EXPECT_EQ(put(2, encode(quiet)), "0");
  EXPECT_EQ(put(8, definition), "0");
  EXPECT_EQ(owner_.ask(fmt::format("SELECT (tenure.remove(1000, 1, 8, 1, 1, {0}, {0})).outcome", never)),
            "0");
  owner_.ask("UPDATE tenure.segment SET cursor_us = 3600000000 WHERE schedule = 1");
  const std::string fire =
      "SELECT (tenure.commit_fire(1000, 1, 1, 1, tenure.branch(), 1, 7, 1, 1, 3600000000, 7200000000, "
      "3600000000, "
      "3600000001, 3600000000)).results";
  EXPECT_EQ(owner_.ask(fire), "{0}");
  EXPECT_EQ(owner_.ask("SELECT (tenure.run(1000, 1, 1, 5, '{5000000}', false)).outcome"), "0");
  EXPECT_EQ(
      owner_.ask("SELECT (tenure.give_up(1000, 1, 1, 1, tenure.branch(), 1, 7, '{1}', '{5000000}', '{5}', "
                 "'{3}')).changed"),
      "t");

  const auto store = database_.open();
  ASSERT_NE(store, nullptr);
  expect_as_made_anew();
  EXPECT_EQ(owner_.ask("SELECT schema_version FROM tenure.meta"), std::to_string(postgres::kSchemaVersion));
  const auto ask = [&](const reference::Request& request) {
    const Answer answer = store->execute(request, kPatience);
    EXPECT_EQ(outcome(answer), "applied") << answer.message;
    return answer.reply;
  };
  const auto list =
      std::get<reference::NamedSchedules>(ask(reference::ListNamed{kResource, "", 10})).schedules;
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].name, "1");
  EXPECT_FALSE(list[0].pause.has_value());
  EXPECT_EQ(list[1].name, "2");
  ASSERT_TRUE(list[1].pause.has_value());
  EXPECT_EQ(list[1].pause->since, list[1].since);

  const reference::Payload mail{.topic = "mail", .type = {}, .data = "{}", .labels = {}, .description = {}};
  const Definition hourly{.recurrence = Interval{StoreTime{}, Duration::hours(1)}};
  ask(reference::PutNamed{kResource, "1", reference::Edition{{1}, 1}, hourly, mail, "ann"});
  const reference::EventId waits{{1}, StoreTime{} + Duration::hours(1), 0};
  const reference::EventId dead{{1}, StoreTime{} + Duration::seconds(5), 5};
  const auto payloads = std::get<reference::Payloads>(ask(reference::ReadPayloads{kResource, {waits, dead}}));
  for (const reference::EventPayload& event : payloads.events) {
    EXPECT_TRUE(event.found);
    EXPECT_EQ(event.version, 0u) << "it does not say";
    EXPECT_EQ(event.payload, mail) << "so it is given the last";
  }
  const auto created = ask(reference::PutNamed{kResource, "report", {}, hourly, mail, "ann"});
  EXPECT_EQ(std::get<reference::NamedEdited>(created).edition, (reference::Edition{{9}, 1}));
  // Programs of version 3 ask as they did.
  EXPECT_EQ(put(10, definition), "0");
  EXPECT_EQ(owner_.ask("SELECT cardinality(schedules) FROM tenure.due(1, 9223372036854775, 0, -1, 0, 10)"),
            "3")
      << "both versions of 1, and report";
}

// The database is filled by the functions of version 4, as its programs call them: a schedule with a name and a
// payload, an event of it that waits and one that is dead, and a one-time schedule whose only slot has fired.
TEST_F(PostgresMigrations, a_database_of_version_4_is_migrated_with_what_it_holds) {
  EXPECT_EQ(owner_.ask("DROP SCHEMA tenure CASCADE"), "");
  EXPECT_EQ(owner_.ask(released(4)), "");
  const std::string hourly = encode(Definition{.recurrence = Interval{StoreTime{}, Duration::hours(1)}});
  const std::string never = "9223372036854775";
  EXPECT_EQ(owner_.ask("SELECT (tenure.acquire(1000, 1, 1, 1, 0, 7, 600000000)).epoch"), "1");
  const auto put = [&](const std::string& name, const std::string& text) {
    return owner_.ask(
        fmt::format("SELECT (tenure.put_named(1000, 1, '{}', -1, 0, '{}', 'mail', '', '{{}}', '{{}}', '', "
                    "'ann', -1, 0, 0, {}, 0, {})).outcome",
                    name, text, never, never));
  };
  EXPECT_EQ(put("report", hourly), "0");
  EXPECT_EQ(put("once", encode(Definition{.recurrence = Times{std::make_shared<const std::vector<StoreTime>>(
                                              std::vector{StoreTime{} + Duration::hours(1)})}})),
            "0");
  owner_.ask("UPDATE tenure.segment SET cursor_us = 3600000000 WHERE schedule = 1");
  const std::string fire =
      "SELECT (tenure.commit_fire(1000, 1, 1, 1, tenure.branch(), 1, 7, 1, 1, 3600000000, 7200000000, "
      "3600000000, "
      "3600000001, 3600000000)).results";
  EXPECT_EQ(owner_.ask(fire), "{0}");
  EXPECT_EQ(owner_.ask("SELECT (tenure.run(1000, 1, 1, 5, '{5000000}', false)).outcome"), "0");
  EXPECT_EQ(
      owner_.ask("SELECT (tenure.give_up(1000, 1, 1, 1, tenure.branch(), 1, 7, '{1}', '{5000000}', '{5}', "
                 "'{3}')).changed"),
      "t");

  const auto store = database_.open();
  ASSERT_NE(store, nullptr);
  expect_as_made_anew();
  EXPECT_EQ(owner_.ask("SELECT schema_version FROM tenure.meta"), std::to_string(postgres::kSchemaVersion));
  const auto ask = [&](const reference::Request& request) {
    const Answer answer = store->execute(request, kPatience);
    EXPECT_EQ(outcome(answer), "applied") << answer.message;
    return answer.reply;
  };
  const auto depths = std::get<reference::Depths>(ask(reference::ReadDepths{kResource}));
  EXPECT_EQ(depths.work.events, 1u);
  EXPECT_EQ(depths.work.oldest, StoreTime{} + Duration::hours(1))
      << "its slot: when it was committed was not said";
  EXPECT_EQ(depths.dead.events, 1u);
  EXPECT_TRUE(std::get<reference::HistoryPage>(ask(reference::ReadHistory{kResource})).rows.empty());
  const auto registered = ask(reference::RegisterNode{kResource, "key", "host"});
  EXPECT_EQ(std::get<reference::NodeRegistered>(registered).node.value, reference::kFirstRegistered);
  const reference::EventId dead{{1}, StoreTime{} + Duration::seconds(5), 5};
  EXPECT_EQ(std::get<reference::Redriven>(ask(reference::Redrive{kResource, {dead}})).events, 1u);
  EXPECT_EQ(std::get<reference::Outbox>(ask(reference::ReadOutbox{kResource, 10, 0})).events.size(), 2u);

  // Programs of version 4 ask as they did. What they fire is in the history, too.
  EXPECT_EQ(owner_.ask("SELECT (tenure.run(1000, 1, 1, 6, '{6000000}', false)).outcome"), "0");
  EXPECT_EQ(std::get<reference::HistoryPage>(ask(reference::ReadHistory{kResource})).rows.size(), 1u);
  EXPECT_EQ(owner_.ask("SELECT (tenure.acknowledge(1000, 1, '{1}', '{6000000}', '{6}')).changed"), "t");
  EXPECT_EQ(owner_.ask("SELECT (tenure.dead(1, 0, 10)).seqs"), "");
  // The schedule that has no slot is finished.
  EXPECT_EQ(owner_.ask("SELECT (tenure.forget(1000, 1, tenure.now_us() + 1000000, 1000)).forgotten > 0"),
            "t");
  EXPECT_EQ(owner_.ask("SELECT string_agg(name, ',') FROM tenure.schedule WHERE deleted"), "once");
}

// The database is filled by the functions of version 5, as its programs call them: an event that waits, one that a
// worker has claimed, and one that is dead. Consumers in the database find them.
TEST_F(PostgresMigrations, a_database_of_version_5_is_migrated_with_what_it_holds) {
  EXPECT_EQ(owner_.ask("DROP SCHEMA tenure CASCADE"), "");
  EXPECT_EQ(owner_.ask(released(5)), "");
  const Definition definition{.recurrence = Interval{StoreTime{}, Duration::hours(1'000'000)},
                              .delivery = {.kind = Delivery::Kind::pull, .attempts = 1}};
  const std::string never = "9223372036854775";
  EXPECT_EQ(
      owner_.ask(fmt::format("SELECT (tenure.put_named(1000, 0, 'report', -1, 0, '{}', 'mail', '', '{{}}', "
                             "'{{}}', '', 'ann', -1, 0, 0, {}, 0, {})).outcome",
                             encode(definition), never, never)),
      "0");
  for (const char* run : {"1", "2", "3"})
    EXPECT_EQ(
        owner_.ask(fmt::format("SELECT (tenure.run(1000, 0, 1, {0}, '{{{0}000000}}', false)).outcome", run)),
        "0");
  EXPECT_EQ(owner_.ask("SELECT (tenure.claim(1000, 0, 'mail', 2, 3600000000, 'w', 7)).attempts"), "{1,1}");
  EXPECT_EQ(
      owner_.ask("SELECT (tenure.end_executions(1000, 0, '{1}', '{1000000}', '{1}', '{1}', '{7}', '{1}', "
                 "'{no}')).standings"),
      "{4}");

  ASSERT_NE(database_.open(), nullptr);
  expect_as_made_anew();
  EXPECT_EQ(owner_.ask("SELECT schema_version FROM tenure.meta"), std::to_string(postgres::kSchemaVersion));
  EXPECT_EQ(
      owner_.ask(
          "SELECT string_agg(key || ' ' || coalesce(worker, '-'), ', ' ORDER BY seq) FROM tenure.events"),
      "1/2000000/2 w, 1/3000000/3 -");
  EXPECT_EQ(owner_.ask("SELECT standing FROM tenure.heartbeat('1.2000000.2.1.7')"), "claimed");
  // Programs of the version before know nothing of an attempt that was given back: to them it has failed.
  const std::string attempt = "'{1}', '{2000000}', '{2}', '{1}', '{7}'";
  EXPECT_EQ(owner_.ask("SELECT (tenure.end_attempts(1000, 0, " + attempt + ", '{2}', '{no}')).standings"),
            "{8}");
  EXPECT_EQ(owner_.ask("SELECT (tenure.extend_attempts(1000, 0, 1000000, " + attempt + ")).standings"),
            "{8}");
  EXPECT_EQ(owner_.ask("SELECT (tenure.extend(1000, 0, 1000000, " + attempt + ")).standings"), "{2}");
  EXPECT_EQ(owner_.ask("SELECT (tenure.end_executions(1000, 0, " + attempt + ", '{1}', '{no}')).standings"),
            "{2}");
  EXPECT_EQ(owner_.ask("SELECT tenure.complete('1.1000000.1.1.7')"), "!TN002") << "it is dead";
  EXPECT_EQ(owner_.ask("SELECT tenure.complete('1.2000000.2.1.7')"), "");
  EXPECT_EQ(owner_.ask("SELECT key FROM tenure.claim_events('mail', 5)"), "1/3000000/3");
  // Programs of version 5 ask as they did.
  EXPECT_EQ(owner_.ask("SELECT (tenure.claim(1000, 0, 'mail', 2, 3600000000, 'w', 8)).changed"), "f");
}

// The database is filled by the functions of version 6, as its programs call them: a schedule with a manual run.
TEST_F(PostgresMigrations, a_database_of_version_6_is_migrated_with_what_it_holds) {
  EXPECT_EQ(owner_.ask("DROP SCHEMA tenure CASCADE"), "");
  EXPECT_EQ(owner_.ask(released(6)), "");
  const std::string never = "9223372036854775";
  EXPECT_EQ(owner_.ask(fmt::format(
                "SELECT (tenure.put(1000, 1, 1, 0, '{}', 0, 0, {}, 0, {})).outcome",
                encode(Definition{.recurrence = Interval{StoreTime{}, Duration::hours(1)}}), never, never)),
            "0");
  EXPECT_EQ(owner_.ask("SELECT (tenure.run(1000, 1, 1, 5, '{5000000}', false)).outcome"), "0");

  const auto store = database_.open();
  ASSERT_NE(store, nullptr);
  expect_as_made_anew();
  EXPECT_EQ(owner_.ask("SELECT schema_version FROM tenure.meta"), std::to_string(postgres::kSchemaVersion));
  const auto ask = [&](const reference::Request& request) {
    const Answer answer = store->execute(request, kPatience);
    EXPECT_EQ(outcome(answer), "applied") << answer.message;
    return answer.reply;
  };
  // What version 6 was asked for it did not say, so every request is a repetition of it.
  const StoreTime at = StoreTime{} + Duration::seconds(6);
  const auto repeated =
      std::get<reference::Edited>(ask(reference::TriggerSchedule{kResource, {1}, 5, at, 7}));
  EXPECT_FALSE(repeated.first_at.has_value());
  ask(reference::TriggerSchedule{kResource, {1}, 6, at, 7});
  EXPECT_EQ(std::get<reference::EditRefused>(ask(reference::TriggerSchedule{kResource, {1}, 6, at, 8})).why,
            reference::EditDenial::other_request);
  // Programs of version 6 ask as they did, for a run that they begin, and for one that a newer program has begun.
  EXPECT_EQ(owner_.ask("SELECT (tenure.run(1000, 1, 1, 7, '{7000000}', false)).outcome"), "0");
  EXPECT_EQ(owner_.ask("SELECT (tenure.run(1000, 1, 1, 6, '{8000000}', false)).outcome"), "1");
  EXPECT_EQ(owner_.ask("SELECT (tenure.run(1000, 1, 1, 8, '{3600000000,7200000000}', true)).outcome"), "0");
  EXPECT_EQ(std::get<reference::Outbox>(ask(reference::ReadOutbox{kResource, 10, 0})).events.size(), 5u);
}

// The database is filled by the functions of version 7, as its programs call them: two events that are dead.
TEST_F(PostgresMigrations, a_database_of_version_7_is_migrated_with_what_it_holds) {
  EXPECT_EQ(owner_.ask("DROP SCHEMA tenure CASCADE"), "");
  EXPECT_EQ(owner_.ask(released(7)), "");
  EXPECT_EQ(owner_.ask("SELECT (tenure.acquire(1000, 1, 1, 1, 0, 7, 600000000)).epoch"), "1");
  EXPECT_EQ(
      owner_.ask(fmt::format("SELECT (tenure.put(1000, 1, 1, 0, '{}', 0, 0, {}, 0, {})).outcome",
                             encode(Definition{.recurrence = Interval{StoreTime{}, Duration::hours(1)}}),
                             "9223372036854775", "9223372036854775")),
      "0");
  for (const char* run : {"5", "6"}) {
    EXPECT_EQ(owner_.ask(fmt::format("SELECT (tenure.run_once(1000, 1, 1, {0}, '{{{0}000000}}', false, 0, 0)"
                                     ").outcome",
                                     run)),
              "0");
    EXPECT_EQ(owner_.ask(fmt::format("SELECT (tenure.give_up_events(1000, 1, 1, 1, tenure.branch(), 1, 7, "
                                     "'{{1}}', '{{{0}000000}}', '{{{0}}}', '{{3}}', '{{no}}')).changed",
                                     run)),
              "t");
  }

  const auto store = database_.open();
  ASSERT_NE(store, nullptr);
  expect_as_made_anew();
  EXPECT_EQ(owner_.ask("SELECT schema_version FROM tenure.meta"), std::to_string(postgres::kSchemaVersion));
  const auto ask = [&](const reference::Request& request) {
    const Answer answer = store->execute(request, kPatience);
    EXPECT_EQ(outcome(answer), "applied") << answer.message;
    return answer.reply;
  };
  const auto dead = [&](bool discarded) {
    return std::get<reference::Dead>(ask(reference::ReadDead{kResource, 9, 0, discarded}));
  };
  ASSERT_EQ(dead(false).events.size(), 2u);
  const reference::EventId first = dead(false).events[0].id;
  EXPECT_EQ(std::get<reference::Discarded>(ask(reference::DiscardDead{kResource, {first}, "ann"})).events,
            1u);
  EXPECT_EQ(dead(false).events.size(), 1u);
  ASSERT_EQ(dead(true).discards.size(), 1u);
  EXPECT_EQ(dead(true).discards[0].actor, "ann");
  EXPECT_EQ(std::get<reference::Depths>(ask(reference::ReadDepths{kResource})).dead.events, 1u);
  // Programs of version 7 ask as they did, and know nothing of it.
  EXPECT_EQ(owner_.ask("SELECT array_length((tenure.dead_events(1, 0, 9)).seqs, 1)"), "2");
  EXPECT_EQ(owner_.ask("SELECT (tenure.redrive(1000, 1, '{1}', '{5000000}', '{5}')).redriven"), "1");
  EXPECT_TRUE(dead(true).events.empty());
}

// The database is filled by the functions of version 8, as its programs call them: an event whose claim is over, and a
// dead one.
TEST_F(PostgresMigrations, a_database_of_version_8_is_migrated_with_what_it_holds) {
  EXPECT_EQ(owner_.ask("DROP SCHEMA tenure CASCADE"), "");
  EXPECT_EQ(owner_.ask(released(8)), "");
  EXPECT_EQ(owner_.ask("SELECT (tenure.acquire(1000, 1, 1, 1, 0, 7, 600000000)).epoch"), "1");
  Definition pulled{.recurrence = Interval{StoreTime{}, Duration::hours(1)}};
  pulled.delivery.kind = Delivery::Kind::pull;
  const auto put = fmt::format(
      "SELECT (tenure.put_named(1000, 1, 'mails', -1, 0, '{0}', 'mail', '', '', '{{}}', '', 'ann', -1, 0, 0, "
      "{1}, 0, "
      "{1})).outcome",
      encode(pulled), "9223372036854775");
  EXPECT_EQ(owner_.ask(put), "0");
  for (const char* run : {"5", "6"}) {
    EXPECT_EQ(owner_.ask(fmt::format(
                  "SELECT (tenure.run_once(1000, 1, 1, {0}, '{{{0}000000}}', false, 0, 0)).outcome", run)),
              "0");
  }
  const std::string claim = "SELECT cardinality((tenure.claim(1000, 1, 'mail', 1, 1000, 'w', 9)).seqs)";
  EXPECT_EQ(owner_.ask(claim), "1");
  EXPECT_EQ(
      owner_.ask(
          "SELECT (tenure.give_up_events(1000, 1, 1, 1, tenure.branch(), 1, 7, '{1}', '{6000000}', '{6}', "
          "'{3}', '{no}')).changed"),
      "t");

  const auto store = database_.open();
  ASSERT_NE(store, nullptr);
  expect_as_made_anew();
  EXPECT_EQ(owner_.ask("SELECT schema_version FROM tenure.meta"), std::to_string(postgres::kSchemaVersion));
  // Programs of version 8 ask as they did.
  EXPECT_EQ(owner_.ask("SELECT pg_sleep(0.01)"), "");
  EXPECT_EQ(owner_.ask(claim), "1");
  EXPECT_EQ(owner_.ask("SELECT (tenure.redrive(1000, 1, '{1,1}', '{6000000,6000000}', '{6,6}')).redriven"),
            "1");
  EXPECT_EQ(owner_.ask(claim), "1");
  EXPECT_EQ(owner_.ask("SELECT (tenure.discard(1000, 1, '{1}', '{6000000}', '{6}', 'ann')).discarded"), "0");
}

TEST_F(PostgresMigrations, a_database_of_version_9_is_migrated_with_what_it_holds) {
  EXPECT_EQ(owner_.ask("DROP SCHEMA tenure CASCADE"), "");
  EXPECT_EQ(owner_.ask(released(9)), "");
  EXPECT_EQ(owner_.ask("SELECT (tenure.acquire(1000, 1, 1, 1, 0, 7, 600000000)).epoch"), "1");
  Definition pulled{.recurrence = Interval{StoreTime{}, Duration::hours(1)}, .overlap = Overlap::skip};
  pulled.delivery.kind = Delivery::Kind::pull;
  EXPECT_EQ(owner_.ask(fmt::format(
                "SELECT (tenure.put_named(1000, 1, 'mails', -1, 0, '{0}', 'mail', '', '', '{{}}', "
                "'', 'ann', -1, 0, 0, {1}, 0, {1})).outcome",
                encode(pulled), "9223372036854775")),
            "0");
  for (const char* run : {"5", "6"}) {
    EXPECT_EQ(owner_.ask(fmt::format(
                  "SELECT (tenure.run_once(1000, 1, 1, {0}, '{{{0}000000}}', false, 0, 0)).outcome", run)),
              "0");
  }
  const auto claim = [&](const std::string& us) {
    return owner_.ask(fmt::format("SELECT (tenure.claim(1000, 1, 'mail', 2, {}, 'w', 9)).seqs", us));
  };
  EXPECT_EQ(claim("60000000"), "{1}");

  const auto store = database_.open();
  ASSERT_NE(store, nullptr);
  expect_as_made_anew();
  // Programs of version 9 ask as they did.
  EXPECT_EQ(claim("1000"), "{}");  // one at a time
  EXPECT_EQ(owner_.ask("SELECT (tenure.end_attempts(1000, 1, '{1}', '{5000000}', '{5}', '{1}', '{9}', '{0}', "
                       "'{\"\"}')).standings"),
            "{3}");
  EXPECT_EQ(claim("1000"), "{2}");
  EXPECT_EQ(owner_.ask("SELECT pg_sleep(0.01)"), "");
  EXPECT_EQ(owner_.ask("SELECT (tenure.acknowledge_events(1000, 1, '{1}', '{6000000}', '{6}')).changed"),
            "t");
  EXPECT_EQ(owner_.ask("SELECT (tenure.depths(1, 9)).events"), "{0,0,0,0}");
}

// Its programs ask for runs and for dead events as they did, and today's leaders hear of both.
TEST_F(PostgresMigrations, a_database_of_version_10_is_migrated_with_what_it_holds) {
  EXPECT_EQ(owner_.ask("DROP SCHEMA tenure CASCADE"), "");
  EXPECT_EQ(owner_.ask(released(10)), "");
  EXPECT_EQ(owner_.ask("SELECT (tenure.acquire(1000, 1, 1, 1, 0, 7, 600000000)).epoch"), "1");
  const Definition hourly{.recurrence = Interval{StoreTime{}, Duration::hours(1)}};
  EXPECT_EQ(owner_.ask(fmt::format(
                "SELECT (tenure.put_named(1000, 1, 'mails', -1, 0, '{0}', 'mail', '', '', '{{}}', "
                "'', 'ann', -1, 0, 0, {1}, 0, {1})).outcome",
                encode(hourly), "9223372036854775")),
            "0");
  const auto run = [&](int number) {
    return owner_.ask(fmt::format(
        "SELECT (tenure.run_once(1000, 1, 1, {0}, '{{{0}000000}}', false, 0, 0)).outcome", number));
  };
  EXPECT_EQ(run(5), "0");
  EXPECT_EQ(
      owner_.ask(
          "SELECT (tenure.give_up_events(1000, 1, 1, 1, tenure.branch(), 1, 7, '{1}', '{5000000}', '{5}', "
          "'{3}', '{no}')).changed"),
      "t");

  const auto store = database_.open();
  ASSERT_NE(store, nullptr);
  expect_as_made_anew();
  EXPECT_EQ(owner_.ask("SELECT schema_version FROM tenure.meta"), std::to_string(postgres::kSchemaVersion));
  PostgresListener listener(database_.connection(), Duration::millis(50));
  EXPECT_TRUE(listener.wait(kPatience).missed);
  const std::vector<Notification> added{{Notification::What::events_added, kResource}};
  EXPECT_EQ(run(6), "0");
  EXPECT_EQ(listener.wait(kPatience).notifications, added);
  EXPECT_EQ(owner_.ask("SELECT (tenure.redrive(1000, 1, '{1}', '{5000000}', '{5}')).redriven"), "1");
  EXPECT_EQ(listener.wait(kPatience).notifications, added);
}

}  // namespace
}  // namespace tenure::pgtest
