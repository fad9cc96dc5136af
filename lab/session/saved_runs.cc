#include "lab/session/saved_runs.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

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
std::optional<RunLog::Problem> SavedRuns<Numbers>::open(const std::string& path,
                                                        const std::string& fingerprint, bool resume) {
  return log_.open(path, fingerprint, resume, [this](std::string_view text) {
    const nlohmann::json line = nlohmann::json::parse(text);
    auto run = line.get<Numbers>();
    const std::uint64_t seed = run.seed;
    runs_.insert_or_assign({line.at("group").get<std::string>(), seed}, std::move(run));
  });
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
