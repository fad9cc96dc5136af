#include "cli/reports/html/page_report.h"

#include "cli/reports/html/page.h"
#include "cli/reports/html/page_data.h"

namespace tenure::cli {

void PageReporter::recorded(const sim::Recording& recording, const sim::RunResult& result,
                            const sim::Scenario& scenario) {
  page_ = page_of(result.scenario, page_data(recording, result, scenario, window_));
}

ExitCode PageReporter::end(const Totals&) {
  return page_.empty() || file_.write(page_) ? ExitCode::pass : ExitCode::io_error;
}

}  // namespace tenure::cli
