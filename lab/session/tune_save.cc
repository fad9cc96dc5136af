#include "lab/session/tune_save.h"

#include <fmt/format.h>

#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "lab/session/json_writer.h"

namespace tenure::lab {
namespace {

using Json = nlohmann::json;
using Problem = TuneSave::Problem;

std::string line_of(const std::string& group, const sim::RunNumbers& run) {
  JsonWriter json;
  json.begin_object().field("group", group).field("seed", run.seed);
  json.field("strikes", run.strikes).field("simulated", run.simulated_ns);
  json.key("values").begin_array();
  for (const auto& values : run.values) {
    json.begin_array();
    for (const std::int64_t value : values) json.value(value);
    json.end_array();
  }
  json.end_array().key("leaderless").begin_object();
  for (const auto& [cause, length] : run.leaderless_by_cause) json.field(cause, length);
  json.end_object().key("broken").begin_array();
  for (const std::string& checker : run.broken) json.value(checker);
  json.end_array().key("idle").begin_array();
  for (const std::string& checker : run.idle) json.value(checker);
  json.end_array().end_object();
  return json.take() + "\n";
}

sim::RunNumbers run_of(const Json& line) {
  sim::RunNumbers run;
  run.seed = line.at("seed").get<std::uint64_t>();
  run.strikes = line.at("strikes").get<std::uint64_t>();
  run.simulated_ns = line.at("simulated").get<std::int64_t>();
  run.values = line.at("values").get<std::vector<std::vector<std::int64_t>>>();
  for (const auto& [cause, length] : line.at("leaderless").items())
    run.leaderless_by_cause.emplace_back(cause, length.get<std::int64_t>());
  run.broken = line.at("broken").get<std::vector<std::string>>();
  run.idle = line.at("idle").get<std::vector<std::string>>();
  return run;
}

// Whose results are at the beginning of a file; nullopt: it holds none.
std::optional<std::string> owner_of(std::istream& file) {
  std::string text;
  const auto head = std::getline(file, text) ? Json::parse(text, nullptr, false) : Json();
  if (!head.is_object() || !head.contains("tune")) return std::nullopt;
  return head.value("of", "");
}

// Results of the same can be had again; anything else is somebody's.
std::optional<Problem> why_not_anew(const std::string& path, const std::string& fingerprint) {
  std::ifstream file(path, std::ios::binary);
  if (!std::filesystem::is_regular_file(path) || file.peek() == std::ifstream::traits_type::eof())
    return std::nullopt;
  const auto owner = owner_of(file);
  if (owner == fingerprint) return std::nullopt;
  return Problem{owner ? Problem::Kind::of_another : Problem::Kind::foreign, false, 0};
}

}  // namespace

std::optional<Problem> TuneSave::open(const std::string& path, const std::string& fingerprint, bool resume) {
  path_ = path;
  std::error_code error;
  const bool exists = std::filesystem::exists(path, error);
  const bool goes_on = resume && exists;
  if (goes_on)
    if (const auto problem = read(fingerprint)) return problem;
  if (exists && !goes_on)
    if (const auto problem = why_not_anew(path, fingerprint)) return problem;
  errno = 0;
  file_.open(path, std::ios::binary | (goes_on ? std::ios::app : std::ios::trunc));
  // After what may have been cut off, a new line.
  file_ << (goes_on ? "\n" : fmt::format("{{\"tune\":1,\"of\":\"{}\"}}\n", fingerprint));
  file_.flush();
  if (file_.good()) return std::nullopt;
  return Problem{Problem::Kind::unwritable, goes_on, errno};
}

std::optional<Problem> TuneSave::read(const std::string& fingerprint) {
  std::ifstream file(path_, std::ios::binary);
  const auto owner = owner_of(file);
  if (!owner) return Problem{Problem::Kind::foreign, true, 0};
  if (owner != fingerprint) return Problem{Problem::Kind::of_another, true, 0};
  for (std::string text; std::getline(file, text);) {
    try {
      const Json line = Json::parse(text);
      sim::RunNumbers run = run_of(line);
      const std::uint64_t seed = run.seed;
      runs_.insert_or_assign({line.at("group").get<std::string>(), seed}, std::move(run));
    } catch (const Json::exception&) {
      continue;  // cut off
    }
  }
  return std::nullopt;
}

const sim::RunNumbers* TuneSave::find(const std::string& group, std::uint64_t seed) const {
  const auto found = runs_.find({group, seed});
  return found == runs_.end() ? nullptr : &found->second;
}

void TuneSave::put(const std::string& group, const sim::RunNumbers& run) {
  if (file_.is_open()) file_ << line_of(group, run);
}

}  // namespace tenure::lab
