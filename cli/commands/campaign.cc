#include "cli/commands/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <variant>

#include "cli/commands/commands.h"
#include "cli/load.h"
#include "cli/reports/make_reporters.h"
#include "cli/reports/text/text_format.h"
#include "core/base/hash.h"
#include "format/syntax/units.h"
#include "lab/session/many_runs.h"
#include "lab/session/version.h"

namespace tenure::cli {
namespace {

// A part that is killed loses what it made in so long.
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

// The parts in the folders, by their place; the same part twice counts once, with what is further.
std::optional<Parts> read_parts(const std::vector<std::string>& folders, Streams& streams) {
  Parts parts;
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
void say_what_is_missing(const Parts& parts, Streams& streams) {
  const std::uint64_t count = parts.begin()->second.shard.count;
  const char* unit = parts.begin()->second.campaign.command == "hunt" ? "block" : "run";
  for (std::uint64_t index = 1; index <= count; ++index) {
    const auto part = parts.find(index);
    const std::string file =
        lab::part_path("", parts.begin()->second.campaign.command, {index, count}).substr(1);
    if (part == parts.end())
      streams.err << fmt::format("missing: part {} of {} ({})\n", index, count, file);
    else if (part->second.done < part->second.planned)
      streams.err << fmt::format("missing: {} of {} in part {} of {} ({})\n",
                                 format::print_thousands(part->second.planned - part->second.done),
                                 counted(part->second.planned, unit), index, count, file);
  }
}

}  // namespace

lab::Shard read_shard(const std::string& text) {
  if (text == "auto") return shard_of_environment();
  if (const std::optional<lab::Shard> shard = lab::parse_shard(text)) return *shard;
  throw UsageError(
      fmt::format("--shard `{}`: expected I/N, like 3/16 for the third of 16 parts, or auto", text));
}

lab::Campaign campaign_of(std::string command, const std::vector<std::string>& paths,
                          const std::vector<format::Override>& sets, const SeedRange& seeds,
                          const std::vector<format::ScenarioFile>& files) {
  lab::Campaign campaign;
  campaign.command = std::move(command);
  campaign.paths = paths;
  for (const format::Override& set : sets) campaign.sets.push_back(set.key + "=" + set.value);
  campaign.first_seed = seeds.first;
  campaign.seeds = seeds.last - seeds.first + 1;
  campaign.of = fingerprint_of(files);
  return campaign;
}

std::vector<format::Override> sets_of(const lab::Campaign& campaign) {
  std::vector<format::Override> sets;
  for (const std::string& set : campaign.sets) {
    const std::size_t equals = set.find('=');
    sets.push_back({set.substr(0, equals), set.substr(std::min(equals, set.size() - 1) + 1)});
  }
  return sets;
}

SeedRange seeds_of(const lab::Campaign& campaign) {
  return {campaign.first_seed, campaign.first_seed + campaign.seeds - 1};
}

PartSaver::PartSaver(const std::string& folder, lab::PartFile part, Streams& streams)
    : part_(std::move(part)),
      path_(lab::part_path(folder, part_.campaign.command, part_.shard)),
      streams_(streams) {}

bool PartSaver::go_on(const std::function<bool(const std::vector<std::string>&)>& take) {
  const auto refuse = [&](const std::string& why) {
    print_error(streams_, fmt::format("{}; remove it, or name another folder with --campaign", why));
    return false;
  };
  if (!std::filesystem::exists(path_)) return true;
  std::variant<lab::PartFile, std::string> read = lab::read_part(path_);
  if (const auto* why = std::get_if<std::string>(&read)) return refuse(*why);
  const lab::PartFile& before = std::get<lab::PartFile>(read);
  if (before.campaign != part_.campaign || before.shard != part_.shard || before.planned != part_.planned)
    return refuse(fmt::format(
        "{} holds a part of another campaign: other scenarios, seeds or --set, or another build of tenure",
        path_));
  if (!take(before.states)) return refuse(fmt::format("{} is damaged", path_));
  part_.done = before.done;
  return true;
}

bool PartSaver::advance() {
  ++part_.done;
  return Clock::now() - saved_ >= kSaveEvery;
}

void PartSaver::save(std::vector<std::string> states) {
  part_.states = std::move(states);
  const lab::FileWritten written = lab::write_part(path_, part_);
  if (!written.good && good_)
    print_error(streams_, fmt::format("cannot write {}: {}", path_, lab::system_reason(written.error)));
  good_ = good_ && written.good;
  saved_ = Clock::now();
}

void PartSaver::say(const char* unit, std::uint64_t failed, const char* how, bool interrupted) {
  clear_progress(streams_);
  write_results(streams_, fmt::format("part {} of {}: {} of {}{}, {} {}; kept in {}\n", part_.shard.index,
                                      part_.shard.count, format::print_thousands(part_.done),
                                      counted(part_.planned, unit), interrupted ? " (interrupted)" : "",
                                      format::print_thousands(failed), how, path_));
}

ExitCode say_shared(const lab::Shard& shard, const std::string& save, std::uint64_t missing,
                    Streams& streams) {
  clear_progress(streams);
  const std::string part = fmt::format("part {} of {}", shard.index, shard.count);
  if (missing == 0) {
    write_results(streams,
                  fmt::format("{}: its runs are kept beside {}; with --resume and without --shard, the "
                              "same command reports\n",
                              part, save));
    return ExitCode::pass;
  }
  print_error(streams,
              fmt::format("{}: {} of other parts did not come in {} minutes; its own are kept: run it again "
                          "when the others go on",
                          part, counted(missing, "run"), lab::kPatience.count()));
  return ExitCode::inconclusive;
}

ExitCode merge_command(const MergeOptions& options, Streams& streams) {
  const std::optional<Parts> parts = read_parts(options.folders, streams);
  if (!parts) return ExitCode::bad_scenario;
  const lab::Campaign& campaign = parts->begin()->second.campaign;
  const Loaded loaded = load(campaign.paths, sets_of(campaign), "nothing was merged", streams);
  const ExitCode usable = judge_loaded(loaded, campaign.paths, "scenario", options.report, streams);
  if (usable != ExitCode::pass) return usable;
  if (fingerprint_of(loaded.files) != campaign.of) {
    print_error(streams,
                fmt::format("the parts were made of other scenarios than {} now, or by another build of "
                            "tenure: merge them where they were made",
                            fmt::join(campaign.paths, ", ")));
    return ExitCode::bad_scenario;
  }
  say_what_is_missing(*parts, streams);
  const auto merge = campaign.command == "hunt" ? merge_hunts : merge_runs;
  return merge(options, *parts, loaded.files, streams);
}

}  // namespace tenure::cli
