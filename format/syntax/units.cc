#include "format/syntax/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/int128.h"

namespace tenure::sim {
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

namespace {

// Splits "a..b"; both halves are the whole text when there is no "..".
std::pair<std::string_view, std::string_view> ends_of(std::string_view text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) return {text, text};
  return {text.substr(0, dots), text.substr(dots + 2)};
}

template <class T, class ParseOne>
Parsed<Range<T>> parse_range(std::string_view text, ParseOne parse_one) {
  using Result = Parsed<Range<T>>;
  const std::pair<std::string_view, std::string_view> ends = ends_of(text);
  const Parsed<T> low = parse_one(ends.first);
  if (!low.value) return Result::bad(low.problem, low.hint);
  const Parsed<T> high = parse_one(ends.second);
  if (!high.value) return Result::bad(high.problem, high.hint);
  if (*low.value > *high.value)
    return Result::bad("the range " + in_backticks(text) + " is upside down",
                       fmt::format("did you mean `{}..{}`?", ends.second, ends.first));
  return Result::ok(Range<T>{*low.value, *high.value});
}

Parsed<std::int64_t> parse_integer(std::string_view text) { return parse_decimal(text, 0); }

}  // namespace

Parsed<Range<Duration>> parse_duration_range(std::string_view text) {
  return parse_range<Duration>(text, parse_duration);
}

std::string print_duration_range(const Range<Duration>& range) {
  if (range.low == range.high) return print_duration(range.low);
  return print_duration(range.low) + ".." + print_duration(range.high);
}

Parsed<Range<std::int64_t>> parse_integer_range(std::string_view text) {
  return parse_range<std::int64_t>(text, parse_integer);
}

std::string print_integer_range(const Range<std::int64_t>& range) {
  if (range.low == range.high) return fmt::format("{}", range.low);
  return fmt::format("{}..{}", range.low, range.high);
}

Parsed<std::int64_t> parse_decimal(std::string_view text, int digits) {
  using Result = Parsed<std::int64_t>;
  const auto bad = [&] { return Result::bad(in_backticks(text) + " is not a number"); };
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (rest.starts_with('-') || rest.starts_with('+')) rest.remove_prefix(1);

  std::string mantissa;  // digits without the point
  int shift = digits;    // the value is mantissa * 10^shift, once the point and the exponent are in
  bool point = false;
  bool any = false;
  while (!rest.empty() && rest.front() != 'e' && rest.front() != 'E') {
    const char c = rest.front();
    rest.remove_prefix(1);
    if (c == '_' && any) continue;
    if (c == '.' && !point) {
      point = true;
      continue;
    }
    if (!is_digit(c)) return bad();
    any = true;
    if (point) --shift;
    if (mantissa.empty() && c == '0') continue;  // leading zeros carry nothing
    mantissa += c;
    if (mantissa.size() > 40) return Result::bad(in_backticks(text) + " has too many digits");
  }
  if (!any) return bad();
  if (!rest.empty()) {
    rest.remove_prefix(1);
    const bool down = rest.starts_with('-');
    if (rest.starts_with('-') || rest.starts_with('+')) rest.remove_prefix(1);
    if (rest.empty() || rest.size() > 4 || !std::all_of(rest.begin(), rest.end(), is_digit)) return bad();
    int exponent = 0;
    for (const char c : rest) exponent = exponent * 10 + (c - '0');
    shift += down ? -exponent : exponent;
  }
  while (!mantissa.empty() && mantissa.back() == '0') {
    mantissa.pop_back();
    ++shift;
  }
  if (mantissa.empty()) return Result::ok(0);
  if (shift < 0)
    return Result::bad(digits == 0 ? in_backticks(text) + " is not a whole number"
                                   : fmt::format("{} has more than {} decimals", in_backticks(text), digits));
  if (shift > 19 || mantissa.size() + static_cast<std::size_t>(shift) > 19)
    return Result::bad(in_backticks(text) + " is too large a number");
  int128 value = 0;
  for (const char c : mantissa) value = value * 10 + (c - '0');
  for (int i = 0; i < shift; ++i) value *= 10;
  if (value > INT64_MAX) return Result::bad(in_backticks(text) + " is too large a number");
  const auto magnitude = static_cast<std::int64_t>(value);
  return Result::ok(negative ? -magnitude : magnitude);
}

std::string print_decimal(std::int64_t value, int digits) {
  const bool negative = value < 0;
  const std::uint64_t magnitude =
      negative ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  std::string text = fmt::format("{:0{}}", magnitude, digits + 1);
  if (digits > 0) {
    text.insert(text.size() - static_cast<std::size_t>(digits), ".");
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return negative ? "-" + text : text;
}

std::string print_thousands(std::uint64_t value) {
  std::string text = fmt::format("{}", value);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

}  // namespace tenure::sim
