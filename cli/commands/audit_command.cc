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
  if (options.format == Format::json) {
    lab::JsonWriter json(2);
    json.begin_object().field("format", kJsonFormat);
    write_audit(audit, json);
    streams.out << json.end_object().take() << "\n";
  } else {
    streams.out << text_of_audit(audit, options.journals.size(), streams.paint_out);
  }
  if (page && !page->write(page_of(audit, command_of(options)))) return ExitCode::io_error;
  return exit_code_of(audit.verdict);
}

}  // namespace tenure::cli
