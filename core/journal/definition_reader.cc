#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/journal/definition_codec.h"
#include "core/schedule/schedule_fields.h"

namespace tenure {
namespace {

using simdjson::dom::element;
using simdjson::dom::object;
using When = ScheduleField::Encoding::When;

constexpr std::int64_t kVersion = 1;
constexpr std::int64_t kMicro = kStoreResolution.ns();

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
  template <class Kind>
  Kind get(std::string_view key, std::string_view what) {
    const auto value = find(key);
    const auto given = value ? read<Kind>(*value) : std::nullopt;
    if (value && !given) complain(key, what);
    return given.value_or(Kind{});
  }
  std::int64_t integer(std::string_view key) {
    return get<std::int64_t>(key, "must be a whole number of 64 bits");
  }
  std::uint64_t natural(std::string_view key) {
    return get<std::uint64_t>(key, "must be a whole number of 64 bits without a sign");
  }
  bool flag(std::string_view key) { return get<bool>(key, "must be true or false"); }
  // Good as long as the parser reads nothing else.
  std::string_view text(std::string_view key) { return get<std::string_view>(key, "must be a string"); }
  // Its place among the words.
  std::size_t choice(std::string_view key, std::span<const std::string_view> among) {
    const auto found = std::find(among.begin(), among.end(), text(key));
    if (found != among.end()) return static_cast<std::size_t>(found - among.begin());
    complain(key, fmt::format("must be one of {}", fmt::join(among, ", ")));
    return 0;
  }
  StoreTime time(std::string_view key) {
    const std::int64_t us = integer(key);
    if (us < StoreTime::min().ns() / kMicro || us > StoreTime::max().ns() / kMicro)
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
  if (interval.period.ns() % kMicro != 0) reader.complain("period_us", "is too long");
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
  rule.gap = static_cast<DstGap>(reader.choice("gap", schedule_field("dst_gap").words));
  rule.overlap = static_cast<DstOverlap>(reader.choice("overlap", schedule_field("dst_overlap").words));
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
      if (!us || *us < StoreTime::min().ns() / kMicro || *us > StoreTime::max().ns() / kMicro) {
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

ScheduleField::Value read_value(const ScheduleField& field, Reader& reader) {
  const std::string_view key = field.kept.key;
  switch (field.type) {
    case ScheduleField::Type::flag: return reader.flag(key);
    case ScheduleField::Type::seed: return reader.natural(key);
    case ScheduleField::Type::duration: return reader.duration(key);
    case ScheduleField::Type::instant: return reader.time(key);
    case ScheduleField::Type::choice: return std::string(field.words[reader.choice(key, field.words)]);
    case ScheduleField::Type::count: {
      const std::int64_t count = reader.integer(key);
      if (count < field.min) reader.complain(key, "is out of range");
      return count;
    }
    default: return std::string(reader.text(key));
  }
}

// The fields of one part.
void read_part(std::string_view part, Reader& reader, Definition& definition) {
  for (const ScheduleField& field : schedule_fields())
    if (field.kept.part == part && !field.kept.key.empty() &&
        (field.kept.when != When::if_unusual || reader.has(field.kept.key)))
      field.set(definition, read_value(field, reader));
}

void read_inner_part(std::string_view part, Reader reader, Definition& definition) {
  read_part(part, reader, definition);
  reader.finish();
}

void read(Definition& definition, Reader& reader, const TimeZones& zones) {
  definition.recurrence = read_recurrence(reader, zones);
  if (reader.has("not_before_us")) definition.not_before = reader.time("not_before_us");
  read_part("", reader, definition);
  std::string_view last;
  for (const ScheduleField& field : schedule_fields()) {
    const auto& [part, key, when] = field.kept;
    if (part.empty() || part == last) continue;
    last = part;
    if (when == When::always || reader.has(part)) read_inner_part(part, reader.within(part), definition);
  }
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
  if (complaint.message.empty() && reader.integer("v") != kVersion)
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
  Definition definition{.recurrence = Interval{}};
  const ScheduleField& overlap = schedule_field("overlap");
  overlap.set(definition, read_value(overlap, reader));
  read_inner_part("delivery", reader.within("delivery"), definition);
  return complaint.message.empty() ? reference::rules_of(definition) : reference::DeliveryRules{};
}

std::string warning_of(const CodecError& error, ScheduleId schedule, std::uint32_t version) {
  return fmt::format(
      "schedule {}, version {}: this program cannot read its definition ({}); while it leads, the schedule "
      "does not "
      "fire, and all others do; run a program that can, or replace or delete the schedule",
      schedule.value, version, error.message);
}

}  // namespace tenure
