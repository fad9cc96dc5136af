#include "core/journal/definition_codec.h"

#include <nlohmann/json.hpp>
#include <string>
#include <variant>

#include "core/journal/definition_words.h"

namespace tenure {
namespace {

namespace words = definition_words;
using nlohmann::json;

void put(json& object, const Interval& interval) {
  object["every"] = {{"start_us", words::micros(interval.start)},
                     {"period_us", interval.period.ns() / words::kMicro}};
}
void put(json& object, const CronRule& rule) {
  object["cron"] = {{"text", rule.cron->text()},
                    {"zone", rule.zone->name()},
                    {"tzdb", rule.zone->tzdb_version()},
                    {"gap", words::word(words::kGaps, rule.gap)},
                    {"overlap", words::word(words::kDstOverlaps, rule.overlap)}};
}
void put(json& object, const Times& times) {
  json& list = object["times_us"] = json::array();
  for (const StoreTime at : *times.at) list.push_back(words::micros(at));
}

// What is as by default is left out.
void put(json& object, const Delivery& delivery) {
  const auto& [kind, destination, strict_order, attempts, back_off, longest_back_off] = delivery;
  const Delivery usual;
  json& put = object["delivery"] = {{"kind", words::word(words::kKinds, kind)}};
  if (!destination.empty()) put["destination"] = destination;
  if (strict_order) put["strict_order"] = true;
  if (attempts != usual.attempts) put["attempts"] = attempts;
  if (back_off != usual.back_off) put["back_off_ns"] = back_off.ns();
  if (longest_back_off != usual.longest_back_off) put["longest_back_off_ns"] = longest_back_off.ns();
}

}  // namespace

std::string encode(const Definition& definition) {
  json object = {{"v", words::kVersion}};
  std::visit([&](const auto& kind) { put(object, kind); }, definition.recurrence);
  if (definition.not_before != StoreTime::min())
    object["not_before_us"] = words::micros(definition.not_before);
  if (definition.until != StoreTime::max()) object["until_us"] = words::micros(definition.until);
  const Jitter& jitter = definition.jitter;
  if (jitter != Jitter{})
    object["jitter"] = {
        {"max_ns", jitter.max.ns()}, {"per", words::word(words::kPer, jitter.per)}, {"seed", jitter.seed}};
  const Misfire& misfire = definition.misfire;
  json& late = object["misfire"] = {{"policy", words::word(words::kPolicies, misfire.policy)},
                                    {"once", words::word(words::kOnce, misfire.once)},
                                    {"grace_ns", misfire.grace.ns()}};
  if (misfire.catchup_window != Duration::max()) late["catchup_ns"] = misfire.catchup_window.ns();
  if (misfire.max_catchup != Misfire::kUnsaid) late["max_catchup"] = misfire.max_catchup;
  object["overlap"] = words::word(words::kOverlaps, definition.overlap);
  object["paused"] = definition.paused;
  if (definition.delivery != Delivery{}) put(object, definition.delivery);
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string encode(const reference::DeliveryRules& rules) {
  json object = {{"overlap", words::word(words::kOverlaps, rules.overlap)}};
  put(object, rules.delivery);
  return object.dump();
}

}  // namespace tenure
