#include "cli/reports/html/page_data.h"

#include <algorithm>
#include <vector>

#include "cli/reports/first_screen.h"
#include "cli/reports/json/json_run.h"
#include "format/print/print.h"
#include "lab/session/json_writer.h"
#include "sim/runner/thresholds.h"
#include "sim/scenario/names.h"

namespace tenure::cli {
namespace {

constexpr std::size_t kStepsMax = 400;  // of one distribution

// Each value with how many samples are at most that; of many, some, and the last in any case.
void write_steps(const sim::Samples& samples, lab::JsonWriter& json) {
  std::vector<Duration> values = samples.values();
  std::sort(values.begin(), values.end());
  const std::size_t stride = values.size() / kStepsMax + 1;
  json.key("steps").begin_array();
  std::size_t written = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool last = i + 1 == values.size();
    if (!last && (values[i + 1] == values[i] || (written > 0 && i + 1 < written + stride))) continue;
    written = i + 1;
    json.begin_array().value(values[i]).value(written).end_array();
  }
  json.end_array();
}

// What was measured many times, with what was demanded of it.
void write_distributions(const sim::RunResult& result, const sim::Scenario& scenario, lab::JsonWriter& json) {
  json.key("distributions").begin_array();
  for (const sim::MetricName& metric : sim::kMetricNames) {
    if (!metric.distribution) continue;
    const sim::Samples samples = sim::samples_of(metric.name, result.metrics, result.simulated);
    if (samples.empty()) continue;
    json.begin_object().field("metric", metric.name).field("count", samples.values().size());
    write_steps(samples, json);
    json.key("thresholds").begin_array();
    for (const sim::Threshold& threshold : scenario.thresholds) {
      if (threshold.metric != metric.name) continue;
      json.begin_object().field("text", threshold.text);
      json.field("bound", Duration::nanos(threshold.bound_nano)).end_object();
    }
    json.end_array().end_object();
  }
  json.end_array();
}

}  // namespace

std::string page_data(const sim::Recording& recording, const sim::RunResult& result,
                      const sim::Scenario& scenario, const std::optional<TimeRange>& window) {
  std::optional<sim::Span> asked;
  if (window) asked = sim::Span{sim::TrueTime{} + window->from, sim::TrueTime{} + window->to};
  lab::JsonWriter head;
  head.begin_object().field("sentence", verdict_sentence(result, scenario.expect));
  head.field("settings", format::print_scenario(scenario));
  const std::string assumption = broken_assumption(recording, scenario);
  if (!assumption.empty()) head.field("assumption", assumption);
  const std::string price = price_of_fix(recording, result, scenario);
  if (!price.empty()) head.field("price", price);
  write_distributions(result, scenario, head);
  std::string text = head.take();
  text +=
      ",\"run\":" + json_of_run(result, "") + ",\"recording\":" + json_of_recording(recording, asked) + "}";
  return text;
}

}  // namespace tenure::cli
