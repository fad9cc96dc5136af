#include "cli/client/schedule_document.h"

#include <date/date.h>
#include <fmt/format.h>
#include <toml++/toml.h>

#include <chrono>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "core/base/readable_text.h"
#include "core/model/duration_text.h"
#include "core/schedule/schedule_fields.h"
#include "format/syntax/diagnostic.h"
#include "format/syntax/read_definition.h"

namespace tenure::cli {
namespace {

constexpr std::size_t kLongestValue = 200;

std::string line_of(const std::string& text, int number) {
  std::istringstream lines(text);
  std::string line;
  for (int i = 0; i < number; ++i)
    if (!std::getline(lines, line)) return {};
  return line;
}

WrongDocument wrong_at(const std::string& path, const std::string& text, int line, int column,
                       const std::string& message) {
  format::Diagnostic diagnostic;
  diagnostic.where = path;
  diagnostic.line = line;
  diagnostic.column = column;
  diagnostic.message = message;
  diagnostic.excerpt = line_of(text, line);
  return {format::render(diagnostic)};
}

std::variant<Json, WrongDocument> from_toml(const std::string& path, const std::string& text) {
  try {
    const toml::table table = toml::parse(text, path);
    std::ostringstream json;
    json << toml::json_formatter(table);
    return Json::parse(json.str());
  } catch (const toml::parse_error& error) {
    const toml::source_position at = error.source().begin;
    return wrong_at(path, text, static_cast<int>(at.line), static_cast<int>(at.column),
                    std::string(error.description()));
  } catch (const Json::exception&) {
    return WrongDocument{fmt::format("error: {}: a number in it is none of JSON\n", path)};
  }
}

std::variant<Json, WrongDocument> from_json(const std::string& path, const std::string& text) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    const std::string_view before = std::string_view(text).substr(0, error.byte > 0 ? error.byte - 1 : 0);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
    std::string what = error.what();  // "[json.exception…] parse error at line 1, column 2: …"
    if (const std::size_t colon = what.find(": "); colon != std::string::npos) what = what.substr(colon + 2);
    return wrong_at(path, text, static_cast<int>(line),
                    static_cast<int>(format::character_count(before.substr(start))) + 1, what);
  }
}

bool is_json_document(const std::string& path, const std::string& text) {
  if (path.ends_with(".json")) return true;
  if (path.ends_with(".toml")) return false;
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return false;
  return text[first] == '{' || (text[first] == '[' && Json::accept(text));
}

// The schedules of a document, whichever of its forms it has.
const Json* list_in(const Json& document) {
  if (document.is_array()) return &document;
  for (const char* key : {"schedules", "schedule"})
    if (const Json& list = part_at(document, key); list.is_array()) return &list;
  return nullptr;
}

// ---- normal form ----

std::string normal_duration(const std::string& text) {
  const Parsed<Duration> parsed = parse_duration(text);
  return parsed.value ? print_duration(*parsed.value) : text;
}

std::string normal_time(const std::string& text) {
  using std::chrono::microseconds;
  for (const char* form : {"%FT%T%Ez", "%FT%TZ"}) {
    std::istringstream in(text);
    date::sys_time<microseconds> time;
    in >> date::parse(form, time);
    if (!in.fail() && in.peek() == std::istringstream::traits_type::eof())
      return date::format("%FT%TZ", time);
  }
  return text;
}

// In one way of writing; what cannot be read stays as it is.
Json normal_value(const ScheduleField& field, const Json& value) {
  if (value.is_array()) {
    Json list = Json::array();
    for (const Json& each : value) list.push_back(normal_value(field, each));
    return list;
  }
  if (!value.is_string()) return value;
  switch (field.type) {
    case ScheduleField::Type::duration: return normal_duration(value.get<std::string>());
    case ScheduleField::Type::instant:
    case ScheduleField::Type::instants: return normal_time(value.get<std::string>());
    default: return value;
  }
}

// What the field is when nobody says it, texts without quotes.
std::string usual_text(const ScheduleField& field, const Definition& usual) {
  if (field.name == "max_catchup") return std::to_string(Misfire::kUsualCatchup);
  if (field.type == ScheduleField::Type::instant) return {};  // no bound
  return format::text_of(field.get(usual));
}

bool is_usual(const std::string& key, const Json& value) {
  static const std::set<std::string> kTexts = {"topic", "type", "description"};
  return (kTexts.contains(key) && value == "") || (key == "labels" && value == Json::object());
}

// Keys of objects have no order for whoever compares them.
nlohmann::json unordered(const Json& value) { return nlohmann::json::parse(value.dump()); }

std::string shown_value(const Json& value) {
  if (value.is_null()) return "none";
  return format::printable(value.dump(-1, ' ', false, Json::error_handler_t::replace), kLongestValue);
}

}  // namespace

std::variant<std::vector<Json>, WrongDocument> read_schedules(const std::string& path,
                                                              const std::string& text) {
  auto read = is_json_document(path, text) ? from_json(path, text) : from_toml(path, text);
  if (auto* wrong = std::get_if<WrongDocument>(&read)) return std::move(*wrong);
  const Json& document = std::get<Json>(read);
  std::vector<Json> schedules;
  if (const Json* list = list_in(document))
    schedules.assign(list->begin(), list->end());
  else
    schedules.push_back(document);
  std::string wrong;
  std::set<std::string> names;
  for (std::size_t i = 0; i < schedules.size(); ++i) {
    const Json& name = part_at(schedules[i], "name");
    if (!name.is_string() || name.get<std::string>().empty())
      wrong += fmt::format("error: {}: schedule {} has no name\n", path, i + 1);
    else if (!names.insert(name.get<std::string>()).second)
      wrong += fmt::format("error: {}: schedule {} is there twice\n", path, shown_value(name));
  }
  if (schedules.empty()) wrong = fmt::format("error: {}: there is no schedule in it\n", path);
  if (!wrong.empty()) return WrongDocument{wrong};
  return schedules;
}

Json normal_form(const Json& schedule) {
  const auto kind = schedule.contains("destination") ? Delivery::Kind::push : Delivery::Kind::pull;
  const Definition usual = usual_definition(kind, CronRule{});
  Json normal = Json::object();
  for (const auto& [key, value] : schedule.items())
    if (key != "name" && key != "status" && !is_usual(key, value)) normal[key] = value;
  for (const ScheduleField& field : schedule_fields()) {
    const auto found = field.in_api ? normal.find(field.name) : normal.end();
    if (found == normal.end()) continue;
    *found = normal_value(field, *found);
    const std::string text = found->is_string() ? found->get<std::string>() : found->dump();
    if (text == usual_text(field, usual)) normal.erase(found);
  }
  if (normal.contains("every") && normal.contains("start") &&
      normal["start"] == "1970-01-01T00:00:00.000000Z")
    normal.erase("start");
  return normal;
}

std::vector<std::string> differences(const Json& before, const Json& after) {
  std::set<std::string> keys;
  for (const Json* each : {&before, &after})
    for (const auto& [key, value] : each->items()) keys.insert(key);
  std::vector<std::string> lines;
  for (const std::string& key : keys) {
    const Json& old = part_at(before, key);
    const Json& now = part_at(after, key);
    if (unordered(old) != unordered(now))
      lines.push_back(fmt::format("{}: {} -> {}", key, shown_value(old), shown_value(now)));
  }
  return lines;
}

}  // namespace tenure::cli
