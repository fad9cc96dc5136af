#include "sim/runner/worst_samples.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "sim/checkers/names.h"
#include "sim/scenario/names.h"

namespace tenure::sim {
namespace {

std::string who_or(const std::optional<Incarnation>& who, std::string_view nobody) {
  return who ? who_text(*who) : std::string(nobody);
}

std::string text_of(const FaultRun& fault) {
  return fmt::format("{} ({}) at {}", name_of(fault), fault.detail, time_text(fault.at));
}

// The fault that ended the leadership, where that is known; else the one before the moment's end.
std::string blame(const WorstMoment& moment, const std::vector<FaultRun>& faults) {
  const FaultRun* before = nullptr;
  for (const FaultRun& fault : faults) {
    if (!fault.skipped.empty() || fault.at > moment.to) continue;
    if (moment.fault != 0 && fault.id == moment.fault) return "; because of " + text_of(fault);
    before = &fault;  // they come in the order in which they struck
  }
  return before == nullptr ? "; no fault before it" : "; the last fault before it was " + text_of(*before);
}

}  // namespace

std::vector<WorstSample> worst_samples(const Metrics& metrics, const Scenario& scenario,
                                       const std::vector<FaultRun>& faults) {
  std::vector<WorstSample> samples;
  const auto add = [&](std::string_view metric, const std::optional<WorstMoment>& moment, std::string text) {
    samples.push_back({std::string(metric), moment->to,
                       fmt::format("{}: {}{}", length_text(moment->value), text, blame(*moment, faults))});
  };
  const auto span = [](const WorstMoment& m) {
    return fmt::format("from {} to {}", time_text(m.from), time_text(m.to));
  };
  if (const auto& m = metrics.worst_failover)
    add("failover_seconds", m,
        fmt::format("{} led from {}, after {}", who_or(m->next, "nobody"), time_text(m->to),
                    who_or(m->who, "nobody")));
  if (const auto& m = metrics.worst_leaderless)
    add("leaderless_seconds", m,
        fmt::format("the longest, {}, after {} and before {}", span(*m), who_or(m->who, "the start"),
                    who_or(m->next, "the end")));
  const auto add_overlap = [&](std::string_view metric, const std::optional<WorstMoment>& m) {
    if (m)
      add(metric, m,
          fmt::format("the longest, {}, {} and {}", span(*m), who_or(m->who, "one"),
                      who_or(m->next, "another")));
  };
  add_overlap("believer_overlap_seconds", metrics.worst_believer_overlap);
  add_overlap("work_overlap_seconds", metrics.worst_work_overlap);
  if (const auto& m = metrics.worst_safety_margin)
    add("safety_margin_seconds", m,
        fmt::format("{} {}, between the belief of {} and that of {}",
                    m->value < Duration{} ? "an overlap" : "a gap", span(*m), who_or(m->who, "one"),
                    who_or(m->next, "the next")));
  if (const auto& m = metrics.worst_fire_lateness)
    add("fire_lateness_seconds", m,
        fmt::format("{} began on {} at {}", Names(scenario).event(m->event), who_or(m->who, "nobody"),
                    time_text(m->to)));
  return samples;
}

const WorstSample* worst_of(const Threshold& threshold, const std::vector<WorstSample>& samples) {
  const bool wants_little = threshold.less;
  for (const MetricName& metric : kMetricNames)
    if (metric.name == threshold.metric && metric.low_is_bad == wants_little) return nullptr;
  for (const WorstSample& sample : samples)
    if (sample.metric == threshold.metric) return &sample;
  return nullptr;
}

}  // namespace tenure::sim
