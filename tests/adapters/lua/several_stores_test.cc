// Several servers of one store, which a design names with a number: stores = { redis = 3 }.
#include <gtest/gtest.h>

#include <string>

#include "tests/adapters/lua/one_design.h"

namespace tenure::sim {
namespace {

// The first node's process, with the three servers in `redis`; how it ended.
std::string error_of_first(const std::string& node, const std::string& more = "") {
  const OneDesign design(
      "if t.number > 1 then return end\nlocal redis = {}\n"
      "for i = 1, 3 do redis[i] = t.store('redis', i) end\n" +
          node,
      "stores = { redis = 3 },");
  const RunResult result = run(scenario_of(design, more), 1);
  const CheckResult& check = check_of(result, "design-error");
  return check.violations.empty() ? "" : check.violations.front().message;
}

TEST(SeveralStores, know_nothing_of_each_other) {
  EXPECT_EQ(error_of_first(R"(
    redis[2].set{key = "k", value = "second"}
    assert(redis[1].get{key = "k"}.value == nil and redis[3].get{key = "k"}.value == nil)
    assert(redis[2].get{key = "k"}.value == "second" and t.store("redis").get{key = "k"}.value == nil)
    assert(not pcall(t.store, "redis", 0) and not pcall(t.store, "redis", 4)))"),
            "");
}

void expect_under(const std::string& fault, const std::string& node, const std::string& words) {
  const std::string said = error_of_first(node, "[[fault]]\nat = \"10s\"\n" + fault);
  EXPECT_NE(said.find(words), std::string::npos) << fault << said;
}

TEST(SeveralStores, fail_as_many_at_a_time_as_a_fault_says) {
  const std::string node = R"(
    for i = 1, 3 do redis[i].set{key = "k", value = "v"} end
    t.sleep("30s")
    local answered, kept = 0, 0
    for i = 1, 3 do
      local res = redis[i].get{key = "k", timeout = "1s"}
      if res then answered = answered + 1 end
      if res and res.value == "v" then kept = kept + 1 end
    end
    error("answered " .. answered .. ", kept " .. kept))";
  const std::string down = "action = \"store-down\"\nduration = \"40s\"\n";
  expect_under(down, node, "answered 0, kept 0");
  expect_under(down + "target = \"all\"\n", node, "answered 0, kept 0");
  expect_under(down + "target = \"one\"\n", node, "answered 2, kept 2");
  expect_under(down + "target = \"minority\"\n", node, "answered 2, kept 2");
  expect_under(down + "target = \"majority\"\n", node, "answered 1, kept 1");
  expect_under("action = \"store-hang\"\nduration = \"40s\"\ntarget = \"majority\"\n", node,
               "answered 1, kept 1");
  expect_under("action = \"store-request-lost\"\nduration = \"40s\"\ntarget = \"one\"\n", node,
               "answered 2, kept 2");
  expect_under("action = \"partition\"\npeers = \"store\"\ntarget = \"n1\"\nduration = \"40s\"\n", node,
               "answered 0, kept 0");
}

TEST(SeveralStores, have_clocks_and_replicas_of_their_own) {
  const std::string node = R"(
    t.sleep("9s")
    for i = 1, 3 do redis[i].set{key = "long", value = "v", px = "15s"} end
    t.sleep("2s")
    for i = 1, 3 do redis[i].set{key = "late", value = "v"} end
    t.sleep("9s")
    local long, late = 0, 0
    for i = 1, 3 do
      if redis[i].get{key = "long"}.value then long = long + 1 end
      if redis[i].get{key = "late"}.value then late = late + 1 end
    end
    error("long " .. long .. ", late " .. late))";
  const std::string step = "action = \"store-clock-step\"\nby = \"20s\"\n";
  expect_under(step + "target = \"one\"\n", node, "long 2, late 3");
  expect_under(step, node, "long 0, late 3");
  expect_under("action = \"store-failover\"\nlag = \"3s\"\ntarget = \"majority\"\n", node, "long 3, late 1");
}

}  // namespace
}  // namespace tenure::sim
