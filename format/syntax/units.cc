#include "format/syntax/units.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/int128.h"

namespace tenure::format {
namespace {

bool is_digit(char c) { return '0' <= c && c <= '9'; }

std::string in_backticks(std::string_view text) { return fmt::format("`{}`", text.substr(0, 60)); }

// Splits "a..b"; both halves are the whole text when there is no "..".
std::pair<std::string_view, std::string_view> ends_of(std::string_view text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) return {text, text};
  return {text.substr(0, dots), text.substr(dots + 2)};
}

template <class T, class ParseOne>
Parsed<sim::Range<T>> parse_range(std::string_view text, ParseOne parse_one) {
  using Result = Parsed<sim::Range<T>>;
  const std::pair<std::string_view, std::string_view> ends = ends_of(text);
  const Parsed<T> low = parse_one(ends.first);
  if (!low.value) return Result::bad(low.problem, low.hint);
  const Parsed<T> high = parse_one(ends.second);
  if (!high.value) return Result::bad(high.problem, high.hint);
  if (*low.value > *high.value)
    return Result::bad("the range " + in_backticks(text) + " is upside down",
                       fmt::format("did you mean `{}..{}`?", ends.second, ends.first));
  return Result::ok(sim::Range<T>{*low.value, *high.value});
}

Parsed<std::int64_t> parse_integer(std::string_view text) { return parse_decimal(text, 0); }

}  // namespace

Parsed<sim::Range<Duration>> parse_duration_range(std::string_view text) {
  return parse_range<Duration>(text, parse_duration);
}

std::string print_duration_range(const sim::Range<Duration>& range) {
  if (range.low == range.high) return print_duration(range.low);
  return print_duration(range.low) + ".." + print_duration(range.high);
}

Parsed<sim::Range<std::int64_t>> parse_integer_range(std::string_view text) {
  return parse_range<std::int64_t>(text, parse_integer);
}

std::string print_integer_range(const sim::Range<std::int64_t>& range) {
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

}  // namespace tenure::format
