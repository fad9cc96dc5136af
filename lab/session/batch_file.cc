#include "lab/session/batch_file.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

namespace tenure::lab {
namespace {

nlohmann::json json_of(const sim::Samples& samples) {
  const sim::Samples::State& state = samples.state();
  std::vector<std::int64_t> exact;
  std::transform(state.exact.begin(), state.exact.end(), std::back_inserter(exact),
                 [](Duration value) { return value.ns(); });
  // JSON has no numbers of 128 bits.
  return {state.count,
          state.min.ns(),
          state.max.ns(),
          static_cast<std::int64_t>(state.sum >> 64),
          static_cast<std::uint64_t>(state.sum),
          exact,
          state.buckets};
}

sim::Samples samples_from(const nlohmann::json& json) {
  sim::Samples::State state;
  json.at(0).get_to(state.count);
  state.min = Duration::nanos(json.at(1).get<std::int64_t>());
  state.max = Duration::nanos(json.at(2).get<std::int64_t>());
  state.sum = static_cast<int128>(static_cast<uint128>(json.at(3).get<std::int64_t>()) << 64 |
                                  json.at(4).get<std::uint64_t>());
  for (const auto& value : json.at(5)) state.exact.push_back(Duration::nanos(value.get<std::int64_t>()));
  json.at(6).get_to(state.buckets);
  return sim::Samples(std::move(state));
}

}  // namespace

// Found by the library, as those below.
static void to_json(nlohmann::json& json, const Batch::Pool& pool) {
  json = {pool.metric->name, json_of(pool.samples), pool.lowest_seed, pool.highest_seed,
          nlohmann::json::array()};
  for (const sim::WorstSample& sample : pool.worst)
    json.back().push_back({sample.metric, sample.at.ns(), sample.text});
}
static void from_json(const nlohmann::json& json, Batch::Pool& pool) {
  const auto name = json.at(0).get<std::string>();
  pool.metric = std::find_if(std::begin(sim::kMetricNames), std::end(sim::kMetricNames),
                             [&](const sim::MetricName& metric) { return metric.name == name; });
  pool.samples = samples_from(json.at(1));
  json.at(2).get_to(pool.lowest_seed);
  json.at(3).get_to(pool.highest_seed);
  for (const auto& sample : json.at(4))
    pool.worst.push_back({sample.at(0).get<std::string>(),
                          sim::TrueTime::from_ns(sample.at(1).get<std::int64_t>()),
                          sample.at(2).get<std::string>()});
}
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Batch::FailedRun, seed, what)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Batch::Unasked, checker, what, seed, runs)

std::string text_of(const Batch::State& state) {
  const sim::FaultTally& faults = state.struck;
  const nlohmann::json json = {
      {"runs", state.runs},        {"counts", state.counts},
      {"first", state.first_seed}, {"last", state.last_seed},
      {"pools", state.pools},      {"failures", state.failures},
      {"unasked", state.unasked},  {"struck", faults.struck},
      {"skipped", faults.skipped}, {"fell_short", faults.fell_short},
      {"alike", state.alike},      {"differ", state.differ},
  };
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::optional<Batch::State> read_batch(std::string_view text) {
  Batch::State state;
  try {
    const nlohmann::json json = nlohmann::json::parse(text);
    json.at("runs").get_to(state.runs);
    json.at("counts").get_to(state.counts);
    json.at("first").get_to(state.first_seed);
    json.at("last").get_to(state.last_seed);
    json.at("pools").get_to(state.pools);
    json.at("failures").get_to(state.failures);
    json.at("unasked").get_to(state.unasked);
    json.at("struck").get_to(state.struck.struck);
    json.at("skipped").get_to(state.struck.skipped);
    json.at("fell_short").get_to(state.struck.fell_short);
    json.at("alike").get_to(state.alike);
    json.at("differ").get_to(state.differ);
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
  const bool whole = std::equal(
      state.pools.begin(), state.pools.end(), std::begin(sim::kMetricNames), std::end(sim::kMetricNames),
      [](const Batch::Pool& pool, const sim::MetricName& metric) { return pool.metric == &metric; });
  return whole ? std::optional(std::move(state)) : std::nullopt;
}

}  // namespace tenure::lab
