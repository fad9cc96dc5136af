#include "cli/reports/suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "cli/reports/json/json_run.h"
#include "cli/reports/text/hunt_text.h"
#include "cli/reports/text/text_format.h"
#include "cli/reports/text/text_run.h"
#include "core/base/check.h"
#include "format/syntax/units.h"
#include "sim/checkers/checker.h"

namespace tenure::cli {
namespace {

using CheckKind = sim::CheckResult::Kind;

std::string kind_of_checker(std::string_view name) {
  const sim::CheckerKind* kind = sim::find_checker_kind(name);
  if (kind == nullptr) return std::string(name);
  return std::string(
      name_of(kind->when == sim::CheckerKind::When::always ? CheckKind::always : CheckKind::eventually));
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// All that was found of one checker is one case: its first failure, and the stories of all.
SuiteCase case_of_findings(const std::string& checker, const std::vector<const lab::Finding*>& found,
                           const sim::Scenario& file) {
  const lab::SavedRegression& first = found.front()->saved;
  SuiteCase result{.name = checker, .kind = kind_of_checker(checker), .outcome = CheckStanding::failed};
  std::uint64_t times = 0;
  for (const lab::Finding* each : found) {
    times += each->times;
    if (!result.story.empty()) result.story += "\n";
    if (each->saved.run && each->saved.run->story)
      result.story += text_of_story(*each->saved.run->story);
    else
      result.story += fmt::format("  {}\n", each->saved.failure.message);
    if (found.size() > 1 && each->saved.written)
      result.story += fmt::format("  kept        {}\n", each->saved.path);
  }
  result.message = fmt::format("{} ({})", first.failure.message, counted(times, "case"));
  result.reproduce = reproduce_line(*found.front());
  if (first.written) result.kept = first.path;
  result.path = file.path;
  // The faults that led there were drawn: no line of the file holds them.
  result.line = line_for(checker, file, {}, first.failure.at);
  return result;
}

// Whether the file demands a checker of runs, and the hunt did not.
bool listed_in_vain(std::string_view name, const lab::HuntFindings& findings, const sim::Scenario& file) {
  if (findings.not_demanded.empty()) return false;
  const auto lists = [&](const std::optional<std::vector<std::string>>& names) {
    return names && contains(*names, name);
  };
  return lists(file.expect.always) || lists(file.expect.eventually);
}

SuiteCase case_of_count(const std::string& name, std::string kind, std::uint64_t count,
                        const lab::HuntFindings& findings, const sim::Scenario& file) {
  SuiteCase result{.name = name, .kind = std::move(kind), .path = file.path};
  result.line = line_for(name, file, {}, {});
  if (const auto reported = findings.reported.find(name); reported != findings.reported.end())
    result.message = fmt::format("reported {}x, not demanded", format::print_thousands(reported->second));
  else if (listed_in_vain(name, findings, file))
    result.message = findings.not_demanded;
  if (!result.message.empty())
    result.outcome =
        contains(findings.unclaimed, name) ? CheckStanding::inconclusive : CheckStanding::reported;
  if (count > 0 || !result.message.empty()) return result;
  const bool demanded = contains(findings.demanded_never, name);
  result.outcome = demanded ? CheckStanding::inconclusive : CheckStanding::reported;
  result.message = result.kind == "sometimes" ? "did not happen" : "never had an opportunity";
  return result;
}

void add_checkers(const lab::HuntFindings& findings, const sim::Scenario& file, Suite& suite) {
  std::map<std::string, std::vector<const lab::Finding*>> found;
  for (const lab::Finding& finding : findings.findings)
    found[finding.saved.failure.checker].push_back(&finding);
  std::set<std::string> names;
  for (const auto& [name, count] : findings.examined) names.insert(name);
  for (const auto& [name, all] : found) names.insert(name);
  for (const std::string& name : findings.demanded_never)
    if (!findings.sometimes.contains(name)) names.insert(name);
  for (const std::string& name : names) {
    const auto examined = findings.examined.find(name);
    suite.cases.push_back(found.contains(name)
                              ? case_of_findings(name, found.at(name), file)
                              : case_of_count(name, kind_of_checker(name),
                                              examined == findings.examined.end() ? 0 : examined->second,
                                              findings, file));
  }
  for (const std::string& name : file.expect.sometimes) {
    const auto seen = findings.sometimes.find(name);
    suite.cases.push_back(case_of_count(name, "sometimes",
                                        seen == findings.sometimes.end() ? 0 : seen->second, findings, file));
  }
}

SuiteCase case_of_determinism(const lab::HuntFindings& findings, const sim::Scenario& file) {
  SuiteCase result{.name = "determinism", .kind = "determinism", .path = file.path};
  if (!findings.difference.empty()) {
    result.outcome = CheckStanding::failed;
    result.message = fmt::format("two runs of seed {} differ", findings.difference_seed);
    result.story = findings.difference;
  } else if (findings.compared == 0) {
    result.outcome = CheckStanding::reported;
    result.message = "no case was run twice";
  }
  return result;
}

SuiteCase case_of_replay(const lab::ReplayedFile& file) {
  SuiteCase result{.name = "regression " + file.scenario.path, .kind = "regression"};
  result.path = file.scenario.path;
  const lab::Replayed& replayed = file.replayed;
  if (replayed.failure) {
    result.outcome = CheckStanding::failed;
    result.message = fmt::format("{}: {}: {}", state_text(replayed.state), replayed.failure->checker,
                                 replayed.failure->message);
    if (file.story) result.story = text_of_story(*file.story);
    result.reproduce = reproduce_line(file);
  } else if (replayed.state == lab::Replayed::State::stale) {
    result.outcome = CheckStanding::inconclusive;
    result.message = fmt::format("{}: {}", state_text(replayed.state), replayed.missing);
    result.reproduce = reproduce_line(file);
  } else if (replayed.state == lab::Replayed::State::moved) {
    result.message = state_text(replayed.state);
  }
  if (!result.message.empty() && lab::design_has_changed(file.scenario, file.note))
    result.message += fmt::format(" ({} has changed since)", lab::design_names(file.scenario));
  return result;
}

}  // namespace

std::string_view name_of(CheckStanding outcome) {
  switch (outcome) {
    case CheckStanding::passed: return "pass";
    case CheckStanding::reported: return "reported";
    case CheckStanding::inconclusive: return "inconclusive";
    case CheckStanding::failed: return "fail";
    case CheckStanding::broken: return "internal error";
  }
  CHECK(false, "every outcome has a name");
}

CheckStanding worst_of(const Suite& suite) {
  CheckStanding worst = CheckStanding::passed;
  for (const SuiteCase& each : suite.cases) worst = std::max(worst, each.outcome);
  // What is only reported takes nothing from a pass, and makes none.
  return worst == CheckStanding::reported && count_of(suite, CheckStanding::passed) > 0
             ? CheckStanding::passed
             : worst;
}

std::size_t count_of(const Suite& suite, CheckStanding outcome) {
  return static_cast<std::size_t>(
      std::count_if(suite.cases.begin(), suite.cases.end(),
                    [&](const SuiteCase& each) { return each.outcome == outcome; }));
}

int line_for(std::string_view check, const sim::Scenario& scenario, const std::vector<sim::FaultRun>& faults,
             sim::TrueTime at) {
  const auto named = scenario.expect.lines.find(std::string(check));
  if (named != scenario.expect.lines.end()) return named->second;
  int line = 1;
  for (const sim::FaultRun& fault : faults) {
    if (!fault.skipped.empty() || fault.at > at || fault.entry == 0) continue;
    for (const sim::FaultSetting& setting : scenario.faults)
      if (setting.entry == fault.entry && setting.line > 0) line = setting.line;
  }
  return line;
}

Suite suite_of_hunt(const lab::HuntFindings& findings, const sim::Scenario& file) {
  Suite suite{.scenario = findings.scenario, .path = findings.path, .extent = extent_of(findings)};
  if (!findings.not_demanded.empty()) suite.notes.push_back(findings.not_demanded);
  for (const lab::ReplayedFile& regression : findings.regressions)
    suite.cases.push_back(case_of_replay(regression));
  if (findings.cases > 0) {
    add_checkers(findings, file, suite);
    suite.cases.push_back(case_of_determinism(findings, file));
    for (const auto& [name, count] : findings.faults)
      if (count == 0) suite.never.push_back("fault " + name);
    for (const auto& [name, count] : findings.sometimes)
      if (count == 0) suite.never.push_back(name);
  }
  if (findings.cases == 0 || findings.interrupted)
    suite.cases.push_back(incomplete(text_of_stop(findings), file));
  return suite;
}

Suite suite_of_replay(const lab::ReplayedFile& file) {
  Suite suite{.scenario = file.scenario.name, .path = file.scenario.path};
  suite.extent = fmt::format("seed {}", file.replayed.seed);
  suite.cases.push_back(case_of_replay(file));
  if (!file.replayed.missing.empty()) suite.never.push_back(file.replayed.missing);
  return suite;
}

Suite suite_of_nothing(const sim::Scenario& scenario, CheckStanding outcome, std::string why) {
  Suite suite{.scenario = scenario.name, .path = scenario.path, .extent = "no seed"};
  suite.cases.push_back(incomplete(std::move(why), scenario));
  suite.cases.back().outcome = outcome;
  return suite;
}

SuiteCase incomplete(std::string message, const sim::Scenario& scenario) {
  return {.name = "incomplete",
          .kind = "incomplete",
          .outcome = CheckStanding::inconclusive,
          .message = std::move(message),
          .path = scenario.path};
}

}  // namespace tenure::cli
