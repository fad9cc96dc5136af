#include "lab/testing/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <ostream>
#include <stdexcept>

#include "core/model/describe.h"
#include "format/print/print.h"
#include "lab/hunt/throwing_checks.h"
#include "sim/runner/run.h"

namespace tenure::testing {
namespace {

const sim::CheckResult& check_of(const sim::RunResult& result, std::string_view checker) {
  const auto found = std::find_if(result.checks.begin(), result.checks.end(),
                                  [&](const sim::CheckResult& check) { return check.name == checker; });
  if (found == result.checks.end())
    throw std::invalid_argument(fmt::format("no checker `{}` applies to the scenario", checker));
  return *found;
}

// What the run was held to and did not keep, when no checker has a violation to show: a canary, a threshold.
lab::Failure failure_without_violation(const sim::RunResult& result) {
  for (const sim::CheckResult& check : result.checks)
    if (check.demanded && check.verdict == sim::Verdict::fail) return {check.name, check.detail, {}};
  return {"verdict", "what was to fail did not", {}};
}

// ": caught-up never had an opportunity", ": one-believer (two led for 2s …)"; nothing for a pass.
std::string why_no_pass(const sim::RunResult& result) {
  std::string text;
  const auto next = [&] { return text.empty() ? ":" : ","; };
  for (const sim::CheckResult& check : result.checks) {
    if (check.demanded && check.verdict == sim::Verdict::inconclusive)
      text += fmt::format("{} {} {}", next(), check.name, check.detail);
    if (!check.unasked.empty()) text += fmt::format("{} {} ({})", next(), check.name, check.unasked);
  }
  return text;
}

std::string text_of(const sim::Story& story) {
  std::string text;
  for (const sim::StoryLine& line : story.lines)
    text += fmt::format("  {:>12}  {:<8}  {}{}\n", describe(line.at - sim::TrueTime{}), line.who, line.text,
                        line.is_fault ? "  <- fault" : "");
  return text;
}

Outcome run_and_tell(const sim::Scenario& scenario, std::uint64_t seed, std::string_view checker) {
  const lab::ThrowingChecks checks;
  Outcome outcome;
  outcome.scenario = scenario;
  outcome.scenario.seed = seed;
  try {
    outcome.result = sim::run(outcome.scenario, seed, {.tell = checker});
    outcome.failure = lab::failure_of(outcome.result);
    if (!outcome.failure && outcome.verdict() == sim::Verdict::fail)
      outcome.failure = failure_without_violation(outcome.result);
  } catch (const std::exception& error) {
    outcome.result.verdict = sim::Verdict::fail;
    outcome.failure = lab::Failure{std::string(format::kBrokenInvariant), error.what(), {}};
  }
  return outcome;
}

}  // namespace

std::uint64_t Outcome::violations(std::string_view checker) const {
  return check_of(result, checker).violation_count;
}

std::uint64_t Outcome::opportunities(std::string_view checker) const {
  return check_of(result, checker).opportunities;
}

std::string Outcome::text() const {
  const std::string head = fmt::format("{} seed {}: ", scenario.name, scenario.seed.value_or(1));
  if (!failure) return head + std::string(name_of(verdict())) + why_no_pass(result) + "\n";
  std::string text = head + fmt::format("{} at {}: {}\n", failure->checker,
                                        describe(failure->at - sim::TrueTime{}), failure->message);
  if (result.story) text += text_of(*result.story);
  return text;
}

std::string Outcome::file() const { return format::print_scenario(scenario); }

std::ostream& operator<<(std::ostream& stream, const Outcome& outcome) {
  return stream << outcome.text() << "\n# the scenario, as a file that gives this run\n" << outcome.file();
}

Outcome run(const sim::Scenario& scenario) { return testing::run(scenario, scenario.seed.value_or(1)); }

Outcome run(const sim::Scenario& scenario, std::uint64_t seed) { return run_and_tell(scenario, seed, {}); }

Outcome run(const format::ScenarioFile& file) { return testing::run(file, file.scenario.seed.value_or(1)); }

Outcome run(const format::ScenarioFile& file, std::uint64_t seed) {
  return run_and_tell(file.scenario, seed, checker_to_tell(file));
}

format::ScenarioFile scenario_from(std::string_view text, const ElectorKind* own, const TimeZones& zones) {
  const format::ParseResult parsed = format::parse_scenario("scenario", text, {}, zones, own);
  if (parsed.scenario) return parsed.file();
  std::string errors;
  for (const format::Diagnostic& error : parsed.diagnostics) errors += render(error);
  throw std::invalid_argument(errors);
}

}  // namespace tenure::testing
