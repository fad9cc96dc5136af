#include "cli/tune_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "cli/engines.h"
#include "cli/jobs.h"
#include "cli/load.h"
#include "cli/report_file.h"
#include "cli/text_format.h"
#include "cli/tune_report.h"
#include "cli/tune_runs.h"
#include "cli/tune_save.h"
#include "cli/version.h"
#include "core/base/hash.h"
#include "sim/scenario/toml/units.h"

namespace tenure::cli {
namespace {

// What is to be tuned, read and checked.
struct Task {
  sim::TuneFile file;
  sim::TuneSetting tune;
  std::string name;
};

void print_diagnostic(const sim::Diagnostic& diagnostic, Streams& streams) {
  streams.err << sim::render(diagnostic, streams.paint_err);
}

// An error that is known only now, at its place in the file.
void complain(const Task& task, const sim::FilePlace& place, std::string what, std::string hint,
              Streams& streams) {
  sim::Diagnostics diagnostics(task.file.path, task.file.text, task.file.sets);
  diagnostics.add({place.line, place.column, place.length, place.override_index}, std::move(what),
                  std::move(hint));
  for (const sim::Diagnostic& diagnostic : diagnostics.take()) print_diagnostic(diagnostic, streams);
}

// Every setting that the plan names and that is one.
struct Settings {
  std::vector<sim::Setting> made;
  std::uint64_t left_out = 0;
  std::string why_left_out;
};

Settings make_settings(const Task& task, const std::vector<sim::TunePoint>& points) {
  Settings settings;
  for (const sim::TunePoint& point : points) {
    sim::MadeSetting made = sim::make_setting(task.file, sim::overrides_of(task.tune.parameters, point));
    if (made.setting) {
      settings.made.push_back(std::move(*made.setting));
    } else if (settings.left_out++ == 0) {
      settings.why_left_out = made.problems.front().message;
    }
  }
  return settings;
}

std::string fingerprint_of(const Task& task) {
  Hasher hasher;
  hasher.add(version()).add(task.file.text);
  for (const sim::Override& set : task.file.sets) hasher.add(set.key).add(set.value);
  return fmt::format("{:016x}", hasher.value());
}

bool open_save(const TuneOptions& options, const Task& task, TuneSave& save, Streams& streams) {
  if (!options.keep) return true;
  const std::string path = options.save.empty() ? task.name + ".tune" : options.save;
  return save.open(path, fingerprint_of(task), options.resume, streams);
}

bool search(sim::Tuning& tuning, TuneRuns& runs) {
  for (std::vector<sim::TuneWork> works = tuning.next_round(); !works.empty(); works = tuning.next_round()) {
    std::vector<TuneJob> jobs;
    std::uint64_t count = 0;
    for (const sim::TuneWork& work : works) {
      jobs.push_back({fmt::format("setting {}", work.setting), &tuning.setting(work.setting), work.first_seed,
                      work.count});
      count += work.count;
    }
    runs.expect(count);
    const bool done = runs.run(jobs, tuning.questions(), [&](std::size_t i, const auto& numbers) {
      tuning.take(works[i], numbers);
    });
    if (!done) return false;
  }
  return true;
}

// Objectives of which no setting has a sample: it is the file that cannot say anything of them.
bool complain_of_samples(const Task& task, const sim::Tuning& tuning, Streams& streams) {
  bool complained = false;
  for (const sim::TuneObjective& objective : task.tune.objectives) {
    std::uint64_t samples = 0;
    for (std::size_t i = 0; i < tuning.size(); ++i)
      samples += tuning.outcome(i).estimate(objective.measure).samples;
    if (samples > 0) continue;
    complain(task, objective.place,
             fmt::format("`{}` has no sample in any setting", objective.measure.text),
             "no fault of the file brings it about: see `tenure run`", streams);
    complained = true;
  }
  return complained;
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

ExitCode interrupted(const TuneOptions& options, const TuneSave& save, const TuneRuns& runs,
                     Streams& streams) {
  clear_progress(streams);
  streams.err << fmt::format("interrupted after {} runs", sim::print_thousands(runs.done()));
  if (options.keep) streams.err << fmt::format("; they are kept in {}, and --resume goes on", save.path());
  streams.err << "\n";
  streams.err.flush();
  leave_interrupted(streams);
}

std::optional<Task> read_task(const TuneOptions& options, ExitCode& code, Streams& streams) {
  const std::vector<std::string> paths = {options.path};
  Loaded loaded = load(paths, options.sets, "nothing was run", streams);
  code = loaded.code;
  if (loaded.scenarios.size() != 1 || code != ExitCode::pass) {
    if (code == ExitCode::pass) {
      print_error(streams, fmt::format("tune takes one file, and {} holds {}", options.path,
                                       counted(loaded.scenarios.size(), "scenario")));
      code = ExitCode::usage;
    }
    return std::nullopt;
  }
  const sim::Scenario& scenario = loaded.scenarios.front();
  Task task;
  std::string why;
  task.file = {scenario.path, read_text(scenario.path, why).value_or(""), options.sets, &system_zones(),
               store_engines()};
  task.name = scenario.name;
  if (scenario.tune) task.tune = *scenario.tune;
  if (!scenario.tune && !options.explain) {
    print_error(streams, fmt::format("{} has no [tune]: it does not say what to try", scenario.path));
    code = ExitCode::bad_scenario;
    return std::nullopt;
  }
  if (options.seeds) task.tune.seeds = static_cast<std::int64_t>(*options.seeds);
  return task;
}

ExitCode no_settings(const Task& task, const Settings& settings, Streams& streams) {
  complain(task, task.tune.parameters.front().place, "no combination of these values is a setting",
           settings.why_left_out, streams);
  return ExitCode::bad_scenario;
}

}  // namespace

ExitCode tune_command(const TuneOptions& options, Streams& streams) {
  ExitCode code = ExitCode::pass;
  const std::optional<Task> task = read_task(options, code, streams);
  if (!task) return code;
  const std::optional<std::vector<sim::TunePoint>> points = sim::plan_points(task->tune);
  if (!points) {
    complain(*task, task->tune.parameters.front().place,
             fmt::format("more than {} settings", sim::print_thousands(sim::kMostSettings)),
             "fewer `steps` or values; or search = \"halton\"", streams);
    return ExitCode::bad_scenario;
  }
  sim::MadeSetting own = sim::make_setting(task->file, {});
  Settings settings = make_settings(*task, *points);
  if (!points->empty() && settings.made.empty()) return no_settings(*task, settings, streams);
  TuneSave save;
  if (!open_save(options, *task, save, streams)) return ExitCode::io_error;

  const Interruption interruption;
  sim::Tuning tuning(task->tune, std::move(*own.setting), std::move(settings.made));
  TuneRuns runs(task->name, options.jobs, save, streams);
  if (!search(tuning, runs)) return interrupted(options, save, runs, streams);
  runs.finish();
  if (!runs.internal_error().empty()) {
    print_error(streams, "an invariant of tenure broke: " + runs.internal_error());
    return ExitCode::internal_error;
  }
  if (complain_of_samples(*task, tuning, streams)) return ExitCode::inconclusive;
  const TuneReport report{task->name,     task->file.path,   task->file.sets,      &tuning,
                          tuning.judge(), settings.left_out, settings.why_left_out};
  write_results(streams, formatted(report, options.format, streams.paint_out));
  return report.judgement.best.empty() ? ExitCode::fail : ExitCode::pass;
}

}  // namespace tenure::cli
