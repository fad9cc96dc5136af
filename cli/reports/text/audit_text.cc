#include "cli/reports/text/audit_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/reports/text/text_format.h"
#include "cli/reports/text/text_run.h"
#include "format/syntax/units.h"

namespace tenure::cli {

std::string_view end_of_life(lab::AuditedLife::End end) {
  switch (end) {
    case lab::AuditedLife::End::stopped: return "stopped";
    case lab::AuditedLife::End::abandoned: return "abandoned";
    case lab::AuditedLife::End::none: break;
  }
  return "no end: killed, or still running";
}

// Checkers with one reason share a row.
std::string text_of_silences(std::string_view label, const std::vector<lab::Silence>& silences) {
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

std::string text_of_findings(const std::vector<sim::CheckResult>& checks) {
  std::string text;
  for (const sim::CheckResult& check : checks)
    for (const sim::ReportedViolation& violation : check.violations)
      text += row("", fmt::format("{}: {}", check.name, violation.message));
  for (const sim::CheckResult& check : checks)
    if (check.verdict == sim::Verdict::inconclusive)
      text += row("unexamined", fmt::format("{}: {}", check.name, check.detail));
  return text;
}

std::string text_of_audit(const lab::Audit& audit, std::size_t journals, bool paint) {
  const std::size_t lives = audit.lives.size();
  std::string text = fmt::format("{} {}  {} {}  {} lines  {}\n", verdict_word(audit.verdict, paint),
                                 counted(journals, "journal"), lives, lives == 1 ? "life" : "lives",
                                 format::print_thousands(audit.lines), short_duration(audit.span));
  for (const lab::AuditedLife& life : audit.lives)
    text +=
        row(life.name, fmt::format("node {}, {}, {} to {}, {}", life.node.value, life.journal,
                                   column_time(life.first), column_time(life.last), end_of_life(life.end)));
  std::vector<sim::CheckResult> examined = audit.checks;
  std::erase_if(examined, [](const sim::CheckResult& check) { return check.opportunities == 0; });
  text += text_of_checks(examined, {}, paint);
  text += text_of_findings(audit.checks);
  text += text_of_silences("left out", audit.left_out) + text_of_silences("not judged", audit.not_judged);
  for (const std::string& what : audit.lacking) text += row("lacking", what);
  for (const std::string& note : audit.notes) text += row("note", note);
  return text;
}

}  // namespace tenure::cli
