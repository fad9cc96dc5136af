#include <fmt/format.h>

#include <optional>
#include <utility>

#include "cli/commands/campaign.h"
#include "cli/commands/commands.h"
#include "cli/commands/draw_cases.h"
#include "cli/commands/open_runs.h"
#include "cli/commands/runs_watch.h"
#include "cli/load.h"
#include "cli/reports/html/page_report.h"
#include "cli/reports/html/sections.h"
#include "cli/reports/report_file.h"
#include "cli/reports/text/text_format.h"
#include "cli/reports/tune_report.h"
#include "cli/terminal/signals.h"
#include "format/syntax/diagnostic.h"
#include "lab/session/tune_session.h"

namespace tenure::cli {
namespace {

// Nothing, and `code` says why, when the file is none, or has nothing to try.
std::optional<lab::TuneTask> read_task(const TuneOptions& options, ExitCode& code, Streams& streams) {
  std::optional<lab::TuneTask> task =
      read_tune_file("tune", options.path, options.sets, format::Unsafe::must_be_accepted, code, streams);
  if (!task) return std::nullopt;
  if (!task->has_tune && !options.explain) {
    print_error(streams, fmt::format("{} has no [tune]: it does not say what to try. Give it parameters in "
                                     "[tune.election], as docs/tuning.md shows",
                                     task->file.path));
    code = ExitCode::bad_scenario;
    return std::nullopt;
  }
  if (options.seeds) task->set_seeds(*options.seeds);
  return task;
}

// Whether there is anything to say.
bool complain(const lab::TuneTask& task, const std::vector<lab::TuneProblem>& problems, Streams& streams) {
  for (const format::Diagnostic& diagnostic : lab::diagnostics_of(task, problems))
    streams.err << format::render(diagnostic, streams.paint_err);
  return !problems.empty();
}

bool open_save(const TuneOptions& options, const lab::TuneTask& task, lab::TuneSave& save, Streams& streams) {
  if (!options.keep) return true;
  const std::string path = options.save.empty() ? task.name + ".tune" : options.save;
  const auto problem = options.shard ? save.open_part(path, lab::fingerprint_of(task), *options.shard)
                                     : save.open(path, lab::fingerprint_of(task), options.resume);
  if (problem)
    print_error(streams, why_not_open(path, *problem, "tune",
                                      "another scenario, other --set, or another build of tenure"));
  return !problem;
}

std::string formatted(const TuneReport& report, TuneFormat format, bool paint) {
  switch (format) {
    case TuneFormat::json: return tune_json(report);
    case TuneFormat::csv: return tune_csv(report);
    case TuneFormat::markdown: return tune_markdown(report);
    case TuneFormat::text: break;
  }
  return tune_text(report, paint);
}

lab::TuneSetup setup_of(const TuneOptions& options) {
  return {.threads = options.jobs,
          .counterexamples = {options.folder, options.shrink, options.shrink_time},
          .when_interrupted = lab::WhenInterrupted::leave};
}

TuneReport report_of(const lab::TuneTask& task, const lab::TuneFindings& findings) {
  TuneReport report;
  report.scenario = task.name;
  report.path = task.file.path;
  report.sets = task.file.sets;
  report.interrupted = findings.interrupted;
  report.tuning = findings.tuning.get();
  report.judgement = findings.judgement;
  report.skipped = findings.skipped;
  report.frontier = findings.frontier;
  report.profile = findings.profile;
  if (task.profile) report.profile_seeds = task.profile->seeds;
  return report;
}

ExitCode code_of(const TuneReport& report) {
  ExitCode code = ExitCode::pass;
  if (report.frontier)
    for (const lab::FrontierFinding& finding : report.frontier->cells) {
      if (!finding.fails_again) code = worse(code, ExitCode::internal_error);
      if (finding.saved) code = worse(code, exit_code_of(*finding.saved));
      if (!finding.cell.safe && !finding.cell.unknown.empty()) code = worse(code, ExitCode::inconclusive);
    }
  if (!report.has_parameters() || !report.judgement.best.empty()) return code;
  const lab::JudgedSetting& nearest = report.judgement.settings[*report.judgement.nearest];
  const bool unknown = nearest.state == lab::JudgedSetting::State::inconclusive;
  return worse(code, unknown ? ExitCode::inconclusive : ExitCode::fail);
}

// The runs that the page has timelines of: what breaks first, then the settings that are shown.
std::vector<CaseToDraw> cases_of(const TuneReport& report) {
  std::vector<CaseToDraw> cases;
  if (report.frontier)
    for (const lab::FrontierFinding& finding : report.frontier->cells)
      if (finding.saved)
        cases.push_back(
            {finding.saved->file, finding.saved->file.scenario.seed.value_or(1), frontier_command(finding)});
  constexpr std::size_t kCasesMax = 16;
  for (std::size_t i = first_row(report); i < report.tuning->size() && cases.size() < kCasesMax; ++i)
    if (const std::optional<std::uint64_t> seed = seed_worth_a_look(report, i))
      cases.push_back({{.scenario = scenario_of(report.tuning->setting(i), *seed), .plans = {}},
                       *seed,
                       command_of(report, i, *seed)});
  return cases;
}

ExitCode write_page(const TuneReport& report, const std::optional<Trend>& trend, const TuneOptions& options,
                    PageReporter& page, Streams& streams) {
  page.add(section_of(report));
  if (trend) page.trend(*trend);
  if (report.interrupted) return page.end({.interrupted = true});
  if (!draw_cases(cases_of(report), options.jobs, page)) {
    page.end({});
    leave_interrupted(streams);
  }
  return page.end({});
}

}  // namespace

ExitCode tune_command(const TuneOptions& options, Streams& streams) {
  ExitCode code = ExitCode::pass;
  std::optional<lab::TuneTask> read = read_task(options, code, streams);
  if (!read) return code;
  if (options.explain) return explain_setting(*read, options, streams);
  lab::TuneSave save;
  RunsWatch watch(read->name, streams);
  lab::TuneSession session(*std::move(read), setup_of(options), watch);
  const lab::TuneTask& task = session.task();
  if (complain(task, session.make_settings(), streams)) return ExitCode::bad_scenario;
  std::optional<Baseline> baseline;
  if (!options.baseline.empty() && !(baseline = Baseline::read(options.baseline, streams)))
    return ExitCode::io_error;
  std::optional<ReportFile> plot;
  if (!options.plot.empty() && !plot.emplace(options.plot, kPlotFile, streams).good())
    return ExitCode::io_error;
  if (task.tune.frontier && complain(task, lab::why_no_frontier(task), streams))
    return ExitCode::bad_scenario;
  if (task.tune.frontier && !can_write_into(options.folder, streams)) return ExitCode::io_error;
  std::optional<PageReporter> page;
  if (!options.page.empty() && !page.emplace(options.page, options.window, streams).good())
    return ExitCode::io_error;
  if (!open_save(options, task, save, streams)) return ExitCode::io_error;

  const Interruption interruption;
  const auto write = [&](const TuneReport& report) {
    write_results(streams, formatted(report, options.format, streams.paint_out));
    ExitCode end = report.interrupted ? ExitCode::interrupted : code_of(report);
    std::optional<Trend> trend;
    if (baseline && !report.interrupted) {
      trend = baseline->compare(tune_json(report));
      tell_trend(*trend, options.format == TuneFormat::json, streams);
      end = worse(end, exit_code_of(*trend));
    }
    if (plot && !plot->write(tune_plot(report))) end = worse(end, ExitCode::io_error);
    return page ? worse(end, write_page(report, trend, options, *page, streams)) : end;
  };
  watch.begin(when_interrupted(options.keep, save.path(), "none are kept (--no-save)"),
              [&] { write(report_of(task, session.so_far())); });
  const lab::TuneFindings& findings = session.run(save);
  if (!findings.internal_error.empty()) {
    print_error(streams, "an invariant of tenure broke: " + findings.internal_error);
    return ExitCode::internal_error;
  }
  if (options.shard) return say_shared(*options.shard, options.save, findings.missing, streams);
  const TuneReport report = report_of(task, findings);
  if (report.has_parameters() && complain(task, session.objectives_without_samples(), streams))
    return ExitCode::inconclusive;
  return write(report);
}

}  // namespace tenure::cli
