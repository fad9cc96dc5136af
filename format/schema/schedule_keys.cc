// The keys of [[schedule]] and [[change]]: most are those of a definition, in both.

#include "format/schema/schedule_keys.h"

#include <string>
#include <vector>

#include "core/base/check.h"
#include "core/store/reference/named.h"
#include "format/schema/make_key.h"
#include "format/syntax/read_definition.h"

namespace tenure::format {
namespace keys {
namespace {

constexpr std::int64_t kMaxCount = 100'000;

constexpr std::string_view kChangeActions[] = {"create", "update",  "delete",   "pause",
                                               "resume", "trigger", "backfill", "replay"};

constexpr KeySpec kScheduleHead[] = {
    required(name("name", "what changes and reports call it")),
};
constexpr KeySpec kTopic = name("topic",
                                "with `delivery = \"pull\"`: its events are for workers of this topic; for "
                                "those without one when left out");
constexpr KeySpec kType = name("type", "of the data in its events' payload, for those who get them");
constexpr KeySpec kPayloadBytes =
    count("payload_bytes", "its events carry JSON of so many bytes; none when left out", "", 1,
          static_cast<std::int64_t>(reference::kDataBytes));

constexpr KeySpec kScheduleTail[] = {
    kTopic,
    kType,
    kPayloadBytes,
    count("count", "makes this many of them: name-1, name-2, …", "", 1, kMaxCount),
};

constexpr KeySpec kChangeHead[] = {
    key("id", Type::permanent_id, "the number of a manual run; its place in the file, from 1, when left out"),
    required(duration("at", "when the client acts, in the fault phase")),
    required(choice("action", "what the client does", kChangeActions)),
    required(name("schedule", "to which schedule")),
};
constexpr KeySpec kChangeTail[] = {
    kTopic,
    kType,
    kPayloadBytes,
    key("from", Type::instant, "with `backfill`: slots from this instant on"),
    key("to", Type::instant, "with `backfill`: slots before this instant, at the latest that of the change"),
};

Type type_of(ScheduleField::Type type) {
  switch (type) {
    case ScheduleField::Type::flag: return Type::boolean;
    case ScheduleField::Type::count:
    case ScheduleField::Type::seed: return Type::count;
    case ScheduleField::Type::duration: return Type::duration;
    case ScheduleField::Type::instant: return Type::instant;
    case ScheduleField::Type::instants: return Type::instants;
    case ScheduleField::Type::choice: return Type::choice;
    case ScheduleField::Type::name: return Type::name;
    case ScheduleField::Type::cron: return Type::cron;
    case ScheduleField::Type::zone: return Type::zone;
  }
  CHECK(false, "every type of a field has a value type");
}

// As a file would say it, texts without quotes; empty: a file cannot.
std::string default_of(const ScheduleField& field) {
  if (field.optional) return {};
  static const Definition kUsual = usual_definition(Delivery::Kind::work, CronRule{});
  return text_of(field.get(kUsual));
}

// Of a definition, between those of a section.
std::vector<KeySpec> around_definition(std::span<const KeySpec> head, std::span<const KeySpec> tail,
                                       std::string_view times, bool fallbacks) {
  static const std::vector<std::string> kDefaults = [] {
    std::vector<std::string> defaults;
    for (const ScheduleField& field : schedule_fields()) defaults.push_back(default_of(field));
    return defaults;
  }();
  std::vector<KeySpec> keys(head.begin(), head.end());
  auto usual = kDefaults.begin();
  for (const ScheduleField& field : schedule_fields()) {
    keys.push_back({.name = key_of(field, times),
                    .type = type_of(field.type),
                    .doc = field.doc,
                    .min = field.min,
                    .max = field.max,
                    .choices = field.words});
    if (fallbacks) keys.back().fallback = *usual;
    ++usual;
  }
  keys.insert(keys.end(), tail.begin(), tail.end());
  return keys;
}

const std::vector<KeySpec> kScheduleKeys =
    around_definition(kScheduleHead, kScheduleTail, kTimesOfSchedule, true);
const std::vector<KeySpec> kChangeKeys = around_definition(kChangeHead, kChangeTail, kTimesOfChange, false);

}  // namespace
}  // namespace keys

const SectionSpec kScheduleSection = {"[[schedule]]", keys::kScheduleKeys, OpenKeys::closed,
                                      "A schedule that exists from the start. Needs one of `every`, `cron`, "
                                      "`at`, `once`."};

const SectionSpec kChangeSection = {
    "[[change]]", keys::kChangeKeys, OpenKeys::closed,
    "A client edits a schedule while things break. An update changes what it "
    "names, and keeps the rest of the definition; one of `every`, `cron`, "
    "`times`, `once` replaces when it is due, with `timezone` and the like. What "
    "its events carry is said when it is created. Such a schedule is created "
    "paused, and resumed when it has its payload; with a topic, it has no "
    "manual runs."};

std::span<const std::string_view> payload_keys() {
  static constexpr std::string_view kKeys[] = {keys::kTopic.name, keys::kType.name, keys::kPayloadBytes.name};
  return kKeys;
}

}  // namespace tenure::format
