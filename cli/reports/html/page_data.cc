#include "cli/reports/html/page_data.h"

#include <vector>

#include "cli/reports/first_screen.h"
#include "cli/reports/json/json_run.h"
#include "cli/reports/svg/distribution_svg.h"
#include "format/print/print.h"
#include "lab/session/json_writer.h"
#include "sim/runner/thresholds.h"
#include "sim/scenario/names.h"

namespace tenure::cli {
namespace {

// What was measured many times, as pictures.
std::vector<std::string> pictures_of(const sim::RunResult& result, const sim::Scenario& scenario) {
  std::vector<std::string> pictures;
  for (const sim::MetricName& metric : sim::kMetricNames) {
    if (!metric.distribution) continue;
    const sim::Samples samples = sim::samples_of(metric.name, result.metrics, result.simulated);
    if (!samples.empty()) pictures.push_back(distribution_svg(metric, samples, scenario.thresholds));
  }
  return pictures;
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
  head.list("pictures", pictures_of(result, scenario));
  std::string text = head.take();
  text +=
      ",\"run\":" + json_of_run(result, "") + ",\"recording\":" + json_of_recording(recording, asked) + "}";
  return text;
}

}  // namespace tenure::cli
