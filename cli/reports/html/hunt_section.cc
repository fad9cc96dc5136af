// What a hunt found, and the results of kept failures, as parts of a page.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/reports/html/sections.h"
#include "cli/reports/text/hunt_text.h"
#include "cli/reports/text/text_format.h"
#include "format/print/print.h"
#include "format/syntax/units.h"

namespace tenure::cli {
namespace {

std::string sentence_of(const lab::HuntFindings& findings) {
  if (findings.cases == 0)
    return "Nothing was hunted" + (findings.stopped.empty() ? "." : ": " + findings.stopped + ".");
  if (findings.failures == 0) return fmt::format("No failure in {}.", counted(findings.cases, "case"));
  std::string text = fmt::format("{} of {} fail", format::print_thousands(findings.failures),
                                 counted(findings.cases, "case"));
  if (!findings.findings.empty()) {
    const lab::Finding& first = findings.findings.front();
    text += fmt::format(". First, with seed {}, {}: {}", first.seed, first.saved.failure.checker,
                        first.saved.failure.message);
  }
  return text + ".";
}

PageTable findings_of(const lab::HuntFindings& findings) {
  PageTable table{"What was found", {"checker", "cases", "first seed", "what", "saved in", "faults left"}};
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

// What there was, the most frequent first.
PageTable counts_of(std::string caption, std::string column,
                    const std::map<std::string, std::uint64_t>& counts) {
  PageTable table{std::move(caption), {std::move(column), "times"}};
  for (const auto& [name, count] : what_happened(counts))
    table.rows.push_back({{name, format::print_thousands(count)}});
  return table;
}

// What there never was: a pass says nothing about it.
PageTable never_of(const lab::HuntFindings& findings) {
  PageTable table{"", {"what", "never"}};
  table.folded = true;
  std::size_t count = 0;
  const auto add = [&](std::string_view what, const std::map<std::string, std::uint64_t>& counts) {
    const std::vector<std::string> names = what_never_happened(counts);
    count += names.size();
    if (!names.empty())
      table.rows.push_back({{std::string(what), fmt::format("{}", fmt::join(names, ", "))}});
  };
  add("faults", findings.faults);
  add("events", findings.sometimes);
  add("checkers with something to examine", findings.examined);
  table.caption = fmt::format("Never: {} faults, events and checkers", count);
  return table;
}

}  // namespace

PageRow row_of_replay(const lab::ReplayedFile& file) {
  std::string what = state_text(file.replayed.state);
  if (file.replayed.failure)
    what += fmt::format(": {}: {}", file.replayed.failure->checker, file.replayed.failure->message);
  if (!file.replayed.missing.empty()) what += "; missing: " + file.replayed.missing;
  return {{file.scenario.path, fmt::format("{}", file.replayed.seed),
           std::string(sim::name_of(verdict_of(file.replayed.state))), std::move(what)},
          reproduce_line(file)};
}

PageSection section_of(const lab::HuntFindings& findings, const sim::Scenario& scenario,
                       const std::string& command) {
  PageSection section{.title = fmt::format("{}, a hunt over {}", findings.title, extent_of(findings)),
                      .verdict = verdict_of(findings),
                      .sentence = sentence_of(findings),
                      .reproduce = command,
                      .ran = what_was_run(scenario),
                      .settings = format::print_scenario(scenario)};
  // It draws others for each case.
  std::erase_if(section.ran, [](const auto& fact) { return fact.first == "faults"; });
  section.ran.emplace_back("drawn", scenario.faults.empty() ? "all faults" : "more faults");
  section.ran.emplace_back("cases", fmt::format("{}, {} of them with nothing broken that the design assumes",
                                                format::print_thousands(findings.cases),
                                                format::print_thousands(findings.inside)));
  section.ran.emplace_back(
      "behaviour", fmt::format("{}, the last new one with seed {}", counted(findings.features, "feature"),
                               findings.last_new_seed));
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
  PageTable regressions{"Failures that were kept before", {"file", "seed", "verdict", "result"}};
  for (const lab::ReplayedFile& file : findings.regressions) regressions.rows.push_back(row_of_replay(file));
  section.tables.push_back(std::move(regressions));
  section.tables.push_back(counts_of("Faults", "fault", findings.faults));
  section.tables.push_back(counts_of("Events", "event", findings.sometimes));
  section.tables.push_back(counts_of("Examined", "checker", findings.examined));
  section.tables.push_back(
      counts_of("Violations that were not demanded to be absent", "checker", findings.reported));
  section.tables.push_back(never_of(findings));
  return section;
}

}  // namespace tenure::cli
