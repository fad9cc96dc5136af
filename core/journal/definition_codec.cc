#include "core/journal/definition_codec.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

namespace tenure {
namespace {

using nlohmann::json;

constexpr std::int64_t kMicro = 1'000;
constexpr std::int64_t kVersion = 1;

// Each enumeration's words, in the order of its values.
constexpr std::array<std::string_view, 3> kGaps = {"gap_end", "shift", "skip"};
constexpr std::array<std::string_view, 3> kDstOverlaps = {"first", "second", "both"};
constexpr std::array<std::string_view, 3> kPolicies = {"fire_all", "fire_once", "skip"};
constexpr std::array<std::string_view, 2> kOnce = {"latest", "earliest"};
constexpr std::array<std::string_view, 2> kPer = {"slot", "schedule"};
constexpr std::array<std::string_view, 4> kOverlaps = {"allow", "skip", "queue_one", "replace"};
constexpr std::array<std::string_view, 3> kKinds = {"work", "pull", "push"};

template <class Enum, std::size_t kCount>
std::string_view word(const std::array<std::string_view, kCount>& words, Enum value) {
  return words.at(static_cast<std::size_t>(value));
}

std::int64_t micros(StoreTime time) { return time.ns() / kMicro; }

// ---- writing ---------------------------------------------------------------------------------------------

void put(json& object, const Interval& interval) {
  object["every"] = {{"start_us", micros(interval.start)}, {"period_us", interval.period.ns() / kMicro}};
}
void put(json& object, const CronRule& rule) {
  object["cron"] = {{"text", rule.cron->text()},
                    {"zone", rule.zone->name()},
                    {"tzdb", rule.zone->tzdb_version()},
                    {"gap", word(kGaps, rule.gap)},
                    {"overlap", word(kDstOverlaps, rule.overlap)}};
}
void put(json& object, const Times& times) {
  json& list = object["times_us"] = json::array();
  for (const StoreTime at : *times.at) list.push_back(micros(at));
}

// What is as by default is left out.
void put(json& object, const Delivery& delivery) {
  const auto& [kind, destination, strict_order, attempts, back_off, longest_back_off] = delivery;
  const Delivery usual;
  json& put = object["delivery"] = {{"kind", word(kKinds, kind)}};
  if (!destination.empty()) put["destination"] = destination;
  if (strict_order) put["strict_order"] = true;
  if (attempts != usual.attempts) put["attempts"] = attempts;
  if (back_off != usual.back_off) put["back_off_ns"] = back_off.ns();
  if (longest_back_off != usual.longest_back_off) put["longest_back_off_ns"] = longest_back_off.ns();
}

// ---- reading ---------------------------------------------------------------------------------------------

// Reads one object: each key once, and complains of those that nobody read. Keeps the first complaint of all objects.
class Reader {
 public:
  Reader(const json& object, std::string path, CodecError& complaint)
      : object_(object), path_(std::move(path)), complaint_(complaint) {
    if (!object_.is_object()) complain("", "must be an object");
  }

  void complain(std::string_view key, std::string_view what) {
    if (!complaint_.message.empty()) return;
    const std::string dot = path_.empty() || key.empty() ? "" : ".";
    const std::string place = path_ + dot + std::string(key);
    complaint_.message =
        place.empty() ? fmt::format("the definition {}", what) : fmt::format("{}: {}", place, what);
  }
  bool has(std::string_view key) const { return object_.is_object() && object_.contains(key); }
  // nullptr, and a complaint, when it is not there.
  const json* find(std::string_view key) {
    known_.push_back(key);
    if (has(key)) return &*object_.find(key);
    complain(key, "is missing");
    return nullptr;
  }
  std::int64_t integer(std::string_view key) {
    const json* value = find(key);
    if (value == nullptr) return 0;
    if (const auto number = integer_of(*value)) return *number;
    complain(key, "must be a whole number of 64 bits");
    return 0;
  }
  std::uint64_t natural(std::string_view key) {
    const json* value = find(key);
    if (value == nullptr) return 0;
    if (value->is_number_unsigned()) return value->get<std::uint64_t>();
    complain(key, "must be a whole number of 64 bits without a sign");
    return 0;
  }
  bool flag(std::string_view key) {
    const json* value = find(key);
    if (value == nullptr) return false;
    if (!value->is_boolean()) complain(key, "must be true or false");
    return value->is_boolean() && value->get<bool>();
  }
  std::string text(std::string_view key) {
    const json* value = find(key);
    if (value == nullptr) return {};
    if (value->is_string()) return value->get<std::string>();
    complain(key, "must be a string");
    return {};
  }
  template <class Enum, std::size_t kCount>
  Enum choice(std::string_view key, const std::array<std::string_view, kCount>& words) {
    const std::string given = text(key);
    const auto found = std::find(words.begin(), words.end(), given);
    if (found == words.end()) {
      complain(key, fmt::format("must be one of {}", fmt::join(words, ", ")));
      return {};
    }
    return static_cast<Enum>(found - words.begin());
  }
  StoreTime time(std::string_view key) {
    const std::int64_t us = integer(key);
    if (us < micros(StoreTime::min()) || us > micros(StoreTime::max()))
      complain(key, "lies beyond the end of time");
    return StoreTime{} + Duration::micros(us);
  }
  Duration duration(std::string_view key) {
    const Duration read = Duration::nanos(integer(key));
    if (read < Duration{}) complain(key, "must not be negative");
    return read;
  }
  Reader object(std::string_view key) {
    static const json kNone = json::object();
    const json* value = find(key);
    return {value == nullptr ? kNone : *value,
            path_.empty() ? std::string(key) : path_ + "." + std::string(key), complaint_};
  }
  static std::optional<std::int64_t> integer_of(const json& value) {
    if (!value.is_number_integer()) return std::nullopt;
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX) return std::nullopt;
    return value.get<std::int64_t>();
  }
  // What this version does not know, it would silently do without.
  void finish() {
    if (!object_.is_object()) return;
    for (const auto& [key, value] : object_.items())
      if (std::find(known_.begin(), known_.end(), key) == known_.end()) complain(key, "is not known");
  }

 private:
  const json& object_;
  std::string path_;
  CodecError& complaint_;
  std::vector<std::string_view> known_;
};

Interval read_interval(Reader reader) {
  Interval interval{reader.time("start_us"), Duration::micros(reader.integer("period_us"))};
  if (interval.period < Duration::micros(1)) reader.complain("period_us", "must be positive");
  // Beyond the ends of 64 bits of nanoseconds the product stands still, and would be no whole microsecond.
  if (interval.period.ns() % kMicro != 0) reader.complain("period_us", "is too long");
  reader.finish();
  return interval;
}

CronRule read_cron(Reader reader, const TimeZones& zones) {
  CronRule rule;
  const std::string text = reader.text("text");
  auto parsed = Cron::parse(text);
  if (const auto* error = std::get_if<CronError>(&parsed)) {
    reader.complain("text", error->message);
  } else {
    rule.cron = std::make_shared<const Cron>(std::get<Cron>(std::move(parsed)));
  }
  const std::string zone = reader.text("zone");
  reader.text("tzdb");
  if (auto found = zones.find(zone)) {
    rule.zone = std::move(found);
  } else {
    const std::string why =
        &zones == &only_utc()
            ? "which this store was opened without; open it with `.zones` (adapters/tzdb)"
            : fmt::format(
                  "which tzdata of this machine ({}) lacks; it may be older than that of who wrote it",
                  zones.version());
    reader.complain("zone", fmt::format("the schedule is in time zone `{}`, {}", zone, why));
  }
  rule.gap = reader.choice<DstGap>("gap", kGaps);
  rule.overlap = reader.choice<DstOverlap>("overlap", kDstOverlaps);
  reader.finish();
  return rule;
}

Times read_times(Reader& reader) {
  std::vector<StoreTime> at;
  const json* list = reader.find("times_us");
  if (list != nullptr && (!list->is_array() || list->empty()))
    reader.complain("times_us", "must be a list of times");
  if (list != nullptr && list->is_array()) {
    for (const json& element : *list) {
      const auto us = Reader::integer_of(element);
      if (!us || *us < micros(StoreTime::min()) || *us > micros(StoreTime::max())) {
        reader.complain("times_us", "must be whole numbers, within the ends of time");
        break;
      }
      const StoreTime time = StoreTime{} + Duration::micros(*us);
      if (!at.empty() && time <= at.back()) reader.complain("times_us", "must go up");
      at.push_back(time);
    }
  }
  return {std::make_shared<const std::vector<StoreTime>>(std::move(at))};
}

Recurrence read_recurrence(Reader& reader, const TimeZones& zones) {
  const int given = int{reader.has("every")} + int{reader.has("cron")} + int{reader.has("times_us")};
  if (given != 1) {
    reader.complain("", "needs one of `every`, `cron` and `times_us`");
    return Interval{};
  }
  if (reader.has("every")) return read_interval(reader.object("every"));
  if (reader.has("cron")) return read_cron(reader.object("cron"), zones);
  return read_times(reader);
}

Jitter read_jitter(Reader reader) {
  Jitter jitter{reader.duration("max_ns"), reader.choice<Jitter::Per>("per", kPer), reader.natural("seed")};
  reader.finish();
  return jitter;
}

Misfire read_misfire(Reader reader) {
  Misfire misfire;
  misfire.policy = reader.choice<Misfire::Policy>("policy", kPolicies);
  misfire.once = reader.choice<Misfire::Which>("once", kOnce);
  misfire.grace = reader.duration("grace_ns");
  if (reader.has("catchup_ns")) misfire.catchup_window = reader.duration("catchup_ns");
  if (reader.has("max_catchup")) misfire.max_catchup = reader.integer("max_catchup");
  if (misfire.max_catchup < 1) reader.complain("max_catchup", "must be positive");
  reader.finish();
  return misfire;
}

Delivery read_delivery(Reader reader) {
  Delivery delivery;
  delivery.kind = reader.choice<Delivery::Kind>("kind", kKinds);
  if (reader.has("destination")) delivery.destination = reader.text("destination");
  if (reader.has("strict_order")) delivery.strict_order = reader.flag("strict_order");
  if (reader.has("attempts")) {
    const std::int64_t attempts = reader.integer("attempts");
    if (attempts < 1 || attempts > kMostAttempts) reader.complain("attempts", "is out of range");
    delivery.attempts = static_cast<std::uint32_t>(attempts);
  }
  if (reader.has("back_off_ns")) delivery.back_off = reader.duration("back_off_ns");
  if (reader.has("longest_back_off_ns")) delivery.longest_back_off = reader.duration("longest_back_off_ns");
  reader.finish();
  return delivery;
}

void read(Definition& definition, Reader& reader, const TimeZones& zones) {
  definition.recurrence = read_recurrence(reader, zones);
  if (reader.has("not_before_us")) definition.not_before = reader.time("not_before_us");
  if (reader.has("until_us")) definition.until = reader.time("until_us");
  if (reader.has("jitter")) definition.jitter = read_jitter(reader.object("jitter"));
  definition.misfire = read_misfire(reader.object("misfire"));
  definition.overlap = reader.choice<Overlap>("overlap", kOverlaps);
  definition.paused = reader.flag("paused");
  if (reader.has("delivery")) definition.delivery = read_delivery(reader.object("delivery"));
  reader.finish();
  if (const std::string problem = problem_of_delivery(definition); !problem.empty())
    reader.complain("", "cannot be: " + problem);
}

}  // namespace

std::string encode(const Definition& definition) {
  json object = {{"v", kVersion}};
  std::visit([&](const auto& kind) { put(object, kind); }, definition.recurrence);
  if (definition.not_before != StoreTime::min()) object["not_before_us"] = micros(definition.not_before);
  if (definition.until != StoreTime::max()) object["until_us"] = micros(definition.until);
  const Jitter& jitter = definition.jitter;
  if (jitter != Jitter{})
    object["jitter"] = {{"max_ns", jitter.max.ns()}, {"per", word(kPer, jitter.per)}, {"seed", jitter.seed}};
  const Misfire& misfire = definition.misfire;
  json& late = object["misfire"] = {{"policy", word(kPolicies, misfire.policy)},
                                    {"once", word(kOnce, misfire.once)},
                                    {"grace_ns", misfire.grace.ns()}};
  if (misfire.catchup_window != Duration::max()) late["catchup_ns"] = misfire.catchup_window.ns();
  if (misfire.max_catchup != Misfire::kUnsaid) late["max_catchup"] = misfire.max_catchup;
  object["overlap"] = word(kOverlaps, definition.overlap);
  object["paused"] = definition.paused;
  if (definition.delivery != Delivery{}) put(object, definition.delivery);
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string encode(const reference::DeliveryRules& rules) {
  json object = {{"overlap", word(kOverlaps, rules.overlap)}};
  put(object, rules.delivery);
  return object.dump();
}

reference::DeliveryRules decode_rules(std::string_view text) {
  const json parsed = json::parse(text.begin(), text.end(), nullptr, false);
  CodecError complaint;
  Reader reader(parsed, "", complaint);
  reference::DeliveryRules rules;
  rules.overlap = reader.choice<Overlap>("overlap", kOverlaps);
  rules.delivery = read_delivery(reader.object("delivery"));
  return complaint.message.empty() ? rules : reference::DeliveryRules{};
}

std::string warning_of(const CodecError& error, ScheduleId schedule, std::uint32_t version) {
  return fmt::format(
      "schedule {}, version {}: this program cannot read its definition ({}); while it leads, the schedule "
      "does not "
      "fire, and all others do; run a program that can, or replace or delete the schedule",
      schedule.value, version, error.message);
}

std::variant<Definition, CodecError> decode_definition(std::string_view text, const TimeZones& zones) {
  const json parsed = json::parse(text.begin(), text.end(), nullptr, false);
  if (parsed.is_discarded()) return CodecError{"the definition is no JSON"};
  CodecError complaint;
  Reader reader(parsed, "", complaint);
  if (complaint.message.empty() && reader.integer("v") != kVersion)
    reader.complain("v", "is of another version of Tenure; this one knows version 1");
  if (!complaint.message.empty()) return complaint;

  std::variant<Definition, CodecError> decoded;
  read(std::get<Definition>(decoded), reader, zones);
  if (!complaint.message.empty()) decoded = complaint;
  return decoded;
}

const std::variant<Definition, CodecError>& DefinitionDecoder::decode(std::string_view text) {
  auto found = decoded_.lower_bound(text);
  if (found == decoded_.end() || found->first != text)
    found = decoded_.emplace_hint(found, text, decode_definition(text, zones_));
  return found->second;
}

}  // namespace tenure
