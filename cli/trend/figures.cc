// The numbers of results in JSON, each with its interval.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/trend/trend.h"
#include "lab/compare/cell.h"
#include "sim/scenario/names.h"

namespace tenure::cli {
namespace {

using Json = nlohmann::ordered_json;

// How likely at most `part` of `whole` are, each with the chance `p`.
double at_most(std::uint64_t part, std::uint64_t whole, double p) {
  const auto n = static_cast<double>(whole);
  double sum = 0;
  for (std::uint64_t i = 0; i <= part; ++i) {
    const auto k = static_cast<double>(i);
    const double ways = std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
    sum += std::exp(ways + k * std::log(p) + (n - k) * std::log1p(-p));
  }
  return sum;
}

// The chance with which at most `part` are as likely as `wanted`: the more chance, the less likely.
double chance_for(std::uint64_t part, std::uint64_t whole, double wanted) {
  constexpr int kHalvings = 40;
  double low = 0;
  double high = 1;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (at_most(part, whole, middle) > wanted ? low : high) = middle;
  }
  return (low + high) / 2;
}

bool low_is_bad(std::string_view measure) {
  return std::any_of(
      std::begin(sim::kMetricNames), std::end(sim::kMetricNames),
      [&](const sim::MetricName& metric) { return metric.low_is_bad && measure.starts_with(metric.name); });
}

class Reader {
 public:
  std::vector<Figure> read(const std::string& documents) {
    std::istringstream stream(documents);
    while (stream >> std::ws && stream.peek() != std::istringstream::traits_type::eof()) {
      Json document;
      stream >> document;
      if (document.is_object()) read(document);
    }
    return std::move(figures_);
  }

 private:
  void read(const Json& document) {
    if (document.contains("summary"))
      read_batch(document);
    else if (document.contains("hunt"))
      read_hunt(document);
    else if (document.contains("settings") && document.contains("objectives"))
      read_tuning(document);
    else if (document.contains("designs"))
      read_comparison(document);
  }

  void read_batch(const Json& batch) {
    const std::string where = batch.at("scenario");
    const Json& verdicts = batch.at("verdicts");
    add_share(where, "runs that fail", verdicts.at("fail"), batch.at("runs"));
    add_share(where, "runs that are inconclusive", verdicts.at("inconclusive"), batch.at("runs"));
    for (const auto& [metric, pool] : batch.at("metrics").items())
      for (const auto& [percentile, interval] : pool.at("intervals").items())
        add(where, metric + " " + percentile, pool.at(percentile), interval, low_is_bad(metric));
  }

  void read_hunt(const Json& hunt) {
    const std::string where = hunt.at("hunt");
    add_share(where, "cases that fail", hunt.at("failing_cases"), hunt.at("cases"));
    for (const auto& [checker, cases] : hunt.at("reported").items())
      add_share(where, "cases with " + checker, cases, hunt.at("cases"));
  }

  void read_tuning(const Json& tuning) {
    const auto read_setting = [&](const Json& setting) {
      std::string where = tuning.at("scenario");
      for (const auto& [key, value] : setting.at("values").items())
        where += fmt::format(" {}={}", key, value.get<std::string>());
      for (const auto& [objective, estimate] : setting.at("objectives").items())
        add(where, objective, estimate.at("value"), estimate, low_is_bad(objective));
    };
    read_setting(tuning.at("file"));
    for (const Json& setting : tuning.at("settings")) read_setting(setting);
  }

  void read_comparison(const Json& comparison) {
    for (const Json& design : comparison.at("designs")) {
      for (const auto& [number, interval] : design.at("intervals").items()) {
        const Json& value = design.at(number);
        add(design.at("design"), number, value.is_object() ? value.value("seen", Json(0)) : value, interval,
            false);
      }
      for (const Json& cell : design.at("cells")) {
        if (!cell.contains("tested")) continue;
        const std::string where = fmt::format(
            "{} in {}{}{}", design.at("design").get<std::string>(), cell.at("situation").get<std::string>(),
            cell.at("stretched") ? ", stretched" : "", cell.at("crowded") ? ", 10 standbys" : "");
        std::uint64_t gravest = 0;
        for (const Json& trouble : cell.at("troubles"))
          gravest = std::max<std::uint64_t>(gravest, trouble.at("runs"));
        add_share(where, "runs in which something went wrong", gravest, cell.at("tested"));
        std::uint64_t broken = 0;
        for (const Json& claim : cell.at("broken"))
          if (claim.at("checker") == lab::kOneLeader) broken = claim.at("runs");
        add_share(where, "runs in which the promise of one leader broke", broken, cell.at("promised"));
      }
    }
  }

  void add_share(std::string where, std::string what, std::uint64_t part, std::uint64_t whole) {
    if (whole == 0) return;
    const ShareInterval interval = share_interval(std::min(part, whole), whole);
    figures_.push_back({std::move(where), std::move(what),
                        static_cast<double>(part) / static_cast<double>(whole), interval.low, interval.high});
  }

  // Without an interval nothing can be said of it.
  void add(std::string where, std::string what, const Json& value, const Json& interval, bool low_is_bad) {
    if (!value.is_number() || !interval.at("low").is_number()) return;
    Figure figure{std::move(where), std::move(what), value, interval.at("low"), {}, low_is_bad};
    if (interval.at("high").is_number()) figure.high = interval.at("high").get<double>();
    const bool is_known = std::any_of(figures_.begin(), figures_.end(), [&](const Figure& other) {
      return other.where == figure.where && other.what == figure.what;
    });
    if (!is_known) figures_.push_back(std::move(figure));
  }

  std::vector<Figure> figures_;
};

}  // namespace

ShareInterval share_interval(std::uint64_t part, std::uint64_t whole) {
  constexpr double kTail = 0.025;
  return {part == 0 ? 0 : chance_for(part - 1, whole, 1 - kTail),
          part == whole ? 1 : chance_for(part, whole, kTail)};
}

std::vector<Figure> figures_of(const std::string& documents) { return Reader().read(documents); }

}  // namespace tenure::cli
