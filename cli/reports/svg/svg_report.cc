#include <algorithm>

#include "cli/reports/first_screen.h"
#include "cli/reports/reporters.h"
#include "cli/reports/svg/highlights.h"
#include "cli/reports/svg/timeline_svg.h"

namespace tenure::cli {

void SvgReporter::recorded(const sim::Recording& recording, const sim::RunResult& result,
                           const sim::Scenario& scenario) {
  sim::Span window = highlighted_window(recording);
  if (window_) {
    window.from = std::min(sim::TrueTime{} + window_->from, recording.end);
    window.to = std::min(sim::TrueTime{} + window_->to, recording.end);
  }
  if (window.to <= window.from) window = {sim::TrueTime{}, recording.end};
  picture_ = timeline_svg(recording, verdict_sentence(result, scenario.expect), result.reproduce, window);
}

}  // namespace tenure::cli
