#include "cli/reports/json/hunt_json.h"
#include "cli/reports/json/json_run.h"
#include "cli/reports/reporters.h"
#include "cli/reports/text/text_report.h"
#include "lab/session/json_writer.h"

namespace tenure::cli {

void JsonReporter::run(const sim::RunResult& result, const sim::Scenario&, const lab::Batch*) {
  write_results(streams_, json_of_run(result, lines_ ? "run" : ""));
}

void JsonReporter::batch(const lab::Batch& batch, const std::string& reproduce_prefix) {
  write_results(streams_, json_of_batch(batch, reproduce_prefix, lines_ ? "batch" : ""));
}

void JsonReporter::replayed(const lab::ReplayedFile& file, bool in_hunt) {
  if (lines_ || !in_hunt) write_results(streams_, json_of_replay(file, lines_ ? "regression" : ""));
}

void JsonReporter::found(const lab::HuntFindings& so_far, const lab::Finding& finding) {
  if (lines_) write_results(streams_, json_of_finding(finding, so_far.scenario, "finding"));
}

void JsonReporter::hunted(const lab::HuntFindings& findings, const sim::Scenario&, const std::string&) {
  write_results(streams_, json_of_hunt(findings, lines_ ? "hunt" : ""));
}

ExitCode JsonReporter::end(const Totals& totals) {
  // Stdout is for documents.
  clear_progress(streams_);
  if (totals.interrupted && streams_.out)  // not for want of a reader
    streams_.err << text_of_interruption(totals);
  else if (totals.compared)
    streams_.err << text_of_comparison(totals);
  if (!lines_) return ExitCode::pass;
  lab::JsonWriter json;
  begin_document("end", json);
  json.field("unit", totals.unit).field("planned", totals.planned).field("done", totals.done);
  json.field("interrupted", totals.interrupted).field("exit_code", static_cast<int>(totals.code));
  write_results(streams_, json.end_object().take() + "\n");
  return ExitCode::pass;
}

}  // namespace tenure::cli
