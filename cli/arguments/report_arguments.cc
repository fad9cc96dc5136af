#include "cli/arguments/report_arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cli/arguments/arguments.h"

namespace tenure::cli {
namespace {

// What a slip of the fingers would put where a scenario is, or where one will be looked for.
std::string parse_report_path(std::string_view flag, const std::string& path) {
  if (path.empty()) throw UsageError(fmt::format("{} needs the name of a file to write", flag));
  const std::string_view like = flag == "--junit"      ? "junit.xml"
                                : flag == "--report"   ? "report.html"
                                : flag == "--perfetto" ? "run.json"
                                : flag == "--svg"      ? "run.svg"
                                                       : "summary.md";
  if (path.ends_with(".toml"))
    throw UsageError(fmt::format("{} {}: *.toml is for scenarios; name the report something else, like {}",
                                 flag, path, like));
  return path;
}

}  // namespace

void declare_report(CLI::App& command, RawReport& raw) {
  command
      .add_option("--format", raw.format,
                  "text, json, jsonl (a document a line, as things happen) or github (annotations)")
      ->type_name("FORMAT");
  command.add_option("--junit", raw.junit, "write the checks there as well, as JUnit XML for CI servers")
      ->type_name("FILE");
  command
      .add_option("--summary", raw.summary,
                  "append a summary in Markdown to it, as $GITHUB_STEP_SUMMARY wants")
      ->type_name("FILE");
}

void declare_page_file(CLI::App& command, RawReport& raw) {
  command.add_option("--report", raw.page, "write an HTML page there that works offline")->type_name("FILE");
}

void declare_page(CLI::App& command, RawReport& raw) {
  declare_page_file(command, raw);
  command
      .add_option("--report-window", raw.window,
                  "the time in which its timelines show every request, like 1m..1m30s")
      ->type_name("A..B");
}

void declare_recording(CLI::App& command, RawReport& raw) {
  command.add_flag("--events{matters}", raw.events,
                   "list what happened; --events=all: every event, routine ones too");
  command.add_option("--svg", raw.svg, "draw one run there, as a picture of --report-window")
      ->type_name("FILE");
  command.add_option("--perfetto", raw.perfetto, "write one run there for ui.perfetto.dev")
      ->type_name("FILE");
}

std::string read_page(const RawReport& raw) {
  if (raw.window && !raw.page && !raw.svg) throw UsageError("--report-window is about the page of --report");
  return raw.page ? parse_report_path("--report", *raw.page) : "";
}

ReportOptions read_report(const RawReport& raw) {
  ReportOptions options;
  options.format = parse_report_format(raw.format.value_or("text"));
  if (raw.junit) options.junit = parse_report_path("--junit", *raw.junit);
  if (raw.summary) options.summary = parse_report_path("--summary", *raw.summary);
  if (raw.events) options.events = parse_event_list(*raw.events);
  if (raw.events && options.format != Format::text)
    throw UsageError("--events is a list for people: it goes with --format text");
  options.page = read_page(raw);
  if (raw.svg) options.svg = parse_report_path("--svg", *raw.svg);
  if (raw.perfetto) options.perfetto = parse_report_path("--perfetto", *raw.perfetto);
  if (raw.window) options.window = parse_time_range("--report-window", *raw.window);
  return options;
}

}  // namespace tenure::cli
