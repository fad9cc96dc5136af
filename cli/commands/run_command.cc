#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <memory>
#include <optional>
#include <random>
#include <utility>

#include "cli/commands/commands.h"
#include "cli/commands/draw_cases.h"
#include "cli/load.h"
#include "cli/reports/html/sections.h"
#include "cli/reports/make_reporters.h"
#include "cli/reports/report_file.h"
#include "cli/reports/run_tally.h"
#include "cli/reports/text/text_format.h"
#include "cli/terminal/progress_line.h"
#include "cli/terminal/signals.h"
#include "format/print/print.h"
#include "lab/session/batch.h"
#include "lab/session/output_file.h"
#include "lab/session/runs.h"
#include "lab/session/trace_writer.h"
#include "sim/faults/plan.h"
#include "sim/world/world.h"

namespace tenure::cli {
namespace {

constexpr std::uint64_t kDrawnSeeds = 1'000'000'000'000;  // short enough to type

std::uint64_t drawn_seed() {
  std::random_device device;
  return (std::uint64_t{device()} << 32U | device()) % kDrawnSeeds;
}

// Which scenario and seed each job is: all seeds of the first scenario, then all of the second, …
class Plan {
 public:
  Plan(const RunCommandOptions& options, const std::vector<format::ScenarioFile>& files) : files_(files) {
    if (options.seeds) {
      batch_ = true;
      seeds_each_ = options.seeds->last - options.seeds->first + 1;
      first_.assign(files.size(), options.seeds->first);
      return;
    }
    for (const format::ScenarioFile& file : files) {
      const std::optional<std::uint64_t> seed = options.seed ? options.seed : file.scenario.seed;
      first_.push_back(seed ? *seed : drawn_seed());
    }
  }

  std::size_t count() const { return files_.size() * seeds_each_; }
  bool batch() const { return batch_; }
  std::uint64_t seeds_each() const { return seeds_each_; }
  std::size_t scenario_index(std::size_t job) const { return job / seeds_each_; }
  const format::ScenarioFile& file(std::size_t job) const { return files_[scenario_index(job)]; }
  const sim::Scenario& scenario(std::size_t job) const { return file(job).scenario; }
  std::uint64_t seed(std::size_t job) const { return first_[scenario_index(job)] + job % seeds_each_; }

 private:
  const std::vector<format::ScenarioFile>& files_;
  std::uint64_t seeds_each_ = 1;
  std::vector<std::uint64_t> first_;
  bool batch_ = false;
};

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

// Takes outcomes in order: counts them, tells the reporters, and says what went wrong with the program itself.
class RunLog {
 public:
  RunLog(const RunCommandOptions& options, const Plan& plan, const std::vector<format::ScenarioFile>& files,
         Reporter& reporter, Streams& streams)
      : options_(options), plan_(plan), reporter_(reporter), streams_(streams), line_(streams) {
    totals_.unit = "run";
    totals_.planned = plan.count();
    totals_.compared = options.twice;
    for (const format::ScenarioFile& file : files) {
      parts_.push_back({.batch = lab::Batch(file.scenario), .tally = RunTally(file.scenario, plan.batch())});
    }
  }

  void take(std::size_t job, lab::RunOutcome outcome) {
    ++totals_.done;
    Part& part = parts_[plan_.scenario_index(job)];
    const std::string reproduce = fmt::format("{}{}", reproduce_prefix(plan_.scenario(job)), plan_.seed(job));
    if (!outcome.result) {
      totals_.code = worse(totals_.code, ExitCode::internal_error);
      part.tally.add_broken(plan_.seed(job), outcome.error, reproduce);
      complain(fmt::format("{}{}", outcome.host_failed ? "" : "internal error: ", outcome.error), reproduce);
    } else {
      outcome.result->reproduce = reproduce;
      if (!outcome.difference.empty()) {
        totals_.code = worse(totals_.code, ExitCode::not_deterministic);
        ++totals_.differed;
        complain(fmt::format("not deterministic, {}", outcome.difference), reproduce + " --twice");
      }
      show(*outcome.result, job, part);
      if (outcome.recording) reporter_.recorded(*outcome.recording, *outcome.result, plan_.scenario(job));
      if (options_.twice)
        part.tally.add_compared(plan_.seed(job), outcome.difference, reproduce + " --twice");
    }
    if (job + 1 == plan_.count() || plan_.scenario_index(job + 1) != plan_.scenario_index(job)) close(part);
    if (plan_.count() > 1 && streams_.progress && line_.is_due())
      line_.show(fmt::format("{} of {}  {} left", totals_.done, plan_.count(),
                             ProgressLine::in_words(line_.seconds_left(totals_.done, plan_.count()))));
  }

  // Of batches, the runs that are worth a timeline. False: it was interrupted.
  bool draw() {
    std::vector<CaseToDraw> cases;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (parts_[i].batch.runs() == 0) continue;
      const std::string prefix = reproduce_prefix(parts_[i].batch.scenario());
      for (const std::uint64_t seed : seeds_worth_a_look(parts_[i].batch))
        cases.push_back({plan_.file(i * plan_.seeds_each()), seed, fmt::format("{}{}", prefix, seed)});
    }
    return draw_cases(cases, options_.jobs, reporter_);
  }

  // Of an interrupted one, some jobs never ended. The exit code.
  ExitCode end(bool interrupted) {
    if (interrupted) {
      for (Part& part : parts_) {
        if (plan_.batch() && part.batch.runs() < plan_.seeds_each()) part.batch.cut_short(plan_.seeds_each());
        close(part);
      }
      totals_.interrupted = true;
      totals_.code = ExitCode::interrupted;
    }
    const ExitCode written = reporter_.end(totals_);
    return worse(totals_.code, written);
  }

 private:
  // One scenario and its runs.
  struct Part {
    lab::Batch batch;  // empty where each run stands alone
    RunTally tally;
    bool closed = false;
  };

  std::string reproduce_prefix(const sim::Scenario& scenario) const {
    std::string text = "tenure run " + shell_quoted(scenario.path);
    for (const format::Override& set : options_.sets)
      if (set.key != "sim.seed") text += " --set " + shell_quoted(set.key + "=" + set.value);
    return text + " --seed ";
  }

  void complain(const std::string& what, const std::string& reproduce) {
    print_error(streams_, what);
    streams_.err << "  reproduce   " << reproduce << "\n";
  }

  void show(const sim::RunResult& result, std::size_t job, Part& part) {
    if (plan_.batch())
      part.batch.add(result);
    else
      totals_.code = worse(totals_.code, exit_code_of(result.verdict));
    part.tally.add(result);
    reporter_.run(result, plan_.scenario(job), plan_.batch() ? &part.batch : nullptr);
  }

  // When the last of its runs is done, or never will be.
  void close(Part& part) {
    if (part.closed) return;
    part.closed = true;
    const std::string prefix = reproduce_prefix(part.batch.scenario());
    const lab::Batch* batch = part.batch.runs() > 0 ? &part.batch : nullptr;
    if (batch != nullptr) {
      totals_.code = worse(totals_.code, exit_code_of(batch->verdict()));
      reporter_.batch(*batch, prefix);
    }
    reporter_.suite(part.tally.suite(plan_.seeds_each(), batch, prefix));
  }

  const RunCommandOptions& options_;
  const Plan& plan_;
  Reporter& reporter_;
  Streams& streams_;
  ProgressLine line_;
  std::vector<Part> parts_;
  Totals totals_;
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
  const Plan plan(options, loaded.files);
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
  RunLog log(options, plan, loaded.files, *reporter, streams);
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
        log.take(job, std::move(outcome));
      },
      lab::WhenInterrupted::leave);
  const bool drawn =
      end == lab::JobsEnd::interrupted || !plan.batch() || options.report.page.empty() || log.draw();
  const bool interrupted = end == lab::JobsEnd::interrupted || !drawn;
  const ExitCode code = log.end(interrupted);
  if (interrupted) leave_interrupted(streams);
  errno = 0;
  return trace_failed() ? worse(code, ExitCode::io_error) : code;
}

}  // namespace tenure::cli
