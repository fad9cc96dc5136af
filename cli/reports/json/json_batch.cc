#include "cli/reports/json/json_batch.h"

#include <string>

#include "cli/reports/json/json_run.h"
#include "lab/session/json_writer.h"

namespace tenure::cli {

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
