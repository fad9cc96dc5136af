#include "lab/session/kept_json.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "lab/session/batch.h"
#include "lab/session/hunted_cases.h"
#include "lab/session/saved_runs.h"

// The library finds what is below by its names, in the namespaces of the types.
namespace tenure {

static void to_json(nlohmann::json& json, Duration duration) { json = duration.ns(); }
static void from_json(const nlohmann::json& json, Duration& duration) {
  duration = Duration::nanos(json.get<std::int64_t>());
}

}  // namespace tenure

namespace tenure::sim {

static void to_json(nlohmann::json& json, TrueTime time) { json = (time - TrueTime{}).ns(); }
static void from_json(const nlohmann::json& json, TrueTime& time) {
  time = TrueTime{} + Duration::nanos(json.get<std::int64_t>());
}
// JSON has no numbers of 128 bits.
static void to_json(nlohmann::json& json, const Samples& samples) {
  const Samples::State& state = samples.state();
  json = {state.count,
          state.min,
          state.max,
          static_cast<std::int64_t>(state.sum >> 64),
          static_cast<std::uint64_t>(state.sum),
          state.exact,
          state.buckets};
}
static void from_json(const nlohmann::json& json, Samples& samples) {
  Samples::State state;
  json.at(0).get_to(state.count);
  json.at(1).get_to(state.min);
  json.at(2).get_to(state.max);
  state.sum = static_cast<int128>(static_cast<uint128>(json.at(3).get<std::int64_t>()) << 64 |
                                  json.at(4).get<std::uint64_t>());
  json.at(5).get_to(state.exact);
  json.at(6).get_to(state.buckets);
  samples = Samples(std::move(state));
}
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(WorstSample, metric, at, text)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FaultTally, struck, skipped, fell_short)

// Of a case of a hunt, what the hunt counts.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FaultRun, entry, action, skipped, fell_short)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CheckResult, name, kind, verdict, opportunities, demanded)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunResult, events, checks, faults)

}  // namespace tenure::sim

namespace tenure::lab {

static void to_json(nlohmann::json& json, const Batch::Pool& pool) {
  json = {pool.metric->name, pool.samples, pool.lowest_seed, pool.highest_seed, pool.worst};
}
static void from_json(const nlohmann::json& json, Batch::Pool& pool) {
  const auto name = json.at(0).get<std::string>();
  pool.metric = std::find_if(std::begin(sim::kMetricNames), std::end(sim::kMetricNames),
                             [&](const sim::MetricName& metric) { return metric.name == name; });
  json.at(1).get_to(pool.samples);
  json.at(2).get_to(pool.lowest_seed);
  json.at(3).get_to(pool.highest_seed);
  json.at(4).get_to(pool.worst);
}
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Batch::FailedRun, seed, what)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Batch::Unasked, checker, what, seed, runs)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Batch::State, runs, counts, first_seed, last_seed, pools, failures,
                                   unasked, struck, alike, differ)

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunNumbers, seed, values, leaderless_by_cause, broken, inconclusive,
                                   faults, strikes, simulated_ns)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CaseNumbers, seed, damages, checkers, error, strikes, all_struck,
                                   not_struck, moved_unread_clock, promised, beside_claim, tokens_examined,
                                   broken, failovers, leaderless, warmup, warming, false_failovers, simulated,
                                   store_requests)

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Failure, checker, message, at)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CaseResult, run, signature, failures)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HuntedCase, seed, result)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HuntTotals::FirstSeen, feature, index)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HuntTotals, cases, inside, mutated, events, differ, first_seen, sometimes,
                                   faults, struck, examined, reported)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HuntedCases::KeptFailure, seed, times, failure, path)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HuntedCases, totals, kept, failures, compared, difference, difference_seed)

template <class Numbers>
static void to_json(nlohmann::json& json, const KeptRun<Numbers>& kept) {
  json = {{"group", kept.group}, {"run", kept.run}};
}
template <class Numbers>
static void from_json(const nlohmann::json& json, KeptRun<Numbers>& kept) {
  json.at("group").get_to(kept.group);
  json.at("run").get_to(kept.run);
}

namespace {

// Whether what was read can be used.
template <class T>
bool is_whole(const T&) {
  return true;
}
bool is_whole(const Batch::State& state) {
  return std::equal(
      state.pools.begin(), state.pools.end(), std::begin(sim::kMetricNames), std::end(sim::kMetricNames),
      [](const Batch::Pool& pool, const sim::MetricName& metric) { return pool.metric == &metric; });
}
bool is_whole(const HuntedCases& cases) {
  return std::all_of(cases.totals.first_seen.begin(), cases.totals.first_seen.end(),
                     [](const HuntTotals::FirstSeen& seen) { return seen.feature < kFeatures; });
}

}  // namespace

template <class T>
std::string json_line(const T& kept) {
  return nlohmann::json(kept).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

template <class T>
std::optional<T> read_json_line(std::string_view text) {
  try {
    T kept;
    nlohmann::json::parse(text).get_to(kept);
    return is_whole(kept) ? std::optional(std::move(kept)) : std::nullopt;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

template std::string json_line(const Batch::State&);
template std::optional<Batch::State> read_json_line(std::string_view);
template std::string json_line(const HuntedCases&);
template std::optional<HuntedCases> read_json_line(std::string_view);
template std::string json_line(const KeptRun<RunNumbers>&);
template std::optional<KeptRun<RunNumbers>> read_json_line(std::string_view);
template std::string json_line(const KeptRun<CaseNumbers>&);
template std::optional<KeptRun<CaseNumbers>> read_json_line(std::string_view);
template std::string json_line(const KeptRun<HuntedCase>&);
template std::optional<KeptRun<HuntedCase>> read_json_line(std::string_view);

}  // namespace tenure::lab
