#include "cli/make_reporters.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/github_report.h"
#include "cli/json_report.h"
#include "cli/junit_report.h"
#include "cli/report_file.h"
#include "cli/summary_report.h"
#include "cli/text_report.h"

namespace tenure::cli {
namespace {

struct Output {
  std::string_view flag;
  std::string path;
};

// Whether both lead to one file, be it there or not.
bool is_one_file(const std::string& a, const std::string& b) {
  if (is_same_file(a, b)) return true;
  std::error_code error;
  const auto where = [&](const std::string& path) { return std::filesystem::weakly_canonical(path, error); };
  return where(a) == where(b) && !error;
}

std::unique_ptr<Reporter> make_printer(Format format, Streams& streams) {
  switch (format) {
    case Format::json: return std::make_unique<JsonReporter>(streams, false);
    case Format::jsonl: return std::make_unique<JsonReporter>(streams, true);
    case Format::github: return std::make_unique<GithubReporter>(streams);
    case Format::text: break;
  }
  return std::make_unique<TextReporter>([&streams](const std::string& text) { write_results(streams, text); },
                                        streams.paint_out);
}

}  // namespace

bool check_report_paths(const ReportOptions& options, std::span<const sim::Scenario> scenarios,
                        const std::string& trace, Streams& streams) {
  std::vector<Output> outputs;
  for (const Output& output :
       {Output{"--trace", trace}, Output{"--junit", options.junit}, Output{"--summary", options.summary}})
    if (!output.path.empty()) outputs.push_back(output);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto& [flag, path] = outputs[i];
    for (const sim::Scenario& scenario : scenarios)
      // A report is written beside its place first.
      if (is_same_file(path, scenario.path) || is_same_file(path + ".new", scenario.path)) {
        print_error(streams, fmt::format("{} {} would overwrite the scenario {}", flag, path, scenario.path));
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

std::unique_ptr<Reporter> make_reporters(const ReportOptions& options, Streams& streams) {
  auto reporters = std::make_unique<Reporters>();
  reporters->add(make_printer(options.format, streams));
  if (!options.junit.empty()) {
    auto junit = std::make_unique<JunitReporter>(options.junit, streams);
    if (!junit->good()) return nullptr;
    reporters->add(std::move(junit));
  }
  if (!options.summary.empty()) {
    auto summary = std::make_unique<SummaryReporter>(options.summary, streams);
    if (!summary->good()) return nullptr;
    reporters->add(std::move(summary));
  }
  return reporters;
}

}  // namespace tenure::cli
