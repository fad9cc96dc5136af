#include "daemon/api/body_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/store/reference/problems.h"
#include "format/syntax/diagnostic.h"
#include "format/syntax/suggest.h"
#include "format/syntax/units.h"

namespace tenure::daemon {
namespace {

constexpr std::size_t kShown = 60;

std::string escaped(std::string_view key) {
  std::string pointer;
  for (const char c : key) {
    if (c == '~')
      pointer += "~0";
    else if (c == '/')
      pointer += "~1";
    else
      pointer += c;
  }
  return pointer;
}

std::string shown(const Json& value) { return format::printable(dump(value), kShown); }

}  // namespace

BodyReader::BodyReader(const Json& object, std::string pointer, std::vector<FieldError>& errors)
    : object_(object), pointer_(std::move(pointer)), errors_(errors) {
  if (!object_.is_object()) complain_at(pointer_, "must be an object");
}

std::string BodyReader::pointer_to(std::string_view key) const { return pointer_ + "/" + escaped(key); }

void BodyReader::complain_at(std::string pointer, std::string message, std::string hint) {
  errors_.push_back(
      {.pointer = std::move(pointer), .message = std::move(message), .hint = std::move(hint), .text = {}});
}

void BodyReader::complain(std::string_view key, std::string message, std::string hint) {
  complain_at(pointer_to(key), std::move(message), std::move(hint));
}

void BodyReader::complain_within(std::string_view key, const std::string& text, std::size_t at,
                                 std::size_t length, std::string message, std::string hint) {
  const std::string_view whole(text);
  const std::string_view part = whole.substr(std::min(at, whole.size()), length);
  errors_.push_back({.pointer = pointer_to(key),
                     .message = std::move(message),
                     .hint = std::move(hint),
                     .text = format::printable(text, text.size()),
                     .at = format::character_count(whole.substr(0, at)),
                     .length = std::max<std::size_t>(1, format::character_count(part))});
}

const Json* BodyReader::find(std::string_view key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.push_back(key);
  return has(key) ? &object_.at(std::string(key)) : nullptr;
}

std::optional<std::string> BodyReader::text(std::string_view key) {
  const Json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->is_string()) return value->get<std::string>();
  complain(key, fmt::format("must be a text, and is {}", shown(*value)));
  return std::nullopt;
}

std::optional<std::string> BodyReader::kept_text(std::string_view key, std::size_t bytes) {
  auto given = text(key);
  if (!given) return std::nullopt;
  reference::Problems problems;
  problems.check_text("it", *given, bytes);
  std::string problem = problems.take();
  if (problem.empty()) return given;
  complain(key, std::move(problem));
  return std::nullopt;
}

std::optional<bool> BodyReader::flag(std::string_view key) {
  const Json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->is_boolean()) return value->get<bool>();
  complain(key, fmt::format("must be true or false, and is {}", shown(*value)));
  return std::nullopt;
}

std::optional<std::int64_t> BodyReader::whole_number(std::string_view key, std::int64_t min,
                                                     std::int64_t max) {
  const Json* value = find(key);
  if (value == nullptr) return std::nullopt;
  const bool fits =
      value->is_number_integer() && !(value->is_number_unsigned() && value->get<std::uint64_t>() > INT64_MAX);
  if (fits && value->get<std::int64_t>() >= min && value->get<std::int64_t>() <= max)
    return value->get<std::int64_t>();
  complain(key, fmt::format("must be a whole number from {} to {}, and is {}", min, max, shown(*value)));
  return std::nullopt;
}

std::optional<Duration> BodyReader::duration(std::string_view key, Duration min, Duration max) {
  const auto given = text(key);
  if (!given) return std::nullopt;
  const Parsed<Duration> parsed = parse_duration(*given);
  if (!parsed.value) {
    complain(key, parsed.problem, parsed.hint);
    return std::nullopt;
  }
  return bounded(key, *parsed.value, *given, min, max);
}

std::optional<Duration> BodyReader::bounded(std::string_view key, Duration value, const std::string& given,
                                            Duration min, Duration max) {
  if (value >= min && value <= max) return value;
  complain(key, fmt::format("must be from {} to {}, and is {}", print_duration(min), print_duration(max),
                            format::printable(given, kShown)));
  return std::nullopt;
}

std::optional<StoreTime> BodyReader::instant_of(const std::string& pointer, const Json& value) {
  if (!value.is_string()) {
    complain_at(pointer, fmt::format("must be a time, and is {}", shown(value)), "\"2026-01-01T00:00:00Z\"");
    return std::nullopt;
  }
  const Parsed<std::int64_t> parsed = format::parse_instant(value.get<std::string>());
  if (!parsed.value) {
    complain_at(pointer, parsed.problem, parsed.hint);
  } else if (*parsed.value % 1'000 != 0) {
    complain_at(pointer, "must be in whole microseconds", "a store keeps no more");
  } else {
    return StoreTime::from_ns(*parsed.value);
  }
  return std::nullopt;
}

std::optional<StoreTime> BodyReader::instant(std::string_view key) {
  const Json* value = find(key);
  return value == nullptr ? std::nullopt : instant_of(pointer_to(key), *value);
}

std::optional<std::vector<StoreTime>> BodyReader::instants(std::string_view key, std::size_t max) {
  const Json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_array() || value->empty() || value->size() > max) {
    complain(key, fmt::format("must be a list of 1 to {} times", max));
    return std::nullopt;
  }
  std::vector<StoreTime> times;
  for (std::size_t i = 0; i < value->size(); ++i)
    if (const auto time = instant_of(fmt::format("{}/{}", pointer_to(key), i), value->at(i)))
      times.push_back(*time);
  if (times.size() < value->size()) return std::nullopt;
  std::sort(times.begin(), times.end());
  if (std::adjacent_find(times.begin(), times.end()) == times.end()) return times;
  complain(key, "has one time twice", "a slot fires once");
  return std::nullopt;
}

std::optional<std::vector<std::string>> BodyReader::texts(std::string_view key, std::size_t max) {
  const Json* value = find(key);
  if (value == nullptr) return std::nullopt;
  const bool fits =
      value->is_array() && value->size() <= max &&
      std::all_of(value->begin(), value->end(), [](const Json& one) { return one.is_string(); });
  if (fits) return value->get<std::vector<std::string>>();
  complain(key, fmt::format("must be a list of at most {} texts", max));
  return std::nullopt;
}

std::optional<std::size_t> BodyReader::choice(std::string_view key, std::span<const std::string_view> words) {
  const auto given = text(key);
  if (!given) return std::nullopt;
  const auto found = std::find(words.begin(), words.end(), *given);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  complain(key, fmt::format("`{}` is not known", format::printable(*given, kShown)),
           format::suggestion(*given, words));
  return std::nullopt;
}

void BodyReader::finish() {
  if (!object_.is_object()) return;
  for (const auto& [key, value] : object_.items())
    if (std::find(known_.begin(), known_.end(), key) == known_.end())
      complain(key, fmt::format("unknown key `{}`", format::printable(key, kShown)),
               format::suggestion(key, known_));
}

}  // namespace tenure::daemon
