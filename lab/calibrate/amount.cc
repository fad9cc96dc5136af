#include "lab/calibrate/amount.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/base/int128.h"
#include "format/schema/keys.h"
#include "format/syntax/diagnostic.h"

namespace tenure::lab {
namespace {

constexpr std::size_t kMostDigits = 36;  // all that is kept of a number fits into 128 bits
constexpr std::size_t kShown = 40;

struct Unit {
  std::string_view name;
  std::int64_t ns;
};
constexpr Unit kUnits[] = {
    {"ns", 1},
    {"us", 1'000},
    {"µs", 1'000},
    {"ms", 1'000'000},
    {"s", 1'000'000'000},
    {"m", 60'000'000'000},
    {"min", 60'000'000'000},
    {"h", 3'600'000'000'000},
    {"nanos", 1},
    {"nanosecond", 1},
    {"nanoseconds", 1},
    {"micros", 1'000},
    {"microsecond", 1'000},
    {"microseconds", 1'000},
    {"millis", 1'000'000},
    {"millisecond", 1'000'000},
    {"milliseconds", 1'000'000},
    {"sec", 1'000'000'000},
    {"secs", 1'000'000'000},
    {"second", 1'000'000'000},
    {"seconds", 1'000'000'000},
    {"minutes", 60'000'000'000},
    {"hours", 3'600'000'000'000},
};

bool is_digit(char c) { return '0' <= c && c <= '9'; }

// Digits, at most one point, perhaps an exponent: how many characters of the text; 0 when it begins otherwise.
std::size_t length_of_number(std::string_view text) {
  std::size_t i = 0;
  std::size_t digits = 0;
  bool point = false;
  for (; i < text.size() && (is_digit(text[i]) || (text[i] == '.' && !point)); ++i) {
    point = point || text[i] == '.';
    digits += is_digit(text[i]) ? 1 : 0;
  }
  if (digits == 0) return 0;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    std::size_t j = i + 1;
    if (j < text.size() && (text[j] == '-' || text[j] == '+')) ++j;
    const std::size_t first = j;
    while (j < text.size() && is_digit(text[j])) ++j;
    if (j > first) i = j;
  }
  return i;
}

// A plain number times `scale`, to the nearest whole one; nothing when it is too large.
std::optional<std::int64_t> scaled(std::string_view number, std::int64_t scale) {
  std::string digits;
  std::int64_t shift = 0;  // the value is digits * 10^shift
  bool point = false;
  std::size_t i = 0;
  for (; i < number.size() && number[i] != 'e' && number[i] != 'E'; ++i) {
    if (number[i] == '.') {
      point = true;
      continue;
    }
    const bool kept = digits.size() < kMostDigits - 19;  // what comes after is below any rounding
    if (kept && !(digits.empty() && number[i] == '0')) digits += number[i];
    if (!kept && !point) ++shift;
    if (kept && point) --shift;
  }
  if (i < number.size()) {
    std::string_view exponent = number.substr(i + 1);
    const bool down = exponent.starts_with('-');
    if (down || exponent.starts_with('+')) exponent.remove_prefix(1);
    std::int64_t value = 0;
    for (const char c : exponent) value = std::min<std::int64_t>(value * 10 + (c - '0'), 10'000);
    shift += down ? -value : value;
  }
  if (digits.empty()) return 0;
  int128 value = 0;
  for (const char c : digits) value = value * 10 + (c - '0');
  value *= scale;
  for (; shift > 0; --shift) {
    if (value > INT64_MAX) return std::nullopt;
    value *= 10;
  }
  bool half = false;  // the last digit that was dropped was 5 or more
  for (; shift < 0 && (value > 0 || half); ++shift) {
    half = value % 10 >= 5;
    value /= 10;
  }
  if (half && shift == 0) value += 1;
  if (value > INT64_MAX) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

std::string quoted(std::string_view text) { return fmt::format("`{}`", format::printable(text, kShown)); }

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  while (!text.empty() && kBlank.find(text.front()) != std::string_view::npos) text.remove_prefix(1);
  while (!text.empty() && kBlank.find(text.back()) != std::string_view::npos) text.remove_suffix(1);
  return text;
}

std::optional<std::int64_t> unit_named(std::string_view name) {
  const std::string wanted = lower(name);
  const auto* found = std::find_if(std::begin(kUnits), std::end(kUnits),
                                   [&](const Unit& unit) { return unit.name == wanted; });
  return found == std::end(kUnits) ? std::nullopt : std::optional(found->ns);
}

std::optional<std::int64_t> unit_in_header(std::string_view header) {
  std::string_view text = trimmed(header);
  while (!text.empty() && (text.back() == ')' || text.back() == ']')) text.remove_suffix(1);
  const std::size_t last = text.find_last_of("_ ([./-");
  if (const auto unit = unit_named(last == std::string_view::npos ? text : text.substr(last + 1)))
    return unit;
  // latencyMs: a capital begins the unit.
  const std::size_t capital = text.find_last_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ");
  const bool inside = capital != std::string_view::npos && capital > 0;
  return inside && text.size() - capital > 1 ? unit_named(text.substr(capital)) : std::nullopt;
}

Amount parse_amount(std::string_view raw, std::optional<std::int64_t> unit) {
  std::string_view text = trimmed(raw);
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const std::size_t length = length_of_number(text);
  if (length == 0) return {{}, false, quoted(raw) + " is not a number"};
  const std::string_view suffix = trimmed(text.substr(length));
  std::optional<std::int64_t> ns = unit;
  if (!suffix.empty()) {
    ns = unit_named(suffix);
    if (!ns) return {{}, false, quoted(raw) + " is not a number, nor one with a unit"};
  }
  const std::optional<std::int64_t> value = scaled(text.substr(0, length), ns.value_or(1));
  if (negative && value != 0) return {{}, false, quoted(raw) + " is negative"};
  if (!value || (ns && *value > format::kYearNs)) return {{}, false, quoted(raw) + " is longer than a year"};
  return {Duration::nanos(*value), !ns, {}};
}

std::optional<std::int64_t> parse_scaled(std::string_view raw, std::int64_t scale) {
  const std::string_view text = trimmed(raw);
  if (text.empty() || length_of_number(text) != text.size()) return std::nullopt;
  return scaled(text, scale);
}

}  // namespace tenure::lab
