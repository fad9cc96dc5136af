#include "lab/compare/price.h"

#include <fmt/format.h>

#include "core/base/int128.h"
#include "format/syntax/diagnostic.h"
#include "format/syntax/suggest.h"
#include "format/syntax/tune_values.h"
#include "format/syntax/units.h"

namespace tenure::lab {
namespace {

constexpr std::string_view kFailover = "failover_p99";
constexpr std::string_view kRequests = "requests";
constexpr std::int64_t kP99 = 990'000;
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kMostRequests = 1'000'000'000;
constexpr std::int64_t kHour = 3'600;  // seconds
constexpr std::size_t kPriceShown = 60;

format::TuneMeasure measure_of(Price::Kind kind) {
  if (kind == Price::Kind::requests)
    return {.metric = "store_requests_per_second", .text = "store_requests_per_second"};
  return {.metric = "failover_seconds",
          .statistic = format::TuneMeasure::Statistic::percentile,
          .percentile_ppm = kP99,
          .text = "failover_seconds.p99"};
}

// By rule 2.
std::int64_t scaled_duration(std::int64_t own, Factor factor) {
  const std::int64_t exact = mul_div_floor(own, factor.of, factor.in);
  if (own % kSecond == 0 && exact >= 2 * kSecond) return (exact + kSecond / 2) / kSecond * kSecond;
  std::int64_t unit = 1;
  while (exact / unit >= 100) unit *= 10;
  return exact / unit * unit;
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  constexpr std::size_t kMostDigits = 10;
  if (text.empty() || text.size() > kMostDigits) return std::nullopt;
  std::int64_t number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + (c - '0');
  }
  return number;
}

}  // namespace

ReadPrice read_price(std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  const std::string_view value = equals == std::string_view::npos ? "" : text.substr(equals + 1);
  const std::string shown = format::printable(text, kPriceShown);
  if (name == kFailover) {
    const Parsed<Duration> most = parse_duration(value);
    if (most.value && *most.value > Duration{})
      return {Price{Price::Kind::failover_p99, most.value->ns(), std::string(text)}};
    return {std::nullopt, fmt::format("`{}` has no duration", shown), "like failover_p99=20s"};
  }
  if (name == kRequests) {
    const std::optional<std::int64_t> most = whole_number(value);
    if (most && *most > 0 && *most <= kMostRequests)
      return {Price{Price::Kind::requests, *most, std::string(text)}};
    return {std::nullopt, fmt::format("`{}` has no number of requests in an hour", shown),
            "like requests=2000"};
  }
  constexpr std::string_view kNames[] = {kFailover, kRequests};
  const std::string close = format::suggestion(name, kNames);
  return {std::nullopt, fmt::format("`{}` is no price", shown),
          close.empty() ? "failover_p99=20s, or requests=2000, of the store in an hour" : close};
}

format::TuneSetting tuning_to(const Price& price, std::uint64_t seeds) {
  format::TuneSetting tune;
  tune.search = format::TuneSetting::Search::grid;
  tune.seeds = static_cast<std::int64_t>(seeds);
  tune.objectives.push_back({measure_of(price.kind), {}});
  return tune;
}

std::vector<Factor> powers_of_two(Price::Kind kind, bool dearer) {
  constexpr std::int64_t kWidest = 32;
  std::vector<Factor> factors;
  // Longer times make failovers dearer, and requests cheaper.
  const bool longer = dearer == (kind == Price::Kind::failover_p99);
  for (std::int64_t by = 2; by <= kWidest; by *= 2) factors.push_back(longer ? Factor{by, 1} : Factor{1, by});
  return factors;
}

std::vector<Factor> narrow_factors(Price::Kind kind, Factor cheap_enough) {
  constexpr std::int64_t kSteps = 16;
  std::vector<Factor> factors;
  for (std::int64_t step = 1; step < kSteps; ++step)
    if (kind == Price::Kind::failover_p99)
      factors.push_back({cheap_enough.of * (kSteps + step), cheap_enough.in * kSteps});
    else
      factors.push_back({cheap_enough.of * (2 * kSteps - step), cheap_enough.in * 2 * kSteps});
  return factors;
}

std::vector<format::Override> scaled(const Parameters& own, Factor factor) {
  std::vector<format::Override> overrides;
  const std::span<const ParameterSpec> specs = own.specs();
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const std::int64_t value = own.value(static_cast<int>(i));
    if (specs[i].type != ParameterSpec::Type::duration || value == 0) continue;
    overrides.push_back(
        {fmt::format("{}{}", format::kTuneElection, specs[i].name),
         format::print_tune_value(format::TuneType::duration, scaled_duration(value, factor))});
  }
  return overrides;
}

std::optional<std::int64_t> cost_of(const Price& price, const Tuning& tuning, std::size_t setting) {
  const Estimate estimate = tuning.outcome(setting).estimate(measure_of(price.kind));
  if (!estimate.known) return std::nullopt;
  return price.kind == Price::Kind::requests ? mul_div_ceil(estimate.value, kHour, kSecond) : estimate.value;
}

bool pays(const Price& price, std::int64_t cost) {
  return cost <= price.most && cost >= mul_div_ceil(price.most, kLeastPaidPercent, 100);
}

std::string amount_in_words(Price::Kind kind, std::int64_t amount) {
  constexpr std::int64_t kMilli = 1'000'000;
  return kind == Price::Kind::requests ? format::print_thousands(static_cast<std::uint64_t>(amount))
                                       : print_duration(Duration::nanos(amount / kMilli * kMilli));
}

}  // namespace tenure::lab
