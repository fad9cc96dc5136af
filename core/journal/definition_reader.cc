#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/journal/definition_codec.h"
#include "core/journal/definition_words.h"

namespace tenure {
namespace {

namespace words = definition_words;
using simdjson::dom::element;
using simdjson::dom::object;

// Reads one object: each key once, and complains of those that nobody read. Keeps the first complaint of all objects.
class Reader {
 public:
  // Nothing: whoever has no object has complained already.
  Reader(std::optional<object> read, std::string path, CodecError& complaint)
      : object_(read), path_(std::move(path)), complaint_(complaint) {
    known_.reserve(12);
  }

  void complain(std::string_view key, std::string_view what) {
    if (!complaint_.message.empty()) return;
    const std::string dot = path_.empty() || key.empty() ? "" : ".";
    const std::string place = path_ + dot + std::string(key);
    complaint_.message =
        place.empty() ? fmt::format("the definition {}", what) : fmt::format("{}: {}", place, what);
  }
  bool has(std::string_view key) const { return value_of(key).has_value(); }
  // Nothing, and a complaint, when it is not there.
  std::optional<element> find(std::string_view key) {
    known_.push_back(key);
    auto value = value_of(key);
    if (!value) complain(key, "is missing");
    return value;
  }
  std::int64_t integer(std::string_view key) {
    const auto value = find(key);
    if (!value) return 0;
    if (const auto number = read<std::int64_t>(*value)) return *number;
    complain(key, "must be a whole number of 64 bits");
    return 0;
  }
  std::uint64_t natural(std::string_view key) {
    const auto value = find(key);
    if (!value) return 0;
    if (const auto number = read<std::uint64_t>(*value)) return *number;
    complain(key, "must be a whole number of 64 bits without a sign");
    return 0;
  }
  bool flag(std::string_view key) {
    const auto value = find(key);
    if (!value) return false;
    if (const auto given = read<bool>(*value)) return *given;
    complain(key, "must be true or false");
    return false;
  }
  // Good as long as the parser reads nothing else.
  std::string_view text(std::string_view key) {
    const auto value = find(key);
    if (!value) return {};
    if (const auto given = read<std::string_view>(*value)) return *given;
    complain(key, "must be a string");
    return {};
  }
  template <class Enum, std::size_t kCount>
  Enum choice(std::string_view key, const std::array<std::string_view, kCount>& among) {
    const auto found = std::find(among.begin(), among.end(), text(key));
    if (found == among.end()) {
      complain(key, fmt::format("must be one of {}", fmt::join(among, ", ")));
      return {};
    }
    return static_cast<Enum>(found - among.begin());
  }
  StoreTime time(std::string_view key) {
    const std::int64_t us = integer(key);
    if (us < words::micros(StoreTime::min()) || us > words::micros(StoreTime::max()))
      complain(key, "lies beyond the end of time");
    return StoreTime{} + Duration::micros(us);
  }
  Duration duration(std::string_view key) {
    const Duration read = Duration::nanos(integer(key));
    if (read < Duration{}) complain(key, "must not be negative");
    return read;
  }
  Reader within(std::string_view key) {
    const auto value = find(key);
    Reader inner(value ? read<object>(*value) : std::nullopt,
                 path_.empty() ? std::string(key) : path_ + "." + std::string(key), complaint_);
    if (value && !inner.object_) inner.complain("", "must be an object");
    return inner;
  }
  // Nothing: it is of another kind, or beyond the kind's numbers.
  template <class Kind>
  static std::optional<Kind> read(element value) {
    Kind kind;
    if (value.get(kind) != simdjson::SUCCESS) return std::nullopt;
    return kind;
  }
  // What this version does not know, it would silently do without. Of a key that comes twice others take the last one.
  void finish() {
    if (!object_) return;
    const auto has = [](const std::vector<std::string_view>& keys, std::string_view key) {
      return std::find(keys.begin(), keys.end(), key) != keys.end();
    };
    std::vector<std::string_view> seen;
    for (const auto& field : *object_) {
      if (!has(known_, field.key))
        complain(field.key, "is not known");
      else if (has(seen, field.key))
        complain(field.key, "is given twice");
      else
        seen.push_back(field.key);
    }
  }

 private:
  std::optional<element> value_of(std::string_view key) const {
    element value;
    if (!object_ || object_->at_key(key).get(value) != simdjson::SUCCESS) return std::nullopt;
    return value;
  }

  std::optional<object> object_;
  std::string path_;
  CodecError& complaint_;
  std::vector<std::string_view> known_;
};

Interval read_interval(Reader reader) {
  Interval interval{reader.time("start_us"), Duration::micros(reader.integer("period_us"))};
  if (interval.period < Duration::micros(1)) reader.complain("period_us", "must be positive");
  // Beyond the ends of 64 bits of nanoseconds the product stands still, and would be no whole microsecond.
  if (interval.period.ns() % words::kMicro != 0) reader.complain("period_us", "is too long");
  reader.finish();
  return interval;
}

CronRule read_cron(Reader reader, const TimeZones& zones) {
  CronRule rule;
  auto parsed = Cron::parse(reader.text("text"));
  if (const auto* error = std::get_if<CronError>(&parsed)) {
    reader.complain("text", error->message);
  } else {
    rule.cron = std::make_shared<const Cron>(std::get<Cron>(std::move(parsed)));
  }
  const std::string zone(reader.text("zone"));
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
  rule.gap = reader.choice<DstGap>("gap", words::kGaps);
  rule.overlap = reader.choice<DstOverlap>("overlap", words::kDstOverlaps);
  reader.finish();
  return rule;
}

Times read_times(Reader& reader) {
  std::vector<StoreTime> at;
  const auto value = reader.find("times_us");
  const auto list = value ? Reader::read<simdjson::dom::array>(*value) : std::nullopt;
  if (value && (!list || list->size() == 0)) reader.complain("times_us", "must be a list of times");
  if (list) {
    for (const element number : *list) {
      const auto us = Reader::read<std::int64_t>(number);
      if (!us || *us < words::micros(StoreTime::min()) || *us > words::micros(StoreTime::max())) {
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
  if (reader.has("every")) return read_interval(reader.within("every"));
  if (reader.has("cron")) return read_cron(reader.within("cron"), zones);
  return read_times(reader);
}

Jitter read_jitter(Reader reader) {
  Jitter jitter{reader.duration("max_ns"), reader.choice<Jitter::Per>("per", words::kPer),
                reader.natural("seed")};
  reader.finish();
  return jitter;
}

Misfire read_misfire(Reader reader) {
  Misfire misfire;
  misfire.policy = reader.choice<Misfire::Policy>("policy", words::kPolicies);
  misfire.once = reader.choice<Misfire::Which>("once", words::kOnce);
  misfire.grace = reader.duration("grace_ns");
  if (reader.has("catchup_ns")) misfire.catchup_window = reader.duration("catchup_ns");
  if (reader.has("max_catchup")) misfire.max_catchup = reader.integer("max_catchup");
  if (misfire.max_catchup < 1) reader.complain("max_catchup", "must be positive");
  reader.finish();
  return misfire;
}

Delivery read_delivery(Reader reader) {
  Delivery delivery;
  delivery.kind = reader.choice<Delivery::Kind>("kind", words::kKinds);
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
  if (reader.has("jitter")) definition.jitter = read_jitter(reader.within("jitter"));
  definition.misfire = read_misfire(reader.within("misfire"));
  definition.overlap = reader.choice<Overlap>("overlap", words::kOverlaps);
  definition.paused = reader.flag("paused");
  if (reader.has("delivery")) definition.delivery = read_delivery(reader.within("delivery"));
  reader.finish();
  if (const std::string problem = problem_of_delivery(definition); !problem.empty())
    reader.complain("", "cannot be: " + problem);
}

// What a text says; nothing: it is no JSON. Good as long as the parser reads nothing else.
std::optional<element> parse(simdjson::dom::parser& parser, std::string_view text) {
  element parsed;
  if (parser.parse(text.data(), text.size()).get(parsed) != simdjson::SUCCESS) return std::nullopt;
  return parsed;
}

std::variant<Definition, CodecError> decode(simdjson::dom::parser& parser, std::string_view text,
                                            const TimeZones& zones) {
  const auto parsed = parse(parser, text);
  if (!parsed) return CodecError{"the definition is no JSON"};
  CodecError complaint;
  Reader reader(Reader::read<object>(*parsed), "", complaint);
  if (!parsed->is_object()) reader.complain("", "must be an object");
  if (complaint.message.empty() && reader.integer("v") != words::kVersion)
    reader.complain("v", "is of another version of Tenure; this one knows version 1");
  if (!complaint.message.empty()) return complaint;

  std::variant<Definition, CodecError> decoded;
  read(std::get<Definition>(decoded), reader, zones);
  if (!complaint.message.empty()) decoded = complaint;
  return decoded;
}

}  // namespace

std::variant<Definition, CodecError> decode_definition(std::string_view text, const TimeZones& zones) {
  simdjson::dom::parser parser;
  return decode(parser, text, zones);
}

struct DefinitionDecoder::Parser {
  simdjson::dom::parser parser;
};

DefinitionDecoder::DefinitionDecoder(const TimeZones& zones)
    : zones_(zones), parser_(std::make_unique<Parser>()) {}
DefinitionDecoder::~DefinitionDecoder() = default;

const std::variant<Definition, CodecError>& DefinitionDecoder::decode(std::string_view text) {
  const auto found = decoded_.lower_bound(text);
  if (found != decoded_.end() && found->first == text) return found->second;
  return decoded_.emplace_hint(found, text, tenure::decode(parser_->parser, text, zones_))->second;
}

reference::DeliveryRules decode_rules(std::string_view text) {
  simdjson::dom::parser parser;
  const auto parsed = parse(parser, text);
  CodecError complaint;
  Reader reader(parsed ? Reader::read<object>(*parsed) : std::nullopt, "", complaint);
  reference::DeliveryRules rules;
  rules.overlap = reader.choice<Overlap>("overlap", words::kOverlaps);
  rules.delivery = read_delivery(reader.within("delivery"));
  return complaint.message.empty() ? rules : reference::DeliveryRules{};
}

std::string warning_of(const CodecError& error, ScheduleId schedule, std::uint32_t version) {
  return fmt::format(
      "schedule {}, version {}: this program cannot read its definition ({}); while it leads, the schedule "
      "does not "
      "fire, and all others do; run a program that can, or replace or delete the schedule",
      schedule.value, version, error.message);
}

}  // namespace tenure
