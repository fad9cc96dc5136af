// The functions of the schema, called from SQL as anybody may who has the rights: NULLs, and accounts without rights on
// the tables.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "tests/adapters/postgres/cluster.h"
#include "tests/adapters/postgres/schema_fixture.h"
#include "tests/support/zones.h"

namespace tenure::pgtest {
namespace {

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);) parts.push_back(part);
  return parts;
}

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
// changed. A heartbeat without a duration has a meaning, so that one is told that there is no such execution.
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
      "'grant_guard', 'grant_consume', "
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
        if (type == "interval") value = "'1 minute'";
        if (type.ends_with("[]")) value = "ARRAY[" + (parameter == "p_run" ? "0" : value) + "]";
        list += fmt::format("{}({})::{}", i == 0 ? "" : ", ", i == null ? "NULL" : value, type);
      }
      const std::string call = fmt::format("SELECT tenure.{}({})", name, list);
      const std::string answer = owner_.ask(call);
      ++calls;
      if (name == "heartbeat" && parameters[null].ends_with(" interval")) {
        EXPECT_EQ(answer, "!TN003") << call;
      } else if (can_be_called) {
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
  EXPECT_EQ(owner_.ask("SELECT tenure.acknowledge_events(1000, 1, '{1}', '{NULL}', '{0}')"), "!22004");
  EXPECT_EQ(owner_.ask("SELECT tenure.acknowledge_events(1000, 1, '{1}', '{1}', '{0}', '{2}', '{}')"),
            "!22004");
  EXPECT_EQ(owner_.ask("SELECT tenure.run_once(1000, 1, 1, 5, '{0,NULL}', true, 0, 0)"), "!22004");
  EXPECT_EQ(owner_.ask("SELECT tenure.discard(1000, 1, '{1}', '{NULL}', '{0}', 'ann')"), "!22004");
  EXPECT_EQ(contents(), before);
}

// A server that is started with a wrong clock, while nobody runs who could notice (decision 87).
TEST_F(PostgresSchema,
       a_leadership_that_begins_under_another_run_of_the_server_holds_firing_if_the_clock_is_in_doubt) {
  lead();
  const auto is = [&](const std::string& function, const std::string& value) {
    owner_.ask(
        fmt::format("CREATE OR REPLACE FUNCTION tenure.{}() RETURNS bigint LANGUAGE sql VOLATILE AS "
                    "'SELECT {}::bigint'",
                    function, value));
  };
  int epoch = 1;
  int run = 0;
  const auto jump_after = [&](int seconds, bool starts_anew) {
    owner_.ask(fmt::format("SELECT tenure.release(1000, 1, 1, 1, tenure.branch(), {}, 7)", epoch));
    owner_.ask("UPDATE tenure.head SET hold_since_us = NULL, hold_jump_ns = NULL");
    if (starts_anew) is("server_us", std::to_string(++run));
    is("now_us", owner_.ask(fmt::format("SELECT seen_us + {}::bigint * 1000000 FROM tenure.lease", seconds)));
    owner_.ask(fmt::format("SELECT tenure.acquire(1000, 1, 1, 1, {}, 7, 1000000)", epoch++));
    return owner_.ask(
        "SELECT hold_jump_ns / 1000000000 FROM tenure.head WHERE hold_since_us = tenure.now_us()");
  };
  EXPECT_EQ(jump_after(3'600, false), "");
  EXPECT_EQ(jump_after(3'600, true), "3600");
  EXPECT_EQ(jump_after(599, true), "");
  EXPECT_EQ(jump_after(-1, true), "-1");
  EXPECT_EQ(jump_after(-1, false), "");
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

}  // namespace
}  // namespace tenure::pgtest
