#include "adapters/lua/rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "core/schedule/cron_rule.h"
#include "core/schedule/schedule_fields.h"

namespace tenure::lua {
namespace {

std::string_view word_for(std::string_view field, auto value) {
  return schedule_field(field).words[static_cast<std::size_t>(value)];
}
template <class Value>
std::optional<Value> named(std::string_view field, std::string_view text) {
  const auto words = schedule_field(field).words;
  const auto found = std::ranges::find(words, text);
  return found == words.end() ? std::nullopt : std::optional(static_cast<Value>(found - words.begin()));
}

std::int64_t micros(StoreTime time) { return time.ns() / Duration::micros(1).ns(); }

std::optional<StoreTime> instant(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if (value < micros(StoreTime::min()) || value > micros(StoreTime::max())) return std::nullopt;
  return StoreTime::from_ns(Duration::micros(value).ns());
}

// Takes `word` and the space behind it off the front; false: it does not begin so.
bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word) || text.size() <= word.size() || text[word.size()] != ' ') return false;
  text.remove_prefix(word.size() + 1);
  return true;
}

std::vector<std::string_view> split(std::string_view text, std::string_view by) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(by);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + by.size());
  }
}

// Reads the parts one after another, and remembers the first that is none.
class Reader {
 public:
  explicit Reader(const TimeZones& zones) : zones_(zones) {}

  // Empty: it is good.
  std::string first(std::string_view part) {
    if (take(part, "cron")) {
      std::variant<Cron, CronError> parsed = Cron::parse(part);
      if (const auto* error = std::get_if<CronError>(&parsed)) return error->message;
      CronRule rule;
      rule.cron = std::make_shared<const Cron>(std::get<Cron>(std::move(parsed)));
      definition_.recurrence = std::move(rule);
    } else if (take(part, "every")) {
      const Parsed<Duration> period = parse_duration(part);
      if (!period.value) return period.problem;
      if (*period.value <= Duration{} || period.value->ns() % Duration::micros(1).ns() != 0)
        return "a period is above zero, in whole microseconds";
      definition_.recurrence = Interval{StoreTime::from_ns(0), *period.value};
    } else if (take(part, "at")) {
      std::vector<StoreTime> times;
      for (const std::string_view word : split(part, " ")) {
        const auto time = instant(word);
        if (!time || (!times.empty() && *time <= times.back())) return "instants are microseconds, and go up";
        times.push_back(*time);
      }
      definition_.recurrence = Times{std::make_shared<const std::vector<StoreTime>>(std::move(times))};
    } else {
      return "it begins with cron, every or at";
    }
    return {};
  }

  std::string next(std::string_view part) {
    auto* const cron = std::get_if<CronRule>(&definition_.recurrence);
    auto* const interval = std::get_if<Interval>(&definition_.recurrence);
    std::string_view rest = part;
    if (take(rest, "not before")) return bound(rest, definition_.not_before);
    if (take(rest, "until")) return bound(rest, definition_.until);
    if (interval != nullptr && take(rest, "from")) return bound(rest, interval->start);
    if (cron != nullptr) {
      if (const auto gap = named<DstGap>("dst_gap", part)) return cron->gap = *gap, "";
      if (const auto overlap = named<DstOverlap>("dst_overlap", part)) return cron->overlap = *overlap, "";
      if (auto zone = zones_.find(part)) return cron->zone = std::move(zone), "";
    }
    return fmt::format("`{}` is nothing of a rule", part);
  }

  Definition definition() && { return std::move(definition_); }

 private:
  static std::string bound(std::string_view text, StoreTime& place) {
    const auto time = instant(text);
    if (!time) return fmt::format("`{}` is no instant: microseconds since 1970", text);
    place = *time;
    return {};
  }

  const TimeZones& zones_;
  Definition definition_;
};

}  // namespace

std::string print_rule(const Definition& definition) {
  std::string text;
  if (const auto* cron = std::get_if<CronRule>(&definition.recurrence)) {
    text = fmt::format("cron {}; {}; {}; {}", cron->cron->text(), cron->zone->name(),
                       word_for("dst_gap", cron->gap), word_for("dst_overlap", cron->overlap));
  } else if (const auto* interval = std::get_if<Interval>(&definition.recurrence)) {
    text = fmt::format("every {}; from {}", print_duration(interval->period), micros(interval->start));
  } else {
    text = "at";
    for (const StoreTime time : *std::get<Times>(definition.recurrence).at)
      text += fmt::format(" {}", micros(time));
  }
  if (definition.not_before != StoreTime::min())
    text += fmt::format("; not before {}", micros(definition.not_before));
  if (definition.until != StoreTime::max()) text += fmt::format("; until {}", micros(definition.until));
  return text;
}

Parsed<Definition> read_rule(std::string_view text, const TimeZones& zones) {
  Reader reader(zones);
  const std::vector<std::string_view> parts = split(text, "; ");
  std::string problem = reader.first(parts.front());
  for (std::size_t i = 1; i < parts.size() && problem.empty(); ++i) problem = reader.next(parts[i]);
  if (!problem.empty()) return Parsed<Definition>::bad(std::move(problem));
  return Parsed<Definition>::ok(std::move(reader).definition());
}

}  // namespace tenure::lua
