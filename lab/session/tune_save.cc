#include "lab/session/tune_save.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "lab/session/json_writer.h"

namespace tenure::lab {
namespace {

using Json = nlohmann::json;

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
  return json.take();
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

}  // namespace

std::optional<RunLog::Problem> TuneSave::open(const std::string& path, const std::string& fingerprint,
                                              bool resume) {
  return log_.open(path, fingerprint, resume, [this](std::string_view text) {
    const Json line = Json::parse(text);
    sim::RunNumbers run = run_of(line);
    const std::uint64_t seed = run.seed;
    runs_.insert_or_assign({line.at("group").get<std::string>(), seed}, std::move(run));
  });
}

const sim::RunNumbers* TuneSave::find(const std::string& group, std::uint64_t seed) const {
  const auto found = runs_.find({group, seed});
  return found == runs_.end() ? nullptr : &found->second;
}

void TuneSave::put(const std::string& group, const sim::RunNumbers& run) { log_.put(line_of(group, run)); }

}  // namespace tenure::lab
