#include "daemon/api/openapi.h"

#include <algorithm>
#include <cctype>

#include "core/schedule/schedule_fields.h"
#include "daemon/api/json.h"
#include "daemon/api/routes.h"
#include "daemon/api/schedule_json.h"

namespace tenure::daemon {
namespace {

Json schema_of(const ScheduleField& field) {
  const Json time = {{"type", "string"}, {"format", "date-time"}};
  switch (field.type) {
    case ScheduleField::Type::flag: return {{"type", "boolean"}};
    case ScheduleField::Type::count:
    case ScheduleField::Type::seed: {
      Json schema = {{"type", "integer"}, {"minimum", field.min}};
      if (field.max != INT64_MAX) schema["maximum"] = field.max;
      return schema;
    }
    case ScheduleField::Type::duration: return {{"type", "string"}, {"description", "a duration: \"1m30s\""}};
    case ScheduleField::Type::instant: return time;
    case ScheduleField::Type::instants:
      return {{"type", "array"}, {"items", time}, {"minItems", 1}, {"maxItems", kMostTimes}};
    case ScheduleField::Type::choice: return {{"enum", field.words}};
    case ScheduleField::Type::name: return {{"type", "string"}, {"maxLength", kDestinationBytes}};
    case ScheduleField::Type::cron:
    case ScheduleField::Type::zone: break;
  }
  return {{"type", "string"}};
}

// A schedule alone, and one of a list, which has a name, and may say which version it expects.
void add_schedules(Json& schemas) {
  Json& schedule = schemas["Schedule"];
  Json properties = {{"name", schedule["properties"]["name"]}};
  for (const ScheduleField& field : schedule_fields())
    if (field.in_api) properties[std::string(field.name)] = schema_of(field);
  properties.update(schedule["properties"]);
  schedule["properties"] = properties;
  schedule["additionalProperties"] = false;
  Json item = schedule;
  item["properties"]["if_match"] = {{"type", "string"}};
  item["required"] = {"name"};
  schemas["Item"] = item;
}

// Who may ask, and that anything can be a problem.
void add_to_operations(Json& paths) {
  const Json problem = {
      {"description", "what is wrong"},
      {"content", {{"application/problem+json", {{"schema", {{"$ref", "#/components/schemas/Problem"}}}}}}}};
  for (const Route& route : routes()) {
    std::string method(route.method);
    std::ranges::transform(method, method.begin(), [](unsigned char c) { return std::tolower(c); });
    Json& operation = paths[std::string(route.path)][method];
    operation["responses"]["default"] = problem;
    operation["x-scope"] = name_of(route.scope);
    operation["security"] = Json::array();
    if (route.scope != Scope::none)
      operation["security"].push_back({{"token", Json::array({name_of(route.scope)})}});
  }
}

}  // namespace

const std::string& openapi_document() {
  static const std::string kDocument = [] {
    Json document = Json::parse(openapi_frame());
    add_to_operations(document["paths"]);
    add_schedules(document["components"]["schemas"]);
    return document.dump(2);
  }();
  return kDocument;
}

}  // namespace tenure::daemon
