#include "cli/reports/svg/distribution_svg.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/reports/svg/svg.h"
#include "cli/reports/text/text_format.h"

namespace tenure::cli {
namespace {

constexpr std::size_t kStepsMax = 400;

double in_units(std::int64_t nano) { return static_cast<double>(nano) / 1e9; }

// Each value with the share of samples that are at most that; of many, some, and the last in any case.
std::vector<SvgPoint> steps_of(const std::vector<Duration>& values) {
  const std::size_t stride = values.size() / kStepsMax + 1;
  std::vector<SvgPoint> line = {{in_units(values.front().ns()), 0}};
  std::size_t drawn = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool last = i + 1 == values.size();
    if (!last && (values[i + 1] == values[i] || (drawn > 0 && i + 1 < drawn + stride))) continue;
    drawn = i + 1;
    const double x = in_units(values[i].ns());
    line.push_back({x, line.back().y});
    line.push_back({x, 100.0 * static_cast<double>(i + 1) / static_cast<double>(values.size())});
  }
  return line;
}

}  // namespace

std::string words_of(std::string_view metric) {
  std::string words(metric.ends_with("_seconds") ? metric.substr(0, metric.size() - 8) : metric);
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

std::string distribution_svg(const sim::MetricName& metric, const sim::Samples& samples,
                             const std::vector<sim::Threshold>& thresholds) {
  std::vector<Duration> values = samples.values();
  std::sort(values.begin(), values.end());
  std::vector<const sim::Threshold*> demanded;
  for (const sim::Threshold& threshold : thresholds)
    if (threshold.metric == metric.name) demanded.push_back(&threshold);
  double low = in_units(values.front().ns());
  double high = in_units(values.back().ns());
  for (const sim::Threshold* threshold : demanded) {
    low = std::min(low, in_units(threshold->bound_nano));
    high = std::max(high, in_units(threshold->bound_nano));
  }
  SvgPanel panel({low, 0}, {high, 100});
  const std::string words = words_of(metric.name);
  panel.titles(fmt::format("{}: {}", words, counted(values.size(), "sample")),
               words + (metric.unit == sim::MetricName::Unit::seconds ? ", seconds" : ""),
               "% of samples at most so much");
  panel.line(steps_of(values), kSvgBlue, false);
  double height = 24;
  for (const sim::Threshold* threshold : demanded) {
    const double x = in_units(threshold->bound_nano);
    panel.line({{x, 0}, {x, 100}}, kSvgRed, true);
    panel.label({x, height}, threshold->text, true);
    height += 10;
  }
  const Duration median = samples.percentile(500'000);
  const std::string median_text = fmt::format("median {}", metric_value(median.ns(), metric.unit));
  panel.mark({in_units(median.ns()), 50}, SvgMark::dot, kSvgBlue, median_text);
  panel.label({in_units(median.ns()), 50}, median_text, true);
  return svg_document({panel}, words + ": the table has the same");
}

std::string two_distributions_svg(std::string_view words, std::string_view unit, std::vector<Duration> live,
                                  std::vector<Duration> simulated) {
  std::sort(live.begin(), live.end());
  std::sort(simulated.begin(), simulated.end());
  SvgPanel panel({in_units(std::min(live.front(), simulated.front()).ns()), 0},
                 {in_units(std::max(live.back(), simulated.back()).ns()), 100});
  panel.titles(fmt::format("{}: {} live, {} simulated", words, live.size(), simulated.size()),
               fmt::format("{}{}", words, unit), "% of samples at most so much");
  panel.line(steps_of(simulated), kSvgBlue, true);
  panel.line(steps_of(live), kSvgRed, false);
  panel.legend_line(kSvgRed, false, "live");
  panel.legend_line(kSvgBlue, true, "simulated");
  return svg_document({panel}, fmt::format("{}: the table has the same", words));
}

}  // namespace tenure::cli
