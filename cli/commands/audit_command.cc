#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "adapters/tzdb/tzdb.h"
#include "cli/commands/commands.h"
#include "cli/reports/html/sections.h"
#include "cli/reports/json/json_run.h"
#include "cli/reports/report_file.h"
#include "cli/reports/text/text_format.h"
#include "cli/reports/text/text_run.h"
#include "format/syntax/units.h"
#include "lab/audit/audit.h"
#include "lab/session/json_writer.h"
#include "lab/session/output_file.h"

namespace tenure::cli {
namespace {

std::string_view word_for(lab::AuditedLife::End end) {
  switch (end) {
    case lab::AuditedLife::End::stopped: return "stopped";
    case lab::AuditedLife::End::abandoned: return "abandoned";
    case lab::AuditedLife::End::none: break;
  }
  return "no end: killed, or still running";
}

// Checkers with one reason share a row.
std::string text_of(std::string_view label, const std::vector<lab::Silence>& silences) {
  std::vector<std::pair<std::string, std::string>> rows;  // reasons, and who has them
  for (const lab::Silence& one : silences) {
    const auto same =
        std::find_if(rows.begin(), rows.end(), [&](const auto& known) { return known.first == one.why; });
    if (same == rows.end())
      rows.emplace_back(one.why, one.checker);
    else
      same->second.append(", ").append(one.checker);
  }
  std::string text;
  for (const auto& [why, who] : rows) text += row(label, fmt::format("{}: {}", who, why));
  return text;
}

std::string text_of(const lab::Audit& audit, std::size_t journals, bool paint) {
  const std::size_t lives = audit.lives.size();
  std::string text = fmt::format("{} {}  {} {}  {} lines  {}\n", verdict_word(audit.verdict, paint),
                                 counted(journals, "journal"), lives, lives == 1 ? "life" : "lives",
                                 format::print_thousands(audit.lines), short_duration(audit.span));
  for (const lab::AuditedLife& life : audit.lives)
    text += row(life.name, fmt::format("node {}, {}, {} to {}, {}", life.node.value, life.journal,
                                       column_time(life.first), column_time(life.last), word_for(life.end)));
  std::vector<sim::CheckResult> examined = audit.checks;
  std::erase_if(examined, [](const sim::CheckResult& check) { return check.opportunities == 0; });
  text += text_of_checks(examined, {}, paint);
  for (const sim::CheckResult& check : audit.checks)
    for (const sim::ReportedViolation& violation : check.violations)
      text += row("", fmt::format("{}: {}", check.name, violation.message));
  for (const sim::CheckResult& check : audit.checks)
    if (check.verdict == sim::Verdict::inconclusive)
      text += row("unexamined", fmt::format("{}: {}", check.name, check.detail));
  text += text_of("left out", audit.left_out) + text_of("not judged", audit.not_judged);
  for (const std::string& what : audit.lacking) text += row("lacking", what);
  for (const std::string& note : audit.notes) text += row("note", note);
  return text;
}

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
    json.field("end", word_for(life.end)).end_object();
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

std::optional<std::string> read_journal(const std::string& path, Streams& streams) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file && file.peek() != std::ifstream::traits_type::eof()) text << file.rdbuf();
  if (!file.is_open() || file.bad() || text.fail()) {
    print_error(streams, fmt::format("cannot read {}: {}", path, lab::system_reason(errno)));
    return std::nullopt;
  }
  return std::move(text).str();
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
  const Tzdb zones;
  std::vector<lab::NodeJournal> journals;
  const auto bad = [&](const lab::BadJournal& why) {
    print_error(streams, why.message);
    return ExitCode::bad_scenario;
  };
  for (const std::string& path : options.journals) {
    const std::optional<std::string> text = read_journal(path, streams);
    if (!text) return ExitCode::io_error;
    auto journal = lab::read_journal(path, *text, &zones);
    if (const auto* why = std::get_if<lab::BadJournal>(&journal)) return bad(*why);
    journals.push_back(std::get<lab::NodeJournal>(std::move(journal)));
  }
  std::optional<ReportFile> page;
  if (!options.page.empty() && !page.emplace(options.page, kPageFile, streams).good())
    return ExitCode::io_error;
  const auto audited = lab::audit(std::move(journals), options.start_missing, page.has_value());
  if (const auto* why = std::get_if<lab::BadJournal>(&audited)) return bad(*why);
  const auto& audit = std::get<lab::Audit>(audited);
  streams.out << (options.format == Format::json
                      ? json_of(audit)
                      : text_of(audit, options.journals.size(), streams.paint_out));
  if (page && !page->write(page_of(audit, command_of(options)))) return ExitCode::io_error;
  return exit_code_of(audit.verdict);
}

}  // namespace tenure::cli
