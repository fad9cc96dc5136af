#include "lab/session/saved_runs.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/base/hash.h"
#include "format/print/print.h"
#include "lab/session/kept_json.h"

namespace tenure::lab {

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
bool SavedRuns<Numbers>::take_line(std::string_view text) {
  std::optional<KeptRun<Numbers>> line = read_json_line<KeptRun<Numbers>>(text);
  if (!line) return false;
  const std::uint64_t seed = line->run.seed;
  runs_.insert_or_assign({std::move(line->group), seed}, std::move(line->run));
  return true;
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
      more = take_line(line) || more;
    }
    sibling.read += line.size() + 1;
  }
  return more;
}

template <class Numbers>
void SavedRuns<Numbers>::put(const std::string& group, const Numbers& run) {
  if (log_.is_open()) log_.put(json_line(KeptRun<Numbers>{group, run}));
}

template class SavedRuns<RunNumbers>;
template class SavedRuns<CaseNumbers>;
template class SavedRuns<HuntedCase>;

}  // namespace tenure::lab
