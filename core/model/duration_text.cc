#include "core/model/duration_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/int128.h"

namespace tenure {
namespace {

constexpr std::string_view kUnitHelp = "units are h, m, s, ms, us and ns: \"1h30m\", \"1.5s\", \"200ms\"";

struct Unit {
  std::string_view name;
  std::int64_t ns;
  int digits;  // decimals that the unit has room for; hours and minutes need more care, see below
};
constexpr std::array<Unit, 6> kUnits = {{{"h", 3'600'000'000'000, 9},
                                         {"m", 60'000'000'000, 9},
                                         {"s", 1'000'000'000, 9},
                                         {"ms", 1'000'000, 6},
                                         {"us", 1'000, 3},
                                         {"ns", 1, 0}}};

bool is_digit(char c) { return '0' <= c && c <= '9'; }
bool is_letter(char c) { return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z'); }

std::string in_backticks(std::string_view text) { return fmt::format("`{}`", text.substr(0, 60)); }

std::string_view take_while(std::string_view& rest, bool (*wanted)(char)) {
  const auto end = std::find_if_not(rest.begin(), rest.end(), wanted);
  const auto length = static_cast<std::size_t>(end - rest.begin());
  const std::string_view taken = rest.substr(0, length);
  rest.remove_prefix(length);
  return taken;
}

constexpr std::int64_t power_of_ten(int digits) {
  std::int64_t result = 1;
  for (int i = 0; i < digits; ++i) result *= 10;
  return result;
}

// whole.fraction of a unit in nanoseconds; nullopt when that is not a whole number or does not fit.
std::optional<int128> in_nanos(std::string_view whole, std::string_view fraction, std::int64_t unit_ns) {
  if (whole.size() > 18 || fraction.size() > 18) return std::nullopt;
  int128 value = 0;
  for (const char c : whole) value = value * 10 + (c - '0');
  value *= unit_ns;
  int128 part = 0;
  for (const char c : fraction) part = part * 10 + (c - '0');
  part *= unit_ns;
  const int128 scale = power_of_ten(static_cast<int>(fraction.size()));
  if (part % scale != 0) return std::nullopt;
  return value + part / scale;
}

}  // namespace

Parsed<Duration> parse_duration(std::string_view text) {
  using Result = Parsed<Duration>;
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative) rest.remove_prefix(1);
  if (rest.empty()) return Result::bad("a duration is empty", std::string(kUnitHelp));
  if (const std::size_t dots = text.find(".."); dots != std::string_view::npos)
    if (parse_duration(text.substr(0, dots)).value && parse_duration(text.substr(dots + 2)).value)
      return Result::bad(in_backticks(text) + " is a range, and this takes one duration",
                         fmt::format("like \"{}\"", text.substr(0, dots)));

  int128 total = 0;
  std::size_t next_unit = 0;
  while (!rest.empty()) {
    const std::string_view whole = take_while(rest, is_digit);
    std::string_view fraction;
    if (rest.starts_with('.')) {
      rest.remove_prefix(1);
      fraction = take_while(rest, is_digit);
      if (fraction.empty())
        return Result::bad(in_backticks(text) + " is not a duration", std::string(kUnitHelp));
    }
    if (whole.empty()) return Result::bad(in_backticks(text) + " is not a duration", std::string(kUnitHelp));
    const std::string_view name = take_while(rest, is_letter);
    if (name.empty()) {
      if (rest.empty() && next_unit == 0)
        return Result::bad(in_backticks(text) + " has no unit", fmt::format("did you mean `{}s`?", text));
      return Result::bad(in_backticks(text) + " is not a duration", std::string(kUnitHelp));
    }
    const auto unit =
        std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& u) { return u.name == name; });
    if (unit == kUnits.end())
      return Result::bad(fmt::format("unknown unit {} in {}", in_backticks(name), in_backticks(text)),
                         std::string(kUnitHelp));
    const auto index = static_cast<std::size_t>(unit - kUnits.begin());
    if (index < next_unit)
      return Result::bad("units in " + in_backticks(text) + " must go from large to small");
    next_unit = index + 1;
    const std::optional<int128> ns = in_nanos(whole, fraction, unit->ns);
    if (!ns)
      return Result::bad(in_backticks(text) +
                         (whole.size() > 18 ? " is too long a time" : " is finer than a nanosecond"));
    total += *ns;
    if (total > INT64_MAX)
      return Result::bad(in_backticks(text) + " is too long a time", "the limit is 292 years");
  }
  const auto ns = static_cast<std::int64_t>(total);
  return Result::ok(Duration::nanos(negative ? -ns : ns));
}

std::string print_duration(Duration duration) {
  if (duration == Duration{}) return "0s";
  const bool negative = duration < Duration{};
  // INT64_MIN has no positive twin, so the magnitude is unsigned.
  std::uint64_t left =
      negative ? 0 - static_cast<std::uint64_t>(duration.ns()) : static_cast<std::uint64_t>(duration.ns());
  std::string text = negative ? "-" : "";
  bool begun = false;
  for (const Unit& unit : kUnits) {
    const auto ns = static_cast<std::uint64_t>(unit.ns);
    // After hours or minutes the rest is in seconds, even when it is less than one: "1m0.215s".
    if (left < ns && !(begun && unit.ns == kUnits[2].ns)) continue;
    begun = true;
    const bool takes_fraction = unit.ns <= kUnits[2].ns;
    text += fmt::format("{}", left / ns);
    left %= ns;
    if (takes_fraction && left != 0) {
      std::string fraction = fmt::format("{:0{}}", left, unit.digits);
      fraction.erase(fraction.find_last_not_of('0') + 1);
      text += "." + fraction;
      left = 0;
    }
    text += unit.name;
    if (left == 0) break;
  }
  return text;
}

}  // namespace tenure
