#include "cli/run_command.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <system_error>
#include <utility>

#include "cli/batch.h"
#include "cli/jobs.h"
#include "cli/json_batch.h"
#include "cli/json_run.h"
#include "cli/load.h"
#include "cli/one_run.h"
#include "cli/text_batch.h"
#include "cli/text_format.h"
#include "cli/text_run.h"
#include "cli/trace_writer.h"
#include "sim/faults/plan.h"
#include "sim/scenario/toml/print.h"
#include "sim/scenario/toml/units.h"
#include "sim/world/world.h"

namespace tenure::cli {
namespace {

constexpr std::uint64_t kToldInFull = 20;                 // failing runs of a batch, as text
constexpr std::uint64_t kDrawnSeeds = 1'000'000'000'000;  // short enough to type

std::uint64_t drawn_seed() {
  std::random_device device;
  return (std::uint64_t{device()} << 32U | device()) % kDrawnSeeds;
}

// Which scenario and seed each job is: all seeds of the first scenario, then all of the second, …
class Plan {
 public:
  Plan(const RunOptions& options, const std::vector<sim::Scenario>& scenarios) : scenarios_(scenarios) {
    if (options.seeds) {
      batch_ = true;
      seeds_each_ = options.seeds->last - options.seeds->first + 1;
      first_.assign(scenarios.size(), options.seeds->first);
      return;
    }
    for (const sim::Scenario& scenario : scenarios)
      first_.push_back(options.seed ? *options.seed : scenario.seed ? *scenario.seed : drawn_seed());
  }

  std::size_t count() const { return scenarios_.size() * seeds_each_; }
  bool batch() const { return batch_; }
  std::uint64_t seeds_each() const { return seeds_each_; }
  std::size_t scenario_index(std::size_t job) const { return job / seeds_each_; }
  const sim::Scenario& scenario(std::size_t job) const { return scenarios_[scenario_index(job)]; }
  std::uint64_t seed(std::size_t job) const { return first_[scenario_index(job)] + job % seeds_each_; }

 private:
  const std::vector<sim::Scenario>& scenarios_;
  std::uint64_t seeds_each_ = 1;
  std::vector<std::uint64_t> first_;
  bool batch_ = false;
};

// Outcomes on their way from the threads that made them.
class Outcomes {
 public:
  void put(std::size_t job, Outcome outcome) {
    const std::scoped_lock lock(mutex_);
    waiting_.emplace(job, std::move(outcome));
  }
  Outcome take(std::size_t job) {
    const std::scoped_lock lock(mutex_);
    return std::move(waiting_.extract(job).mapped());
  }

 private:
  std::mutex mutex_;
  std::map<std::size_t, Outcome> waiting_;
};

// Prints outcomes, in the order in which they are given.
class Reporter {
 public:
  Reporter(const RunOptions& options, const Plan& plan, const std::vector<sim::Scenario>& scenarios,
           Streams& streams)
      : options_(options), plan_(plan), streams_(streams) {
    if (plan.batch())
      for (const sim::Scenario& scenario : scenarios) batches_.emplace_back(scenario);
  }

  void report(std::size_t job, Outcome outcome) {
    ++reported_;
    const sim::Scenario& scenario = plan_.scenario(job);
    const std::string reproduce = fmt::format("{}{}", reproduce_prefix(scenario), plan_.seed(job));
    if (!outcome.result) {
      code_ = worse(code_, ExitCode::internal_error);
      complain(fmt::format("internal error: {}", outcome.internal_error), reproduce);
    } else {
      outcome.result->reproduce = reproduce;
      if (!outcome.difference.empty()) {
        code_ = worse(code_, ExitCode::not_deterministic);
        ++differed_;
        complain(fmt::format("not deterministic, {}", outcome.difference), reproduce + " --twice");
      }
      show(*outcome.result, job);
    }
    const bool last = job + 1 == plan_.count() || plan_.scenario_index(job + 1) != plan_.scenario_index(job);
    if (plan_.batch() && last) show_batch(plan_.scenario_index(job));
    show_progress();
  }

  // What can be said when some jobs never ended.
  void interrupted() {
    for (std::size_t i = 0; i < batches_.size(); ++i) {
      if (batches_[i].runs() < plan_.seeds_each()) batches_[i].cut_short(plan_.seeds_each());
      show_batch(i);
    }
    clear_progress();
    const std::string text = fmt::format("interrupted: {} of {} were done\n", sim::print_thousands(reported_),
                                         counted(plan_.count(), "run"));
    // The summaries of batches say so themselves, and documents are for machines.
    if (!plan_.batch() && options_.format == Format::text)
      write(text);
    else
      streams_.err << text;
  }

  void finish() {
    clear_progress();
    if (options_.twice) {
      const std::string differed = differed_ == 0 ? "no difference" : fmt::format("{} differed", differed_);
      (options_.format == Format::json ? streams_.err : streams_.out)
          << counted(reported_, "run") << " made twice and compared: " << differed << "\n";
    }
    if (plan_.batch() || reported_ < 2 || options_.format == Format::json) return;
    std::string text;
    for (const auto& [verdict, count] : verdicts_)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, sim::name_of(verdict));
    write(fmt::format("{}: {}\n", counted(reported_, "run"), text));
  }

  ExitCode code() const { return code_; }

 private:
  std::string reproduce_prefix(const sim::Scenario& scenario) const {
    std::string text = "tenure run " + shell_quoted(scenario.path);
    for (const sim::Override& set : options_.sets)
      if (set.key != "sim.seed") text += " --set " + shell_quoted(set.key + "=" + set.value);
    return text + " --seed ";
  }

  void complain(const std::string& what, const std::string& reproduce) {
    clear_progress();
    print_error(streams_, what);
    streams_.err << "  reproduce   " << reproduce << "\n";
  }

  void show(const sim::RunResult& result, std::size_t job) {
    if (options_.format == Format::json) write(json_of_run(result));
    if (plan_.batch()) return add_to_batch(batches_[plan_.scenario_index(job)], result);
    ++verdicts_[result.verdict];
    code_ = worse(code_, exit_code_of(result.verdict));
    if (options_.format == Format::text)
      write_block(text_of_run(result, plan_.scenario(job), streams_.paint_out));
  }

  // The first few runs that are not a pass are told in full; the summary names some more, and counts the rest.
  void add_to_batch(Batch& batch, const sim::RunResult& result) {
    batch.add(result);
    if (options_.format != Format::text || batch.verdict_of(result) == sim::Verdict::pass) return;
    if (batch.failures_total() <= kToldInFull)
      write_block(text_of_run(result, batch.scenario(), streams_.paint_out));
    else if (batch.failures_total() == kToldInFull + 1)
      write_block("further runs that are not a pass are counted in the summary (see --format json)\n");
  }

  void show_batch(std::size_t index) {
    const Batch& batch = batches_[index];
    if (batch.runs() == 0 || index < batches_shown_) return;
    batches_shown_ = index + 1;
    code_ = worse(code_, exit_code_of(batch.verdict()));
    if (options_.format == Format::json)
      write(json_of_batch(batch, reproduce_prefix(batch.scenario())));
    else
      write_block(text_of_batch(batch, reproduce_prefix(batch.scenario()), streams_.paint_out));
  }

  // Text comes in blocks with an empty line between them.
  void write_block(const std::string& text) {
    write(any_block_ ? "\n" + text : text);
    any_block_ = true;
  }

  void write(const std::string& text) {
    clear_progress();
    write_results(streams_, text);
  }

  void show_progress() {
    if (!streams_.progress || plan_.count() < 2) return;
    streams_.err << fmt::format("\r\x1b[K{} of {}", reported_, plan_.count()) << std::flush;
    progress_shown_ = true;
  }
  void clear_progress() {
    if (!progress_shown_) return;
    streams_.err << "\r\x1b[K" << std::flush;
    progress_shown_ = false;
  }

  const RunOptions& options_;
  const Plan& plan_;
  Streams& streams_;
  std::vector<Batch> batches_;
  std::size_t batches_shown_ = 0;
  std::map<sim::Verdict, std::size_t> verdicts_;
  std::size_t reported_ = 0;
  std::size_t differed_ = 0;  // of those made twice
  bool any_block_ = false;
  bool progress_shown_ = false;
  ExitCode code_ = ExitCode::pass;
};

// The scenario with every draw of its faults made: a literal one, with the same trace.
void print_plan(const sim::Scenario& scenario, std::uint64_t seed, Streams& streams) {
  sim::Scenario literal = scenario;
  literal.seed = seed;
  literal.faults = sim::draw_plan(scenario, sim::World(scenario, seed).noise());
  write_results(streams, sim::print_scenario(literal));
}

// Under whatever names: a link to a file is that file.
bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  return std::filesystem::equivalent(a, b, error) && !error;
}

}  // namespace

ExitCode run_command(const RunOptions& options, Streams& streams) {
  const Loaded loaded = load(options.paths, options.sets, "nothing was run", streams);
  if (loaded.code != ExitCode::pass) return loaded.code;
  if (loaded.scenarios.empty()) {
    print_error(streams, "no scenario there; nothing was run");
    return ExitCode::nothing_ran;
  }
  const Plan plan(options, loaded.scenarios);
  if ((!options.trace.empty() || options.print_plan) && plan.count() != 1) {
    print_error(streams, "--trace and --print-plan take one file and one seed");
    return ExitCode::usage;
  }
  if (!options.trace.empty())
    for (const sim::Scenario& scenario : loaded.scenarios)
      if (is_same_file(options.trace, scenario.path)) {
        print_error(streams,
                    fmt::format("--trace {} would overwrite the scenario {}", options.trace, scenario.path));
        return ExitCode::usage;
      }
  if (options.print_plan) {
    print_plan(plan.scenario(0), plan.seed(0), streams);
    return ExitCode::pass;
  }

  std::ofstream trace_file;
  std::unique_ptr<TraceWriter> trace;
  errno = 0;
  if (!options.trace.empty()) {
    trace_file.open(options.trace, std::ios::binary);
    trace = std::make_unique<TraceWriter>(plan.scenario(0), plan.seed(0), trace_file);
  }
  const auto trace_failed = [&] {
    if (options.trace.empty() || trace_file.flush()) return false;
    print_error(streams, fmt::format("cannot write {}: {}", options.trace, system_reason(errno)));
    return true;
  };
  if (trace_failed()) return ExitCode::io_error;

  Outcomes outcomes;
  Reporter reporter(options, plan, loaded.scenarios, streams);
  const JobsEnd end = run_jobs(
      plan.count(), options.jobs,
      [&](std::size_t job) {
        outcomes.put(job, run_one({.scenario = &plan.scenario(job),
                                   .seed = plan.seed(job),
                                   .trace = trace.get(),
                                   .twice = options.twice}));
      },
      [&](std::size_t job) {
        reporter.report(job, outcomes.take(job));
        return true;
      });
  if (end == JobsEnd::interrupted) {
    reporter.interrupted();
    streams.out.flush();
    // Threads are still at work on what is on this stack; nothing may be torn down under them.
    std::_Exit(static_cast<int>(ExitCode::interrupted));
  }
  reporter.finish();
  errno = 0;
  return trace_failed() ? worse(reporter.code(), ExitCode::io_error) : reporter.code();
}

}  // namespace tenure::cli
