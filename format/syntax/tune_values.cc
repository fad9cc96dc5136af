#include "format/syntax/tune_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/base/int128.h"
#include "format/syntax/diagnostic.h"
#include "format/syntax/suggest.h"
#include "sim/scenario/names.h"

namespace tenure::format {
namespace {

constexpr int kMicroDigits = 6;
constexpr int kPpmDigits = 4;  // of a percentage
constexpr std::int64_t kWhole = 1'000'000;

std::vector<std::string_view> measured_names() {
  std::vector<std::string_view> names;
  for (const sim::MetricName& metric : sim::kMetricNames) names.push_back(metric.name);
  for (const TuneRateName& rate : kTuneRateNames) names.push_back(rate.name);
  return names;
}

bool has_many_samples(std::string_view metric) {
  return std::any_of(
      std::begin(sim::kMetricNames), std::end(sim::kMetricNames),
      [&](const sim::MetricName& known) { return known.name == metric && known.distribution; });
}

}  // namespace

std::string_view name_of(TuneSetting::Search search) {
  switch (search) {
    case TuneSetting::Search::grid: return "grid";
    case TuneSetting::Search::halton: return "halton";
    case TuneSetting::Search::halving: return "halving";
  }
  return "";
}

std::string print_tune_value(TuneType type, std::int64_t value) {
  switch (type) {
    case TuneType::duration: return print_duration(Duration::nanos(value));
    case TuneType::boolean: return value != 0 ? "true" : "false";
    case TuneType::number: break;
  }
  return fmt::format("{}", value);
}

std::string quote_tune_value(TuneType type, std::int64_t value) {
  const std::string text = print_tune_value(type, value);
  return type == TuneType::duration ? fmt::format("\"{}\"", text) : text;
}

Parsed<TuneMeasure> parse_measure(std::string_view text) {
  using Result = Parsed<TuneMeasure>;
  using Statistic = TuneMeasure::Statistic;
  TuneMeasure measure;
  const std::size_t dot = text.find('.');
  measure.metric = std::string(text.substr(0, dot));
  const std::vector<std::string_view> known = measured_names();
  if (std::find(known.begin(), known.end(), measure.metric) == known.end())
    return Result::bad(fmt::format("unknown metric `{}`", printable(measure.metric, 60)),
                       suggestion(measure.metric, known));
  const std::string_view statistic = dot == std::string_view::npos ? "" : text.substr(dot + 1);
  if (statistic.empty() && has_many_samples(measure.metric))
    return Result::bad(
        fmt::format("`{}` has many samples a run: say which statistic of them", measure.metric),
        fmt::format("like {}.p99 or {}.mean", measure.metric, measure.metric));
  if (statistic == "min") {
    measure.statistic = Statistic::min;
  } else if (statistic == "max") {
    measure.statistic = Statistic::max;
  } else if (statistic.starts_with('p')) {
    const Parsed<std::int64_t> ppm = parse_decimal(statistic.substr(1), kPpmDigits);
    if (!ppm.value || *ppm.value <= 0 || *ppm.value >= kWhole)
      return Result::bad(fmt::format("`{}` is not a percentile", printable(statistic, 60)),
                         "above p0 and below p100, like p99.9");
    measure.statistic = Statistic::percentile;
    measure.percentile_ppm = *ppm.value;
  } else if (!statistic.empty() && statistic != "mean") {
    return Result::bad(fmt::format("unknown statistic `{}`", printable(statistic, 60)),
                       "mean, min, max or pN");
  }
  measure.text = fmt::format("{}.{}", measure.metric, statistic.empty() ? "mean" : statistic);
  if (!has_many_samples(measure.metric) && measure.statistic == Statistic::mean)
    measure.text = measure.metric;
  return Result::ok(std::move(measure));
}

Parsed<std::int64_t> parse_frequency(std::string_view text) {
  using Result = Parsed<std::int64_t>;
  constexpr std::string_view kHint =
      "like \"2 a month\": a number, then an hour, a day, a week, a month or a year";
  struct Period {
    std::string_view name;
    std::int64_t times;  // in …
    std::int64_t days;   // … so many days
  };
  constexpr Period kPeriods[] = {
      {"hour", 24, 1}, {"day", 1, 1}, {"week", 1, 7}, {"month", 1, 30}, {"year", 1, 365}};
  const auto bad = [&] {
    return Result::bad(fmt::format("`{}` does not say how often", printable(text, 60)), std::string(kHint));
  };
  const std::size_t space = text.find(' ');
  if (space == std::string_view::npos) return bad();
  const Parsed<std::int64_t> count = parse_decimal(text.substr(0, space), kMicroDigits);
  std::string_view rest = text.substr(space + 1);
  for (const std::string_view word : {"per ", "an ", "a "})
    if (rest.starts_with(word)) {
      rest.remove_prefix(word.size());
      break;
    }
  const auto* period =
      std::find_if(std::begin(kPeriods), std::end(kPeriods), [&](const Period& p) { return p.name == rest; });
  if (!count.value || period == std::end(kPeriods)) return bad();
  if (*count.value < 0) return Result::bad("nothing happens less than never", std::string(kHint));
  return Result::ok(mul_div_floor(*count.value, period->times * 30, period->days));
}

}  // namespace tenure::format
