#include "cli/reports/text/text_format.h"

#include <fmt/format.h>

#include <algorithm>

#include "format/syntax/units.h"

namespace tenure::cli {
namespace {

constexpr std::int64_t kMilli = 1'000'000;
constexpr std::int64_t kNanosOfOne = 1'000'000'000;

Duration to_millis(Duration duration) { return duration - Duration::nanos(duration.ns() % kMilli); }

}  // namespace

std::string short_duration(Duration duration) {
  const bool tiny = -Duration::millis(1) < duration && duration < Duration::millis(1);
  return print_duration(tiny ? duration : to_millis(duration));
}

std::string short_seconds(Duration duration) { return format::print_decimal(to_millis(duration).ns(), 9); }

std::string column_time(sim::TrueTime time) {
  const std::int64_t millis = time.ns() / kMilli;
  const std::int64_t minutes = millis / 60'000;
  if (minutes < 60) return fmt::format("{}m{:02}.{:03}", minutes, millis / 1000 % 60, millis % 1000);
  return fmt::format("{}h{:02}m{:02}.{:03}", minutes / 60, minutes % 60, millis / 1000 % 60, millis % 1000);
}

std::string metric_value(std::int64_t nano, sim::MetricName::Unit unit) {
  switch (unit) {
    case sim::MetricName::Unit::seconds: return short_duration(Duration::nanos(nano));
    case sim::MetricName::Unit::per_second: return short_seconds(Duration::nanos(nano)) + "/s";
    case sim::MetricName::Unit::count: break;
  }
  if (nano % kNanosOfOne != 0 || nano < 0) return short_seconds(Duration::nanos(nano));
  return format::print_thousands(static_cast<std::uint64_t>(nano / kNanosOfOne));
}

std::string shell_quoted(std::string_view text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./-_";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos) return std::string(text);
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string shell_sets(const std::vector<format::Override>& sets, bool with_seed) {
  std::string text;
  for (const format::Override& set : sets)
    if (with_seed || set.key != "sim.seed") text += " --set " + shell_quoted(set.key + "=" + set.value);
  return text;
}

std::string row(std::string_view label, std::string_view text) {
  return fmt::format("  {:<12}{}\n", label, text);
}

std::string counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", format::print_thousands(count), what, count == 1 ? "" : "s");
}

std::string Table::text(std::string_view indent) const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line(indent);
    for (std::size_t i = 0; i < row.size(); ++i)
      line += i < to_the_left_ ? fmt::format("  {:<{}}", row[i], widths[i])
                               : fmt::format("  {:>{}}", row[i], widths[i]);
    while (line.ends_with(' ')) line.pop_back();
    text += line + "\n";
  }
  return text;
}

}  // namespace tenure::cli
