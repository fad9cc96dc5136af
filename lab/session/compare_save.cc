#include "lab/session/compare_save.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/hash.h"
#include "format/print/print.h"
#include "lab/session/json_writer.h"
#include "lab/session/version.h"

namespace tenure::lab {
namespace {

using Json = nlohmann::json;

std::string line_of(const std::string& cell, const sim::CaseNumbers& run) {
  JsonWriter json;
  json.begin_object().field("cell", cell).field("seed", run.seed);
  json.key("troubles").begin_array();
  for (const std::int64_t damage : run.damages) json.value(damage);
  json.end_array().key("checkers").begin_array();
  for (const std::string& checker : run.checkers) json.value(checker);
  json.end_array()
      .field("error", run.error)
      .field("strikes", run.strikes)
      .field("all_struck", run.all_struck);
  json.field("not_struck", run.not_struck).field("moved_unread_clock", run.moved_unread_clock);
  json.field("promised", run.promised)
      .field("beside_claim", run.beside_claim)
      .field("tokens_examined", run.tokens_examined);
  json.key("broken").begin_array();
  for (const std::string& checker : run.broken) json.value(checker);
  json.end_array().key("failovers").begin_array();
  for (const Duration each : run.failovers) json.value(each.ns());
  json.end_array().field("leaderless", run.leaderless.ns());
  json.field("warmup", run.warmup.ns())
      .field("warming", run.warming.ns())
      .field("false_failovers", run.false_failovers);
  json.field("simulated", run.simulated.ns()).field("store_requests", run.store_requests).end_object();
  return json.take();
}

sim::CaseNumbers run_of(const Json& line) {
  sim::CaseNumbers run;
  run.seed = line.at("seed").get<std::uint64_t>();
  const auto damages = line.at("troubles").get<std::vector<std::int64_t>>();
  const auto checkers = line.at("checkers").get<std::vector<std::string>>();
  for (std::size_t i = 0; i < sim::kDamages; ++i) {
    run.damages[i] = i < damages.size() ? damages[i] : 0;
    run.checkers[i] = i < checkers.size() ? checkers[i] : std::string{};
  }
  run.error = line.at("error").get<std::string>();
  run.strikes = line.at("strikes").get<std::uint64_t>();
  run.all_struck = line.at("all_struck").get<bool>();
  run.not_struck = line.at("not_struck").get<std::string>();
  run.moved_unread_clock = line.at("moved_unread_clock").get<std::string>();
  run.promised = line.at("promised").get<bool>();
  run.beside_claim = line.at("beside_claim").get<std::string>();
  run.tokens_examined = line.at("tokens_examined").get<bool>();
  run.broken = line.at("broken").get<std::vector<std::string>>();
  for (const std::int64_t ns : line.at("failovers").get<std::vector<std::int64_t>>())
    run.failovers.push_back(Duration::nanos(ns));
  run.leaderless = Duration::nanos(line.at("leaderless").get<std::int64_t>());
  run.warmup = Duration::nanos(line.at("warmup").get<std::int64_t>());
  run.warming = Duration::nanos(line.at("warming").get<std::int64_t>());
  run.false_failovers = line.at("false_failovers").get<std::uint64_t>();
  run.simulated = Duration::nanos(line.at("simulated").get<std::int64_t>());
  run.store_requests = line.at("store_requests").get<std::uint64_t>();
  return run;
}

}  // namespace

std::string name_of_cell(const sim::Scenario& scenario) {
  Hasher hasher;
  hasher.add(sim::print_scenario(scenario));
  for (const DesignFile* file :
       {scenario.protocol->design, scenario.scheduler != nullptr ? scenario.scheduler->design : nullptr})
    hasher.add(file != nullptr ? file->hash : 0);
  return fmt::format("{:016x}", hasher.value());
}

std::optional<RunLog::Problem> CompareSave::open(const std::string& path, bool resume) {
  return log_.open(path, std::string(program()), resume, [this](std::string_view text) {
    const Json line = Json::parse(text);
    sim::CaseNumbers run = run_of(line);
    const std::uint64_t seed = run.seed;
    runs_.insert_or_assign({line.at("cell").get<std::string>(), seed}, std::move(run));
  });
}

const sim::CaseNumbers* CompareSave::find(const std::string& cell, std::uint64_t seed) const {
  const auto found = runs_.find({cell, seed});
  return found == runs_.end() ? nullptr : &found->second;
}

void CompareSave::put(const std::string& cell, const sim::CaseNumbers& run) { log_.put(line_of(cell, run)); }

}  // namespace tenure::lab
