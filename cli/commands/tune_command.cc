#include "cli/commands/tune_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

#include "cli/commands/tune_explain.h"
#include "cli/jobs.h"
#include "cli/reports/report_file.h"
#include "cli/reports/svg/svg.h"
#include "cli/reports/text/text_format.h"
#include "cli/reports/tune_report.h"
#include "cli/tune_runs.h"
#include "cli/tune_save.h"
#include "cli/tune_task.h"
#include "cli/version.h"
#include "core/base/hash.h"
#include "format/syntax/units.h"

namespace tenure::cli {
namespace {

// Every setting that the plan names and that is one.
struct Settings {
  std::vector<sim::Setting> made;
  std::uint64_t left_out = 0;
  std::string why_left_out;
};

Settings make_settings(const TuneTask& task, const std::vector<sim::TunePoint>& points) {
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

std::string fingerprint_of(const TuneTask& task) {
  Hasher hasher;
  hasher.add(version()).add(task.file.text);
  for (const sim::Override& set : task.file.sets) hasher.add(set.key).add(set.value);
  return fmt::format("{:016x}", hasher.value());
}

bool open_save(const TuneOptions& options, const TuneTask& task, TuneSave& save, Streams& streams) {
  if (!options.keep) return true;
  const std::string path = options.save.empty() ? task.name + ".tune" : options.save;
  return save.open(path, fingerprint_of(task), options.resume, streams);
}

// A plot of the same scenario can be drawn again; anything else is somebody's.
bool may_draw(const std::string& path, const TuneTask& task, Streams& streams) {
  if (path.empty()) return true;
  if (!ReportFile(path, ReportFile::Mode::replace, streams).good()) return false;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return true;
  std::ifstream file(path, std::ios::binary);
  std::string first;
  std::string second;
  if (!std::getline(file, first)) return true;  // empty
  std::getline(file, second);
  if (first.starts_with("<svg ") && second == svg_description(plot_description(task.name))) return true;
  print_error(streams, fmt::format("{} is there, and is no plot of {}: name another file with --plot", path,
                                   task.name));
  return false;
}

void search(sim::Tuning& tuning, TuneRuns& runs) {
  for (std::vector<sim::TuneWork> works = tuning.next_round(); !works.empty(); works = tuning.next_round()) {
    std::vector<TuneJob> jobs;
    std::uint64_t count = 0;
    for (const sim::TuneWork& work : works) {
      jobs.push_back({fmt::format("setting {}", work.setting), &tuning.setting(work.setting), work.first_seed,
                      work.count});
      count += work.count;
    }
    runs.expect(count);
    runs.run(jobs, tuning.questions(),
             [&](std::size_t i, const auto& numbers) { tuning.take(works[i], numbers); });
  }
}

// Objectives of which no setting has a sample: it is the file that cannot say anything of them.
bool complain_of_samples(const TuneTask& task, const sim::Tuning& tuning, Streams& streams) {
  bool complained = false;
  for (const sim::TuneObjective& objective : task.tune.objectives) {
    std::uint64_t samples = 0;
    for (std::size_t i = 0; i < tuning.size(); ++i)
      samples += tuning.outcome(i).estimate(objective.measure).samples;
    if (samples > 0) continue;
    complain(task, objective.place, fmt::format("`{}` has no sample in any setting", objective.measure.text),
             "nothing in the file brings it about: `tenure run` shows what its faults do", streams);
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

std::string when_interrupted(const TuneOptions& options, const TuneSave& save) {
  return options.keep ? fmt::format("; they are kept in {}, and --resume goes on", save.path())
                      : "; none are kept (--no-save)";
}

void find_all(const TuneTask& task, const TuneOptions& options, sim::Tuning& tuning, TuneRuns& runs,
              TuneReport& report, Streams& streams) {
  if (report.has_parameters()) search(tuning, runs);
  report.judgement = tuning.judge();
  if (task.tune.frontier) report.frontier = find_frontier(task, options, runs, streams);
  if (!task.profile) return;
  std::vector<std::size_t> settings = report.judgement.best;
  const std::size_t own = tuning.twin_of_own().value_or(0);
  if (std::find(settings.begin(), settings.end(), own) == settings.end()) settings.push_back(own);
  find_profile(task, tuning, settings, runs, report.profile);
}

// The keys that it names are ones that a file can have, with such values: as its first try would find out.
bool frontier_is_possible(const TuneTask& task, Streams& streams) {
  const sim::Frontier frontier(*task.tune.frontier);
  std::vector<std::vector<sim::Override>> tries;
  for (const std::int64_t value : {frontier.asked().span.low, frontier.asked().span.high})
    for (std::size_t row = 0; row < frontier.rows(); ++row)
      tries.push_back(frontier.overrides_of({row, value}));
  std::vector<sim::Diagnostic> problems;
  for (std::vector<sim::Override>& overrides : tries) {
    sim::MadeSetting made = sim::make_setting(task.file, std::move(overrides));
    if (made.setting) return true;
    if (problems.empty()) problems = std::move(made.problems);
  }
  const auto& along = frontier.asked().parameter;
  for (const sim::Diagnostic& problem : problems) {
    const bool of_parameter = along && problem.where.starts_with(fmt::format("--set {}=", along->key));
    complain(task, of_parameter ? along->place : frontier.asked().place, "no setting: " + problem.message,
             problem.hint, streams);
  }
  return false;
}

ExitCode code_of(const TuneReport& report) {
  ExitCode code = report.frontier ? report.frontier->code : ExitCode::pass;
  if (report.has_parameters() && report.judgement.best.empty()) code = worse(code, ExitCode::fail);
  return code;
}

ExitCode no_settings(const TuneTask& task, const Settings& settings, Streams& streams) {
  complain(task, task.tune.parameters.front().place, "no combination of these values is a setting",
           settings.why_left_out, streams);
  return ExitCode::bad_scenario;
}

}  // namespace

ExitCode tune_command(const TuneOptions& options, Streams& streams) {
  ExitCode code = ExitCode::pass;
  const std::optional<TuneTask> task = read_tune_task(options, code, streams);
  if (!task) return code;
  if (options.explain) return explain_setting(*task, options, streams);
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
  if (!may_draw(options.plot, *task, streams)) return ExitCode::io_error;
  TuneSave save;
  if (task->tune.frontier && !frontier_is_possible(*task, streams)) return ExitCode::bad_scenario;
  if (task->tune.frontier && !can_write_into(options.folder, streams)) return ExitCode::io_error;
  if (!open_save(options, *task, save, streams)) return ExitCode::io_error;

  const Interruption interruption;
  sim::Tuning tuning(task->tune, std::move(*own.setting), std::move(settings.made));
  TuneRuns runs(task->name, options.jobs, save, when_interrupted(options, save), streams);
  TuneReport report{task->name,
                    task->file.path,
                    task->file.sets,
                    &tuning,
                    {},
                    settings.left_out,
                    settings.why_left_out,
                    {},
                    {},
                    0};
  if (task->profile) report.profile_seeds = task->profile->seeds;
  find_all(*task, options, tuning, runs, report, streams);
  runs.finish();
  if (!runs.internal_error().empty()) {
    print_error(streams, "an invariant of tenure broke: " + runs.internal_error());
    return ExitCode::internal_error;
  }
  if (report.has_parameters() && complain_of_samples(*task, tuning, streams)) return ExitCode::inconclusive;
  write_results(streams, formatted(report, options.format, streams.paint_out));
  ExitCode end = code_of(report);
  if (!options.plot.empty() && !write_file(options.plot, tune_plot(report), streams))
    end = worse(end, ExitCode::io_error);
  return end;
}

}  // namespace tenure::cli
