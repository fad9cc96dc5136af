#include "core/journal/definition_codec.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>

#include "core/schedule/schedule_fields.h"

namespace tenure {
namespace {

using nlohmann::json;
using When = ScheduleField::Encoding::When;

std::int64_t micros(StoreTime time) { return time.ns() / kStoreResolution.ns(); }

std::string_view word(std::string_view field, auto choice) {
  return schedule_field(field).words[static_cast<std::size_t>(choice)];
}

void put(json& object, const Interval& interval) {
  object["every"] = {{"start_us", micros(interval.start)},
                     {"period_us", interval.period.ns() / kStoreResolution.ns()}};
}
void put(json& object, const CronRule& rule) {
  object["cron"] = {{"text", rule.cron->text()},
                    {"zone", rule.zone->name()},
                    {"tzdb", rule.zone->tzdb_version()},
                    {"gap", word("dst_gap", rule.gap)},
                    {"overlap", word("dst_overlap", rule.overlap)}};
}
void put(json& object, const Times& times) {
  json& list = object["times_us"] = json::array();
  for (const StoreTime at : *times.at) list.push_back(micros(at));
}

json json_of(const ScheduleField::Value& value) {
  if (const auto* duration = std::get_if<Duration>(&value)) return duration->ns();
  if (const auto* time = std::get_if<StoreTime>(&value)) return micros(*time);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag;
  if (const auto* count = std::get_if<std::int64_t>(&value)) return *count;
  if (const auto* seed = std::get_if<std::uint64_t>(&value)) return *seed;
  return std::get<std::string>(value);
}

// What is as by default is left out: of every definition of before there was a choice, the text stays as it was.
bool is_unusual(const ScheduleField& field, const Definition& definition) {
  static const Definition kUsual{.recurrence = Interval{}};
  return field.get(definition) != field.get(kUsual);
}
bool is_unusual(std::string_view part, const Definition& definition) {
  return std::ranges::any_of(schedule_fields(), [&](const ScheduleField& field) {
    return field.kept.part == part && !field.kept.key.empty() && is_unusual(field, definition);
  });
}

void put(json& object, const ScheduleField& field, const Definition& definition, bool with_part) {
  const auto& [part, key, when] = field.kept;
  if (when != When::always && !(when == When::with_part && with_part) && !is_unusual(field, definition))
    return;
  json& within = part.empty() ? object : object[std::string(part)];
  within[std::string(key)] = json_of(field.get(definition));
}

}  // namespace

std::string encode(const Definition& definition) {
  json object = {{"v", 1}};
  std::visit([&](const auto& kind) { put(object, kind); }, definition.recurrence);
  if (definition.not_before != StoreTime::min()) object["not_before_us"] = micros(definition.not_before);
  for (const ScheduleField& field : schedule_fields())
    if (!field.kept.key.empty())
      put(object, field, definition,
          field.kept.when == When::with_part && is_unusual(field.kept.part, definition));
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string encode(const reference::DeliveryRules& rules) {
  const Definition definition{.recurrence = Interval{}, .overlap = rules.overlap, .delivery = rules.delivery};
  json object;
  for (const ScheduleField& field : schedule_fields())
    if (field.kept.part == "delivery" || field.name == "overlap") put(object, field, definition, true);
  return object.dump();
}

}  // namespace tenure
