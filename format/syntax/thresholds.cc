#include "format/syntax/thresholds.h"

#include <fmt/format.h>

#include <string>

namespace tenure::format {
namespace {

constexpr std::string_view kShape = "like \"p90 < 20\": mean, min, max or pN; <, <=, > or >=; a number";
constexpr int kPercentDigits = 4;  // of a percentage
constexpr int kNanoDigits = 9;
constexpr std::int64_t kHundredPercent = 1'000'000;

std::string_view without_blanks(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

}  // namespace

Parsed<sim::Threshold> parse_threshold(std::string_view metric, std::string_view text) {
  using Result = Parsed<sim::Threshold>;
  const auto bad = [&](std::string_view what) {
    return Result::bad(fmt::format("`{}` {}", text.substr(0, 60), what), std::string(kShape));
  };
  const std::size_t at = text.find_first_of("<>");
  if (at == std::string_view::npos) return bad("has no comparison");
  sim::Threshold threshold;
  threshold.metric = std::string(metric);
  threshold.less = text[at] == '<';
  threshold.or_equal = text.substr(at + 1).starts_with('=');

  const std::string_view statistic = without_blanks(text.substr(0, at));
  if (statistic == "mean") {
    threshold.statistic = sim::Threshold::Statistic::mean;
  } else if (statistic == "min") {
    threshold.statistic = sim::Threshold::Statistic::min;
  } else if (statistic == "max") {
    threshold.statistic = sim::Threshold::Statistic::max;
  } else {
    const Parsed<std::int64_t> ppm = statistic.starts_with('p')
                                         ? parse_decimal(statistic.substr(1), kPercentDigits)
                                         : Parsed<std::int64_t>::bad("");
    if (!ppm.value) return bad("has no statistic");
    if (*ppm.value <= 0 || *ppm.value >= kHundredPercent)
      return Result::bad(fmt::format("`{}` is not a percentile", statistic.substr(0, 60)),
                         "above p0 and below p100, like p99.9");
    threshold.statistic = sim::Threshold::Statistic::percentile;
    threshold.percentile_ppm = *ppm.value;
  }
  const std::string_view number = without_blanks(text.substr(at + (threshold.or_equal ? 2 : 1)));
  const Parsed<std::int64_t> bound = parse_decimal(number, kNanoDigits);
  if (!bound.value) return bad("has no number");
  threshold.bound_nano = *bound.value;
  threshold.text = fmt::format("{} {}{} {}", statistic, text[at], threshold.or_equal ? "=" : "", number);
  return Result::ok(std::move(threshold));
}

}  // namespace tenure::format
