#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>
#include <utility>

#include "adapters/postgres/hosts.h"
#include "adapters/postgres/probe.h"
#include "adapters/sqlite/probe.h"
#include "cli/commands/commands.h"
#include "cli/reports/report_file.h"
#include "cli/reports/text/probe_text.h"
#include "cli/terminal/progress_line.h"
#include "cli/terminal/signals.h"
#include "format/syntax/diagnostic.h"
#include "format/syntax/units.h"

namespace tenure::cli {
namespace {

using Steady = std::chrono::steady_clock;

constexpr Duration kTimeout = Duration::seconds(10);  // of one request

bool is_postgres(const std::string& target) {
  if (target.starts_with("postgres://") || target.starts_with("postgresql://")) return true;
  std::error_code error;
  return target.find('=') != std::string::npos && !std::filesystem::exists(target, error);
}

template <class Clock>
std::int64_t now_of() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch()).count();
}

std::optional<OpenError> read_once(StoreProbe& probe, ProbeFindings& findings,
                                   std::vector<lab::ClockReading>& readings) {
  lab::ClockReading reading;
  reading.wall_ns = now_of<std::chrono::system_clock>();
  reading.steady_ns = now_of<Steady>();
  const auto time = probe.read_clock();
  reading.trip = Duration::nanos(now_of<Steady>() - reading.steady_ns);
  if (const auto* error = std::get_if<OpenError>(&time)) return *error;
  reading.other_ns = std::get<StoreTime>(time).ns();
  readings.push_back(reading);
  findings.trips.push_back(reading.trip);
  return std::nullopt;
}

std::optional<OpenError> commit_once(StoreProbe& probe, ProbeFindings& findings) {
  const std::int64_t sent = now_of<Steady>();
  if (auto error = probe.commit()) return error;
  findings.commits.push_back(Duration::nanos(now_of<Steady>() - sent));
  return std::nullopt;
}

// False: somebody has interrupted it.
bool wait_until(Steady::time_point moment) {
  while (Steady::now() < moment && !Interruption::came())
    std::this_thread::sleep_until(std::min(moment, Steady::now() + std::chrono::milliseconds(100)));
  return !Interruption::came();
}

std::optional<OpenError> measure(StoreProbe& probe, const ProbeOptions& options, Streams& streams,
                                 ProbeFindings& findings) {
  findings.place = probe.place();
  ProbeFindings warm_up;  // statements are prepared, files are made
  std::vector<lab::ClockReading> readings;
  if (auto error = read_once(probe, warm_up, readings)) return error;
  if (auto error = commit_once(probe, warm_up)) return error;
  readings.clear();

  ProgressLine progress(streams);
  const auto began = Steady::now();
  const auto end = began + std::chrono::nanoseconds(options.length.ns());
  // Reads and commits take turns with a pause before each, since a request after a pause, like a renewal, takes longer
  // than one that follows another. A store that is slower than was asked for is not asked the more for it.
  const std::chrono::nanoseconds half(options.every.ns() / 2);
  for (auto next = began; next < end && wait_until(next);) {
    if (auto error = read_once(probe, findings, readings)) return error;
    next = std::max(next + half, Steady::now());
    if (!wait_until(next)) break;
    if (auto error = commit_once(probe, findings)) return error;
    next = std::max(next + half, Steady::now());
    if (streams.progress && progress.is_due())
      progress.show(fmt::format("{} commits in {:.0f}s", findings.commits.size(), progress.seconds()));
  }
  clear_progress(streams);
  findings.length = Duration::nanos((Steady::now() - began).count());
  if (!probe.shares_our_clock() && !readings.empty())
    findings.clock = lab::clock_bounds(readings, Duration::micros(1));
  return std::nullopt;
}

}  // namespace

ExitCode probe_command(const ProbeOptions& options, Streams& streams) {
  const bool server = is_postgres(options.target);
  if (const std::string problem = server ? postgres::problem_with(options.target) : ""; !problem.empty())
    throw UsageError("not a connection string: " + format::printable(problem, 400));
  // Before it measures for an hour.
  std::optional<ReportFile> tables_file;
  if (!options.write.empty()) {
    tables_file.emplace(options.write, ReportKind{"--write", "what a probe wrote", kTablesBegin}, streams);
    if (!tables_file->good()) return ExitCode::io_error;
  }
  // It ends the measuring and not the program, which has to take away what it makes in the store.
  const Interruption interruption;
  ProbeOpened opened =
      server ? postgres::open_probe(options.target, kTimeout) : sqlite::open_probe(options.target, kTimeout);
  const auto failed = [&](const OpenError& error) {
    print_error(streams, format::printable(error.message, 1'000));
    return ExitCode::io_error;
  };
  if (const auto* error = std::get_if<OpenError>(&opened)) return failed(*error);
  ProbeFindings findings;
  auto& probe = std::get<std::unique_ptr<StoreProbe>>(opened);
  if (const auto error = measure(*probe, options, streams, findings)) return failed(*error);
  if (findings.commits.empty()) {
    print_error(streams, "interrupted before anything was measured");
    return ExitCode::interrupted;
  }
  probe.reset();  // before anything is printed, what it made is gone
  const std::string tables = toml_of(findings);
  if (options.format == Format::json) {
    streams.out << json_of(findings);
  } else {
    streams.out << text_of(findings);
    if (!tables_file) streams.out << "\n" << tables;
  }
  return !tables_file || tables_file->write(tables) ? ExitCode::pass : ExitCode::io_error;
}

}  // namespace tenure::cli
