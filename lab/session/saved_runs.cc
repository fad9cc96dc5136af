#include "lab/session/saved_runs.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/base/hash.h"
#include "format/print/print.h"

namespace tenure {

// Found by the library where a run has a Duration.
static void to_json(nlohmann::json& json, Duration duration) { json = duration.ns(); }
static void from_json(const nlohmann::json& json, Duration& duration) {
  duration = Duration::nanos(json.get<std::int64_t>());
}

}  // namespace tenure

namespace tenure::sim {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FaultTally, struck, skipped, fell_short)

static void to_json(nlohmann::json& json, TrueTime time) { json = (time - TrueTime{}).ns(); }
static void from_json(const nlohmann::json& json, TrueTime& time) {
  time = TrueTime{} + Duration::nanos(json.get<std::int64_t>());
}

// Of a case of a hunt, what the hunt counts.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FaultRun, entry, action, skipped, fell_short)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CheckResult, name, kind, verdict, opportunities, demanded)
}  // namespace tenure::sim

namespace tenure::lab {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunNumbers, seed, values, leaderless_by_cause, broken, inconclusive,
                                   faults, strikes, simulated_ns)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CaseNumbers, seed, damages, checkers, error, strikes, all_struck,
                                   not_struck, moved_unread_clock, promised, beside_claim, tokens_examined,
                                   broken, failovers, leaderless, warmup, warming, false_failovers, simulated,
                                   store_requests)

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Failure, checker, message, at)

static void to_json(nlohmann::json& json, const HuntedCase& hunted) {
  const CaseResult& result = hunted.result;
  json = {{"seed", hunted.seed},         {"events", result.run.events},   {"checks", result.run.checks},
          {"faults", result.run.faults}, {"signature", result.signature}, {"failures", result.failures}};
}
static void from_json(const nlohmann::json& json, HuntedCase& hunted) {
  json.at("seed").get_to(hunted.seed);
  json.at("events").get_to(hunted.result.run.events);
  json.at("checks").get_to(hunted.result.run.checks);
  json.at("faults").get_to(hunted.result.run.faults);
  json.at("signature").get_to(hunted.result.signature);
  json.at("failures").get_to(hunted.result.failures);
}

std::string identity_of(const sim::Scenario& scenario) {
  Hasher hasher;
  hasher.add(format::print_scenario(scenario));
  for (const DesignFile* file : {scenario.protocol != nullptr ? scenario.protocol->design : nullptr,
                                 scenario.scheduler != nullptr ? scenario.scheduler->design : nullptr})
    hasher.add(file != nullptr ? file->hash : 0);
  return fmt::format("{:016x}", hasher.value());
}

template <>
const std::string_view TuneSave::kKind = "tune";
template <>
const std::string_view CompareSave::kKind = "compare";

template <>
const std::string_view HuntSave::kKind = "hunt";

template <class Numbers>
void SavedRuns<Numbers>::take_line(std::string_view text) {
  const nlohmann::json line = nlohmann::json::parse(text);
  auto run = line.get<Numbers>();
  const std::uint64_t seed = run.seed;
  runs_.insert_or_assign({line.at("group").get<std::string>(), seed}, std::move(run));
}

template <class Numbers>
std::optional<RunLog::Problem> SavedRuns<Numbers>::open(const std::string& path,
                                                        const std::string& fingerprint, bool resume) {
  path_ = path;
  fingerprint_ = fingerprint;
  const auto problem =
      log_.open(path, fingerprint, resume, [this](std::string_view text) { take_line(text); });
  if (!problem && resume) refresh();
  return problem;
}

template <class Numbers>
std::optional<RunLog::Problem> SavedRuns<Numbers>::open_part(const std::string& path,
                                                             const std::string& fingerprint,
                                                             const Shard& shard) {
  shard_ = shard;
  const auto problem = open(fmt::format("{}.{}-of-{}", path, shard.index, shard.count), fingerprint, true);
  path_ = path;
  return problem;
}

// By a hash: the runs of a group are of one length, and of each group every part has some.
template <class Numbers>
bool SavedRuns<Numbers>::is_mine(const std::string& group, std::uint64_t seed) const {
  return !shard_ || reduce(Hasher().add(group).add(seed).value(), shard_->count) == shard_->index - 1;
}

template <class Numbers>
bool SavedRuns<Numbers>::refresh() {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path whole(path_);
  const std::string prefix = whole.filename().string() + ".";
  const fs::path folder = whole.has_parent_path() ? whole.parent_path() : fs::path(".");
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(prefix) && name.find("-of-", prefix.size()) != std::string::npos &&
        entry.path() != fs::path(log_.path()))
      siblings_.try_emplace(name, Sibling{entry.path().string(), 0});
  }
  bool more = false;
  for (auto& [name, sibling] : siblings_) more = read_more(sibling) || more;
  return more;
}

// Whole lines alone: a part may be writing the last one.
template <class Numbers>
bool SavedRuns<Numbers>::read_more(Sibling& sibling) {
  std::ifstream file(sibling.path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(sibling.read));
  bool more = false;
  for (std::string line; std::getline(file, line) && !file.eof();) {
    if (sibling.read == 0) {
      const auto head = nlohmann::json::parse(line, nullptr, false);
      if (!head.is_object() || head.value("of", "") != fingerprint_) return false;  // somebody else's
    } else {
      try {
        take_line(line);
        more = true;
      } catch (const nlohmann::json::exception&) {  // it was cut off
      }
    }
    sibling.read += line.size() + 1;
  }
  return more;
}

template <class Numbers>
void SavedRuns<Numbers>::put(const std::string& group, const Numbers& run) {
  nlohmann::json line = run;
  line["group"] = group;
  log_.put(line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

template class SavedRuns<RunNumbers>;
template class SavedRuns<CaseNumbers>;
template class SavedRuns<HuntedCase>;

}  // namespace tenure::lab
