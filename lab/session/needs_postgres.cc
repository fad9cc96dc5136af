#include "lab/session/needs_postgres.h"

#include <fmt/format.h>

#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "core/base/host_failure.h"
#include "lab/compare/cell.h"
#include "lab/hunt/throwing_checks.h"
#include "sim/runner/run.h"

namespace tenure::lab {
namespace {

// What the refusal of a statement says if a Postgres would take it (adapters/sql).
constexpr std::string_view kAdvice = "engine = \"postgres\"";

bool is_in_a_file(const sim::Scenario& scenario) {
  return scenario.protocol->design != nullptr ||
         (scenario.scheduler != nullptr && scenario.scheduler->design != nullptr);
}

// The first line of what its program fails with, if it would not on Postgres; else empty.
std::string what_it_lacks(const sim::Scenario& scenario) {
  if (scenario.store.engine != nullptr || !is_in_a_file(scenario)) return {};
  const sim::ThrowingChecks checks;
  try {
    const sim::RunResult result = sim::run(scenario, 1, {.trace = nullptr, .story = false});
    const std::string error = sim::numbers_of_case(scenario, result).error;
    return error.find(kAdvice) != std::string::npos ? error.substr(0, error.find('\n')) : std::string{};
  } catch (const HostFailure&) {
    throw;
  } catch (const std::exception&) {
    return {};  // its runs will say it
  }
}

}  // namespace

std::vector<CompareFindings::BadCandidate> which_need_postgres(const CompareTask& task) {
  std::vector<CompareFindings::BadCandidate> bad;
  for (std::size_t i = 0; i < task.candidates.size(); ++i) {
    const sim::Candidate& candidate = task.candidates[i];
    const sim::MadeCase made = sim::make_case(task.situations[task.measured.quiet], candidate);
    std::string lacks = made.scenario ? what_it_lacks(*made.scenario) : std::string{};
    if (lacks.empty()) continue;
    sim::Diagnostic problem;
    problem.where = candidate.name;
    problem.message = std::move(lacks);
    problem.hint = fmt::format("name the engine: {}{}engine=postgres", candidate.name,
                               candidate.name.find(':') == std::string::npos ? ':' : ',');
    bad.push_back({i, {std::move(problem)}});
  }
  return bad;
}

}  // namespace tenure::lab
