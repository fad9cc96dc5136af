#include "cli/reports/text/hunt_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/reports/text/text_format.h"
#include "cli/reports/text/text_run.h"
#include "cli/terminal/terminal.h"
#include "format/syntax/units.h"

namespace tenure::cli {
namespace {

using format::print_thousands;

std::string counts_of(const std::map<std::string, std::uint64_t>& counts) {
  std::string text;
  for (const auto& [name, count] : what_happened(counts))
    text += fmt::format("{}{} {}x", text.empty() ? "" : "  ", name, print_thousands(count));
  return text;
}

std::string never_of(const std::map<std::string, std::uint64_t>& counts) {
  return fmt::format("{}", fmt::join(what_never_happened(counts), ", "));
}

std::string size_of(const lab::SavedRegression& saved) {
  std::string text = fmt::format("{}, {}, {}", counted(saved.file.scenario.faults.size(), "fault"),
                                 counted(saved.file.scenario.instances.size(), "instance"),
                                 counted(saved.file.scenario.schedules.size(), "schedule"));
  if (!saved.shrunk) return text + "; as it was found, not shrunk";
  text += fmt::format("; from {}, in {}", counted(saved.found.faults.size(), "fault"),
                      counted(saved.tries, "run"));
  switch (*saved.shrunk) {
    case lab::Shrunk::End::finished: return text;
    case lab::Shrunk::End::tries_up: return text + ", the most that is tried";
    case lab::Shrunk::End::time_up: return text + "; the time was up before all was tried";
  }
  return text;
}

std::string text_of_regressions(const lab::HuntFindings& findings) {
  if (findings.regressions.empty() && findings.other_regressions == 0) return {};
  const auto passed = std::count_if(
      findings.regressions.begin(), findings.regressions.end(),
      [](const lab::ReplayedFile& file) { return file.replayed.state == lab::Replayed::State::passed; });
  std::string line =
      fmt::format("{} of {} pass, and reach what they were kept for", passed, findings.regressions.size());
  if (findings.other_regressions > 0)
    line += fmt::format("; {} in the folder of other scenarios", findings.other_regressions);
  return row("regressions", line);
}

// What all cases together did. Of no case there is nothing to say.
std::string text_of_cases(const lab::HuntFindings& findings) {
  if (findings.cases == 0) return {};
  std::string text =
      row("faults", counts_of(findings.faults)) + row("sometimes", counts_of(findings.sometimes));
  if (const std::string never = never_of(findings.faults); !never.empty()) text += row("not struck", never);
  if (const std::string never = never_of(findings.sometimes); !never.empty()) text += row("not seen", never);
  for (const std::string& missing : findings.demanded_never)
    text += row("", fmt::format("{} never happened, and is demanded", missing));
  if (const std::string reported = counts_of(findings.reported); !reported.empty())
    text += row("reported", reported + ", not demanded");
  for (const std::string& name : findings.unclaimed)
    text += row("", fmt::format("{} was violated: nothing claims it, and [expect] does not list it", name));
  text += row("behaviour", fmt::format("{} features, the last new one with seed {}",
                                       print_thousands(findings.features), findings.last_new_seed));
  return text + row("determinism",
                    findings.difference.empty()
                        ? fmt::format("{} run twice, no difference", counted(findings.compared, "case"))
                        : fmt::format("seed {} differs", findings.difference_seed));
}

std::string place_of(const lab::SavedRegression& saved) {
  if (!saved.written) return fmt::format("nowhere: {} cannot be written; its text is on stderr", saved.path);
  return fmt::format("{}  ({}){}", saved.path, size_of(saved),
                     saved.reproducible ? "" : "  NOT REPRODUCIBLE: a bug of tenure, please report it");
}

}  // namespace

std::vector<std::pair<std::string, std::uint64_t>> what_happened(
    const std::map<std::string, std::uint64_t>& counts) {
  std::vector<std::pair<std::string, std::uint64_t>> sorted(counts.begin(), counts.end());
  std::erase_if(sorted, [](const auto& each) { return each.second == 0; });
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return sorted;
}

std::vector<std::string> what_never_happened(const std::map<std::string, std::uint64_t>& counts) {
  std::vector<std::string> names;
  for (const auto& [name, count] : counts)
    if (count == 0) names.push_back(name);
  return names;
}

sim::Verdict verdict_of(lab::Replayed::State state) {
  using enum lab::Replayed::State;
  if (state == still_fails || state == neighbour_fails) return sim::Verdict::fail;
  return state == stale ? sim::Verdict::inconclusive : sim::Verdict::pass;
}

std::string state_text(lab::Replayed::State state) {
  using enum lab::Replayed::State;
  switch (state) {
    case passed: return "passes, and reaches what it was kept for";
    case still_fails: return "still fails";
    case stale: return "is stale: it passes, and does not reach all that it was kept for";
    case moved: return "passes, and reaches what it was kept for only with another seed";
    case neighbour_fails: return "fails with another seed";
  }
  return "";
}

std::string extent_of(const lab::HuntFindings& findings) {
  if (findings.cases == 0) return "no seeds";
  return fmt::format("seeds {}..{}", findings.first_seed, findings.first_seed + findings.cases - 1);
}

std::string text_of_stop(const lab::HuntFindings& findings) {
  const std::string of = findings.planned ? fmt::format("{} of ", print_thousands(findings.cases)) : "";
  return fmt::format("after {}{}: {}", of, counted(findings.planned.value_or(findings.cases), "seed"),
                     findings.stopped);
}

std::string reproduce_line(const lab::Finding& finding) {
  return "tenure run " + shell_quoted(finding.saved.path);
}

std::string reproduce_line(const lab::ReplayedFile& file) {
  return fmt::format("tenure run {}{} --seed {}", shell_quoted(file.scenario.path),
                     shell_sets(file.sets, false), file.replayed.seed);
}

std::string text_of_finding(const lab::Finding& finding, bool paint) {
  const lab::SavedRegression& saved = finding.saved;
  std::string text;
  if (saved.run) {
    sim::RunResult run = *saved.run;
    run.reproduce = reproduce_line(finding);
    text = text_of_run(run, saved.file.scenario, paint);
  } else {
    text = fmt::format("{} {}  seed {}  {}\n  {}\n", painted("FAIL", Colour::red, paint),
                       saved.file.scenario.name, finding.seed, saved.failure.checker, saved.failure.message);
    text += row("reproduce", reproduce_line(finding));
  }
  return text + row("kept", place_of(saved));
}

std::string text_of_replay(const lab::ReplayedFile& file, bool paint, bool all) {
  using enum lab::Replayed::State;
  const lab::Replayed& replayed = file.replayed;
  if (replayed.state == passed && !all) return {};
  const sim::Verdict verdict = verdict_of(replayed.state);
  std::string text = fmt::format("{} {}  {}\n", verdict_word(verdict, paint), file.scenario.path,
                                 state_text(replayed.state));
  if (replayed.failure) {
    const std::string now = replayed.same_failure ? "in the same way as before"
                                                  : fmt::format("it was kept for {}", file.note.checker);
    text +=
        row("fails", fmt::format("{}: {}  ({})", replayed.failure->checker, replayed.failure->message, now));
  }
  if (!replayed.missing.empty()) text += row("missing", replayed.missing);
  if (lab::design_has_changed(file.scenario, file.note))
    text += row("design", lab::design_names(file.scenario) + " has changed since this was kept");
  if (replayed.seed != file.scenario.seed.value_or(1) || verdict == sim::Verdict::fail)
    text += row("reproduce", reproduce_line(file));
  if (replayed.state == stale)
    text += row("tried",
                fmt::format("the {} seeds after its own do not reach all of it either", lab::kNeighbours));
  return text;
}

std::string text_of_hunt(const lab::HuntFindings& findings, bool paint) {
  std::string text = fmt::format("{} {}  ", verdict_word(verdict_of(findings), paint), findings.title);
  text += findings.cases == 0
              ? extent_of(findings)
              : fmt::format("{}  {} with no assumption broken  {} mutated  {} events", extent_of(findings),
                            print_thousands(findings.inside), print_thousands(findings.mutated),
                            print_thousands(findings.events));
  text += "\n";
  if (findings.failures > 0)
    text += row("violations", fmt::format("{}, {}", counted(findings.failures, "case"),
                                          counted(findings.findings.size(), "kind")));
  for (const lab::Finding& finding : findings.findings)
    text +=
        row("", fmt::format("{} {}x  {}", finding.saved.failure.checker, finding.times, finding.saved.path));
  text += text_of_regressions(findings) + text_of_cases(findings);
  if (!findings.not_demanded.empty()) text += row("note", findings.not_demanded);
  if (!findings.stopped.empty()) text += row("stopped", text_of_stop(findings));
  if (findings.stopped == lab::kRegressionFails) {
    text += row("",
                "a saved file holds the settings with which it failed: if yours have changed, change them "
                "there too,");
    text += row(
        "", "or delete it; --no-replay hunts without the saved files, --keep-going goes on after they fail");
  }
  return text;
}

}  // namespace tenure::cli
