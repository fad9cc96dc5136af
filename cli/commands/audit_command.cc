#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "cli/commands/commands.h"
#include "cli/commands/journal_files.h"
#include "cli/reports/html/sections.h"
#include "cli/reports/json/json_run.h"
#include "cli/reports/report_file.h"
#include "cli/reports/text/audit_text.h"
#include "cli/reports/text/text_format.h"
#include "lab/audit/audit.h"
#include "lab/session/json_writer.h"
#include "lab/session/output_file.h"

namespace tenure::cli {
namespace {

void write(const std::vector<lab::Silence>& silences, lab::JsonWriter& json) {
  json.begin_array();
  for (const lab::Silence& one : silences)
    json.begin_object().field("name", one.checker).field("why", one.why).end_object();
  json.end_array();
}

std::string json_of(const lab::Audit& audit) {
  lab::JsonWriter json(2);
  json.begin_object().field("format", kJsonFormat).field("verdict", sim::name_of(audit.verdict));
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
  json.list("lacking", audit.lacking).key("notes").begin_array();
  for (const std::string& note : audit.notes) json.value(note);
  return json.end_array().end_object().take() + "\n";
}

std::string command_of(const AuditOptions& options) {
  std::string command = "tenure audit";
  if (options.start_missing) command += " --start-missing";
  for (const std::string& path : options.journals) command += " " + shell_quoted(path);
  return command;
}

}  // namespace

ExitCode audit_command(const AuditOptions& options, Streams& streams) {
  if (options.format != Format::text && options.format != Format::json)
    throw UsageError("audit prints text or json");
  std::vector<lab::NodeJournal> journals;
  if (const auto code = read_journals(options.journals, journals, streams)) return *code;
  std::optional<ReportFile> page;
  if (!options.page.empty() && !page.emplace(options.page, kPageFile, streams).good())
    return ExitCode::io_error;
  const auto audited = lab::audit(std::move(journals), options.start_missing, page.has_value());
  if (const auto* why = std::get_if<lab::BadJournal>(&audited)) return bad_journal(*why, streams);
  const auto& audit = std::get<lab::Audit>(audited);
  streams.out << (options.format == Format::json
                      ? json_of(audit)
                      : text_of_audit(audit, options.journals.size(), streams.paint_out));
  if (page && !page->write(page_of(audit, command_of(options)))) return ExitCode::io_error;
  return exit_code_of(audit.verdict);
}

}  // namespace tenure::cli
