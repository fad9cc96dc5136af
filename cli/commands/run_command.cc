#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <memory>
#include <optional>
#include <utility>

#include "cli/commands/campaign.h"
#include "cli/commands/commands.h"
#include "cli/commands/runs_report.h"
#include "cli/load.h"
#include "cli/reports/make_reporters.h"
#include "cli/reports/report_file.h"
#include "cli/reports/text/text_format.h"
#include "cli/terminal/progress_line.h"
#include "cli/terminal/signals.h"
#include "format/print/print.h"
#include "lab/session/output_file.h"
#include "lab/session/runs.h"
#include "lab/session/trace_writer.h"
#include "sim/faults/plan.h"
#include "sim/world/world.h"

namespace tenure::cli {
namespace {

// Of a run that stands alone, how far it is. The observer is called on the thread of the run, while nobody else prints.
class RunProgress final : public sim::Observer {
 public:
  RunProgress(const sim::Scenario& scenario, Streams& streams)
      : name_(scenario.name), whole_(scenario.duration + scenario.tail), line_(streams) {}

  void see(sim::TrueTime now, const sim::Record&) override {
    if (++seen_ % kEach != 0 || !line_.is_due()) return;
    const Duration simulated = now - sim::TrueTime{};
    const double left = line_.seconds_left(static_cast<std::uint64_t>(simulated.ns()),
                                           static_cast<std::uint64_t>(whole_.ns()));
    line_.show(fmt::format("{}: {} of {} simulated  {} left", name_, short_duration(simulated),
                           short_duration(whole_), ProgressLine::in_words(left)));
  }

 private:
  static constexpr std::uint64_t kEach = 1'024;  // records: to look at the clock costs more than a record

  const std::string name_;
  const Duration whole_;
  std::uint64_t seen_ = 0;
  ProgressLine line_;
};

// The scenario with every draw of its faults made: a literal one, with the same trace.
void print_plan(const format::ScenarioFile& file, std::uint64_t seed, Streams& streams) {
  format::ScenarioFile printed = file;
  sim::Scenario& literal = printed.scenario;
  literal.seed = seed;
  literal.faults = sim::draw_plan(file.scenario, sim::World(file.scenario, seed).rng());
  // Of one that comes again, each strike is a fault of the file now, and only one of them had to strike.
  for (sim::FaultSetting& fault : literal.faults)
    if (fault.strike > 0) fault.optional = true;
  write_results(streams, format::print_scenario(printed));
}

}  // namespace

ExitCode run_command(const RunCommandOptions& options, Streams& streams) {
  const Loaded loaded = load(options.paths, options.sets, "nothing was run", streams);
  const ExitCode usable = judge_loaded(loaded, options.paths, "scenario", options.report, streams);
  if (usable != ExitCode::pass) return usable;
  if (!options.campaign.empty()) return run_part(options, loaded.files, streams);
  const RunPlan plan(options, loaded.files);
  const bool of_one_run = !options.trace.empty() || options.print_plan ||
                          options.report.events != EventList::none || !options.report.perfetto.empty() ||
                          !options.report.svg.empty();
  if (of_one_run && plan.count() != 1) {
    print_error(streams,
                "--trace, --events, --svg, --perfetto and --print-plan take one file and one seed, as with "
                "--seed N; --report FILE draws many runs, and those that are worth a look one by one");
    return ExitCode::usage;
  }
  if (!check_report_paths(options.report, loaded, options.trace, streams)) return ExitCode::usage;
  if (options.print_plan) {
    print_plan(plan.file(0), plan.seed(0), streams);
    return ExitCode::pass;
  }

  std::ofstream trace_file;
  std::unique_ptr<lab::TraceWriter> trace;
  errno = 0;
  if (!options.trace.empty()) {
    if (!may_write(options.trace, kTraceFile, streams)) return ExitCode::io_error;
    trace_file.open(options.trace, std::ios::binary);
    trace =
        std::make_unique<lab::TraceWriter>(plan.scenario(0), plan.seed(0), options.trace_level, trace_file);
  }
  const auto trace_failed = [&] {
    if (options.trace.empty() || trace_file.flush()) return false;
    print_error(streams, fmt::format("cannot write {}: {}", options.trace, lab::system_reason(errno)));
    return true;
  };
  if (trace_failed()) return ExitCode::io_error;

  const std::unique_ptr<Reporter> reporter = make_reporters(options.report, streams);
  if (!reporter) return ExitCode::io_error;

  // Of a batch, the runs that are worth it are recorded when all are known.
  const bool record =
      !plan.batch() && (options.report.events != EventList::none || !options.report.svg.empty() ||
                        !options.report.perfetto.empty() || !options.report.page.empty());
  const Interruption interruption;
  RunsReport report(options, plan, *reporter, streams);
  std::optional<RunProgress> progress;
  if (plan.count() == 1 && !streams.quiet && !trace) progress.emplace(plan.scenario(0), streams);
  sim::Observer* observer = trace.get();
  if (progress) observer = &*progress;
  const lab::JobsEnd end = lab::run_each(
      plan.count(), options.jobs,
      [&](std::size_t job) {
        return lab::OneRun{.file = &plan.file(job),
                           .seed = plan.seed(job),
                           .trace = observer,
                           .listener = trace.get(),
                           .twice = options.twice,
                           .record = record};
      },
      [&](std::size_t job, lab::RunOutcome outcome) {
        if (trace && outcome.result) trace->finish(*outcome.result);
        report.take(job, std::move(outcome));
      },
      lab::WhenInterrupted::leave);
  const bool drawn =
      end == lab::JobsEnd::interrupted || !plan.batch() || options.report.page.empty() || report.draw();
  const bool interrupted = end == lab::JobsEnd::interrupted || !drawn;
  const ExitCode code = report.end(interrupted);
  if (interrupted) leave_interrupted(streams);
  errno = 0;
  return trace_failed() ? worse(code, ExitCode::io_error) : code;
}

}  // namespace tenure::cli
