// Stores that a design names: requests by their real names, and replies as tables.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "adapters/lua/store_calls.h"
#include "core/model/describe.h"
#include "sim/stores/redis/requests.h"
#include "sim/stores/registry.h"
#include "tests/adapters/lua/one_design.h"

namespace tenure::sim {
namespace {

const char* const kRedis = "stores = { 'redis' },";

// No error: every assert of the process held. The first node alone does something.
std::string error_with_redis(const std::string& node, const std::string& more = "") {
  const OneDesign design("if t.number > 1 then return end\nlocal redis = t.store('redis')\n" + node, kRedis);
  const RunResult result = run(scenario_of(design, more), 1);
  const CheckResult& check = check_of(result, "design-error");
  return check.violations.empty() ? "" : check.violations.front().message;
}

std::string problem_of(const std::string& keys) {
  lua::Problem problem;
  lua::Design::read("my.lua", "return { name = 'mine', " + keys + " node = function(t) end }", nullptr,
                    problem);
  return problem.text;
}

TEST(LuaStore, asks_by_the_real_names_and_reads_what_is_answered) {
  EXPECT_EQ(error_with_redis(R"(
    local res, err = redis.set{key = "k", value = t.me, nx = true, px = "15s", timeout = "2s"}
    assert(err == nil and res.ok == true)
    assert(redis.set{key = "k", value = "other", nx = true, px = t.duration("1s")}.ok == false)
    assert(redis.get{key = "k"}.value == "n1")
    assert(redis.get{key = "none"}.value == nil)
    local left = redis.pttl{key = "k"}.value
    assert(left > 14000 and left <= 15000)
    assert(redis.compare_and_extend{key = "k", value = "other", milliseconds = "1m"}.value == 0)
    assert(redis.compare_and_delete{key = "k", value = t.me}.value == 1)
    local set = t.store("redis").set
    assert(set{key = "k", value = "a\0b"}.ok and redis.get{key = "k"}.value == "a\0b"))"),
            "");
}

TEST(LuaStore, lets_keys_end_while_the_design_waits) {
  EXPECT_EQ(error_with_redis(R"(
    redis.set{key = "k", value = "v", px = "5s"}
    t.sleep("4s")
    assert(redis.get{key = "k"}.value == "v")
    t.sleep("2s")
    assert(redis.get{key = "k"}.value == nil))"),
            "");
}

TEST(LuaStore, says_what_it_refused_and_what_nobody_knows) {
  EXPECT_EQ(error_with_redis(R"(
    local res, err = redis.set{key = "k", value = "v", px = "0s"}
    assert(res == nil and err.kind == "failed", "of the store")
    assert(err.message == "ERR invalid expire time in 'set' command"))"),
            "");
  EXPECT_EQ(error_with_redis(R"(
    t.sleep("15s")
    local res, err = redis.get{key = "k", timeout = "2s"}
    assert(res == nil and err.kind == "rejected", "it is down"))",
                             "[[fault]]\nat = \"10s\"\naction = \"store-down\"\nduration = \"10s\"\n"),
            "");
  EXPECT_EQ(error_with_redis(R"(
    t.sleep("15s")
    local begun = t.mono()
    local res, err = redis.get{key = "k", timeout = "2s"}
    assert(res == nil and err.kind == "unknown" and t.mono() - begun == t.duration("2s"), "it hangs"))",
                             "[[fault]]\nat = \"10s\"\naction = \"store-hang\"\nduration = \"10s\"\n"),
            "");
}

TEST(LuaStore, is_told_of_what_it_writes_wrongly) {
  const std::pair<const char*, const char*> kWrong[] = {
      {"redis.setnx{}", "my.lua:5: redis has no `setnx`; did you mean `set`?"},
      {"redis.set{key = 'k', vlaue = 'v'}", "redis.set has no option `vlaue`; did you mean `value`?"},
      {"redis.set{key = 'k'}", "my.lua:5: redis.set: `value` is missing"},
      {"redis.set{key = 5, value = 'v'}", "redis.set: `key` is text, and not a number"},
      {"redis.set{key = 'k', value = 'v', nx = 1}", "redis.set: `nx` is true or false, and not a number"},
      {"redis.set{key = 'k', value = 'v', px = 30}",
       "redis.set: `px` must be a duration, like \"5s\": it is a number"},
      {"redis.set('k', 'v')", "redis.set takes a table, as in redis.set{…}, and not a string"},
      {"local x = redis.get{key = 'k'}.vlaue", "the reply has no `vlaue`; did you mean `value`?"},
      {"t.store('etcd')", "the design has no store `etcd`; it has `redis`"},
      {"t.store('redis', 2)", "the design has 1 of `redis`, and not number 2"},
      {"t.sql{'SELECT 1'}", "a statement needs a database: the design has no `schema`"},
  };
  for (const auto& [node, words] : kWrong) {
    const std::string said = error_with_redis(node);
    EXPECT_NE(said.find(words), std::string::npos) << node << ": " << said;
  }
}

TEST(LuaStore, is_named_in_the_file) {
  const std::pair<const char*, const char*> kWrong[] = {
      {"stores = { 'redsi' },",
       "there is no store `redsi`; a design can have `redis`, `dynamodb`, `blob-lease`, `etcd`, "
       "`consul`, `queue`"},
      {"stores = { 'record' },",
       "the store `record` is for protocols of Tenure's own; a design can have `redis`, `"},
      {"stores = { 'redis', 'redis' },", "`stores` is a list of one name"},
      {"stores = {},", "stores"},
      {"stores = 'redis',", "stores"},
      {"stores = { 5 },", "stores"},
      {"stores = { redis = 0 },", "`stores` has 1 to 9 servers of a store, like { redis = 5 }"},
      {"stores = { redis = 10 },", "`stores` has 1 to 9 servers of a store, like { redis = 5 }"},
      {"stores = { redis = 'two' },", "`stores` has 1 to 9 servers"},
      {"stores = { redis = 2, etcd = 2 },", "`stores` is a list of one name"},
      {"stores = { redsi = 5 },", "there is no store `redsi`"},
  };
  for (const auto& [keys, words] : kWrong)
    EXPECT_NE(problem_of(keys).find(words), std::string::npos) << keys << ": " << problem_of(keys);
  EXPECT_EQ(problem_of(kRedis), "");
}

std::string error_with(const std::string& store, const std::string& node) {
  const OneDesign design("if t.number > 1 then return end\nlocal store = t.store('" + store + "')\n" + node,
                         "stores = { '" + store + "' },");
  const RunResult result = run(scenario_of(design), 1);
  const CheckResult& check = check_of(result, "design-error");
  return check.violations.empty() ? "" : check.violations.front().message;
}

TEST(LuaStore, gives_tables_with_names_of_ones_own_both_ways) {
  EXPECT_EQ(error_with("dynamodb", R"lua(
    local made, err = store.put_item{item = {key = "leader", owner = t.me, n = 3},
                                     condition_expression = "attribute_not_exists(#k)",
                                     expression_attribute_names = {
    ["#k"] = "key"}
}
assert(made and err == nil)
    assert(store.update_item{key = "leader", update_expression = "SET n = n + :one",
                             expression_attribute_values = {[":one"] = 1}}) local item =
        store.get_item{key = "leader"}.item
        assert(item.key == "leader" and item.owner == "n1" and item.n == 4 and item.other == nil)
            assert(store.get_item{key = "none"}.item == nil) local none,
                                                                                  why = store.delete_item {
  key = "leader", condition_expression = "owner = :o", expression_attribute_values = { [":o"] = "n2" }
}
    assert(none == nil and why.kind == "failed" and why.code == "ConditionalCheckFailedException"))lua"),
            "");
  EXPECT_NE(error_with("dynamodb", "store.put_item{item = {key = 'k', at = t.wall()}}")
                .find("dynamodb.put_item: `item`: `at` is text or a whole number, and not a time of the "
                      "wall clock"),
            std::string::npos);
  EXPECT_NE(error_with("dynamodb", "store.put_item{item = {key = 'k', n = 1.5}}")
                .find("`n` is a whole number, and not a fraction"),
            std::string::npos);
  EXPECT_NE(error_with("dynamodb", "store.put_item{item = {'k'}}").find("`item` has a key that is no name"),
            std::string::npos);
}

// The watch is asked first, over the same connection.
TEST(LuaStore, goes_on_asking_while_a_watch_waits) {
  EXPECT_EQ(error_with("etcd", R"lua(
    local heard = nil
    t.spawn(function()
      heard = store.watch{key = "k", timeout = "50s"}
    end)
    t.sleep("1s")
    assert(heard == nil)
    local lease = store.lease_grant{ttl = 3, timeout = "2s"}
    local made = store.txn{
      compare = {{key = "k", create_revision = 0}},
      success = {{put = {key = "k", value = t.me, lease = lease.id}}},
      timeout = "2s"}
    assert(made.succeeded and made.responses[1].put_response.revision == 2)
    t.sleep("1s")
    assert(heard.events[1].type == "PUT" and heard.events[1].kv.lease == lease.id)
    heard = store.watch{key = "k", start_revision = heard.revision + 1, timeout = "10s"}
    assert(heard.events[1].type == "DELETE")
    assert(store.lease_keep_alive{id = lease.id}.ttl == 0)
    local none, err = store.watch{key = "k", timeout = "1s"}
    assert(none == nil and err.kind == "unknown")
    assert(store.get{key = "k"}.kvs[1] == nil))lua"),
            "");
}

TEST(LuaStore, gives_durations_back_as_durations) {
  EXPECT_EQ(error_with("blob-lease", R"(
    assert(store.acquire_lease{blob = "b", lease_duration = "15s", proposed_lease_id = t.me}.lease_id == "n1")
    local breaks = store.break_lease{blob = "b"}
    assert(breaks.lease_time > t.duration("14s") and breaks.lease_time <= t.duration("15s")))"),
            "");
}

// Every store that consists of what Lua has; those of Tenure's own protocols have incarnations and definitions.
TEST(LuaStore, offers_each_store_that_tables_can_say) {
  EXPECT_EQ(lua::stores_for_designs(),
            "`redis`, `dynamodb`, `blob-lease`, `etcd`, `consul`, `queue`, `zookeeper`, `placement`");
  for (const StoreKind* kind : store_kinds()) {
    for (const lua::StoreCall& call : lua::calls_of(*kind)) EXPECT_FALSE(call.name.empty()) << kind->name;
  }
}

TEST(LuaStore, is_described_as_a_design_writes_it) {
  const Request set = redis::Request{redis::Set{"k", "n1#1", true, Duration::seconds(30)}};
  EXPECT_EQ(describe(set), "set{key = 'k', value = 'n1#1', nx = true, px = 30s}");
  const Request plain = redis::Request{redis::Set{"k", "v\n\x1b", false, std::nullopt}};
  EXPECT_EQ(describe(plain), "set{key = 'k', value = 'v \\x1b', nx = false}");
  EXPECT_EQ(describe(Reply{redis::Reply{redis::Bulk{}}}), "bulk{}");
  EXPECT_EQ(describe(Reply{redis::Reply{redis::Status{true}}}), "status{ok = true}");
}

}  // namespace
}  // namespace tenure::sim
