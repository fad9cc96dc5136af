#include "sim/runner/thresholds.h"

#include <fmt/format.h>

#include <optional>

#include "core/base/check.h"
#include "core/base/int128.h"

namespace tenure::sim {
namespace {

constexpr std::int64_t kBillion = 1'000'000'000;

// The metric as samples (a distribution), or as one number in billionths; neither when it was not observed.
struct Observed {
  const Samples* samples = nullptr;
  std::optional<std::int64_t> nano;
};

Observed observe(std::string_view metric, const Metrics& m, Duration simulated) {
  const auto count = [](std::uint64_t n) {
    return Observed{nullptr, tenure::detail::narrow(int128{n} * kBillion)};
  };
  const auto length = [](Duration d) { return Observed{nullptr, d.ns()}; };
  if (metric == "failover_seconds") return {&m.failover, std::nullopt};
  if (metric == "fire_lateness_seconds") return {&m.fire_lateness, std::nullopt};
  if (metric == "failovers") return count(m.failovers);
  if (metric == "false_failovers") return count(m.false_failovers);
  if (metric == "leaderless_seconds") return length(m.leaderless);
  if (metric == "useless_seconds") return length(m.useless);
  if (metric == "believer_overlap_seconds") return length(m.believer_overlap);
  if (metric == "acting_overlap_seconds") return length(m.acting_overlap);
  if (metric == "work_overlap_seconds") return length(m.work_overlap);
  if (metric == "safety_margin_seconds")
    return {nullptr, m.safety_margin ? std::optional(m.safety_margin->ns()) : std::nullopt};
  if (metric == "store_requests") return count(m.store_requests);
  if (metric == "store_requests_per_second") {
    if (simulated <= Duration{}) return {};
    const int128 nano = int128{m.store_requests} * kBillion * kBillion / simulated.ns();
    return {nullptr, tenure::detail::narrow(nano)};
  }
  if (metric == "fires") return count(m.fires);
  if (metric == "skipped_slots") return count(m.skipped_slots);
  if (metric == "stale_writes_rejected") return count(m.stale_writes_rejected);
  if (metric == "epochs") return count(m.epochs);
  CHECK(false, "the scenario names metrics of sim/scenario/names.h");
}

std::size_t needed_for(const Threshold& threshold) {
  if (threshold.statistic != Threshold::Statistic::percentile) return 1;
  return samples_needed(threshold.percentile_ppm);
}

Duration statistic(const Threshold& threshold, const Samples& samples) {
  switch (threshold.statistic) {
    case Threshold::Statistic::mean: return samples.mean();
    case Threshold::Statistic::min: return samples.min();
    case Threshold::Statistic::max: return samples.max();
    case Threshold::Statistic::percentile: return samples.percentile(threshold.percentile_ppm);
  }
  CHECK(false, "every statistic has a value");
}

bool satisfied(const Threshold& threshold, std::int64_t nano) {
  if (nano == threshold.bound_nano) return threshold.or_equal;
  return (nano < threshold.bound_nano) == threshold.less;
}

// Three decimals, rounded down; enough for people, and exact for whole numbers.
std::string number(std::int64_t nano) {
  const bool negative = nano < 0;
  const std::int64_t milli = (negative ? -nano : nano) / 1'000'000;
  std::string text = fmt::format("{}{}.{:03}", negative ? "-" : "", milli / 1000, milli % 1000);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

CheckResult judge_samples(const Threshold& threshold, const Samples& samples, std::size_t needed,
                          bool show_count) {
  CheckResult result;
  result.name = threshold.metric;
  result.kind = CheckResult::Kind::threshold;
  result.opportunities = samples.count();
  if (samples.count() < needed) {
    result.verdict = Verdict::inconclusive;
    result.detail = fmt::format("{}: {} samples, needs {}", threshold.text, samples.count(), needed);
    return result;
  }
  const std::int64_t nano = statistic(threshold, samples).ns();
  const std::size_t space = threshold.text.find(' ');
  const std::string_view text = threshold.text;
  const bool holds = satisfied(threshold, nano);
  // One that fails must not read as what was asked for: "mean 5.9, not < 5".
  result.detail = fmt::format("{} {}{}{}", text.substr(0, space), number(nano), holds ? "" : ", not",
                              space == std::string_view::npos ? "" : text.substr(space));
  if (show_count) result.detail += fmt::format(" (n={})", samples.count());
  if (!holds) {
    result.verdict = Verdict::fail;
    result.violation_count = 1;
  }
  return result;
}

}  // namespace

std::size_t samples_needed(std::int64_t percentile_ppm) {
  const std::int64_t rest = 1'000'000 - percentile_ppm;
  return rest <= 0 ? SIZE_MAX : static_cast<std::size_t>((1'000'000 + rest - 1) / rest);
}

Samples samples_of(std::string_view metric, const Metrics& metrics, Duration simulated) {
  const Observed observed = observe(metric, metrics, simulated);
  if (observed.samples != nullptr) return *observed.samples;
  Samples samples;
  if (observed.nano) samples.add(Duration::nanos(*observed.nano));
  return samples;
}

CheckResult judge(const Threshold& threshold, const Metrics& metrics, Duration simulated) {
  const bool distribution = observe(threshold.metric, metrics, simulated).samples != nullptr;
  const std::size_t needed = distribution ? needed_for(threshold) : 1;
  return judge_samples(threshold, samples_of(threshold.metric, metrics, simulated), needed, distribution);
}

CheckResult judge(const Threshold& threshold, const Samples& samples) {
  return judge_samples(threshold, samples, needed_for(threshold), true);
}

}  // namespace tenure::sim
