// The keys of [[schedule]] and [[change]]: most are those of a definition, in both.

#include "format/schema/schedule_keys.h"

#include <array>
#include <cstddef>

#include "core/base/time.h"
#include "core/schedule/definition.h"
#include "core/store/reference/named.h"

namespace tenure::sim {
namespace {

using Type = ValueType;

constexpr std::int64_t kMaxCount = 100'000;

constexpr std::string_view kMisfirePolicies[] = {"fire_all", "fire_once", "skip"};
constexpr std::string_view kWhich[] = {"latest", "earliest"};
constexpr std::string_view kDeliveries[] = {"work", "pull", "push"};
constexpr std::string_view kOverlaps[] = {"allow", "skip", "queue_one", "replace"};
constexpr std::string_view kGaps[] = {"gap_end", "shift", "skip"};
constexpr std::string_view kDstOverlaps[] = {"first", "second", "both"};
constexpr std::string_view kPer[] = {"slot", "schedule"};
constexpr std::string_view kChangeActions[] = {"create", "update",  "delete",  "pause",
                                               "resume", "trigger", "backfill"};

constexpr std::string_view kTimesDoc = "when: at these instants";

constexpr KeySpec kDefinitionKeys[] = {
    {.name = "every",
     .type = Type::duration,
     .doc = "when: slot n is start + n × every, exactly",
     .min = Duration::micros(1).ns(),
     .max = kYearNs},
    {.name = "cron",
     .type = Type::cron,
     .doc = "when: as these calendar fields say, five or six with seconds first; or `@every 90s`"},
    {.name = "once", .type = Type::instant, .doc = "when: at this instant"},
    {.name = "timezone",
     .type = Type::zone,
     .doc = "with `cron`: the zone that the fields are read in",
     .fallback = "UTC"},
    {.name = "dst_gap",
     .type = Type::choice,
     .doc = "with `timezone`: what becomes of a fixed time that the clock jumps over",
     .fallback = "gap_end",
     .choices = kGaps},
    {.name = "dst_overlap",
     .type = Type::choice,
     .doc = "with `timezone`: which of a fixed time that the clock shows twice",
     .fallback = "first",
     .choices = kDstOverlaps},
    {.name = "start",
     .type = Type::instant,
     .doc = "no slot before it; with `every`: slot 0, the start of the run when left out"},
    {.name = "end", .type = Type::instant, .doc = "no slot at it or after"},
    {.name = "jitter",
     .type = Type::duration,
     .doc = "spreads fires: a slot is due up to this much later, and before the next",
     .min = Duration::micros(1).ns(),
     .max = kYearNs},
    {.name = "jitter_per",
     .type = Type::choice,
     .doc = "with `jitter`: drawn for each slot, or once for the schedule",
     .fallback = "slot",
     .choices = kPer},
    {.name = "jitter_seed",
     .type = Type::count,
     .doc = "with `jitter`: what it is drawn from, besides the schedule",
     .fallback = "0",
     .min = 0},
    {.name = "misfire",
     .type = Type::choice,
     .doc = "what becomes of slots that are found late",
     .fallback = "fire_all",
     .choices = kMisfirePolicies},
    {.name = "fire_once",
     .type = Type::choice,
     .doc = "with `misfire = \"fire_once\"`: which of the late slots fires",
     .fallback = "latest",
     .choices = kWhich},
    {.name = "grace",
     .type = Type::duration,
     .doc = "how late a slot may be found and still be on time",
     .fallback = "60s",
     .min = 0,
     .max = kYearNs},
    {.name = "catchup_window",
     .type = Type::duration,
     .doc = "late slots older than this are missed; all are caught up with when left out",
     .min = 0,
     .max = kYearNs},
    {.name = "max_catchup",
     .type = Type::count,
     .doc = "with `misfire = \"fire_all\"`: no more late slots than this fire, the latest; 100 when left out",
     .min = 1,
     .max = 1'000'000'000},
    {.name = "overlap",
     .type = Type::choice,
     .doc = "what becomes of a slot that is due while the schedule's work still runs",
     .fallback = "allow",
     .choices = kOverlaps},
    {.name = "paused", .type = Type::boolean, .doc = "whether slots are suppressed", .fallback = "false"},
    {.name = "delivery",
     .type = Type::choice,
     .doc = "who does the work of an event: the leader's own process, whoever claims it, or a destination",
     .fallback = "work",
     .choices = kDeliveries},
    {.name = "destination",
     .type = Type::name,
     .doc = "where events are sent: the name of a [[destination]]; `delivery` is `push` then"},
    {.name = "strict_order",
     .type = Type::boolean,
     .doc = "of events that are not `work`: the next one waits until this one is over, retries included",
     .fallback = "false"},
    {.name = "attempts",
     .type = Type::count,
     .doc = "of events that are not `work`: after so many that failed, an event is dead",
     .fallback = "10",
     .min = 1,
     .max = kMostAttempts},
    {.name = "back_off",
     .type = Type::duration,
     .doc =
         "of events that are not `work`: the wait after an attempt that failed, and twice as long each time",
     .fallback = "1s",
     .min = Duration::micros(1).ns(),
     .max = kLongestBackOff.ns()},
    {.name = "back_off_max",
     .type = Type::duration,
     .doc = "of events that are not `work`: the longest such wait",
     .fallback = "5m",
     .min = Duration::micros(1).ns(),
     .max = kLongestBackOff.ns()},
};

constexpr KeySpec kScheduleHead[] = {
    {.name = "name", .type = Type::name, .doc = "what changes and reports call it", .required = true},
    {.name = kTimesOfSchedule, .type = Type::instants, .doc = kTimesDoc},
};
constexpr KeySpec kTopic = {
    .name = "topic",
    .type = Type::name,
    .doc =
        "with `delivery = \"pull\"`: its events are for workers of this topic; for those without one when "
        "left out"};
constexpr KeySpec kType = {
    .name = "type", .type = Type::name, .doc = "of the data in its events' payload, for those who get them"};
constexpr KeySpec kPayloadBytes = {.name = "payload_bytes",
                                   .type = Type::count,
                                   .doc = "its events carry JSON of so many bytes; none when left out",
                                   .min = 1,
                                   .max = static_cast<std::int64_t>(reference::kDataBytes)};

constexpr KeySpec kScheduleTail[] = {
    kTopic,
    kType,
    kPayloadBytes,
    {.name = "count",
     .type = Type::count,
     .doc = "makes this many of them: name-1, name-2, …",
     .min = 1,
     .max = kMaxCount},
};

constexpr KeySpec kChangeHead[] = {
    {.name = "id",
     .type = Type::permanent_id,
     .doc = "the number of a manual run; its place in the file, from 1, when left out"},
    {.name = "at",
     .type = Type::duration,
     .doc = "when the client acts, in the fault phase",
     .required = true,
     .min = 0,
     .max = kYearNs},
    {.name = "action",
     .type = Type::choice,
     .doc = "what the client does",
     .required = true,
     .choices = kChangeActions},
    {.name = "schedule", .type = Type::name, .doc = "to which schedule", .required = true},
    {.name = kTimesOfChange, .type = Type::instants, .doc = kTimesDoc},
};
constexpr KeySpec kChangeTail[] = {
    kTopic,
    kType,
    kPayloadBytes,
    {.name = "from", .type = Type::instant, .doc = "with `backfill`: slots from this instant on"},
    {.name = "to",
     .type = Type::instant,
     .doc = "with `backfill`: slots before this instant, at the latest that of the change"},
};

template <std::size_t kHead, std::size_t kTail>
constexpr auto around_definition(const KeySpec (&head)[kHead], const KeySpec (&tail)[kTail], bool fallbacks) {
  std::array<KeySpec, kHead + std::size(kDefinitionKeys) + kTail> keys;
  std::size_t i = 0;
  for (const KeySpec& key : head) keys[i++] = key;
  for (const KeySpec& key : kDefinitionKeys) {
    keys[i] = key;
    if (!fallbacks) keys[i].fallback = {};
    ++i;
  }
  for (const KeySpec& key : tail) keys[i++] = key;
  return keys;
}

constexpr auto kScheduleKeys = around_definition(kScheduleHead, kScheduleTail, true);
constexpr auto kChangeKeys = around_definition(kChangeHead, kChangeTail, false);

}  // namespace

const SectionSpec kScheduleSection = {"[[schedule]]", kScheduleKeys, OpenKeys::closed,
                                      "A schedule that exists from the start. Needs one of `every`, `cron`, "
                                      "`at`, `once`."};

const SectionSpec kChangeSection = {
    "[[change]]", kChangeKeys, OpenKeys::closed,
    "A client edits a schedule while things break. An update changes what it "
    "names, and keeps the rest of the definition; one of `every`, `cron`, "
    "`times`, `once` replaces when it is due, with `timezone` and the like. What "
    "its events carry is said when it is created. Such a schedule is created "
    "paused, and resumed when it has its payload; with a topic, it has no "
    "manual runs."};

std::span<const KeySpec> definition_keys() { return kDefinitionKeys; }

std::span<const std::string_view> payload_keys() {
  static constexpr std::string_view kKeys[] = {kTopic.name, kType.name, kPayloadBytes.name};
  return kKeys;
}

}  // namespace tenure::sim
