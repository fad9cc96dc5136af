#include "cli/commands/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>
#include <variant>

#include "cli/commands/commands.h"
#include "cli/commands/runs_report.h"
#include "cli/load.h"
#include "cli/reports/make_reporters.h"
#include "cli/reports/report_file.h"
#include "cli/reports/text/text_format.h"
#include "cli/terminal/signals.h"
#include "core/base/hash.h"
#include "format/syntax/units.h"
#include "lab/session/part_file.h"
#include "lab/session/runs.h"
#include "lab/session/saved_runs.h"
#include "lab/session/version.h"

namespace tenure::cli {
namespace {

using Clock = std::chrono::steady_clock;

// A part that is killed loses the runs of so long.
constexpr std::chrono::seconds kSaveEvery{5};

// The variables by which one task of many knows which it is.
struct TaskVariables {
  const char* system;
  const char* index;
  const char* count;
  const char* first;  // which index the first task has, if a variable says so; null: `from`
  const char* step;   // likewise, between indices; null: 1
  std::uint64_t from;
};
constexpr TaskVariables kTasks[] = {
    {"a Slurm array job", "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN",
     "SLURM_ARRAY_TASK_STEP", 0},
    {"an indexed job of Kubernetes", "JOB_COMPLETION_INDEX", "JOB_COMPLETIONS", nullptr, nullptr, 0},
    {"a parallel job of GitLab", "CI_NODE_INDEX", "CI_NODE_TOTAL", nullptr, nullptr, 1},
    {"a matrix of GitHub", "STRATEGY_JOB_INDEX", "STRATEGY_JOB_TOTAL", nullptr, nullptr, 0},
};

std::optional<std::uint64_t> variable(const char* name) {
  const char* text = name != nullptr ? std::getenv(name) : nullptr;
  if (text == nullptr || *text == '\0') return std::nullopt;
  std::uint64_t value = 0;
  const char* end = text + std::string_view(text).size();
  const auto [stopped, error] = std::from_chars(text, end, value);
  if (error != std::errc{} || stopped != end)
    throw UsageError(fmt::format("{}=`{}` in the environment is no number", name, text));
  return value;
}

lab::Shard shard_of_environment() {
  for (const TaskVariables& each : kTasks) {
    const auto index = variable(each.index);
    if (!index) continue;
    const auto count = variable(each.count);
    if (!count)
      throw UsageError(
          fmt::format("the environment is that of {}, but says only {}: set {} to the number of tasks too, "
                      "or give --shard I/N",
                      each.system, each.index, each.count));
    const std::uint64_t first = variable(each.first).value_or(each.from);
    const std::uint64_t step = std::max<std::uint64_t>(variable(each.step).value_or(1), 1);
    const std::uint64_t place = *index < first ? *count : (*index - first) / step;
    if (place >= *count)
      throw UsageError(fmt::format("{}={} is none of {} tasks ({})", each.index, *index, *count, each.count));
    return {place + 1, *count};
  }
  throw UsageError(
      "--shard auto: this is no task of Slurm, Kubernetes, GitLab or GitHub that says which of how many it "
      "is; "
      "give --shard I/N");
}

std::string fingerprint_of(const std::vector<format::ScenarioFile>& files) {
  Hasher hasher;
  hasher.add(lab::program());
  for (const format::ScenarioFile& file : files) hasher.add(lab::identity_of(file.scenario));
  return fmt::format("{:016x}", hasher.value());
}

lab::Campaign campaign_of(const RunCommandOptions& options, const std::vector<format::ScenarioFile>& files) {
  lab::Campaign campaign;
  campaign.command = "run";
  campaign.paths = options.paths;
  for (const format::Override& set : options.sets) campaign.sets.push_back(set.key + "=" + set.value);
  campaign.first_seed = options.seeds->first;
  campaign.seeds = options.seeds->last - options.seeds->first + 1;
  campaign.twice = options.twice;
  campaign.of = fingerprint_of(files);
  return campaign;
}

RunCommandOptions options_of(const lab::Campaign& campaign) {
  RunCommandOptions options;
  options.paths = campaign.paths;
  for (const std::string& set : campaign.sets) {
    const std::size_t equals = set.find('=');
    options.sets.push_back({set.substr(0, equals), set.substr(std::min(equals, set.size() - 1) + 1)});
  }
  options.seeds = SeedRange{campaign.first_seed, campaign.first_seed + campaign.seeds - 1};
  options.twice = campaign.twice;
  return options;
}

// One part of `tenure run`, from where its file ends to its own end.
class PartRun {
 public:
  PartRun(const RunCommandOptions& options, const std::vector<format::ScenarioFile>& files, Streams& streams)
      : options_(of_part(options)),
        plan_(options_, files),
        report_(options_, plan_, nobody_, streams),
        streams_(streams) {
    file_.campaign = campaign_of(options, files);
    file_.shard = options.shard.value_or(lab::Shard{});
    file_.planned = plan_.count();
    path_ = lab::part_path(options.campaign, "run", file_.shard);
  }

  // False: the file is of another campaign, or none.
  bool go_on() {
    if (!std::filesystem::exists(path_)) return true;
    std::variant<lab::PartFile, std::string> read = lab::read_part(path_);
    if (const auto* why = std::get_if<std::string>(&read)) return refuse(*why);
    const lab::PartFile& before = std::get<lab::PartFile>(read);
    if (before.campaign != file_.campaign || before.shard != file_.shard || before.planned != file_.planned)
      return refuse(fmt::format(
          "{} holds a part of another campaign: other scenarios, seeds or --set, or another build of tenure",
          path_));
    if (!report_.append(before.states)) return refuse(fmt::format("{} is damaged", path_));
    file_.done = before.done;
    return true;
  }

  // Makes the runs that are left. False: it was interrupted, or could not be written.
  ExitCode run() {
    const std::uint64_t first = file_.done;
    const Interruption interruption;
    const lab::JobsEnd end = lab::run_each(
        plan_.count() - first, options_.jobs,
        [&](std::size_t job) {
          return lab::OneRun{
              .file = &plan_.file(first + job), .seed = plan_.seed(first + job), .twice = options_.twice};
        },
        [&](std::size_t job, lab::RunOutcome outcome) { take(first + job, std::move(outcome)); },
        lab::WhenInterrupted::leave);
    save();
    const bool interrupted = end == lab::JobsEnd::interrupted;
    clear_progress(streams_);
    if (written_) say(interrupted);
    if (!written_) return ExitCode::io_error;
    if (interrupted) leave_interrupted(streams_);
    const ExitCode code = report_.end(false);
    return code == ExitCode::internal_error ? code : ExitCode::pass;
  }

 private:
  static RunCommandOptions of_part(RunCommandOptions options) {
    const lab::ShardRange range = lab::range_of(options.shard.value_or(lab::Shard{}), options.seeds->first,
                                                options.seeds->last - options.seeds->first + 1);
    options.seeds = SeedRange{range.first, range.first + range.size - 1};  // of none: one before the first
    return options;
  }

  bool refuse(const std::string& why) {
    print_error(streams_, fmt::format("{}; remove it, or name another folder with --campaign", why));
    return false;
  }

  // After an interruption, outcomes come with gaps: those are made again.
  void take(std::uint64_t job, lab::RunOutcome outcome) {
    if (job != file_.done || outcome.host_failed) return;
    report_.take(job, std::move(outcome));
    ++file_.done;
    if (Clock::now() - saved_ >= kSaveEvery) save();
  }

  void save() {
    file_.states = report_.states();
    const lab::FileWritten written = lab::write_part(path_, file_);
    if (!written.good && written_)
      print_error(streams_, fmt::format("cannot write {}: {}", path_, lab::system_reason(written.error)));
    written_ = written_ && written.good;
    saved_ = Clock::now();
  }

  void say(bool interrupted) {
    write_results(
        streams_,
        fmt::format("part {} of {}: {} of {}{}, {} not a pass; kept in {}\n", file_.shard.index,
                    file_.shard.count, format::print_thousands(file_.done), counted(file_.planned, "run"),
                    interrupted ? " (interrupted)" : "", format::print_thousands(report_.failed()), path_));
  }

  const RunCommandOptions options_;
  const RunPlan plan_;
  Reporter nobody_;
  RunsReport report_;
  Streams& streams_;
  std::string path_;
  lab::PartFile file_;
  bool written_ = true;
  Clock::time_point saved_ =
      {};  // the first run is saved at once: a folder that cannot take it is known early
};

// The parts in the folders, by their place; the same part twice counts once, with what is further.
std::optional<std::map<std::uint64_t, lab::PartFile>> read_parts(const std::vector<std::string>& folders,
                                                                 Streams& streams) {
  std::map<std::uint64_t, lab::PartFile> parts;
  const auto refuse = [&](const std::string& why) {
    print_error(streams, why);
    return std::nullopt;
  };
  std::string first_path;
  for (const std::string& folder : folders) {
    std::error_code error;
    std::vector<std::string> paths;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error))
      if (entry.path().extension() == ".part") paths.push_back(entry.path().string());
    if (error) return refuse(fmt::format("cannot read {}: {}", folder, error.message()));
    std::sort(paths.begin(), paths.end());
    for (const std::string& path : paths) {
      std::variant<lab::PartFile, std::string> read = lab::read_part(path);
      if (const auto* why = std::get_if<std::string>(&read)) return refuse(*why);
      lab::PartFile& part = std::get<lab::PartFile>(read);
      if (!parts.empty()) {
        const lab::PartFile& one = parts.begin()->second;
        if (part.campaign != one.campaign || part.shard.count != one.shard.count)
          return refuse(fmt::format("{} and {} are parts of two campaigns", first_path, path));
      } else {
        first_path = path;
      }
      const auto known = parts.find(part.shard.index);
      if (known == parts.end())
        parts.emplace(part.shard.index, std::move(part));
      else if (known->second.done < part.done)
        known->second = std::move(part);
    }
  }
  if (parts.empty()) return refuse(fmt::format("no part of a campaign is in {}", fmt::join(folders, ", ")));
  return parts;
}

// "part 3 of 16: 120 of 625 runs", for each that is not whole.
void say_what_is_missing(const std::map<std::uint64_t, lab::PartFile>& parts, Streams& streams) {
  const std::uint64_t count = parts.begin()->second.shard.count;
  for (std::uint64_t index = 1; index <= count; ++index) {
    const auto part = parts.find(index);
    const std::string file =
        lab::part_path("", parts.begin()->second.campaign.command, {index, count}).substr(1);
    if (part == parts.end())
      streams.err << fmt::format("missing: part {} of {} ({})\n", index, count, file);
    else if (part->second.done < part->second.planned)
      streams.err << fmt::format("missing: {} of {} in part {} of {} ({})\n",
                                 format::print_thousands(part->second.planned - part->second.done),
                                 counted(part->second.planned, "run"), index, count, file);
  }
}

}  // namespace

lab::Shard read_shard(const std::string& text) {
  if (text == "auto") return shard_of_environment();
  if (const std::optional<lab::Shard> shard = lab::parse_shard(text)) return *shard;
  throw UsageError(
      fmt::format("--shard `{}`: expected I/N, like 3/16 for the third of 16 parts, or auto", text));
}

ExitCode run_part(const RunCommandOptions& options, const std::vector<format::ScenarioFile>& files,
                  Streams& streams) {
  if (!can_write_into(options.campaign, streams)) return ExitCode::io_error;
  PartRun part(options, files, streams);
  return part.go_on() ? part.run() : ExitCode::io_error;
}

ExitCode merge_command(const MergeOptions& options, Streams& streams) {
  const auto parts = read_parts(options.folders, streams);
  if (!parts) return ExitCode::bad_scenario;
  const lab::Campaign& campaign = parts->begin()->second.campaign;
  RunCommandOptions run = options_of(campaign);
  run.jobs = options.jobs;
  run.report = options.report;
  const Loaded loaded = load(run.paths, run.sets, "nothing was merged", streams);
  const ExitCode usable = judge_loaded(loaded, run.paths, "scenario", run.report, streams);
  if (usable != ExitCode::pass) return usable;
  if (fingerprint_of(loaded.files) != campaign.of) {
    print_error(streams,
                fmt::format("the parts were made of other scenarios than {} now, or by another build of "
                            "tenure: merge them where they were made",
                            fmt::join(run.paths, ", ")));
    return ExitCode::bad_scenario;
  }
  const RunPlan plan(run, loaded.files);
  const std::unique_ptr<Reporter> reporter = make_reporters(run.report, streams);
  if (!reporter) return ExitCode::io_error;
  RunsReport report(run, plan, *reporter, streams);
  for (const auto& [index, part] : *parts)
    if (!report.append(part.states)) {
      print_error(streams, fmt::format("part {} of {} is damaged", index, part.shard.count));
      return ExitCode::bad_scenario;
    }
  say_what_is_missing(*parts, streams);
  const Interruption interruption;
  report.tell_appended();
  const bool drawn = run.report.page.empty() || report.draw();
  const ExitCode code = report.end(!drawn);
  if (!drawn) leave_interrupted(streams);
  return code;
}

}  // namespace tenure::cli
