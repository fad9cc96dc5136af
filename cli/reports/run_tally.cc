#include "cli/reports/run_tally.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/reports/json/json_run.h"
#include "cli/reports/text/text_format.h"
#include "cli/reports/text/text_run.h"
#include "format/syntax/units.h"

namespace tenure::cli {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SuiteCase, name, kind, outcome, message, story, reproduce, kept, path,
                                   line)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunTally::Entry, worst, times)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunTally::FaultEntry, action, struck)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunTally::State, runs, first_seed, last_seed, entries, faults)

namespace {

using sim::CheckResult;
using sim::Verdict;

bool is_canary(const CheckResult& check, const sim::Expectation& expect) {
  return expect.fails == check.name && check.kind != CheckResult::Kind::threshold;
}

CheckStanding outcome_of(const CheckResult& check, const sim::Expectation& expect) {
  if (check.verdict == Verdict::inconclusive)
    return check.demanded || is_canary(check, expect) ? CheckStanding::inconclusive : CheckStanding::reported;
  const bool failed = check.verdict == Verdict::fail;
  if (is_canary(check, expect)) return failed ? CheckStanding::passed : CheckStanding::failed;
  if (!failed) return CheckStanding::passed;
  if (!check.unasked.empty()) return CheckStanding::inconclusive;
  return check.demanded ? CheckStanding::failed : CheckStanding::reported;
}

std::string message_of(const CheckResult& check, const sim::Expectation& expect) {
  if (is_canary(check, expect) && check.verdict == Verdict::pass) return "did not fail, but must";
  if (is_canary(check, expect) && check.verdict == Verdict::fail) return "fails, as it must";
  if (check.kind == CheckResult::Kind::threshold || check.violations.empty()) return check.detail;
  const std::string why = check.detail.empty() ? "" : fmt::format(" ({})", check.detail);
  const std::string news = check.unasked.empty() ? "" : fmt::format("PASS, but {}; ", check.unasked);
  return fmt::format("{}at {}: {}{}", news, short_duration(check.violations.front().at - sim::TrueTime{}),
                     check.violations.front().message, why);
}

std::string text_of_violations(const CheckResult& check) {
  std::string text;
  for (const sim::ReportedViolation& violation : check.violations)
    text += fmt::format("  {}  {}\n", column_time(violation.at), violation.message);
  return text;
}

// A fault that never struck.
SuiteCase case_of_fault(const CheckResult& check, const sim::Scenario& scenario,
                        const std::string& reproduce) {
  SuiteCase said{.name = check.name, .kind = std::string(name_of(check.kind))};
  said.outcome = CheckStanding::inconclusive;
  said.message = check.detail;
  said.reproduce = reproduce;
  said.path = scenario.path;
  for (const sim::FaultSetting& fault : scenario.faults)
    if (check.name == fmt::format("fault {} ({})", fault.entry, fault.action))
      said.line = std::max(fault.line, 1);
  return said;
}

std::string name_of_threshold(const sim::Threshold& threshold) {
  return threshold.metric + " " + threshold.text;
}

}  // namespace

void RunTally::see_seed(std::uint64_t seed) {
  if (state_.runs == 0) state_.first_seed = seed;
  state_.last_seed = seed;
  ++state_.runs;
}

void RunTally::note(SuiteCase said, std::uint64_t times) {
  const auto known = std::find_if(state_.entries.begin(), state_.entries.end(), [&](const Entry& entry) {
    return entry.worst.name == said.name && entry.worst.kind == said.kind;
  });
  if (known == state_.entries.end()) {
    state_.entries.push_back({std::move(said), times});
  } else if (said.outcome == known->worst.outcome) {
    known->times += times;
  } else if (said.outcome > known->worst.outcome) {
    *known = {std::move(said), times};
  }
}

SuiteCase RunTally::case_of(const CheckResult& check, std::string name, const sim::RunResult& result) const {
  SuiteCase said{.name = std::move(name), .kind = std::string(name_of(check.kind))};
  said.outcome = outcome_of(check, scenario_.expect);
  said.message = message_of(check, scenario_.expect);
  said.path = scenario_.path;
  if (said.outcome == CheckStanding::passed) return said;
  const sim::TrueTime at = check.violations.empty() ? sim::TrueTime::max() : check.violations.front().at;
  const bool caused = check.kind == CheckResult::Kind::always && !check.violations.empty();
  said.line = line_for(check.name, scenario_, caused ? result.faults : std::vector<sim::FaultRun>{}, at);
  const bool told = result.story && result.story->checker == check.name;
  said.story = told ? text_of_story(*result.story) : text_of_violations(check);
  said.reproduce = result.reproduce;
  return said;
}

void RunTally::add(const sim::RunResult& result) {
  see_seed(result.seed);
  std::size_t thresholds = 0;
  for (const CheckResult& check : result.checks) {
    if (check.kind == CheckResult::Kind::fault) {
      if (!batch_) note(case_of_fault(check, scenario_, result.reproduce));
    } else if (check.kind != CheckResult::Kind::threshold) {
      note(case_of(check, check.name, result));
    } else if (!batch_) {
      const sim::Threshold& threshold = scenario_.thresholds.at(thresholds++);
      SuiteCase said = case_of(check, name_of_threshold(threshold), result);
      said.line = std::max(threshold.line, 1);
      note(std::move(said));
    }
  }
  for (const sim::FaultRun& fault : result.faults) {
    if (fault.entry == 0) continue;
    FaultEntry& entry = state_.faults[fault.entry];
    entry.action = fault.action;
    entry.struck = entry.struck || fault.took_effect();
  }
}

void RunTally::add_broken(std::uint64_t seed, const std::string& what, const std::string& reproduce) {
  see_seed(seed);
  note({.name = "internal-error",
        .kind = "internal-error",
        .outcome = CheckStanding::broken,
        .message = what,
        .reproduce = reproduce,
        .path = scenario_.path});
}

void RunTally::add_compared(std::uint64_t seed, const std::string& difference, const std::string& reproduce) {
  SuiteCase said{.name = "determinism", .kind = "determinism", .path = scenario_.path};
  if (!difference.empty()) {
    said.outcome = CheckStanding::failed;
    said.message = fmt::format("two runs of seed {} differ", seed);
    said.story = difference;
    said.reproduce = reproduce;
  }
  note(std::move(said));
}

void RunTally::append(const State& later) {
  if (later.runs == 0) return;
  if (state_.runs == 0) state_.first_seed = later.first_seed;
  state_.last_seed = later.last_seed;
  state_.runs += later.runs;
  for (const Entry& entry : later.entries) note(entry.worst, entry.times);
  for (const auto& [place, fault] : later.faults) {
    FaultEntry& entry = state_.faults[place];
    entry.action = fault.action;
    entry.struck = entry.struck || fault.struck;
  }
}

void RunTally::add_thresholds(const lab::Batch& batch, const std::string& reproduce_prefix,
                              Suite& suite) const {
  const std::vector<lab::Batch::JudgedThreshold> judged = batch.judge_thresholds();
  for (std::size_t i = 0; i < judged.size(); ++i) {
    const CheckResult& check = judged[i].check;
    SuiteCase said{.name = name_of_threshold(scenario_.thresholds.at(i)), .kind = "threshold"};
    said.outcome = outcome_of(check, scenario_.expect);
    said.message = check.detail;
    said.path = scenario_.path;
    said.line = std::max(scenario_.thresholds[i].line, 1);
    if (judged[i].worst) {
      said.story = text_of_violations(check);
      said.reproduce = fmt::format("{}{}", reproduce_prefix, judged[i].worst->seed);
    }
    suite.cases.push_back(std::move(said));
  }
}

Suite RunTally::suite(std::uint64_t planned, const lab::Batch* batch,
                      const std::string& reproduce_prefix) const {
  if (state_.runs == 0)
    return suite_of_nothing(scenario_, CheckStanding::inconclusive,
                            "interrupted before its first run was done");
  Suite suite{.scenario = scenario_.name, .path = scenario_.path};
  suite.extent = batch_ ? fmt::format("seeds {}..{}", state_.first_seed, state_.last_seed)
                        : fmt::format("seed {}", state_.first_seed);
  for (const Entry& entry : state_.entries) {
    SuiteCase worst = entry.worst;
    if (state_.runs > 1 && worst.outcome != CheckStanding::passed)
      worst.message += fmt::format("{}({} of {})", worst.message.empty() ? "" : " ",
                                   format::print_thousands(entry.times), counted(state_.runs, "run"));
    if (worst.kind == "sometimes" && worst.outcome != CheckStanding::passed)
      suite.never.push_back(worst.name);
    suite.cases.push_back(std::move(worst));
  }
  if (batch != nullptr) {
    add_thresholds(*batch, reproduce_prefix, suite);
    for (const CheckResult& idle : batch->judge_faults())
      suite.cases.push_back(case_of_fault(idle, scenario_, {}));
  }
  for (const auto& [place, fault] : state_.faults)
    if (!fault.struck) suite.never.push_back(fmt::format("fault {} ({})", place, fault.action));
  if (state_.runs < planned)
    suite.cases.push_back(
        incomplete(fmt::format("interrupted: {} of {} were done", format::print_thousands(state_.runs),
                               counted(planned, "run")),
                   scenario_));
  return suite;
}

std::string text_of(const RunTally::State& state) {
  return nlohmann::json(state).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::optional<RunTally::State> read_tally(std::string_view text) {
  try {
    return nlohmann::json::parse(text).get<RunTally::State>();
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

}  // namespace tenure::cli
