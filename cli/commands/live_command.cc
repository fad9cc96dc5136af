#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "cli/commands/commands.h"
#include "cli/commands/journal_files.h"
#include "cli/live/closeness_report.h"
#include "cli/live/live_report.h"
#include "cli/live/live_run.h"
#include "cli/live/live_store.h"
#include "cli/live/store_place.h"
#include "cli/load.h"
#include "cli/reports/html/sections.h"
#include "cli/reports/report_file.h"
#include "cli/reports/text/text_format.h"
#include "cli/terminal/progress_line.h"
#include "cli/terminal/signals.h"
#include "core/base/host_failure.h"
#include "core/model/describe.h"
#include "core/model/duration_text.h"
#include "format/syntax/diagnostic.h"
#include "lab/live/plan.h"
#include "lab/live/soak.h"
#include "lab/session/output_file.h"
#include "lab/session/read_file.h"

namespace tenure::cli {
namespace {

constexpr std::uint32_t kSoakClients = 3;

// Each refusal where it stands in the file.
void say_not_live(const std::string& path, const std::vector<lab::NotLive>& all, Streams& streams) {
  std::string why;
  const std::string text = lab::read_file(path, format::kMaxBytes, why).value_or("");
  for (const lab::NotLive& one : all) {
    format::Diagnostic shown;
    shown.where = path;
    shown.message = one.message;
    shown.hint = one.hint;
    std::size_t from = 0;
    for (int line = 1; one.line > 0 && from < text.size(); ++line) {
      const std::size_t end = std::min(text.find('\n', from), text.size());
      const std::string excerpt = text.substr(from, end - from);
      const std::size_t at = one.subject.empty() ? 0 : excerpt.find(one.subject);
      if (line > one.line && excerpt.starts_with("[")) break;
      if (line >= one.line && (line == one.line || at != std::string::npos)) {
        const bool found = at != std::string::npos;
        shown.line = line;
        shown.column = found ? static_cast<int>(format::character_count(excerpt.substr(0, at))) + 1 : 1;
        shown.length = static_cast<int>(found && !one.subject.empty() ? one.subject.size() : excerpt.size());
        shown.excerpt = excerpt;
        if (found) break;
      }
      from = end + 1;
    }
    streams.err << format::render(shown, streams.paint_err);
  }
  streams.err << counted(all.size(), "error") << "; nothing was started\n";
}

// A folder of the run's own; empty, and an error is printed: it cannot be made.
std::string make_folder(const std::string& wanted, Streams& streams) {
  std::error_code error;
  if (wanted.empty()) {
    const std::filesystem::path under = std::filesystem::temp_directory_path(error);
    std::string pattern = (error ? std::filesystem::path("/tmp") : under) / "tenure-live-XXXXXX";
    if (mkdtemp(pattern.data()) != nullptr) return pattern;
    print_error(streams, fmt::format("cannot make a folder {}: {}", pattern, std::strerror(errno)));
    return {};
  }
  if (std::filesystem::exists(wanted, error) && !std::filesystem::is_empty(wanted, error)) {
    print_error(streams,
                fmt::format("{} is not empty: --keep needs a folder of its own, so that nothing of yours "
                            "is touched",
                            wanted));
    return {};
  }
  std::filesystem::create_directories(wanted, error);
  if (error || access(wanted.c_str(), W_OK) != 0) {
    print_error(streams, fmt::format("cannot write into {}: {}", wanted,
                                     error ? error.message() : std::string(std::strerror(errno))));
    return {};
  }
  return std::filesystem::absolute(wanted, error).string();
}

lab::LiveMeans means_of(const LiveOptions& options) {
  lab::LiveMeans means;
  means.own_instances = options.command.empty();
  means.own_server = options.store == "postgres";
  means.has_network = means.own_server || foreign_port(options.store);
  if (!options.store.starts_with("sqlite")) means.store = "a server of yours";
  return means;
}

std::string store_word(const std::string& store) {
  return store.starts_with("sqlite") ? "SQLite" : foreign_port(store) ? store : "Postgres";
}

std::uint64_t first_seed(const LiveOptions& options, const format::ScenarioFile& file) {
  return options.seed.value_or(file.scenario.seed.value_or(1));
}

// Makes the store, and runs.
LiveRunResult carry_out(const LiveOptions& options, const format::ScenarioFile& file, std::uint64_t run,
                        const std::string& folder, Processes& processes, Streams& streams) {
  const std::uint64_t seed = first_seed(options, file) + run - 1;
  const auto& faults = file.scenario.faults;
  const bool fails_over = std::any_of(faults.begin(), faults.end(),
                                      [](const auto& fault) { return fault.action == "store-failover"; });
  LiveRunResult result;
  const journal::BootTime from = MachineClock().now().at;
  try {
    const std::unique_ptr<LiveStore> store =
        make_live_store({.store = options.store,
                         .folder = folder,
                         .run = run,
                         .instances = static_cast<std::uint32_t>(file.scenario.instances.size()),
                         .replica = fails_over,
                         .seed = seed},
                        result.problem);
    if (store == nullptr) return result;
    LiveRun live({.file = &file,
                  .seed = seed,
                  .folder = folder,
                  .store = store.get(),
                  .command = options.command,
                  .clients = options.soak ? kSoakClients : 1,
                  .progress = [&](const std::string& line) { show_progress(streams, line); }},
                 processes);
    result = live.run();
  } catch (const HostFailure& failure) {
    result.problem = failure.what();
  }
  processes.end_all();
  result.from = from;
  result.to = MachineClock().now().at;
  return result;
}

// Where to add what a run measures or comes to; null: nobody asks.
struct AddTo {
  LiveSide* measured = nullptr;
  lab::SoakTotals* soak = nullptr;
  std::optional<lab::Audit>* page = nullptr;  // what the page shows of the run
};

// Which journals are not of this run; empty: all are. One that COMMAND has copied into place tells of other processes.
std::string foreign_journals(const std::vector<lab::NodeJournal>& journals, const LiveRunResult& result) {
  std::string why;
  for (const lab::NodeJournal& journal : journals) {
    if (journal.lines.empty()) continue;
    const journal::BootTime at = journal.lines.front().line.now.at;
    if (at < result.from)
      why += fmt::format("{} began {} before this run did\n", journal.name, describe(result.from - at));
    else if (at > result.to)
      why += fmt::format("{} began {} after this run ended\n", journal.name, describe(at - result.to));
  }
  if (!why.empty())
    why +=
        "  another run's journal says nothing of this one: COMMAND is to write {journal} while it runs, with "
        "`at` from CLOCK_BOOTTIME";
  return why;
}

// COMMAND runs on this machine, so its journals share the machine's clock, whatever they know of that.
void share_clock(std::vector<lab::NodeJournal>& journals) {
  for (lab::NodeJournal& journal : journals)
    for (lab::PlacedLine& placed : journal.lines)
      if (auto* began = std::get_if<journal::LifeBegan>(&placed.line.event)) began->boot = "this machine's";
}

ExitCode one_run(const LiveOptions& options, const format::ScenarioFile& file, std::uint64_t run,
                 AddTo add_to, Processes& processes, Streams& streams) {
  const bool alone = options.runs == 1 && !options.soak;
  const std::string folder = make_folder(
      options.keep.empty() || alone ? options.keep : fmt::format("{}/{}", options.keep, run), streams);
  if (folder.empty()) return ExitCode::io_error;
  const bool ours = options.keep.empty();  // and may go
  const auto forget = [&] {
    std::error_code error;
    if (ours) std::filesystem::remove_all(folder, error);
  };
  LiveRunResult result = carry_out(options, file, run, folder, processes, streams);
  clear_progress(streams);
  if (!result.problem.empty()) {
    print_error(streams, result.problem);
    forget();
    return ExitCode::io_error;
  }
  std::vector<lab::NodeJournal> journals;
  if (const auto code = read_journals(result.journals, journals, streams)) return *code;
  if (journals.empty()) {
    print_error(streams,
                "the command wrote no journal: it is to write one to {journal}, as "
                "docs/reference/journal.md says");
    forget();
    return ExitCode::io_error;
  }
  if (const std::string why = foreign_journals(journals, result); !why.empty()) {
    print_error(streams, why);
    forget();
    return ExitCode::bad_scenario;
  }
  for (std::string& what : lab::written_while_stopped(journals, result.outside))
    result.facts.lacking.push_back(std::move(what));
  share_clock(journals);
  const journal::BootTime first = lab::first_time(journals);
  auto happened = lab::happened_in(journals);
  const std::uint64_t fires = happened["fire"];
  std::optional<lab::LiveMeasures> live;
  if (!result.facts.interrupted && add_to.soak == nullptr)
    live = lab::measure_live(journals, file.scenario, result.outside);
  if (live) happened["failover"] = live->run.metrics.failovers;
  if (live && add_to.measured != nullptr) {
    add_to.measured->pool.add(live->run);
    add_to.measured->times.add(live->times);
  }
  auto audited = lab::audit(std::move(journals), false, add_to.page != nullptr);
  if (const auto* why = std::get_if<lab::BadJournal>(&audited)) return bad_journal(*why, streams);
  auto& audit = std::get<lab::Audit>(audited);
  const lab::LiveVerdict verdict = lab::judge_live(audit, std::move(happened), file.scenario, result.facts);
  if (add_to.soak != nullptr && !result.facts.interrupted)
    add_to.soak->add(verdict, result.facts, result.outside, fires);
  audit.verdict = verdict.verdict;
  audit.checks = verdict.checks;
  // Of a soak, what passed is in the totals.
  const bool told = add_to.soak == nullptr || verdict.verdict != sim::Verdict::pass;
  const bool in_json = options.format == Format::json;
  if (told && in_json)
    streams.out << json_of_live(audit, result, file.scenario, store_word(options.store),
                                first_seed(options, file) + run - 1, live ? &live->run.metrics : nullptr);
  else if (told)
    streams.out << text_of_live(audit, verdict, result, file.scenario, store_word(options.store),
                                streams.paint_out);
  if (live && !in_json) streams.out << text_of_measures(live->run.metrics);
  if (add_to.page != nullptr) {
    add_to_timeline(result, first, audit);
    *add_to.page = std::move(audit);
  }
  const ExitCode code = result.facts.interrupted ? ExitCode::interrupted : exit_code_of(verdict.verdict);
  if (!ours || code != ExitCode::pass)
    (in_json ? streams.err : streams.out) << row("kept", folder);
  else
    forget();
  return code;
}

}  // namespace

std::string command_of(const LiveOptions& options) {
  std::string command = "tenure live " + shell_quoted(options.path) + shell_sets(options.sets);
  // A connection string may have a password.
  if (is_server(options.store))
    command += " --store postgres://…";
  else if (options.store != "sqlite")
    command += " --store " + shell_quoted(options.store);
  if (options.seed) command += fmt::format(" --seed {}", *options.seed);
  if (options.runs != 1) command += fmt::format(" --runs {}", options.runs);
  if (options.compares) command += " --compare-with-simulation";
  if (options.soak) command += " --soak " + print_duration(*options.soak);
  if (!options.command.empty()) command += " --";
  for (const std::string& word : options.command) command += " " + shell_quoted(word);
  return command;
}

namespace {

// Run after run, each drawn by its own seed, for as long as another one fits in; one at least.
ExitCode soak(const LiveOptions& options, const format::ScenarioFile& file, Processes& processes,
              Streams& streams) {
  const auto began = std::chrono::steady_clock::now();
  const auto fits = [&](const sim::Scenario& scenario) {
    const Duration spent =
        Duration::nanos((std::chrono::steady_clock::now() - began) / std::chrono::nanoseconds(1));
    return spent + scenario.duration + scenario.tail <= *options.soak;
  };
  lab::SoakTotals totals;
  ExitCode code = ExitCode::pass;
  for (std::uint64_t run = 1; !Interruption::came(); ++run) {
    const format::ScenarioFile drawn =
        lab::draw_soak(file, means_of(options), first_seed(options, file) + run - 1);
    if (run > 1 && !fits(drawn.scenario)) break;
    code = worse(code, one_run(options, drawn, run, {.soak = &totals}, processes, streams));
    if (code != ExitCode::pass && code != ExitCode::fail && code != ExitCode::inconclusive) break;
    if (!Interruption::came()) streams.err << row("so far", describe(totals)) << std::flush;
  }
  streams.out << row("soak", fmt::format("seeds {} to {}: {}", first_seed(options, file),
                                         first_seed(options, file) + totals.runs - 1, describe(totals)));
  return Interruption::came() ? ExitCode::interrupted : code;
}

}  // namespace

ExitCode live_command(const LiveOptions& options, Streams& streams) {
  const bool file_of_sqlite =
      options.store.starts_with("sqlite:") && options.store.size() > std::string_view("sqlite:").size();
  const bool foreign = foreign_port(options.store).has_value();
  if (options.store != "sqlite" && options.store != "postgres" && !file_of_sqlite && !foreign &&
      !is_server(options.store))
    throw UsageError(fmt::format(
        "--store `{}`: sqlite, sqlite:FILE, postgres, postgres://… or 127.0.0.1:PORT", options.store));
  if (foreign && options.command.empty())
    throw UsageError(
        fmt::format("--store {} needs a COMMAND: our instances know SQLite and Postgres", options.store));
  if (options.format != Format::text && options.format != Format::json)
    throw UsageError("live prints text or json");
  if (options.soak && (options.compares || options.runs != 1))
    throw UsageError(
        "--soak draws other runs than --runs and --compare-with-simulation repeat: leave one out");
  const std::vector<std::string> paths = {options.path};
  const Loaded loaded = load(paths, options.sets, "nothing was started", streams);
  if (loaded.code != ExitCode::pass) return loaded.code;
  if (loaded.files.size() != 1) throw UsageError("live takes one scenario file");
  const format::ScenarioFile& file = loaded.files.front();
  const std::vector<lab::NotLive> refused = lab::what_cannot_be_live(file.scenario, means_of(options));
  if (!refused.empty()) {
    say_not_live(options.path, refused, streams);
    return ExitCode::bad_scenario;
  }
  if (foreign && file.scenario.scheduler != nullptr)
    throw UsageError(
        fmt::format("--store {} keeps no schedules of ours: `scheduler` must be \"none\"", options.store));
  const Interruption interruption;
  if (options.soak) {
    Processes processes;
    return soak(options, file, processes, streams);
  }
  std::optional<ReportFile> page;
  if (!options.page.empty() && !page.emplace(options.page, kPageFile, streams).good())
    return ExitCode::io_error;
  Processes processes;
  ExitCode code = ExitCode::pass;
  LiveSide measured;
  std::optional<lab::Audit> shown;                                                       // on the page
  if (options.store.starts_with("sqlite")) measured.hears_after = Duration::millis(20);  // SqliteListener
  for (std::uint64_t run = 1; run <= options.runs && !Interruption::came(); ++run) {
    const bool last = run == options.runs;
    code = worse(code, one_run(options, file, run,
                               {.measured = options.compares ? &measured : nullptr,
                                .page = page && last ? &shown : nullptr},
                               processes, streams));
    if (code != ExitCode::pass && code != ExitCode::fail && code != ExitCode::inconclusive) break;
  }
  std::optional<LiveComparison> comparison;
  if (measured.pool.runs() > 0 && !Interruption::came())
    comparison = compare_with_simulation(measured, file, first_seed(options, file), streams);
  if (comparison)
    streams.out << (options.format == Format::json ? json_of_closeness(*comparison)
                                                   : text_of_closeness(*comparison));
  if (shown) {
    const std::string command = command_of(options);
    if (!page->write(comparison
                         ? page_of(section_of_closeness(*comparison, file.scenario, command), *shown, command)
                         : page_of(*shown, command)))
      return ExitCode::io_error;
  }
  return Interruption::came() ? ExitCode::interrupted : code;
}

}  // namespace tenure::cli
