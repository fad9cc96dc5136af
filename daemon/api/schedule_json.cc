#include "daemon/api/schedule_json.h"

#include <utility>

#include "adapters/store/public_names.h"
#include "daemon/api/schedule_words.h"
#include "daemon/api/times.h"
#include "format/syntax/units.h"

namespace tenure::daemon {
namespace {

void put(Json& json, const Interval& interval) {
  json["every"] = sim::print_duration(interval.period);
  if (interval.start != StoreTime{}) json["start"] = print_utc(interval.start);
}
void put(Json& json, const CronRule& rule) {
  json["cron"] = rule.cron->text();
  if (!(*rule.zone == *TimeZone::utc())) json["timezone"] = rule.zone->name();
  if (rule.gap != DstGap::gap_end) json["dst_gap"] = words::word(words::kGaps, rule.gap);
  if (rule.overlap != DstOverlap::first) json["dst_overlap"] = words::word(words::kDstOverlaps, rule.overlap);
}
void put(Json& json, const Times& times) {
  if (times.at->size() == 1) {
    json["once"] = print_utc(times.at->front());
    return;
  }
  Json& list = json["at"] = Json::array();
  for (const StoreTime at : *times.at) list.push_back(print_utc(at));
}

void put(Json& json, const Definition& definition) {
  std::visit([&](const auto& kind) { put(json, kind); }, definition.recurrence);
  if (definition.not_before != StoreTime::min()) json["start"] = print_utc(definition.not_before);
  if (definition.until != StoreTime::max()) json["end"] = print_utc(definition.until);
  const Jitter& jitter = definition.jitter;
  if (jitter.max > Duration{}) {
    json["jitter"] = sim::print_duration(jitter.max);
    if (jitter.per != Jitter::Per::slot) json["jitter_per"] = words::word(words::kPer, jitter.per);
    if (jitter.seed != 0) json["jitter_seed"] = jitter.seed;
  }
  const Misfire& misfire = definition.misfire;
  const Misfire usual;
  if (misfire.policy != usual.policy) json["misfire"] = words::word(words::kPolicies, misfire.policy);
  if (misfire.once != usual.once) json["fire_once"] = words::word(words::kOnce, misfire.once);
  if (misfire.grace != usual.grace) json["grace"] = sim::print_duration(misfire.grace);
  if (misfire.catchup_window != usual.catchup_window)
    json["catchup_window"] = sim::print_duration(misfire.catchup_window);
  if (misfire.max_catchup != usual.max_catchup) json["max_catchup"] = misfire.max_catchup;
  if (definition.overlap != Overlap::allow)
    json["overlap"] = words::word(words::kOverlaps, definition.overlap);
  if (!definition.delivery.destination.empty()) json["destination"] = definition.delivery.destination;
  const Delivery& delivery = definition.delivery;
  const Delivery plain = usual_delivery(delivery.kind);
  if (delivery.strict_order) json["strict_order"] = true;
  if (delivery.attempts != plain.attempts) json["attempts"] = delivery.attempts;
  if (delivery.back_off != plain.back_off) json["back_off"] = sim::print_duration(delivery.back_off);
  if (delivery.longest_back_off != plain.longest_back_off)
    json["back_off_max"] = sim::print_duration(delivery.longest_back_off);
}

void put(Json& json, const reference::Payload& payload, ShownParts parts) {
  if (!payload.topic.empty()) json["topic"] = payload.topic;
  if (!payload.type.empty()) json["type"] = payload.type;
  if (parts.data && !payload.data.empty()) json["data"] = data_of(payload);
  if (!payload.labels.empty()) json["labels"] = labels_of(payload);
  if (!payload.description.empty()) json["description"] = payload.description;
}

Json status_of(const reference::NamedSchedule& schedule, StoreTime now) {
  Json status = {{"uid", schedule.edition.schedule.value},
                 {"version", schedule.edition.version},
                 {"since", print_utc(schedule.since)},
                 {"state", state_of(schedule, now)}};
  if (const auto& pause = schedule.pause)
    status["paused"] = {{"by", pause->actor}, {"why", pause->why}, {"since", print_utc(pause->since)}};
  if (const auto next = next_slot(schedule, now)) status["next"] = print_utc(*next);
  return status;
}

}  // namespace

Delivery usual_delivery(Delivery::Kind kind) {
  Delivery delivery{.kind = kind};
  if (kind == Delivery::Kind::push) {
    delivery.attempts = 30;
    delivery.longest_back_off = Duration::hours(1);
  }
  return delivery;
}

Json data_of(const reference::Payload& payload) {
  auto parsed = parse_json(payload.data);
  if (auto* json = std::get_if<Json>(&parsed)) return std::move(*json);
  return payload.data;  // put by a program that embeds the core: a text, then
}

Json labels_of(const reference::Payload& payload) {
  Json labels = Json::object();
  for (const reference::Label& label : payload.labels) labels[label.name] = label.value;
  return labels;
}

std::optional<StoreTime> next_slot(const reference::NamedSchedule& schedule, StoreTime now) {
  return schedule.unreadable ? std::nullopt : slot_at_or_after(schedule.definition, now);
}

std::string_view state_of(const reference::NamedSchedule& schedule, StoreTime now) {
  if (schedule.unreadable) return "unreadable";
  if (schedule.pause) return "paused";
  return next_slot(schedule, now) ? "active" : "finished";
}

Json json_of(const reference::NamedSchedule& schedule, StoreTime now, ShownParts parts) {
  Json json = {{"name", schedule.name}};
  if (!schedule.unreadable) put(json, schedule.definition);
  put(json, schedule.payload, parts);
  json["status"] = status_of(schedule, now);
  return json;
}

std::string etag_of(const reference::Edition& edition) { return "\"" + tenure::text_of(edition) + "\""; }

}  // namespace tenure::daemon
