#include "cli/reports/json/json_run.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/check.h"
#include "core/base/int128.h"
#include "format/syntax/targets.h"
#include "lab/session/json_writer.h"
#include "lab/session/version.h"
#include "lab/tune/outcome.h"
#include "sim/runner/thresholds.h"

namespace tenure::cli {
namespace {

constexpr std::int64_t kBillion = 1'000'000'000;

void write_samples(const sim::Samples& samples, lab::JsonWriter& json) {
  json.begin_object().field("count", samples.count());
  const auto statistic = [&](std::string_view name, Duration value) {
    json.key(name);
    if (samples.empty())
      json.null();
    else
      json.value(value);
  };
  statistic("min", samples.min());
  statistic("mean", samples.mean());
  write_percentiles(samples, json);
  statistic("max", samples.max());
  json.end_object();
}

void write_metrics(const sim::RunResult& result, lab::JsonWriter& json) {
  const sim::Metrics& m = result.metrics;
  json.key("metrics").begin_object();
  json.field("failovers", m.failovers).field("false_failovers", m.false_failovers);
  write_samples(m.failover, json.key("failover_seconds"));
  json.field("leaderless_seconds", m.leaderless);
  json.key("leaderless_by_cause").begin_object();
  for (const auto& [cause, time] : m.leaderless_by_cause) json.field(cause, time);
  json.end_object();
  json.field("useless_seconds", m.useless);
  json.field("believer_overlap_seconds", m.believer_overlap);
  json.field("acting_overlap_seconds", m.acting_overlap).field("work_overlap_seconds", m.work_overlap);
  json.field("safety_margin_seconds", m.safety_margin);
  json.field("store_requests", m.store_requests);
  json.key("store_requests_per_second");
  if (result.simulated > Duration{})
    json.nano(detail::narrow(int128{m.store_requests} * kBillion * kBillion / result.simulated.ns()));
  else
    json.null();
  json.field("fires", m.fires).field("failed_attempts", m.work_failed);
  json.field("stopped_attempts", m.work_stopped).field("dead_events", m.work_dead);
  json.field("skipped_slots", m.skipped_slots);
  write_samples(m.fire_lateness, json.key("fire_lateness_seconds"));
  json.field("stale_writes_rejected", m.stale_writes_rejected).field("epochs", m.epochs);
  if (m.statements_failed > 0)
    json.field("statements_failed", m.statements_failed)
        .field("first_failed_statement", m.first_failed_statement);
  json.end_object();
}

void write_data(const std::vector<sim::DataNote>& data, lab::JsonWriter& json) {
  json.key("data").begin_array();
  for (const sim::DataNote& note : data) {
    json.begin_object();
    json.field("key", note.key).field("read", note.text).end_object();
  }
  json.end_array();
}

}  // namespace

void write_faults(const std::vector<sim::FaultRun>& faults, lab::JsonWriter& json) {
  json.key("faults").begin_array();
  for (const sim::FaultRun& fault : faults) {
    json.begin_object().field("id", format::print_permanent_id(fault.id)).field("entry", fault.entry);
    json.field("strike", fault.strike > 0 ? std::optional(fault.strike) : std::nullopt);
    json.field("action", fault.action);
    if (fault.skipped.empty()) {
      json.field("target", fault.target).field("at_seconds", fault.at - sim::TrueTime{});
      json.field("duration_seconds", fault.duration).field("detail", fault.detail);
      if (!fault.fell_short.empty()) json.field("fell_short", fault.fell_short);
    } else {
      json.field("skipped", fault.skipped);
    }
    json.end_object();
  }
  json.end_array();
}

namespace {

constexpr std::pair<std::string_view, std::int64_t> kPercentiles[] = {
    {"p50", 500'000}, {"p90", 900'000}, {"p99", 990'000}};

// Of the percentiles that are known; one that has no upper end has none.
void write_intervals(const sim::Samples& samples, lab::JsonWriter& json) {
  json.key("intervals").begin_object();
  for (const auto& [name, ppm] : kPercentiles) {
    if (samples.empty()) continue;
    const lab::Estimate estimate = lab::estimate_of_percentile(samples, ppm);
    if (!estimate.low) continue;
    json.key(name).begin_object().field("low", Duration::nanos(*estimate.low));
    json.field("high", estimate.high ? std::optional(Duration::nanos(*estimate.high)) : std::nullopt)
        .end_object();
  }
  json.end_object();
}

}  // namespace

void write_percentiles(const sim::Samples& samples, lab::JsonWriter& json) {
  for (const auto& [name, ppm] : kPercentiles) {
    const bool enough = samples.count() >= sim::samples_needed(ppm);
    json.field(name, enough ? std::optional(samples.percentile(ppm)) : std::nullopt);
  }
}

std::string_view name_of(sim::CheckResult::Kind kind) {
  switch (kind) {
    case sim::CheckResult::Kind::always: return "always";
    case sim::CheckResult::Kind::eventually: return "eventually";
    case sim::CheckResult::Kind::sometimes: return "sometimes";
    case sim::CheckResult::Kind::threshold: return "threshold";
    case sim::CheckResult::Kind::fault: return "fault";
  }
  CHECK(false, "every kind of check has a name");
}

void write_check(const sim::CheckResult& check, lab::JsonWriter& json) {
  json.field("name", check.name).field("kind", name_of(check.kind));
  json.field("verdict", sim::name_of(check.verdict));
  json.field("opportunities", check.opportunities).field("detail", check.detail);
  json.key("violations").begin_array();
  for (const sim::ReportedViolation& violation : check.violations) {
    json.begin_object().field("at_seconds", violation.at - sim::TrueTime{});
    json.field("message", violation.message).end_object();
  }
  json.end_array().field("demanded", check.demanded).field("unasked", check.unasked);
}

void begin_document(std::string_view kind, lab::JsonWriter& json) {
  json.begin_object();
  if (!kind.empty()) json.field("kind", kind);
  json.field("format", kJsonFormat).field("tenure", lab::version());
}

std::string json_of_run(const sim::RunResult& result, std::string_view kind) {
  lab::JsonWriter json;
  begin_document(kind, json);
  json.field("scenario", result.scenario).field("seed", result.seed);
  json.field("verdict", sim::name_of(result.verdict));
  json.field("trace_hash", fmt::format("{:016x}", result.trace_hash));
  if (!result.tzdb.empty()) json.field("tzdb", result.tzdb);
  if (!result.data.empty()) write_data(result.data, json);
  json.field("events", result.events).field("simulated_seconds", result.simulated);
  json.key("checks").begin_array();
  for (const sim::CheckResult& check : result.checks) {
    json.begin_object();
    write_check(check, json);
    json.end_object();
  }
  json.end_array();
  write_metrics(result, json);
  write_faults(result.faults, json);
  json.field("reproduce", result.reproduce).end_object();
  return json.take() + "\n";
}

std::string json_of_batch(const lab::Batch& batch, const std::string& reproduce_prefix,
                          std::string_view kind) {
  const auto reproduce = [&](std::uint64_t seed) { return reproduce_prefix + std::to_string(seed); };
  lab::JsonWriter json;
  begin_document(kind, json);
  json.field("summary", true);
  json.field("scenario", batch.scenario().name);
  json.key("seeds")
      .begin_object()
      .field("first", batch.first_seed())
      .field("last", batch.last_seed())
      .end_object();
  json.field("interrupted", batch.cut_short_of().has_value());
  json.field("alike", batch.are_alike());
  json.field("runs", batch.runs()).field("verdict", sim::name_of(batch.verdict()));
  json.key("verdicts").begin_object();
  for (const sim::Verdict verdict : {sim::Verdict::pass, sim::Verdict::fail, sim::Verdict::inconclusive})
    json.field(sim::name_of(verdict), batch.count(verdict));
  json.end_object();
  json.key("checks").begin_array();
  for (const lab::Batch::JudgedThreshold& each : batch.judge_thresholds()) {
    json.begin_object();
    write_check(each.check, json);
    if (each.worst) {
      json.key("worst").begin_object().field("seed", each.worst->seed);
      json.key("value").nano(each.worst->nano).field("reproduce", reproduce(each.worst->seed)).end_object();
    }
    json.end_object();
  }
  for (const sim::CheckResult& idle : batch.judge_faults()) {
    json.begin_object();
    write_check(idle, json);
    json.end_object();
  }
  json.end_array();
  json.key("unasked").begin_array();
  for (const lab::Batch::Unasked& each : batch.unasked()) {
    json.begin_object().field("checker", each.checker).field("what", each.what);
    json.field("runs", each.runs).field("reproduce", reproduce(each.seed)).end_object();
  }
  json.end_array();
  json.key("metrics").begin_object();
  for (const lab::Batch::Pool& pool : batch.pools()) {
    json.key(pool.metric->name).begin_object().field("count", pool.samples.count());
    json.field("min", pool.samples.min()).field("mean", pool.samples.mean());
    write_percentiles(pool.samples, json);
    write_intervals(pool.samples, json);
    json.field("max", pool.samples.max());
    json.field("worst_seed", pool.worst_seed()).end_object();
  }
  json.end_object();
  json.field("failures_total", batch.failures_total());
  json.key("failures").begin_array();
  for (const lab::Batch::FailedRun& failure : batch.failures()) {
    json.begin_object().field("seed", failure.seed).field("checks", failure.what);
    json.field("reproduce", reproduce(failure.seed)).end_object();
  }
  json.end_array().end_object();
  return json.take() + "\n";
}

}  // namespace tenure::cli
