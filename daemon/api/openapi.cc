#include "daemon/api/openapi.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>

#include "core/schedule/schedule_fields.h"
#include "daemon/api/json.h"
#include "daemon/api/schedule_json.h"

namespace tenure::daemon {
namespace {

// Of an object that may have other keys besides.
constexpr const char* kOpen = "...";

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
  Json item = schedule;
  item["properties"]["if_match"] = {{"type", "string"}};
  item["required"] = {"name"};
  schemas["Item"] = item;
}

Json reference_to(std::string_view name) { return {{"$ref", "#/components/schemas/" + std::string(name)}}; }

std::vector<std::string> parts_of(std::string_view text, std::string_view between) {
  std::vector<std::string> parts;
  for (std::size_t end = 0; (end = text.find(between)) != std::string_view::npos;) {
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(end + between.size());
  }
  parts.emplace_back(text);
  return parts;
}

// Takes what begins with the last `mark` off the text. Nothing: it has none.
std::optional<std::string> take_end(std::string_view mark, std::string& text) {
  const std::size_t at = text.rfind(mark);
  if (at == std::string::npos) return std::nullopt;
  std::string end = text.substr(at + mark.size());
  text.resize(at);
  return end;
}

// "text up to 120: what it is", "list of Fire", "integer 1..100", "put | deleted".
Json schema_of_words(std::string type) {
  Json schema = Json::object();
  std::string doc;
  if (const std::size_t colon = type.find(": "); colon != std::string::npos) {
    doc = type.substr(colon + 2);
    type.resize(colon);
  }
  const std::optional<std::string> most = take_end(" up to ", type);
  if (type.starts_with("list of ")) {
    schema = {{"type", "array"}, {"items", schema_of_words(type.substr(8))}};
    if (most) schema["maxItems"] = std::stoi(*most);
  } else if (type.starts_with("map of ")) {
    schema = {{"type", "object"}, {"additionalProperties", schema_of_words(type.substr(7))}};
  } else if (type.find(" | ") != std::string::npos) {
    schema = {{"enum", parts_of(type, " | ")}};
  } else if (type.starts_with("integer ")) {
    const std::vector<std::string> ends = parts_of(type.substr(8), "..");
    schema = {{"type", "integer"}, {"minimum", std::stoi(ends[0])}};
    if (!ends[1].empty()) schema["maximum"] = std::stoi(ends[1]);
  } else if (type == "instant") {
    schema = {{"type", "string"}, {"format", "date-time"}};
  } else if (type == "text") {
    schema = {{"type", "string"}};
    if (most) schema["maxLength"] = std::stoi(*most);
  } else if (std::isupper(static_cast<unsigned char>(type.front())) != 0) {
    schema = reference_to(type);
  } else if (type != "any") {
    schema = {{"type", type}};
  }
  if (!doc.empty()) schema["description"] = doc;
  return schema;
}

// As the frame has it (openapi.h) to as OpenAPI wants it.
Json expanded(const Json& frame) {
  if (frame.is_string()) return schema_of_words(frame.get<std::string>());
  if (frame.is_array()) return {{"type", "array"}, {"items", expanded(frame[0])}};
  if (frame.contains("schema") && frame.at("schema").is_object()) return frame.at("schema");
  Json schema = {{"type", "object"}};
  Json properties = Json::object();
  Json required = Json::array();
  for (const auto& [key, value] : frame.items()) {
    if (key.empty()) {
      schema["description"] = value;
    } else if (key.ends_with('?')) {
      properties[key.substr(0, key.size() - 1)] = expanded(value);
    } else if (key != kOpen) {
      properties[key] = expanded(value);
      required.push_back(key);
    }
  }
  schema["properties"] = properties;
  if (!required.empty()) schema["required"] = required;
  if (!frame.contains(kOpen)) schema["additionalProperties"] = false;
  return schema;
}

const Json& frame() {
  static const Json kFrame = Json::parse(openapi_frame());
  return kFrame;
}

const Json& frame_of(const Route& route) {
  return frame().at("operations").at(fmt::format("{} {}", route.method, route.path));
}

// "after (of fires)" is `after`.
std::string name_of_parameter(const std::string& name) { return name.substr(0, name.find(" (")); }

Json parameter_of(const std::string& name, const Json& frame) {
  const std::string in = frame.at(0);
  Json parameter = {{"name", name_of_parameter(name)}, {"in", in}};
  if (in == "path") parameter["required"] = true;
  parameter["schema"] = expanded(frame.at(1));
  if (frame.size() > 2) parameter["description"] = frame.at(2);
  return parameter;
}

Json content_of(const std::string& type, const Json& schema) { return {{type, {{"schema", schema}}}}; }

// What it is, and what is in it: a schema, or media types.
Json response_of(const Json& frame) {
  Json response = {{"description", frame.at(0)}};
  for (std::size_t i = 1; i < frame.size(); ++i) {
    const std::string what = frame.at(i);
    const bool is_media = what.find('/') != std::string::npos;
    response["content"].update(is_media ? content_of(what, {{"type", "string"}})
                                        : content_of("application/json", schema_of_words(what)));
  }
  return response;
}

// Anyone who may ask can be told of a problem.
Json operation_of(const Route& route) {
  Json operation = {{"summary", frame_of(route).at("summary")}};
  for (const auto& [key, value] : frame_of(route).items()) {
    if (key == "parameters")
      for (const std::string name : value)
        operation[key].push_back(parameter_of(name, frame().at(key).at(name)));
    else if (key.starts_with("body"))
      operation["requestBody"] = {{"required", key == "body"},
                                  {"content", content_of("application/json", schema_of_words(value))}};
    else if (key != "summary")
      operation["responses"][key] = response_of(value);
  }
  operation["responses"]["default"] = {
      {"description", "what is wrong"},
      {"content", content_of("application/problem+json", reference_to("Problem"))}};
  operation["x-scope"] = name_of(route.scope);
  operation["security"] = Json::array();
  if (route.scope != Scope::none)
    operation["security"].push_back({{"token", Json::array({name_of(route.scope)})}});
  return operation;
}

Json whole_document() {
  Json paths = Json::object();
  for (const Route& route : routes()) {
    std::string method(route.method);
    std::ranges::transform(method, method.begin(), [](unsigned char c) { return std::tolower(c); });
    paths[std::string(route.path)][method] = operation_of(route);
  }
  Json schemas = Json::object();
  for (const auto& [name, schema] : frame().at("schemas").items()) schemas[name] = expanded(schema);
  add_schedules(schemas);
  return {{"openapi", frame().at("openapi")},
          {"info", frame().at("info")},
          {"paths", paths},
          {"components", {{"securitySchemes", frame().at("securitySchemes")}, {"schemas", schemas}}}};
}

}  // namespace

const std::string& openapi_document() {
  static const std::string kDocument = whole_document().dump(2);
  return kDocument;
}

const std::vector<std::string>& query_parameters(const Route& route) {
  static const auto kAll = [] {
    std::map<const Route*, std::vector<std::string>> all;
    for (const Route& one : routes()) {
      std::vector<std::string>& names = all[&one];
      for (const std::string name : frame_of(one).value("parameters", Json::array()))
        if (frame().at("parameters").at(name).at(0) == "query") names.push_back(name_of_parameter(name));
    }
    return all;
  }();
  return kAll.at(&route);
}

}  // namespace tenure::daemon
