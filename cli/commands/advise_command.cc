#include <optional>

#include "cli/commands/commands.h"
#include "cli/commands/runs_watch.h"
#include "cli/load.h"
#include "cli/reports/text/advice_text.h"
#include "cli/reports/tune_report.h"
#include "cli/terminal/signals.h"
#include "lab/session/advice.h"

namespace tenure::cli {
ExitCode advise_command(const AdviseOptions& options, Streams& streams) {
  ExitCode code = ExitCode::pass;
  const std::optional<lab::TuneTask> task =
      read_tune_file("advise", options.path, options.sets, format::Unsafe::is_taken, code, streams);
  if (!task) return code;
  const Interruption interruption;
  RunsWatch watch(task->name, streams);
  watch.begin("; advise saves no runs, and starts over");
  const lab::AdviceFindings findings = lab::advise(*task, options.seeds.value_or(lab::kSeedsOfAdvice),
                                                   options.jobs, watch, lab::WhenInterrupted::leave);
  if (!findings.internal_error.empty()) {
    print_error(streams, "an invariant of tenure broke: " + findings.internal_error);
    return ExitCode::internal_error;
  }
  TuneReport report;
  report.scenario = task->name;
  report.path = task->file.path;
  report.sets = task->file.sets;
  report.is_refused = task->is_refused;
  report.tuning = findings.tuning.get();
  report.judgement = findings.judgement;
  write_results(streams, advice_text(report, findings, streams.paint_out, streams.verbose));
  return exit_code_of(findings.verdict());
}

}  // namespace tenure::cli
