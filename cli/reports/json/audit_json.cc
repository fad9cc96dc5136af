#include "cli/reports/json/json_run.h"
#include "cli/reports/text/audit_text.h"

namespace tenure::cli {
namespace {

void write(const std::vector<lab::Silence>& silences, lab::JsonWriter& json) {
  json.begin_array();
  for (const lab::Silence& one : silences)
    json.begin_object().field("name", one.checker).field("why", one.why).end_object();
  json.end_array();
}

}  // namespace

void write_audit(const lab::Audit& audit, lab::JsonWriter& json) {
  json.field("verdict", sim::name_of(audit.verdict));
  json.field("span_seconds", audit.span).field("lines", audit.lines).key("lives").begin_array();
  for (const lab::AuditedLife& life : audit.lives) {
    json.begin_object()
        .field("name", life.name)
        .field("node", life.node.value)
        .field("journal", life.journal);
    json.field("first_seconds", life.first - sim::TrueTime{})
        .field("last_seconds", life.last - sim::TrueTime{});
    json.field("end", end_of_life(life.end)).end_object();
  }
  json.end_array().key("checks").begin_array();
  for (const sim::CheckResult& check : audit.checks) {
    json.begin_object().field("name", check.name).field("verdict", sim::name_of(check.verdict));
    json.field("promised", check.demanded).field("examined", check.opportunities);
    json.field("violations", check.violation_count).key("first").begin_array();
    for (const sim::ReportedViolation& violation : check.violations) {
      json.begin_object().field("at_seconds", violation.at - sim::TrueTime{});
      json.field("message", violation.message).end_object();
    }
    json.end_array().end_object();
  }
  write(audit.left_out, json.end_array().key("left_out"));
  write(audit.not_judged, json.key("not_judged"));
  json.list("lacking", audit.lacking).list("notes", audit.notes);
}

}  // namespace tenure::cli
