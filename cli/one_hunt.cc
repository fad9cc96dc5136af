#include "cli/one_hunt.h"

#include <algorithm>
#include <map>
#include <utility>

#include "cli/jobs.h"
#include "cli/keep.h"
#include "cli/replay_files.h"
#include "cli/version.h"

namespace tenure::cli {
namespace {

// One case in this many is run twice and compared.
constexpr std::uint64_t kCompareEvery = 64;

std::uint64_t count_of(const SeedRange& seeds) { return seeds.last - seeds.first + 1; }

std::optional<std::uint64_t> planned_by(const HuntOptions& options) {
  if (options.open_ended) return std::nullopt;
  return count_of(options.seeds);
}

}  // namespace

OneHunt::OneHunt(const HuntOptions& options, const sim::ScenarioFile& file, std::string title,
                 Reporter& reporter, Streams& streams)
    : options_(options),
      file_(file),
      reporter_(reporter),
      streams_(streams),
      hunt_(file, {options.seeds.first, count_of(options.seeds), options.guided}),
      progress_(title, planned_by(options), options.time, streams) {
  findings_.scenario = file.scenario.name;
  findings_.title = std::move(title);
  findings_.path = file.scenario.path;
  findings_.first_seed = options.seeds.first;
  findings_.planned = planned_by(options);
  findings_.not_demanded = sim::not_demanded(file);
}

const HuntFindings& OneHunt::run() {
  if (options_.replay) replay_regressions();
  bool going_on = findings_.stopped.empty();
  while (going_on && hunt_.begin_generation() > 0) going_on = run_generation(hunt_.next_case());
  finish();
  return findings_;
}

void OneHunt::replay_regressions() {
  KeptBefore before = regressions_of(file_.scenario, options_.folder, streams_);
  findings_.other_regressions = before.others;
  const JobsEnd end = replay_all(std::move(before.files), options_.jobs, [&](std::size_t, ReplayedFile file) {
    const bool failed = file.replayed.failure.has_value();
    if (failed && !options_.keep_going) findings_.stopped = kRegressionFails;
    reporter_.replayed(file, true);
    findings_.regressions.push_back(std::move(file));
  });
  if (end == JobsEnd::interrupted) interrupt();
}

bool OneHunt::run_generation(std::uint64_t first) {
  const JobsEnd end = run_jobs(
      hunt_.generation_size(), options_.jobs,
      [this, first](std::size_t job) {
        const std::uint64_t index = first + job;
        Entry entry{.made = hunt_.make(index), .outcome = {}};
        entry.compared = options_.check_determinism || index % kCompareEvery == 0;
        entry.outcome = run_case(entry.made.scenario, entry.compared);
        finished_.put(job, std::move(entry));
      },
      [&](std::size_t job) { return take(first + job, finished_.take(job)); });
  if (end == JobsEnd::interrupted) interrupt();
  report_failures();
  if (Interruption::came()) interrupt();
  return end == JobsEnd::done && !findings_.interrupted;
}

bool OneHunt::take(std::uint64_t index, Entry entry) {
  const std::uint64_t seed = hunt_.seed_of(index);
  if (entry.compared) ++findings_.compared;
  if (!entry.outcome.difference.empty() && findings_.difference.empty()) {
    findings_.difference = entry.outcome.difference;
    findings_.difference_seed = seed;
    findings_.stopped = "two runs of one case differ";
  }
  if (!entry.outcome.result.failures.empty()) ++findings_.failures;
  for (const sim::Failure& failure : entry.outcome.result.failures)
    remember(entry.made.scenario, failure, seed);
  // Of an interrupted hunt, results come after a gap: they count as failures, but not as cases that were done.
  if (index == hunt_.next_case()) hunt_.take(std::move(entry.made), entry.outcome.result);
  progress_.show(hunt_.cases(), findings_.failures, hunt_.last_new() + 1);
  if (findings_.failures > 0 && !options_.keep_going) findings_.stopped = "a violation";
  if (findings_.stopped.empty() && progress_.time_is_up()) findings_.stopped = "the time was up";
  return findings_.stopped.empty();
}

// A failure like one that is known is counted, and no more.
void OneHunt::remember(const sim::Scenario& scenario, const sim::Failure& failure, std::uint64_t seed) {
  for (std::vector<Finding>* known : {&findings_.findings, &pending_})
    for (Finding& each : *known)
      if (each.kept.failure.same_as(failure)) {
        ++each.times;
        return;
      }
  pending_.push_back({seed, keep(scenario, failure, keep_setup(seed), streams_), 1});
}

KeepSetup OneHunt::keep_setup(std::uint64_t seed) const {
  return {.folder = options_.folder,
          .origin = {file_.scenario.path, seed, std::string(version()), file_.plans.regression}};
}

void OneHunt::report_failures() {
  for (Finding& finding : pending_) {
    clear_progress(streams_);
    if (options_.shrink && !findings_.interrupted && !Interruption::came())
      shrink_kept(finding.kept, keep_setup(finding.seed), options_.shrink_time, streams_);
    findings_.code = worse(findings_.code, end_keeping(finding.kept, streams_));
    findings_.findings.push_back(std::move(finding));
    reporter_.found(findings_, findings_.findings.back());
  }
  pending_.clear();
}

void OneHunt::interrupt() {
  findings_.interrupted = true;
  findings_.stopped = "interrupted";
}

void OneHunt::finish() {
  if (hunt_.cases() > 0) progress_.finish(hunt_.cases());
  findings_.cases = hunt_.cases();
  findings_.inside = hunt_.cases_inside();
  findings_.mutated = hunt_.cases_mutated();
  findings_.events = hunt_.events();
  findings_.features = hunt_.features();
  findings_.last_new_seed = hunt_.seed_of(hunt_.last_new());
  findings_.sometimes = hunt_.sometimes();
  findings_.faults = hunt_.faults();
  findings_.examined = hunt_.examined();
  findings_.reported = hunt_.reported();
  judge_what_never_was();
  findings_.code = worse(findings_.code, exit_code_of(verdict_of(findings_)));
  if (!findings_.difference.empty()) findings_.code = worse(findings_.code, ExitCode::not_deterministic);
}

// What the file demands and no case has shown.
void OneHunt::judge_what_never_was() {
  const auto never = [](const auto& counts, const std::string& name) {
    const auto found = counts.find(name);
    return found == counts.end() || found->second == 0;
  };
  for (const std::string& name : file_.scenario.expect.sometimes)
    if (never(findings_.sometimes, name)) findings_.demanded_never.push_back(name);
  const sim::Expectation& judged = hunt_.hunted().scenario.expect;
  for (const auto& names : {judged.always, judged.eventually})
    for (const std::string& name : names.value_or(std::vector<std::string>{}))
      if (never(findings_.examined, name)) findings_.demanded_never.push_back(name);
}

sim::Verdict verdict_of(const HuntFindings& findings) {
  const auto any = [&](auto is) {
    return std::any_of(findings.regressions.begin(), findings.regressions.end(), is);
  };
  if (findings.failures > 0 ||
      any([](const ReplayedFile& file) { return file.replayed.failure.has_value(); }))
    return sim::Verdict::fail;
  const bool stale =
      any([](const ReplayedFile& f) { return f.replayed.state == sim::Replayed::State::stale; });
  const bool unknown =
      stale || findings.interrupted || !findings.demanded_never.empty() || findings.cases == 0;
  return unknown ? sim::Verdict::inconclusive : sim::Verdict::pass;
}

}  // namespace tenure::cli
