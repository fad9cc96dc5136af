// What each request is answered, also one that no handler comes to see.
#include <gtest/gtest.h>

#include <future>
#include <stdexcept>
#include <string>
#include <vector>

#include "daemon/api/api.h"
#include "tests/daemon/api/api_on_a_machine.h"

namespace tenure::daemon {
namespace {

HttpRequest request(std::string method, std::string path, std::string body = {}) {
  HttpRequest asked;
  asked.method = std::move(method);
  asked.path = std::move(path);
  asked.body = std::move(body);
  asked.host = "localhost";
  asked.from_loopback = true;
  return asked;
}

HttpResponse answer_of(Api& api, HttpRequest asked) {
  HttpResponse got;
  api.handler()(std::move(asked), [&got](HttpResponse response) { got = std::move(response); });
  return got;
}

TEST(Api, says_of_each_answer_which_route_it_was) {
  ApiOnAMachine parts;
  StorePool full({.connect = {}, .threads = 0, .waiting = 0}, parts.clock);
  Api api(parts.context_of(full), AccessRules(DaemonConfig{}));
  const auto check = [&](HttpRequest asked, std::uint16_t status, const std::string& route) {
    const HttpResponse got = answer_of(api, std::move(asked));
    EXPECT_EQ(got.status, status) << got.body;
    EXPECT_EQ(got.route, route);
  };
  const std::string schedule = "/v1/schedules/{name}";
  check(request("GET", "/v1/schedules/a"), 503, schedule);  // the queue is full
  check(request("GET", "/nowhere"), 404, "");
  check(request("PATCH", "/v1/schedules/a"), 405, "");
  check(request("PUT", "/v1/schedules/a", "text"), 415, schedule);
  HttpRequest foreign = request("GET", "/v1/schedules/a");
  foreign.host = "elsewhere";
  check(foreign, 421, schedule);
  HttpRequest unknown = request("GET", "/v1/schedules/a");
  unknown.fields.push_back({"authorization", "Bearer x"});
  check(unknown, 401, schedule);
}

TEST(Api, logs_its_own_mistakes_and_tells_the_client_where) {
  testing::internal::CaptureStderr();
  HttpResponse got;
  {
    ApiOnAMachine parts;
    StorePool broken(
        {.connect = [](Duration) -> ConnectionOpened { throw std::runtime_error("secret"); }, .threads = 1},
        parts.clock);
    Api api(parts.context_of(broken), AccessRules(DaemonConfig{}));
    std::promise<HttpResponse> answered;
    api.handler()(request("GET", "/v1/schedules/a"),
                  [&answered](HttpResponse response) { answered.set_value(std::move(response)); });
    got = answered.get_future().get();
  }
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_EQ(got.status, 500);
  EXPECT_EQ(got.body.find("secret"), std::string::npos) << got.body;
  const std::string detail = Json::parse(got.body).at("detail");
  EXPECT_NE(log.find("number=" + detail.substr(detail.rfind(' ') + 1)), std::string::npos) << log << detail;
  EXPECT_NE(log.find("why=secret"), std::string::npos) << log;
}

}  // namespace
}  // namespace tenure::daemon
