#include "cli/arguments/command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <set>
#include <sstream>
#include <thread>
#include <utility>

#include "cli/arguments/arguments.h"
#include "sim/checkers/checker.h"

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

Command::Command(CLI::App& app, const std::string& name, const std::string& doc)
    : app_(*app.add_subcommand(name, doc)) {}

bool Command::is_chosen() const { return app_.parsed(); }

CLI::Option* Command::option(const std::string& flags, const char* type, const std::string& doc, Read read) {
  Raw& raw = raw_.emplace_back();
  readers_.push_back([&raw, read = std::move(read)] {
    if (!raw.text) return;
    try {
      read(*raw.text);
    } catch (const UsageError& error) {
      if (raw.place.empty()) throw;
      throw UsageError(fmt::format("{}: {}", raw.place, error.what()));
    }
  });
  raw.option = app_.add_option(flags, raw.text, doc)->type_name(type);
  return raw.option;
}

CLI::Option* Command::text(const std::string& flags, const char* type, const std::string& doc,
                           std::string& into) {
  return option(flags, type, doc, [&into](const std::string& text) { into = text; });
}

CLI::Option* Command::named(const std::string& flags, const char* type, const std::string& doc,
                            std::string& into, const char* what) {
  return option(flags, type, doc, [flags, &into, what](const std::string& text) {
    if (text.empty()) throw UsageError(fmt::format("{} needs {}", flags, what));
    into = text;
  });
}

CLI::Option* Command::texts(const std::string& flags, const char* type, const std::string& doc,
                            std::vector<std::string>& into) {
  return app_.add_option(flags, into, doc)->type_name(type);
}

void Command::flag(const std::string& flags, const std::string& doc, bool& into) {
  app_.add_flag(flags, into, doc);
}

void Command::flag_off(const std::string& flags, const std::string& doc, bool& into) {
  app_.add_flag(flags, doc);
  check([this, flags, &into] { into = !given(flags); });
}

void Command::takes_sets(std::vector<format::Override>& sets) {
  std::vector<std::string>& raw = raw_lists_.emplace_back();
  const CLI::Option* option =
      texts("--set", "KEY=VALUE", "override a key, like election.lease_duration=20s; may be repeated", raw)
          ->allow_extra_args(false);
  for (const char* key : {"expect.always=", "expect.eventually=", "expect.fails="})
    for (const sim::CheckerKind& kind : sim::checker_kinds())
      offered_[option].push_back(key + std::string(kind.name));
  check([this, &raw, &sets] {
    const std::string_view seed = first_given({"--seed", "--seeds"});
    for (const std::string& set : raw) {
      sets.push_back(parse_override(set));
      if (sets.back().key == "sim.seed" && !seed.empty())
        throw UsageError(fmt::format("`{} {}` and `--set {}` both say which seed: give one of them", seed,
                                     app_.get_option(std::string(seed))->as<std::string>(), set));
    }
  });
}

void Command::offers(const CLI::Option* option, std::vector<std::string_view> values) {
  offered_[option].assign(values.begin(), values.end());
}

void Command::takes_files(std::vector<std::string>& paths, std::vector<format::Override>& sets) {
  offers(texts("FILE", "", "scenario files, or folders of them", paths)->required(), {kScenarioFiles});
  takes_sets(sets);
}

void Command::takes_one_file(std::string& path, std::vector<format::Override>& sets) {
  std::vector<std::string>& paths = raw_lists_.emplace_back();
  offers(texts("FILE", "", "one scenario file", paths)->required(), {kScenarioFiles});
  check([this, &paths, &path] {
    if (paths.size() != 1) throw UsageError(fmt::format("{} takes one file", app_.get_name()));
    path = paths.front();
  });
  takes_sets(sets);
}

void Command::takes_jobs(unsigned& jobs) {
  jobs = std::max(1U, std::thread::hardware_concurrency());
  option("-j,--jobs", "N", "run N at once (all cores); never changes a result",
         [&jobs](const std::string& text) { jobs = parse_jobs(text); });
}

void Command::takes_format(Format& format, const char* doc) {
  offers(
      option("--format", "FORMAT", doc, [&format](const std::string& text) { format = parse_format(text); }),
      {"text", "json"});
}

void Command::takes_report_file(const char* flag, const char* doc, std::string& into) {
  option(flag, "FILE", doc, [flag, &into](const std::string& text) { into = parse_report_path(flag, text); });
}

void Command::takes_page_file(std::string& page) {
  takes_report_file("--report", "write an HTML report to FILE (works offline)", page);
}

void Command::takes_page(std::string& page, std::optional<TimeRange>& window) {
  takes_page_file(page);
  option("--report-window", "A..B", "show every request of this time range in the report, like 1m..1m30s",
         [this, &window](const std::string& text) {
           if (first_given({"--report", "--svg"}).empty())
             throw UsageError("--report-window is about the page of --report");
           window = parse_time_range("--report-window", text);
         });
}

void Command::takes_report(ReportOptions& report) {
  offers(option("--format", "FORMAT",
                "text, json, jsonl (a document a line, as things happen) or github (annotations)",
                [&report](const std::string& text) { report.format = parse_report_format(text); }),
         {"text", "json", "jsonl", "github"});
  takes_report_file("--junit", "write the checks to FILE as JUnit XML, for CI servers", report.junit);
  takes_report_file("--summary", "append a Markdown summary to FILE, as for $GITHUB_STEP_SUMMARY",
                    report.summary);
}

void Command::takes_baseline(std::string& baseline) {
  named("--baseline", "FILE", "compare with an earlier result (--format json); exit 1 if worse beyond noise",
        baseline, "the name of a file to read");
}

bool Command::given(const std::string& flag) const {
  const CLI::Option* option = app_.get_option_no_throw(flag);
  return option != nullptr && option->count() > 0;
}

std::string_view Command::first_given(std::initializer_list<const char*> flags) const {
  const auto found = std::find_if(flags.begin(), flags.end(), [&](const char* flag) { return given(flag); });
  return found == flags.end() ? std::string_view{} : *found;
}

std::vector<std::string> Command::keys() const {
  std::vector<std::string> keys;
  for (const Raw& raw : raw_)
    if (!raw.option->get_lnames().empty()) keys.push_back(raw.option->get_lnames().front());
  return keys;
}

void Command::set_default(const std::string& key, const std::string& value, const std::string& place) {
  for (Raw& raw : raw_) {
    if (!raw.option->check_lname(key)) continue;
    const std::set<CLI::Option*> excludes = raw.option->get_excludes();
    const bool excluded = std::any_of(raw_.begin(), raw_.end(), [&](const Raw& other) {
      return other.text.has_value() && excludes.contains(other.option);
    });
    if (raw.text || excluded) continue;
    raw.text = value;
    raw.place = place;
  }
}

void Command::does_at_once(std::function<ExitCode(Streams&)> action) {
  does([action = std::move(action)](Streams& streams) {
    std::ostringstream results;
    Streams collected{
        results, streams.err, streams.paint_out, streams.paint_err, streams.progress, streams.quiet, 0};
    collected.verbose = streams.verbose;
    const ExitCode code = action(collected);
    write_results(streams, results.str());
    return code;
  });
}

ExitCode Command::run(Streams& streams) const {
  for (const std::function<void()>& read : readers_) read();
  return action_(streams);
}

}  // namespace tenure::cli
