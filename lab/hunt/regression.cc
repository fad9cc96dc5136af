#include "lab/hunt/regression.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "format/syntax/diagnostic.h"
#include "sim/checkers/checker.h"

namespace tenure::lab {
namespace {

constexpr std::size_t kLongestMessage = 400;

// What failed once is demanded from then on.
void demand(const std::string& checker, sim::Expectation& expect) {
  const sim::CheckerKind* kind = sim::find_checker_kind(checker);
  if (kind == nullptr) return;  // a broken invariant stops whoever runs it
  // An allowance for overlaps demands that there be no longer ones, and a file cannot say both.
  if (checker == "one-believer" && expect.believer_overlap_max > Duration{}) return;
  const bool always = kind->when == sim::CheckerKind::When::always;
  if (!always && !expect.eventually) return;  // without the key all of these are demanded
  std::optional<std::vector<std::string>>& names = always ? expect.always : expect.eventually;
  if (!names) names.emplace();
  if (std::find(names->begin(), names->end(), checker) == names->end()) names->push_back(checker);
}

// What makes a replay fail: first of all the checker that it was kept for, demanded or not.
std::optional<Failure> failure_in(const SeedRun& outcome, std::string_view checker) {
  if (outcome.run)
    for (const sim::CheckResult& check : outcome.run->checks)
      if (check.name == checker && check.verdict == sim::Verdict::fail && !check.violations.empty())
        return Failure{check.name, check.violations.front().message, check.violations.front().at};
  if (outcome.failures.empty()) return std::nullopt;
  return outcome.failures.front();
}

// Of a fault that strikes again and again, one strike is enough.
std::vector<const sim::FaultRun*> idle_faults(const sim::RunResult& run) {
  const auto place = [](const sim::FaultRun& fault) { return fault.entry > 0 ? fault.entry : fault.id; };
  std::set<std::uint64_t> known;  // to have struck, or to be idle
  std::vector<const sim::FaultRun*> idle;
  for (const sim::FaultRun& fault : run.faults)
    if (fault.skipped.empty()) known.insert(place(fault));
  for (const sim::FaultRun& fault : run.faults)
    if (known.insert(place(fault)).second) idle.push_back(&fault);
  return idle;
}

// Why the checker has looked at nothing; empty: it has looked, or it is none.
std::string why_blind(const sim::RunResult& run, const sim::Scenario& scenario, const std::string& checker) {
  const sim::CheckerKind* kind = sim::find_checker_kind(checker);
  if (kind == nullptr) return {};
  if (const char* why = kind->not_applicable(scenario))
    return fmt::format("{}, which looks at nothing here: {}", checker, why);
  const bool blind = std::any_of(run.checks.begin(), run.checks.end(), [&](const sim::CheckResult& check) {
    return check.name == checker && check.opportunities == 0;
  });
  return blind ? checker + ", which had nothing to examine" : std::string{};
}

// What the failing run had reached and this one has not; empty: nothing.
std::string missing_in(const sim::RunResult& run, const sim::Scenario& scenario, const std::string& checker) {
  std::vector<std::string> missing;
  if (std::string why = why_blind(run, scenario, checker); !why.empty()) missing.push_back(std::move(why));
  for (const sim::CheckResult& check : run.checks)
    if (check.kind == sim::CheckResult::Kind::sometimes && check.opportunities == 0)
      missing.push_back(check.name);
  for (const sim::FaultRun* fault : idle_faults(run))
    missing.push_back(fmt::format("{} ({}), because {}", name_of(*fault), fault->action, fault->skipped));
  return fmt::format("{}", fmt::join(missing, "; "));
}

}  // namespace

bool is_of_failures(std::string_view event) {
  constexpr std::string_view kOfFailures[] = {"believer-overlap", "work-overlap", "fault-skipped",
                                              "duplicate-refused"};
  return std::find(std::begin(kOfFailures), std::end(kOfFailures), event) != std::end(kOfFailures);
}

std::string trace_hash_text(std::uint64_t trace_hash) { return fmt::format("{:016x}", trace_hash); }

std::string design_hash_text(const sim::Scenario& scenario) {
  const DesignFile* const elects = scenario.protocol->design;
  const DesignFile* const schedules = scenario.scheduler != nullptr ? scenario.scheduler->design : nullptr;
  std::string text = elects == nullptr ? "" : fmt::format("{:016x}", elects->hash);
  if (schedules != nullptr && schedules != elects)
    text += fmt::format("{}{:016x}", text.empty() ? "" : "+", schedules->hash);
  return text;
}

format::ScenarioFile as_regression(const sim::Scenario& failing, const Failure& failure,
                                   const sim::RunResult* result, const RegressionOrigin& origin) {
  const std::optional<format::RegressionNote>& before = origin.before;
  format::ScenarioFile file;
  file.scenario = failing;
  sim::Scenario& kept = file.scenario;
  if (!before) kept.name = fmt::format("{}-{}-{}", failing.name, failure.checker, origin.seed);
  kept.summary = fmt::format("A run in which {} failed.", failure.checker);
  kept.tags = {"regression"};
  for (sim::FaultSetting& fault : kept.faults) fault.optional = false;  // without them it shows nothing
  kept.thresholds.clear();
  demand(failure.checker, kept.expect);
  kept.expect.sometimes.clear();
  if (result != nullptr)
    for (const sim::CheckResult& check : result->checks)
      if (check.kind == sim::CheckResult::Kind::sometimes && check.opportunities > 0 &&
          !is_of_failures(check.name))
        kept.expect.sometimes.push_back(check.name);
  file.plans.regression = format::RegressionNote{
      .checker = failure.checker,
      .message = format::printable(failure.message, kLongestMessage),
      .trace_hash = result != nullptr ? trace_hash_text(result->trace_hash) : std::string{},
      .version = origin.version,
      .origin = before && !before->origin.empty() ? before->origin
                                                  : fmt::format("{} seed {}", origin.scenario, origin.seed),
      .design_hash = design_hash_text(failing),
  };
  return file;
}

sim::Scenario without_idle_faults(const sim::Scenario& failing, const sim::RunResult& run) {
  sim::Scenario struck = failing;
  for (const sim::FaultRun& idle : run.faults)
    if (!idle.skipped.empty())
      std::erase_if(struck.faults, [&](const sim::FaultSetting& fault) { return fault.id == idle.id; });
  return struck;
}

std::string design_names(const sim::Scenario& scenario) {
  const auto name = [](const std::vector<std::string>& command, const std::string& design) {
    return command.empty() ? design : fmt::format("{}", fmt::join(command, " "));
  };
  const std::string elects = name(scenario.command, scenario.design);
  const std::string schedules = name(scenario.scheduler_command, scenario.scheduler_design);
  if (elects.empty() || schedules == elects) return schedules;
  return schedules.empty() ? elects : elects + " or " + schedules;
}

bool design_has_changed(const sim::Scenario& kept, const format::RegressionNote& note) {
  return !note.design_hash.empty() && note.design_hash != design_hash_text(kept);
}

std::string origin_path(const format::RegressionNote& note) {
  const std::size_t seed = note.origin.rfind(" seed ");
  return seed == std::string::npos ? std::string{} : note.origin.substr(0, seed);
}

Replayed replay(const format::ScenarioFile& regression,
                const std::function<SeedRun(std::uint64_t)>& run_seed) {
  const format::RegressionNote note = regression.plans.regression.value_or(format::RegressionNote{});
  const std::uint64_t own = regression.scenario.seed.value_or(1);
  const SeedRun first = run_seed(own);
  if (const auto failure = failure_in(first, note.checker)) {
    const bool same =
        failure->checker == note.checker &&
        shape_of(format::printable(failure->message, kLongestMessage)) == shape_of(note.message);
    return {Replayed::State::still_fails, own, {}, failure, same};
  }
  const auto missing_of = [&](const SeedRun& run) {
    return missing_in(*run.run, regression.scenario, note.checker);
  };
  const std::string missing = missing_of(first);
  if (missing.empty()) return {Replayed::State::passed, own, {}, {}, false};
  Replayed found{Replayed::State::stale, own, missing, {}, false};
  for (std::uint64_t i = 1; i <= kNeighbours; ++i) {
    const SeedRun run = run_seed(own + i);
    if (const auto failure = failure_in(run, note.checker))
      return {Replayed::State::neighbour_fails, own + i, missing, failure, false};
    if (found.state == Replayed::State::stale && missing_of(run).empty())
      found = {Replayed::State::moved, own + i, missing, {}, false};
  }
  return found;
}

}  // namespace tenure::lab
