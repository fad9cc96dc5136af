#include "cli/commands/runs_report.h"

#include <fmt/format.h>

#include <random>
#include <utility>

#include "cli/commands/draw_cases.h"
#include "cli/reports/html/sections.h"
#include "cli/reports/text/text_format.h"
#include "lab/session/kept_json.h"

namespace tenure::cli {
namespace {

constexpr std::uint64_t kDrawnSeeds = 1'000'000'000'000;  // short enough to type

std::uint64_t drawn_seed() {
  std::random_device device;
  return (std::uint64_t{device()} << 32U | device()) % kDrawnSeeds;
}

}  // namespace

RunPlan::RunPlan(const RunCommandOptions& options, const std::vector<format::ScenarioFile>& files)
    : files_(files) {
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

RunsReport::RunsReport(const RunCommandOptions& options, const RunPlan& plan, Reporter& reporter,
                       Streams& streams)
    : options_(options), plan_(plan), reporter_(reporter), streams_(streams), line_(streams) {
  totals_.unit = "run";
  totals_.planned = plan.count();
  totals_.compared = options.twice;
  for (const format::ScenarioFile& file : plan.files())
    parts_.push_back({.batch = lab::Batch(file.scenario), .tally = RunTally(file.scenario, plan.batch())});
}

void RunsReport::take(std::size_t job, lab::RunOutcome outcome) {
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
    if (options_.twice) part.tally.add_compared(plan_.seed(job), outcome.difference, reproduce + " --twice");
  }
  if (job + 1 == plan_.count() || plan_.scenario_index(job + 1) != plan_.scenario_index(job)) close(part);
  if (plan_.count() > 1 && streams_.progress && line_.is_due())
    line_.show(fmt::format("{} of {}  {} left", totals_.done, plan_.count(),
                           ProgressLine::in_words(line_.seconds_left(totals_.done, plan_.count()))));
}

bool RunsReport::draw() {
  std::vector<CaseToDraw> cases;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (parts_[i].batch.runs() == 0) continue;
    const std::string prefix = reproduce_prefix(parts_[i].batch.scenario());
    for (const std::uint64_t seed : seeds_worth_a_look(parts_[i].batch))
      cases.push_back({plan_.files()[i], seed, fmt::format("{}{}", prefix, seed)});
  }
  return draw_cases(cases, options_.jobs, reporter_);
}

ExitCode RunsReport::end(bool interrupted) {
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

std::vector<std::string> RunsReport::states() const {
  std::vector<std::string> states;
  for (const Part& part : parts_) {
    states.push_back(lab::json_line(part.batch.state()));
    states.push_back(text_of(part.tally.state()));
  }
  return states;
}

bool RunsReport::append(const std::vector<std::string>& states) {
  if (states.size() != 2 * parts_.size()) return false;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    std::optional<lab::Batch::State> batch = lab::read_json_line<lab::Batch::State>(states[2 * i]);
    const std::optional<RunTally::State> tally = read_tally(states[2 * i + 1]);
    if (!batch || !tally) return false;
    totals_.done += tally->runs;
    if (tally->runs > batch->runs) totals_.code = worse(totals_.code, ExitCode::internal_error);
    for (const RunTally::Entry& entry : tally->entries)
      if (entry.worst.kind == "determinism" && entry.worst.outcome == CheckStanding::failed) {
        totals_.code = worse(totals_.code, ExitCode::not_deterministic);
        totals_.differed += entry.times;
      }
    parts_[i].batch.append(lab::Batch(parts_[i].batch.scenario(), *std::move(batch)));
    parts_[i].tally.append(*tally);
  }
  return true;
}

void RunsReport::tell_appended() {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    Part& part = parts_[i];
    const format::ScenarioFile& file = plan_.files()[i];
    lab::Batch told(file.scenario);
    for (const lab::Batch::FailedRun& failed : part.batch.failures()) {
      lab::RunOutcome outcome = lab::run_one({.file = &file, .seed = failed.seed});
      if (!outcome.result) continue;
      outcome.result->reproduce = fmt::format("{}{}", reproduce_prefix(file.scenario), failed.seed);
      told.add(*outcome.result);
      reporter_.run(*outcome.result, file.scenario, &told);
    }
    if (part.tally.runs() < plan_.seeds_each()) part.batch.cut_short(plan_.seeds_each());
    close(part);
  }
}

std::uint64_t RunsReport::failed() const {
  std::uint64_t failed = 0;
  for (const Part& part : parts_) failed += part.tally.runs() - part.batch.count(sim::Verdict::pass);
  return failed;
}

std::string RunsReport::reproduce_prefix(const sim::Scenario& scenario) const {
  return "tenure run " + shell_quoted(scenario.path) + shell_sets(options_.sets, false) + " --seed ";
}

void RunsReport::complain(const std::string& what, const std::string& reproduce) {
  print_error(streams_, what);
  streams_.err << "  reproduce   " << reproduce << "\n";
}

void RunsReport::show(const sim::RunResult& result, std::size_t job, Part& part) {
  if (plan_.batch())
    part.batch.add(result);
  else
    totals_.code = worse(totals_.code, exit_code_of(result.verdict));
  part.tally.add(result);
  reporter_.run(result, plan_.scenario(job), plan_.batch() ? &part.batch : nullptr);
}

void RunsReport::close(Part& part) {
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

}  // namespace tenure::cli
