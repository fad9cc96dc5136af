#include "cli/reports/json/hunt_json.h"

#include "cli/reports/json/json_run.h"
#include "cli/reports/text/hunt_text.h"
#include "lab/session/json_writer.h"

namespace tenure::cli {
namespace {

void counts(std::string_view name, const std::map<std::string, std::uint64_t>& counts,
            lab::JsonWriter& json) {
  json.key(name).begin_object();
  for (const auto& [key, count] : counts) json.field(key, count);
  json.end_object();
}

void failure(const lab::Failure& failure, lab::JsonWriter& json) {
  json.field("checker", failure.checker).field("at_seconds", failure.at - sim::TrueTime{});
  json.field("message", failure.message);
}

void begin(std::string_view kind, lab::JsonWriter& json) {
  json.begin_object();
  if (!kind.empty()) json.field("kind", kind);
}

// The fields of a finding, in an object that is open.
void write_finding(const lab::Finding& finding, lab::JsonWriter& json) {
  json.field("seed", finding.seed).field("cases", finding.times);
  failure(finding.saved.failure, json);
  json.field("file", finding.saved.path).field("faults", finding.saved.file.scenario.faults.size());
  json.field("faults_before", finding.saved.found.faults.size())
      .field("shrunk", finding.saved.shrunk.has_value());
  json.field("shrink_finished", finding.saved.shrunk == lab::Shrunk::End::finished);
  json.field("written", finding.saved.written).field("reproducible", finding.saved.reproducible);
}

void replay(const lab::ReplayedFile& file, std::string_view kind, lab::JsonWriter& json) {
  begin(kind, json);
  json.field("file", file.scenario.path).field("state", name_of(file.replayed.state));
  json.field("seed", file.replayed.seed);
  if (file.replayed.failure) failure(*file.replayed.failure, json);
  if (!file.replayed.missing.empty()) json.field("missing", file.replayed.missing);
  if (!file.note.design_hash.empty())
    json.field("design_changed", lab::design_has_changed(file.scenario, file.note));
  json.end_object();
}

}  // namespace

std::string_view name_of(lab::Replayed::State state) {
  using enum lab::Replayed::State;
  switch (state) {
    case passed: return "passed";
    case still_fails: return "still-fails";
    case stale: return "stale";
    case moved: return "moved";
    case neighbour_fails: return "neighbour-fails";
  }
  return "";
}

std::string json_of_replay(const lab::ReplayedFile& file, std::string_view kind) {
  lab::JsonWriter json;
  replay(file, kind, json);
  return json.take() + "\n";
}

std::string json_of_finding(const lab::Finding& finding, std::string_view scenario, std::string_view kind) {
  lab::JsonWriter json;
  begin(kind, json);
  json.field("scenario", scenario);
  write_finding(finding, json);
  json.field("reproduce", reproduce_line(finding)).end_object();
  return json.take() + "\n";
}

std::string json_of_hunt(const lab::HuntFindings& findings, std::string_view kind) {
  lab::JsonWriter json;
  begin(kind, json);
  json.field("format", kJsonFormat).field("hunt", findings.scenario).field("path", findings.path);
  json.field("verdict", sim::name_of(verdict_of(findings)));
  json.field("first_seed", findings.first_seed).field("planned", findings.planned);
  json.field("cases", findings.cases).field("inside_claims", findings.inside);
  json.field("mutated", findings.mutated).field("events", findings.events);
  json.field("features", findings.features).field("last_new_seed", findings.last_new_seed);
  counts("sometimes", findings.sometimes, json);
  counts("faults", findings.faults, json);
  counts("examined", findings.examined, json);
  counts("reported", findings.reported, json);
  if (!findings.not_demanded.empty()) json.field("not_demanded", findings.not_demanded);
  json.list("demanded_and_never_seen", findings.demanded_never).list("unclaimed", findings.unclaimed);
  json.key("regressions").begin_array();
  for (const lab::ReplayedFile& file : findings.regressions) replay(file, {}, json);
  json.end_array().field("regressions_of_others", findings.other_regressions);
  json.field("failing_cases", findings.failures).key("findings").begin_array();
  for (const lab::Finding& finding : findings.findings) {
    json.begin_object();
    write_finding(finding, json);
    json.end_object();
  }
  json.end_array().field("compared", findings.compared);
  if (!findings.difference.empty())
    json.field("difference", findings.difference).field("difference_seed", findings.difference_seed);
  if (!findings.stopped.empty()) json.field("stopped", findings.stopped);
  return json.end_object().take() + "\n";
}

}  // namespace tenure::cli
