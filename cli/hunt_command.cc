#include "cli/hunt_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "cli/case_run.h"
#include "cli/findings.h"
#include "cli/hunt_json.h"
#include "cli/hunt_progress.h"
#include "cli/hunt_text.h"
#include "cli/jobs.h"
#include "cli/load.h"
#include "cli/text_format.h"
#include "cli/version.h"

namespace tenure::cli {
namespace {

// One case in this many is run twice and compared.
constexpr std::uint64_t kCompareEvery = 64;

// Cases and what became of them, on their way from the threads that made them.
class Finished {
 public:
  struct Entry {
    sim::Case made;
    CaseOutcome outcome;
    bool compared = false;
  };
  void put(std::size_t job, Entry entry) {
    const std::scoped_lock lock(mutex_);
    waiting_.emplace(job, std::move(entry));
  }
  Entry take(std::size_t job) {
    const std::scoped_lock lock(mutex_);
    return std::move(waiting_.extract(job).mapped());
  }

 private:
  std::mutex mutex_;
  std::map<std::size_t, Entry> waiting_;
};

std::vector<ReplayedFile> replay_all(const std::vector<sim::Scenario>& scenarios, unsigned jobs) {
  std::vector<std::optional<ReplayedFile>> found(scenarios.size());
  run_jobs(
      scenarios.size(), jobs,
      [&](std::size_t job) {
        const sim::Scenario& scenario = scenarios[job];
        found[job] = ReplayedFile{scenario, sim::replay(scenario, [&](std::uint64_t seed) {
                                    return run_seed(scenario, seed, false);
                                  })};
      },
      [](std::size_t) { return true; });
  std::vector<ReplayedFile> replayed;
  for (std::optional<ReplayedFile>& each : found)
    if (each) replayed.push_back(std::move(*each));
  return replayed;
}

// The failures of this scenario that were kept before.
std::vector<sim::Scenario> regressions_of(const sim::Scenario& file, const std::string& folder,
                                          Streams& streams) {
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error)) return {};
  const std::string paths[] = {folder};
  Loaded loaded = load(paths, {}, "it is not replayed", streams);
  std::erase_if(loaded.scenarios, [&](const sim::Scenario& kept) {
    return !kept.regression || !kept.regression->origin.starts_with(file.path + " seed ");
  });
  return std::move(loaded.scenarios);
}

class OneHunt {
 public:
  OneHunt(const HuntOptions& options, const sim::Scenario& file, Streams& streams)
      : options_(options),
        file_(file),
        streams_(streams),
        hunt_(file, {options.seeds.first, options.seeds.last - options.seeds.first + 1, options.guided}),
        progress_(file.name, options.seeds.last - options.seeds.first + 1, options.time, streams) {
    findings_.scenario = file.name;
    findings_.path = file.path;
    findings_.first_seed = options.seeds.first;
    findings_.planned = options.seeds.last - options.seeds.first + 1;
  }

  HuntFindings run() {
    if (options_.replay) replay_regressions();
    bool going_on = findings_.stopped.empty();
    while (going_on && hunt_.begin_generation() > 0) going_on = run_generation(hunt_.next_case());
    finish();
    return std::move(findings_);
  }

 private:
  struct Pending {
    sim::Scenario scenario;
    sim::Failure failure;
    std::uint64_t seed = 0;
    std::uint64_t times = 1;
  };

  void replay_regressions() {
    findings_.regressions = replay_all(regressions_of(file_, options_.folder, streams_), options_.jobs);
    for (const ReplayedFile& file : findings_.regressions) {
      write(text_of_replay(file, streams_.paint_out, false));
      const bool failed = file.replayed.failure.has_value();
      if (failed && !options_.keep_going) findings_.stopped = "a regression fails";
    }
  }

  bool run_generation(std::uint64_t first) {
    Finished finished;
    const std::uint64_t count = hunt_.generation_size();
    const JobsEnd end = run_jobs(
        count, options_.jobs,
        [&](std::size_t job) {
          const std::uint64_t index = first + job;
          Finished::Entry entry{.made = hunt_.make(index), .outcome = {}};
          entry.compared = options_.check_determinism || index % kCompareEvery == 0;
          entry.outcome = run_case(entry.made.scenario, entry.compared);
          finished.put(job, std::move(entry));
        },
        [&](std::size_t job) { return take(hunt_.seed_of(first + job), finished.take(job)); });
    if (end == JobsEnd::interrupted) {
      findings_.stopped = "interrupted";
      finish();
      write(options_.format == Format::json ? json_of_hunt(findings_)
                                            : text_of_hunt(findings_, streams_.paint_out));
      streams_.out.flush();
      // Threads are still at work on what is on this stack; nothing may be torn down under them.
      std::_Exit(static_cast<int>(ExitCode::interrupted));
    }
    keep_failures();
    return end == JobsEnd::done;
  }

  // False when there is reason to stop.
  bool take(std::uint64_t seed, Finished::Entry entry) {
    if (entry.compared) ++findings_.compared;
    const bool differs = !entry.outcome.difference.empty();
    if (differs) {
      findings_.difference = entry.outcome.difference;
      findings_.difference_seed = seed;
      findings_.stopped = "two runs of one case differ";
    }
    if (entry.outcome.result.failure) remember(entry.made.scenario, *entry.outcome.result.failure, seed);
    hunt_.take(std::move(entry.made), entry.outcome.result);
    progress_.show(hunt_.cases(), findings_.failures, hunt_.last_new() + 1);
    if (findings_.failures > 0 && !options_.keep_going) findings_.stopped = "a violation";
    if (findings_.stopped.empty() && progress_.time_is_up()) findings_.stopped = "the time was up";
    return findings_.stopped.empty();
  }

  // A failure like one that is known is counted, and no more.
  void remember(const sim::Scenario& scenario, const sim::Failure& failure, std::uint64_t seed) {
    ++findings_.failures;
    for (Finding& known : findings_.findings)
      if (known.kept.failure.same_as(failure)) {
        ++known.times;
        return;
      }
    for (Pending& known : pending_)
      if (known.failure.same_as(failure)) {
        ++known.times;
        return;
      }
    pending_.push_back({scenario, failure, seed, 1});
  }

  void keep_failures() {
    for (const Pending& pending : pending_) {
      progress_.clear();
      const KeepSetup setup{regression_path(options_.folder, file_, pending.failure, pending.seed),
                            {file_.path, pending.seed, std::string(version())},
                            options_.shrink ? std::optional(options_.shrink_time) : std::nullopt};
      std::optional<Kept> kept = keep(pending.scenario, pending.failure, setup, streams_);
      if (!kept) {
        findings_.code = worse(findings_.code, ExitCode::io_error);
        continue;
      }
      findings_.findings.push_back({pending.seed, std::move(*kept), pending.times});
      if (options_.format == Format::text)
        write(text_of_finding(findings_.findings.back(), streams_.paint_out) + "\n");
    }
    pending_.clear();
  }

  void finish() {
    progress_.finish(hunt_.cases());
    findings_.cases = hunt_.cases();
    findings_.inside = hunt_.cases_inside();
    findings_.mutated = hunt_.cases_mutated();
    findings_.events = hunt_.events();
    findings_.features = hunt_.features();
    findings_.last_new_seed = hunt_.seed_of(hunt_.last_new());
    findings_.sometimes = hunt_.sometimes();
    findings_.faults = hunt_.faults();
    findings_.examined = hunt_.examined();
    judge_what_never_was();
    findings_.code = worse(findings_.code, exit_code_of(verdict_of(findings_)));
    if (!findings_.difference.empty()) findings_.code = worse(findings_.code, ExitCode::not_deterministic);
  }

  // What the file demands and no case has shown.
  void judge_what_never_was() {
    const auto never = [](const auto& counts, const std::string& name) {
      const auto found = counts.find(name);
      return found == counts.end() || found->second == 0;
    };
    for (const std::string& name : file_.expect.sometimes)
      if (never(findings_.sometimes, name)) findings_.demanded_never.push_back(name);
    for (const auto& names : {file_.expect.always, file_.expect.eventually})
      for (const std::string& name : names.value_or(std::vector<std::string>{}))
        if (never(findings_.examined, name)) findings_.demanded_never.push_back(name);
  }

  void write(const std::string& text) {
    if (text.empty()) return;
    progress_.clear();
    write_results(streams_, text);
  }

  const HuntOptions& options_;
  const sim::Scenario& file_;
  Streams& streams_;
  sim::Hunt hunt_;
  HuntProgress progress_;
  HuntFindings findings_;
  std::vector<Pending> pending_;
};

ExitCode exit_code_of(const sim::Replayed& replayed) {
  if (replayed.failure) return ExitCode::fail;
  return replayed.state == sim::Replayed::State::stale ? ExitCode::inconclusive : ExitCode::pass;
}

}  // namespace

sim::Verdict verdict_of(const HuntFindings& findings) {
  const auto any = [&](auto is) {
    return std::any_of(findings.regressions.begin(), findings.regressions.end(), is);
  };
  if (findings.failures > 0 ||
      any([](const ReplayedFile& file) { return file.replayed.failure.has_value(); }))
    return sim::Verdict::fail;
  const bool stale =
      any([](const ReplayedFile& f) { return f.replayed.state == sim::Replayed::State::stale; });
  return stale || !findings.demanded_never.empty() || findings.cases == 0 ? sim::Verdict::inconclusive
                                                                          : sim::Verdict::pass;
}

ExitCode hunt_command(const HuntOptions& options, Streams& streams) {
  const Loaded loaded = load(options.paths, options.sets, "nothing was run", streams);
  if (loaded.code != ExitCode::pass) return loaded.code;
  if (loaded.scenarios.empty()) {
    print_error(streams, "no scenario there; nothing was run");
    return ExitCode::nothing_ran;
  }
  ExitCode code = ExitCode::pass;
  for (const sim::Scenario& scenario : loaded.scenarios) {
    const HuntFindings findings = OneHunt(options, scenario, streams).run();
    write_results(streams, options.format == Format::json ? json_of_hunt(findings)
                                                          : text_of_hunt(findings, streams.paint_out));
    if (!findings.difference.empty())
      print_error(streams, fmt::format("not deterministic: seed {}, {}", findings.difference_seed,
                                       findings.difference));
    code = worse(code, findings.code);
    if (code != ExitCode::pass && code != ExitCode::inconclusive && !options.keep_going) break;
  }
  return code;
}

ExitCode shrink_command(const ShrinkOptions& options, Streams& streams) {
  const std::string paths[] = {options.path};
  const Loaded loaded = load(paths, options.sets, "nothing was run", streams);
  if (loaded.code != ExitCode::pass) return loaded.code;
  if (loaded.scenarios.size() != 1) {
    print_error(streams, fmt::format("{} holds {}; shrink takes one file", options.path,
                                     counted(loaded.scenarios.size(), "scenario")));
    return ExitCode::nothing_ran;
  }
  sim::Scenario failing = sim::as_hunted(loaded.scenarios.front());
  if (options.seed) failing.seed = options.seed;
  if (!failing.seed) {
    print_error(streams, fmt::format("{} has no seed; say which one fails, with --seed", options.path));
    return ExitCode::usage;
  }
  const std::optional<sim::Failure> failure = try_case(failing);
  if (!failure) {
    print_error(streams, fmt::format("{} does not fail with seed {}; there is nothing to shrink",
                                     options.path, *failing.seed));
    return ExitCode::nothing_ran;
  }
  const std::string path =
      !options.out.empty() ? options.out : regression_path(options.folder, failing, *failure, *failing.seed);
  std::optional<Kept> kept =
      keep(failing, *failure, {path, {options.path, *failing.seed, std::string(version())}, options.time},
           streams);
  if (!kept) return ExitCode::io_error;
  write_results(streams, text_of_finding({*failing.seed, std::move(*kept), 1}, streams.paint_out));
  return ExitCode::pass;
}

ExitCode replay_command(const ReplayOptions& options, Streams& streams) {
  const Loaded loaded = load(options.paths, {}, "nothing was run", streams);
  if (loaded.code != ExitCode::pass) return loaded.code;
  if (loaded.scenarios.empty()) {
    print_error(streams, "no regression there; nothing was run");
    return ExitCode::nothing_ran;
  }
  ExitCode code = ExitCode::pass;
  for (const ReplayedFile& file : replay_all(loaded.scenarios, options.jobs)) {
    write_results(streams, options.format == Format::json ? json_of_replay(file)
                                                          : text_of_replay(file, streams.paint_out, true));
    code = worse(code, exit_code_of(file.replayed));
  }
  return code;
}

}  // namespace tenure::cli
