// What is asked of more schedules than one request looks at.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/daemon/api/api_on_a_machine.h"

namespace tenure::daemon {
namespace {

constexpr int kMany = 52'000;  // more than are looked at without a pause
const reference::Label kOurs{"app", "shop"};

std::string foreign(int i) { return fmt::format("a-{:06}", i); }

// Those of others sort first.
void put_many(ApiOnAMachine& api) {
  for (int i = 0; i < kMany; ++i) api.put(foreign(i));
}

Json bulk(ApiOnAMachine& api, const Json& body) {
  Call call = api.call(dump(body));
  return Json::parse(handlers::bulk_schedules(call).body);
}

Json list(ApiOnAMachine& api, QueryPairs query) {
  Call call = api.call({}, std::move(query));
  return Json::parse(handlers::list_schedules(call).body);
}

std::vector<std::string> names_in(const Json& page) {
  std::vector<std::string> names;
  for (const Json& schedule : page.at("schedules")) names.push_back(schedule.at("name"));
  return names;
}

TEST(Prune, comes_to_schedules_that_stand_behind_many_of_others) {
  ApiOnAMachine api;
  put_many(api);
  for (const char* name : {"z-1", "z-2", "z-3"}) api.put(name, {kOurs});
  const Json body = {{"owner", "app=shop"},
                     {"prune", true},
                     {"schedules", Json::array({{{"name", "z-2"}, {"every", "1h"}}})}};
  const Json results = bulk(api, body).at("results");
  ASSERT_EQ(results.size(), 3u) << results;
  EXPECT_EQ(results[0].at("result"), "unchanged");
  EXPECT_EQ(results[1].at("name"), "z-1");
  EXPECT_EQ(results[1].at("result"), "deleted");
  EXPECT_EQ(results[2].at("name"), "z-3");
  EXPECT_EQ(bulk(api, body).at("results").size(), 1u);
}

TEST(Prune, that_has_no_time_left_says_where_to_go_on) {
  ApiOnAMachine api;
  for (int i = 0; i < 350; ++i) api.put(foreign(i), {kOurs});
  Json body = {{"owner", "app=shop"}, {"prune", true}, {"schedules", Json::array()}};
  std::size_t gone = 0;
  for (int requests = 1;; ++requests) {
    Call call = api.call(dump(body));
    call.began -= std::chrono::hours(1);
    const Json answer = Json::parse(handlers::bulk_schedules(call).body);
    gone += answer.at("results").size();
    if (!answer.contains("cursor")) break;
    ASSERT_GT(answer.at("results").size(), 0u) << "it gets on";
    ASSERT_LT(requests, 10);
    body["cursor"] = answer.at("cursor");
  }
  EXPECT_EQ(gone, 350u);
  body["prune"] = false;
  EXPECT_THROW(bulk(api, body), HttpProblem) << "a cursor is one of `prune`";
}

TEST(Lists, that_are_sorted_are_whole) {
  ApiOnAMachine api;
  put_many(api);
  api.put("z-1", {kOurs}, Duration::hours(3));
  api.put("z-2", {kOurs}, Duration::hours(2));
  EXPECT_EQ(names_in(list(api, {{"order", "-name"}, {"label", "app=shop"}})),
            (std::vector<std::string>{"z-2", "z-1"}));
  Json page = list(api, {{"order", "next"}, {"state", "active"}, {"limit", "1000"}});
  std::vector<std::string> all = names_in(page);
  for (int i = 1; page.contains("cursor") && i < 2; ++i) {
    page = list(api, {{"order", "next"}, {"limit", "1000"}, {"cursor", page.at("cursor")}});
    const std::vector<std::string> more = names_in(page);
    all.insert(all.end(), more.begin(), more.end());
  }
  ASSERT_EQ(all.size(), 2'000u) << "though there are many more than 20,000";
  for (int i = 0; i < 2'000; ++i) ASSERT_EQ(all[static_cast<std::size_t>(i)], foreign(i));
}

}  // namespace
}  // namespace tenure::daemon
