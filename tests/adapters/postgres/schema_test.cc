// The functions of the schema, called from SQL as anybody may who has the rights: NULLs, accounts without rights on the
// tables, and databases that a released version has made.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "adapters/postgres/migrate.h"
#include "core/journal/definition_codec.h"
#include "tests/adapters/postgres/cluster.h"
#include "tests/support/zones.h"

namespace tenure::pgtest {
namespace {

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);) parts.push_back(part);
  return parts;
}

std::string released(int version) {
  std::ifstream in(fmt::format("{}/tests/adapters/postgres/released/{}.sql", TENURE_SOURCE_DIR, version));
  std::ostringstream text;
  text << in.rdbuf();
  EXPECT_FALSE(text.str().empty());
  return text.str();
}

class PostgresSchema : public ::testing::Test {
 protected:
  // All that is stored.
  std::string contents() {
    std::string all;
    for (const char* table : {"meta", "lease", "head", "schedule", "segment", "exception", "change", "outbox",
                              "run", "payload", "dead", "waiting", "ended", "history", "node"})
      all += owner_.ask(fmt::format(
          "SELECT md5(coalesce(string_agg(t::text, '|' ORDER BY t::text), '')) FROM tenure.{} t", table));
    return all;
  }
  Token lead() {
    const auto store = database_.open();
    const Answer answer =
        store->execute(reference::Acquire{kResource, node(1), 0, 7, Duration::minutes(10)}, kPatience);
    const Definition definition{.recurrence = Interval{StoreTime{}, Duration::hours(1)}};
    EXPECT_EQ(outcome(store->execute(reference::PutSchedule{kResource, {1}, 0, definition}, kPatience)),
              "applied");
    return std::get<reference::Granted>(answer.reply).token;
  }
  // What migrations have made of it is what this program makes from nothing.
  void expect_as_made_anew() {
    Raw anew("dbname=tenure_template");
    for (const char* what :
         {"pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'tenure'::regnamespace",
          "indexdef FROM pg_indexes WHERE schemaname = 'tenure'",
          "table_name || column_name || ordinal_position || data_type || is_nullable || "
          "coalesce(column_default, "
          "'') FROM information_schema.columns WHERE table_schema = 'tenure'"}) {
      const std::string all =
          fmt::format("SELECT string_agg(t, '|' ORDER BY t) FROM (SELECT {}) x (t)", what);
      const std::string made = owner_.ask(all);
      EXPECT_NE(made, "");
      EXPECT_EQ(made, anew.ask(all));
    }
  }
  std::string as(const std::string& role) const {
    return fmt::format("{} user={} password=pw host=localhost", database_.connection(), role);
  }

  FreshDatabase database_;
  Raw owner_{database_.connection()};
};

TEST_F(PostgresSchema, a_guard_that_is_shown_no_token_does_not_let_anybody_write) {
  const Token token = lead();
  const auto guard = [&](const std::string& resource, const std::string& epoch, const std::string& nonce) {
    return owner_.ask(fmt::format("SELECT tenure.assert_epoch({}, {}, {})", resource, epoch, nonce));
  };
  const std::string epoch = std::to_string(token.epoch),
                    nonce = std::to_string(static_cast<std::int64_t>(token.nonce));
  EXPECT_EQ(guard("1", epoch, nonce), "");
  for (const char* resource : {"1", "0", "NULL"})
    for (const std::string& shown : {epoch, std::string("NULL")})
      for (const std::string& secret : {nonce, std::string("NULL")}) {
        if (resource == std::string("1") && shown == epoch && secret == nonce) continue;
        EXPECT_EQ(guard(resource, shown, secret), "!TN001") << resource << shown << secret;
      }
}

// Each function that there is, with each argument NULL in turn: what a program calls refuses it, and nothing has
// changed.
TEST_F(PostgresSchema, no_function_takes_null_for_an_answer) {
  const Token token = lead();
  // What a caller of good will says, by the parameter's name. (Of lists, one element; its `n` says what else.)
  const std::map<std::string, std::string> meant = {
      {"p_wait_ms", "1000"},
      {"p_resource", "1"},
      {"p_node", "1"},
      {"p_life", "1"},
      {"p_branch", "tenure.branch()"},
      {"p_store_branch", "tenure.branch()"},
      {"p_epoch", std::to_string(token.epoch)},
      {"p_nonce", "7"},
      {"p_epoch_seen", std::to_string(token.epoch)},
      {"p_duration", "1000000"},
      {"p_schedule", "1"},
      {"p_expected", "1"},
      {"p_version", "1"},
      {"p_definition", "'{}'"},
      {"p_role", "'pg_monitor'"},
      {"p_set", "false"},
      {"p_backfill", "true"},
      {"p_name", "'1'"},
      {"p_uid", "1"},
      {"p_limit", "10"},
      {"p_horizon", "9223372036854775"},
      {"p_before", "9223372036854775"},
      {"l", "(SELECT l FROM tenure.lease l WHERE resource = 1)"},
      {"h", "(SELECT h FROM tenure.head h)"},
      {"s", "(SELECT s FROM tenure.schedule s)"},
      {"p_run", "5"}};
  const std::string functions = owner_.ask(
      "SELECT string_agg(proname || CASE WHEN prosecdef OR proname IN ('prepare', 'grant_run', "
      "'grant_guard', "
      "'refuse_null') THEN '!' ELSE '' END || ':' || (SELECT string_agg(coalesce(proargnames[i], '') || ' ' "
      "|| "
      "format_type(proargtypes[i - 1], NULL), ',' ORDER BY i) FROM generate_series(1, pronargs) i), ';') "
      "FROM pg_proc WHERE pronamespace = 'tenure'::regnamespace AND pronargs > 0");
  const std::string before = contents();
  int calls = 0;
  for (const std::string& function : split(functions, ';')) {
    std::string name = function.substr(0, function.find(':'));
    const std::vector<std::string> parameters = split(function.substr(name.size() + 1), ',');
    const bool can_be_called = name.ends_with('!');  // by programs: the others are parts of these
    if (can_be_called) name.pop_back();
    for (std::size_t null = 0; null < parameters.size(); ++null) {
      std::string list;
      for (std::size_t i = 0; i < parameters.size(); ++i) {
        const std::string parameter = parameters[i].substr(0, parameters[i].find(' '));
        const std::string type = parameters[i].substr(parameter.size() + 1);
        const auto known = meant.find(parameter);
        std::string value = known == meant.end() ? "0" : known->second;
        if (type.ends_with("[]")) value = "ARRAY[" + (parameter == "p_run" ? "0" : value) + "]";
        list += fmt::format("{}({})::{}", i == 0 ? "" : ", ", i == null ? "NULL" : value, type);
      }
      const std::string call = fmt::format("SELECT tenure.{}({})", name, list);
      const std::string answer = owner_.ask(call);
      ++calls;
      if (can_be_called) {
        EXPECT_TRUE(answer == "!22004" || answer == "!TN001") << call << ": " << answer;
      } else if (name == "denial") {
        EXPECT_NE(answer, "") << call;
      }
      EXPECT_EQ(contents(), before) << call;
    }
  }
  EXPECT_GT(calls, 100);
  // And the same calls with nothing that is NULL are understood.
  EXPECT_EQ(owner_.ask("SELECT (tenure.renew(1000, 1, 1, 1, tenure.branch(), 1, 7, 1000000)).why"), "");
}

TEST_F(PostgresSchema, lists_with_holes_or_of_unlike_lengths_are_refused) {
  lead();
  const std::string before = contents();
  const auto commit = [&](const std::string& from, const std::string& to) {
    return owner_.ask(fmt::format(
        "SELECT tenure.commit_fires(1000, 1, 1, 1, tenure.branch(), 1, 7, '{{1}}', '{{1}}', {}, {}, "
        "'{{0}}', '{{0}}', '{{0}}', '{{0}}', '{{1}}')",
        from, to));
  };
  EXPECT_EQ(commit("'{NULL}'", "'{1}'"), "!22004");
  EXPECT_EQ(commit("'{0}'", "'{NULL}'"), "!22004");
  EXPECT_EQ(commit("'{0}'", "'{}'"), "!22004");
  EXPECT_EQ(commit("'{0,0}'", "'{1}'"), "!22004");
  EXPECT_EQ(owner_.ask("SELECT tenure.acknowledge(1000, 1, '{1}', '{NULL}', '{0}')"), "!22004");
  EXPECT_EQ(owner_.ask("SELECT tenure.run(1000, 1, 1, 5, '{0,NULL}', true)"), "!22004");
  EXPECT_EQ(contents(), before);
}

TEST_F(PostgresSchema, a_guard_in_a_transaction_with_an_old_snapshot_does_not_see_an_old_lease) {
  const Token token = lead();
  Raw user(database_.connection());
  user.ask("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM tenure.lease");
  EXPECT_EQ(owner_.ask("SELECT (tenure.release(1000, 1, 1, 1, tenure.branch(), 1, 7)).why"), "");
  EXPECT_EQ(user.ask(fmt::format("SELECT tenure.assert_epoch(1, {}, 7)", token.epoch)), "!40001");
}

TEST_F(PostgresSchema, a_program_runs_without_any_right_on_the_tables) {
  const std::string role = database_.name() + "_app";
  owner_.ask(fmt::format("CREATE ROLE {} LOGIN PASSWORD 'pw'", role));
  EXPECT_EQ(owner_.ask(fmt::format("SELECT tenure.grant_run('{}')", role)), "");
  {
    auto opened =
        PostgresStore::open({.connection = as(role), .zones = &testing::few_zones(), .migrate = false});
    ASSERT_EQ(std::get_if<OpenError>(&opened), nullptr) << std::get<OpenError>(opened).message;
    auto& store = std::get<std::unique_ptr<PostgresStore>>(opened);
    const auto done = [&](const reference::Request& request) {
      return outcome(store->execute(request, kPatience));
    };
    const Answer granted =
        store->execute(reference::Acquire{kResource, node(1), 0, 7, kSecond * 60}, kPatience);
    ASSERT_EQ(outcome(granted), "applied") << granted.message;
    const Token token = std::get<reference::Granted>(granted.reply).token;
    const Definition definition{.recurrence = Interval{StoreTime{}, Duration::hours(1)}};
    EXPECT_EQ(done(reference::PutSchedule{kResource, {1}, 0, definition}), "applied");
    EXPECT_EQ(done(reference::TriggerSchedule{kResource, {1}, 5, StoreTime{}}), "applied");
    EXPECT_EQ(done(reference::ReadDue{kResource, StoreTime::max(), 10, {}}), "applied");
    EXPECT_EQ(done(reference::ReadOutbox{kResource, 10, 0}), "applied");
    EXPECT_EQ(done(reference::ChangesSince{kResource, 0, 10}), "applied");
    EXPECT_EQ(done(reference::Renew{kResource, node(1), token, kSecond * 60}), "applied");
    EXPECT_EQ(done(reference::CommitFires{kResource, node(1), token, {}}), "applied");
    EXPECT_EQ(done(reference::DeleteSchedule{kResource, {1}, 1}), "applied");
    EXPECT_EQ(done(reference::Prune{kResource, StoreTime{}}), "applied");
    EXPECT_TRUE(store->audit(kResource).has_value());
    EXPECT_EQ(done(reference::Release{kResource, node(1), token}), "applied");

    Raw app(as(role));
    for (const char* table : {"lease", "head", "schedule", "segment", "exception", "change", "outbox", "run",
                              "payload", "dead", "waiting", "ended", "history", "node"})
      for (const char* what :
           {"SELECT count(*) FROM tenure.{}", "DELETE FROM tenure.{}", "TRUNCATE tenure.{}"})
        EXPECT_EQ(app.ask(fmt::format(fmt::runtime(what), table)), "!42501") << table;
    EXPECT_EQ(app.ask("UPDATE tenure.meta SET schema_version = 9"), "!42501");
    EXPECT_EQ(app.ask("SELECT tenure.edit(1, 1)"), "!42501");  // a part of others
    // Names of the caller's own do not stand in for those that the functions mean.
    app.ask("CREATE TEMP TABLE lease (LIKE pg_class); SET search_path = pg_temp, public");
    EXPECT_EQ(app.ask("SELECT (tenure.acquire(1000, 1, 2, 1, 1, 8, 1000000)).epoch"), "2");
  }
  owner_.ask(fmt::format("DROP OWNED BY {0}; DROP ROLE {0}", role));
}

// A function that runs as its owner and takes names from the caller's search_path would do what the caller put there.
TEST_F(PostgresSchema, whatever_runs_with_the_rights_of_its_owner_has_a_search_path_of_its_own) {
  EXPECT_EQ(
      owner_.ask("SELECT count(*) FROM pg_proc WHERE pronamespace = 'tenure'::regnamespace AND prosecdef "
                 "AND NOT 'search_path=pg_catalog, pg_temp' = ANY (coalesce(proconfig, '{}'))"),
      "0");
  EXPECT_EQ(
      owner_.ask("SELECT count(*) FROM pg_proc p, aclexplode(coalesce(proacl, acldefault('f', proowner))) a "
                 "WHERE pronamespace = 'tenure'::regnamespace AND a.grantee = 0"),
      "0");
}

TEST_F(PostgresSchema, a_database_of_version_1_is_migrated_with_what_it_holds) {
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
TEST_F(PostgresSchema, a_database_of_version_2_is_given_the_functions_that_came_after_it) {
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
TEST_F(PostgresSchema, a_database_of_version_3_is_migrated_with_what_it_holds) {
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
TEST_F(PostgresSchema, a_database_of_version_4_is_migrated_with_what_it_holds) {
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

}  // namespace
}  // namespace tenure::pgtest
