#include "cli/reports/make_reporters.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/reports/html/page_report.h"
#include "cli/reports/reporters.h"

namespace tenure::cli {
namespace {

struct Output {
  std::string_view flag;
  std::string path;
};

// Whether both lead to one file, be it there or not.
bool is_one_file(const std::string& a, const std::string& b) {
  if (lab::is_same_file(a, b)) return true;
  std::error_code error;
  const auto where = [&](const std::string& path) { return std::filesystem::weakly_canonical(path, error); };
  return where(a) == where(b) && !error;
}

std::unique_ptr<Reporter> make_printer(const ReportOptions& options, Streams& streams) {
  switch (options.format) {
    case Format::json: return std::make_unique<JsonReporter>(streams, false);
    case Format::jsonl: return std::make_unique<JsonReporter>(streams, true);
    case Format::github: return std::make_unique<GithubReporter>(streams);
    case Format::text: break;
  }
  return std::make_unique<TextReporter>([&streams](const std::string& text) { write_results(streams, text); },
                                        streams.paint_out, options.events);
}

}  // namespace

bool check_report_paths(const ReportOptions& options, const Loaded& loaded, const std::string& trace,
                        Streams& streams) {
  std::vector<std::string> inputs;
  for (const format::ScenarioFile& file : loaded.files) inputs.push_back(file.scenario.path);
  for (const Unusable& unusable : loaded.unusable) inputs.push_back(unusable.path);
  std::vector<Output> outputs;
  for (const Output& output : {Output{"--trace", trace}, Output{"--junit", options.junit},
                               Output{"--summary", options.summary}, Output{"--report", options.page},
                               Output{"--svg", options.svg}, Output{"--perfetto", options.perfetto}})
    if (!output.path.empty()) outputs.push_back(output);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto& [flag, path] = outputs[i];
    for (const std::string& input : inputs)
      if (lab::is_same_file(path, input)) {
        print_error(streams, fmt::format("{} {} would overwrite the scenario {}", flag, path, input));
        return false;
      }
    for (std::size_t j = 0; j < i; ++j)
      if (is_one_file(outputs[j].path, path)) {
        print_error(streams, fmt::format("{} and {} would both write {}; give each a file of its own",
                                         outputs[j].flag, flag, path));
        return false;
      }
  }
  return true;
}

ExitCode judge_loaded(const Loaded& loaded, std::span<const std::string> paths, std::string_view unit,
                      const ReportOptions& options, Streams& streams) {
  if (loaded.code == ExitCode::pass && !loaded.files.empty()) return ExitCode::pass;
  const ExitCode code = worse(loaded.code, ExitCode::nothing_ran);
  const std::string nothing = fmt::format("no {} in {}; nothing was run", unit, fmt::join(paths, ", "));
  if (loaded.code == ExitCode::pass) print_error(streams, nothing);
  if (options.junit.empty() || !check_report_paths(options, loaded, {}, streams)) return code;
  JunitReporter junit(options.junit, streams);
  if (!junit.good()) return worse(code, ExitCode::io_error);
  const auto say = [&](const sim::Scenario& scenario, std::string why) {
    junit.suite(suite_of_nothing(scenario, SuiteCase::CheckStanding::inconclusive, std::move(why)));
  };
  const auto stand_in = [](const std::string& name, const std::string& path) {
    sim::Scenario scenario;
    scenario.name = name;
    scenario.path = path;
    return scenario;
  };
  for (const Unusable& unusable : loaded.unusable) say(stand_in(unusable.path, unusable.path), unusable.why);
  for (const format::ScenarioFile& file : loaded.files)
    say(file.scenario, "nothing was run: another file has errors");
  if (loaded.unusable.empty() && loaded.files.empty()) say(stand_in("tenure", {}), nothing);
  return worse(code, junit.end({}));
}

std::unique_ptr<Reporter> make_reporters(const ReportOptions& options, Streams& streams) {
  std::optional<Baseline> baseline;
  if (!options.baseline.empty()) {
    baseline = Baseline::read(options.baseline, streams);
    if (!baseline) return nullptr;
  }
  auto reporters = std::make_unique<Reporters>(std::move(baseline));
  reporters->add(make_printer(options, streams));
  bool good = true;
  const auto add = [&](const std::string& path, const auto& make) {
    if (path.empty() || !good) return;
    auto reporter = make(path);
    good = reporter->good();
    reporters->add(std::move(reporter));
  };
  add(options.junit, [&](auto& path) { return std::make_unique<JunitReporter>(path, streams); });
  add(options.page,
      [&](auto& path) { return std::make_unique<PageReporter>(path, options.window, streams); });
  add(options.svg, [&](auto& path) { return std::make_unique<SvgReporter>(path, options.window, streams); });
  add(options.perfetto, [&](auto& path) { return std::make_unique<PerfettoReporter>(path, streams); });
  add(options.summary, [&](auto& path) { return std::make_unique<SummaryReporter>(path, streams); });
  if (!good) return nullptr;
  return reporters;
}

}  // namespace tenure::cli
