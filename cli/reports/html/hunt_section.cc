// What a hunt found, and what became of kept failures, as parts of a page.
#include <fmt/format.h>

#include <utility>

#include "cli/reports/html/sections.h"
#include "cli/reports/text/hunt_text.h"
#include "cli/reports/text/text_format.h"
#include "format/syntax/units.h"

namespace tenure::cli {
namespace {

std::string_view verdict_of_replay(lab::Replayed::State state) {
  switch (state) {
    case lab::Replayed::State::still_fails:
    case lab::Replayed::State::neighbour_fails: return "fail";
    case lab::Replayed::State::stale: return "inconclusive";
    case lab::Replayed::State::passed:
    case lab::Replayed::State::moved: break;
  }
  return "pass";
}

std::string sentence_of(const lab::HuntFindings& findings) {
  if (findings.cases == 0)
    return "Nothing was hunted" + (findings.stopped.empty() ? "." : ": " + findings.stopped + ".");
  if (findings.failures == 0) return fmt::format("No failure in {}.", counted(findings.cases, "case"));
  return fmt::format("{} of {} fail, in {}.", format::print_thousands(findings.failures),
                     counted(findings.cases, "case"), counted(findings.findings.size(), "way"));
}

PageTable findings_of(const lab::HuntFindings& findings) {
  PageTable table{"What was found", {"checker", "cases", "first seed", "what", "kept in", "faults left"}};
  for (const lab::Finding& finding : findings.findings) {
    const lab::SavedRegression& saved = finding.saved;
    table.rows.push_back(
        {{saved.failure.checker, format::print_thousands(finding.times), fmt::format("{}", finding.seed),
          saved.failure.message, saved.path,
          fmt::format("{} of {}", saved.file.scenario.faults.size(), saved.found.faults.size())},
         reproduce_line(finding)});
  }
  return table;
}

PageTable counts_of(std::string caption, std::string column,
                    const std::map<std::string, std::uint64_t>& counts) {
  PageTable table{std::move(caption), {std::move(column), "times"}};
  for (const auto& [name, count] : counts)
    table.rows.push_back({{name, count == 0 ? "never" : format::print_thousands(count)}});
  return table;
}

}  // namespace

PageRow row_of_replay(const lab::ReplayedFile& file) {
  std::string what = state_text(file.replayed.state);
  if (file.replayed.failure)
    what += fmt::format(": {}: {}", file.replayed.failure->checker, file.replayed.failure->message);
  if (!file.replayed.missing.empty()) what += "; missing: " + file.replayed.missing;
  return {{file.scenario.path, fmt::format("{}", file.replayed.seed),
           std::string(verdict_of_replay(file.replayed.state)), std::move(what)},
          reproduce_line(file)};
}

PageSection section_of(const lab::HuntFindings& findings) {
  PageSection section{.title = fmt::format("{}, a hunt over {}", findings.title, extent_of(findings)),
                      .verdict = verdict_of(findings),
                      .sentence = sentence_of(findings)};
  if (!findings.stopped.empty()) section.notes.push_back("It stopped " + text_of_stop(findings) + ".");
  if (!findings.not_demanded.empty()) section.notes.push_back(findings.not_demanded);
  for (const std::string& missing : findings.demanded_never)
    section.notes.push_back(missing + " never happened, and is demanded.");
  for (const std::string& name : findings.unclaimed)
    section.notes.push_back(name + " was violated: nothing claims it, and [expect] does not list it.");
  if (!findings.difference.empty())
    section.notes.push_back(
        fmt::format("Not deterministic: seed {}, {}", findings.difference_seed, findings.difference));
  section.tables.push_back(findings_of(findings));
  PageTable regressions{"Failures that were kept before", {"file", "seed", "verdict", "what became of it"}};
  for (const lab::ReplayedFile& file : findings.regressions) regressions.rows.push_back(row_of_replay(file));
  section.tables.push_back(std::move(regressions));
  section.tables.push_back(counts_of("Faults", "fault", findings.faults));
  section.tables.push_back(
      counts_of("What happened at least once, and what never did", "event", findings.sometimes));
  section.tables.push_back(counts_of("What each checker examined", "checker", findings.examined));
  section.tables.push_back(
      counts_of("Violations that were not demanded to be absent", "checker", findings.reported));
  return section;
}

}  // namespace tenure::cli
