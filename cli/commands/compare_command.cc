#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "cli/commands/campaign.h"
#include "cli/commands/commands.h"
#include "cli/commands/draw_cases.h"
#include "cli/commands/open_runs.h"
#include "cli/commands/runs_watch.h"
#include "cli/gauntlet.h"
#include "cli/load.h"
#include "cli/reports/compare_report.h"
#include "cli/reports/html/page_report.h"
#include "cli/reports/html/sections.h"
#include "cli/reports/report_file.h"
#include "cli/reports/text/text_format.h"
#include "cli/terminal/signals.h"
#include "format/syntax/units.h"
#include "lab/session/compare_session.h"
#include "lab/session/read_file.h"

namespace tenure::cli {
namespace {

// The situations of the summary, in the gauntlet.
constexpr std::string_view kCrash = "crash";
constexpr std::string_view kDeploy = "deploy";
constexpr std::string_view kQuiet = "quiet";
constexpr std::string_view kCalm = "ordinary-day";

lab::TuneFile file_of(std::string path, std::string text) {
  const lab::ScenarioReader reader = scenario_reader();
  lab::TuneFile file;
  file.path = std::move(path);
  file.text = std::move(text);
  file.zones = reader.zones;
  file.engines = reader.engines;
  file.data_files = reader.data_files;
  file.designs = reader.designs;
  return file;
}

bool is_file(std::string_view path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error);
}

// False, and said why, when one is no design.
bool read_candidates(const CompareOptions& options, lab::CompareTask& task, Streams& streams) {
  bool good = true;
  for (const std::string& text : options.designs) {
    lab::ReadCandidate read = lab::read_candidate(text, scenario_reader().designs, is_file);
    const auto same = [&](const lab::Candidate& each) { return each.name == read.candidate->name; };
    if (read.candidate && std::any_of(task.candidates.begin(), task.candidates.end(), same)) {
      read.problem = fmt::format("two designs are called {}: rename one of the files", read.candidate->name);
      read.candidate.reset();
    }
    if (read.candidate) {
      task.candidates.push_back(*std::move(read.candidate));
      continue;
    }
    good = false;
    print_error(streams, read.problem);
    if (!read.hint.empty()) streams.err << "  " << read.hint << "\n";
  }
  return good;
}

// The gauntlet's, which are in any case what the summary is made from.
void add_gauntlet(lab::CompareTask& task) {
  for (const GauntletFile& each : gauntlet()) {
    lab::ReadSituation read = lab::read_situation(file_of(std::string(each.name), std::string(each.text)));
    const std::size_t place = task.situations.size();
    task.situations.push_back(std::move(read.situation.value()));
    const std::string& name = task.situations.back().name;
    if (name == kCrash) task.measured.crash = place;
    if (name == kDeploy) task.measured.deploy = place;
    if (name == kQuiet) task.measured.quiet = place;
    if (name == kCalm) task.measured.calm = place;
  }
}

// From the folder of a file to the one that we are in.
std::string way_back_from(const std::string& path) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::absolute(path).lexically_normal().parent_path();
  return fs::current_path().lexically_relative(folder).generic_string() + "/";
}

// Without files the gauntlet is the matrix.
ExitCode add_situations(const CompareOptions& options, lab::CompareTask& task, Streams& streams) {
  add_gauntlet(task);
  if (options.against.empty()) {
    for (std::size_t i = 0; i < task.situations.size(); ++i) task.matrix.push_back(i);
    return ExitCode::pass;
  }
  // Of the gauntlet, only what the summary needs.
  std::vector<lab::Situation> measured;
  for (const std::size_t place :
       {task.measured.crash, task.measured.deploy, task.measured.quiet, task.measured.calm})
    measured.push_back(std::move(task.situations[place]));
  task.situations = std::move(measured);
  task.measured = {0, 1, 2, 3};
  const Loaded loaded = load(options.against, {}, "nothing was run", streams);
  if (loaded.code != ExitCode::pass) return loaded.code;
  if (loaded.files.empty()) {
    print_error(streams, fmt::format("no scenario in {}; nothing was run", fmt::join(options.against, ", ")));
    return ExitCode::nothing_ran;
  }
  for (const format::ScenarioFile& file : loaded.files) {
    std::string why;
    std::string text = lab::read_file(file.scenario.path, format::kMaxBytes, why).value_or("");
    lab::ReadSituation read =
        lab::read_situation(file_of(file.scenario.path, std::move(text)), way_back_from(file.scenario.path));
    if (!read.situation) {
      for (const format::Diagnostic& problem : read.problems)
        streams.err << format::render(problem, streams.paint_err);
      return ExitCode::bad_scenario;
    }
    const auto same = [&](std::size_t place) { return task.situations[place].name == read.situation->name; };
    if (std::any_of(task.matrix.begin(), task.matrix.end(), same)) {
      print_error(streams,
                  fmt::format("two situations are called {}: the second is {}; give it another `name`",
                              read.situation->name, file.scenario.path));
      return ExitCode::usage;
    }
    task.matrix.push_back(task.situations.size());
    task.situations.push_back(std::move(read.situation.value()));
  }
  return ExitCode::pass;
}

ExitCode say_bad(const lab::CompareFindings& findings, Streams& streams) {
  for (const lab::CompareFindings::BadCandidate& bad : findings.bad) {
    print_error(streams,
                fmt::format("{} cannot be compared:", findings.comparison.candidates()[bad.candidate].name));
    for (const format::Diagnostic& problem : bad.problems)
      streams.err << format::render(problem, streams.paint_err);
  }
  return ExitCode::bad_scenario;
}

std::string formatted(const CompareReport& report, CompareFormat format) {
  switch (format) {
    case CompareFormat::json: return compare_json(report);
    case CompareFormat::markdown: return compare_markdown(report);
    case CompareFormat::text: break;
  }
  return compare_text(report);
}

ExitCode say_unpriced(const lab::CompareFindings& findings, Streams& streams) {
  for (const lab::CompareFindings::Unpriced& each : findings.unpriced)
    print_error(streams, fmt::format("{} cannot be compared at {}: {}",
                                     findings.comparison.candidates()[each.candidate].name,
                                     findings.price->text, each.why));
  return ExitCode::usage;
}

// False, and said why, when it is none.
bool read_equal(const CompareOptions& options, lab::CompareTask& task, Streams& streams) {
  if (options.equal.empty()) return true;
  lab::ReadPrice read = lab::read_price(options.equal);
  if (!read.price) {
    print_error(streams, "--equal: " + read.problem);
    if (!read.hint.empty()) streams.err << "  " << read.hint << "\n";
  }
  task.price = std::move(read.price);
  return task.price.has_value();
}

// False, and said why, when it cannot be written or gone on with.
bool open_save(const CompareOptions& options, lab::CompareSave& save, Streams& streams) {
  if (options.save.empty()) return true;
  const auto problem =
      options.shard ? save.open_part(options.save, *options.shard) : save.open(options.save, options.resume);
  if (!problem) {
    if (options.resume)
      streams.err << fmt::format("compare: {} in {}\n", counted(save.found(), "run"), options.save);
    return true;
  }
  print_error(streams, why_not_open(options.save, *problem, "compare", "another build of tenure"));
  return false;
}

// A comparison is no verdict. What was to be kept has to be.
ExitCode code_of(const lab::CompareFindings& findings) {
  ExitCode code = findings.interrupted ? ExitCode::interrupted : ExitCode::pass;
  for (const lab::CompareFindings::KeptCell& each : findings.kept)
    code = worse(code, each.saved ? exit_code_of(*each.saved) : ExitCode::internal_error);
  return code;
}

// As it was given, with all that changes what is found.
std::string command_of(const CompareOptions& options) {
  std::string command = "tenure compare";
  if (!options.every_protocol)
    for (const std::string& design : options.designs) command += " " + shell_quoted(design);
  for (const std::string& path : options.against) command += " --against " + shell_quoted(path);
  if (!options.equal.empty()) command += " --equal " + shell_quoted(options.equal);
  return command + fmt::format(" --seeds {}", options.seeds);
}

std::vector<CaseToDraw> cases_of(const lab::Comparison& comparison, const std::string& command) {
  std::vector<CaseToDraw> cases;
  for (const auto& [candidate, column, seed] : worst_cells(comparison)) {
    if (cases.size() == kComparedCasesMax) break;
    cases.push_back({{}, seed, cell_command(comparison, candidate, column, seed, command)});
    sim::Scenario& scenario = cases.back().file.scenario;
    scenario = comparison.make_case_of(candidate, column).scenario.value();
    scenario.name =
        fmt::format("{} in {}", comparison.candidates()[candidate].name, comparison.name_of_column(column));
  }
  return cases;
}

ExitCode write_page(const CompareReport& report, const std::optional<Trend>& trend,
                    const CompareOptions& options, PageReporter& page, Streams& streams) {
  const std::string command = command_of(options);
  page.add(section_of(report, command));
  if (trend) page.trend(*trend);
  if (report.findings->interrupted) return page.end({.interrupted = true});
  if (!draw_cases(cases_of(report.findings->comparison, command), options.jobs, page)) {
    page.end({});
    leave_interrupted(streams);
  }
  return page.end({});
}

}  // namespace

ExitCode compare_command(const CompareOptions& options, Streams& streams) {
  lab::CompareTask task;
  task.seeds = options.seeds;
  task.leaves_out_unpriced = options.every_protocol;
  task.threads = options.jobs;
  bool good = read_candidates(options, task, streams);
  good = read_equal(options, task, streams) && good;
  const ExitCode code = add_situations(options, task, streams);
  if (!good) return ExitCode::usage;
  if (code != ExitCode::pass) return code;

  if (!options.folder.empty()) {
    if (!can_write_into(options.folder, streams)) return ExitCode::io_error;
    task.keep = lab::CounterexampleSetup{options.folder, options.shrink, options.shrink_time};
    task.zones = &system_zones();
  }

  std::optional<Baseline> baseline;
  if (!options.baseline.empty() && !(baseline = Baseline::read(options.baseline, streams)))
    return ExitCode::io_error;
  std::optional<PageReporter> page;
  if (!options.page.empty() && !page.emplace(options.page, options.window, streams).good())
    return ExitCode::io_error;
  lab::CompareSave save;
  if (!open_save(options, save, streams)) return ExitCode::io_error;
  if (!options.save.empty()) task.save = &save;
  const Interruption interruption;
  RunsWatch watch("compare", streams);
  watch.begin();
  const lab::CompareFindings findings = lab::compare(std::move(task), watch);
  if (!findings.bad.empty()) return say_bad(findings, streams);
  if (!findings.unpriced.empty()) return say_unpriced(findings, streams);
  watch.runs_are_over(findings.runs);
  if (!findings.internal_error.empty()) {
    print_error(streams, "an invariant of tenure broke: " + findings.internal_error);
    return ExitCode::internal_error;
  }
  if (options.shard && (findings.missing > 0 || !findings.interrupted))
    return say_shared(*options.shard, options.save, findings.missing, streams);
  if (findings.interrupted)
    watch.say_interrupted(findings.runs,
                          when_interrupted(!options.save.empty(), options.save,
                                           "none are kept: with --save FILE, --resume goes on"));
  const CompareReport report{&findings, options.seeds};
  write_results(streams, formatted(report, options.format));
  ExitCode end = code_of(findings);
  std::optional<Trend> trend;
  if (baseline && !findings.interrupted) {
    trend = baseline->compare(compare_json(report));
    tell_trend(*trend, options.format == CompareFormat::json, streams);
    end = worse(end, exit_code_of(*trend));
  }
  return page ? worse(end, write_page(report, trend, options, *page, streams)) : end;
}

}  // namespace tenure::cli
