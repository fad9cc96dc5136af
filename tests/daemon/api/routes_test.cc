#include "daemon/api/routes.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "daemon/api/openapi.h"

namespace tenure::daemon {
namespace {

TEST(OpenApi, describes_each_route_and_no_other) {
  const auto frame = nlohmann::json::parse(openapi_frame());
  EXPECT_EQ(frame.at("openapi"), "3.1.0");
  std::set<std::string> in_table;
  for (const Route& route : routes())
    in_table.insert(std::string(route.method) + " " + std::string(route.path));
  std::set<std::string> described;
  for (const auto& [name, operation] : frame.at("operations").items()) described.insert(name);
  EXPECT_EQ(in_table, described);
  EXPECT_GT(routes().size(), 15u);
}

TEST(OpenApi, names_each_part_of_a_path_and_no_schema_that_is_not_there) {
  const auto document = nlohmann::json::parse(openapi_document());
  const auto& schemas = document.at("components").at("schemas");
  const auto check = [&](const auto& self, const nlohmann::json& part) -> void {
    if (part.is_object() && part.contains("$ref")) {
      const std::string to = part.at("$ref");
      EXPECT_TRUE(schemas.contains(to.substr(to.rfind('/') + 1))) << to;
    }
    if (part.is_structured())
      for (const auto& inner : part) self(self, inner);
  };
  check(check, document);
  for (const auto& [path, methods] : document.at("paths").items())
    for (const auto& [method, operation] : methods.items()) {
      bool named = false;
      if (operation.contains("parameters"))
        for (const auto& parameter : operation.at("parameters"))
          named = named || parameter.at("in") == "path";
      EXPECT_EQ(named, path.find('{') != std::string::npos) << method << " " << path;
    }
}

TEST(OpenApi, says_where_an_actor_is_named) {
  const auto document = nlohmann::json::parse(openapi_document());
  std::set<std::string> all;
  for (const auto& [path, methods] : document.at("paths").items())
    for (const auto& [method, operation] : methods.items())
      if (operation.contains("parameters"))
        for (const auto& parameter : operation.at("parameters"))
          if (parameter.at("name") == "Tenure-Actor") all.insert(method + " " + path);
  EXPECT_EQ(all, (std::set<std::string>{"post /v1/schedules:bulk", "put /v1/schedules/{name}",
                                        "delete /v1/schedules/{name}", "post /v1/schedules/{name}/pause",
                                        "post /v1/schedules/{name}/resume", "post /v1/executions:claim",
                                        "post /v1/events:discard", "post /v1/events:replay"}));
}

TEST(Routes, are_found_by_method_and_path) {
  const auto found = [](std::string_view method, std::string_view path) {
    return match(routes(), method, path);
  };
  const MatchedRoute one = found("GET", "/v1/schedules/a%2Eb/next");
  ASSERT_NE(one.route, nullptr);
  EXPECT_EQ(one.route->path, "/v1/schedules/{name}/next");
  EXPECT_EQ(one.names, std::vector<std::string>{"a.b"});
  EXPECT_EQ(found("HEAD", "/healthz").route, found("GET", "/healthz").route);
  EXPECT_EQ(found("PATCH", "/v1/schedules/a").route, nullptr);
  EXPECT_EQ(found("PATCH", "/v1/schedules/a").allowed, "GET, PUT, DELETE");
  for (const char* path : {"", "*", "//", "/v1/schedules/", "/v1/schedules/a/", "/v1/schedules/%zz",
                           "/v1/schedules/%00", "/v1/schedules/%ff", "/v1/schedules/a/b", "v1/schedules"}) {
    const MatchedRoute none = found("GET", path);
    EXPECT_TRUE(none.route == nullptr || none.names == std::vector<std::string>{""}) << path;
  }
}

TEST(Routes, of_the_listener_for_health_need_neither_token_nor_store) {
  ASSERT_EQ(health_routes().size(), 4u);
  for (const Route& route : health_routes()) {
    EXPECT_EQ(route.scope, Scope::none) << route.path;
    EXPECT_FALSE(route.needs_store) << route.path;
  }
}

}  // namespace
}  // namespace tenure::daemon
