// How many cases a hunt needs to find a planted bug: one that learns, against one that draws every case anew.
//
//   mutants_guided FILE CASES STARTS [MUTANT…]
//
// At most CASES from each of STARTS first seeds; all mutants, unless some are named. A hunt that finds nothing counts
// as CASES, so a mean is too small where not every start found the bug. Figures and the command that they come from
// are in docs/hunting.md.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>

#include "adapters/tzdb/tzdb.h"
#include "core/base/check.h"
#include "format/parse/parse.h"
#include "lab/hunt/hunt.h"
#include "sim/runner/run.h"
#include "tests/mutants/switch.h"
#include "tests/mutants/table.h"

namespace tenure::sim {
namespace {

format::ScenarioFile hunt_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  static const Tzdb zones;
  return format::parse_scenario(path, text, {}, zones).file();
}

// Whether this case shows it; a CHECK of the core that stops it counts.
lab::CaseResult result_of(const Scenario& scenario) {
  lab::CaseResult result;
  lab::SignatureCollector collector;
  try {
    result.run = run(scenario, *scenario.seed, {.trace = &collector, .story = false});
    result.signature = collector.take(result.run);
    result.failures = lab::failures_of(result.run);
  } catch (const std::logic_error& error) {
    result.failures = {lab::Failure{std::string(format::kBrokenInvariant), error.what(), {}}};
  }
  return result;
}

std::uint64_t cases_to_find(const format::ScenarioFile& file, std::uint64_t first_seed, std::uint64_t cases,
                            bool guided) {
  lab::Hunt hunt(file, {.first_seed = first_seed, .cases = cases, .guided = guided});
  while (hunt.begin_generation() > 0)
    while (hunt.generation_size() > 0) {
      lab::Case made = hunt.make(hunt.next_case());
      const lab::CaseResult result = result_of(made.scenario);
      if (!result.failures.empty()) return hunt.cases() + 1;
      hunt.take(std::move(made), result);
    }
  return cases;
}

struct Mean {
  std::uint64_t cases = 0;
  int found = 0;
};

Mean mean_of(const format::ScenarioFile& file, std::uint64_t cases, std::uint64_t starts, bool guided) {
  Mean mean;
  for (std::uint64_t start = 0; start < starts; ++start) {
    const std::uint64_t needed = cases_to_find(file, 1 + start * 1'000'000, cases, guided);
    mean.cases += needed;
    if (needed < cases) ++mean.found;
  }
  mean.cases /= starts;
  return mean;
}

}  // namespace
}  // namespace tenure::sim

int main(int argc, char** argv) {
  using namespace tenure;
  if (argc < 4) {
    fmt::print(stderr, "usage: mutants_guided FILE CASES STARTS [MUTANT...]\n");
    return 64;
  }
  const format::ScenarioFile file = sim::hunt_file(argv[1]);
  const std::uint64_t cases = std::strtoull(argv[2], nullptr, 10);
  const std::uint64_t starts = std::strtoull(argv[3], nullptr, 10);
  const std::set<std::string_view> asked(argv + 4, argv + argc);
  set_check_handler([](const CheckFailure& failure) { throw std::logic_error(failure.expression); });
  fmt::print("{:<40}{:>10}{:>8}{:>10}{:>8}\n", "mutant", "drawn", "found", "guided", "found");
  for (std::size_t number = 0; number < mutant::mutants().size(); ++number) {
    const std::string_view name = mutant::mutants()[number].name;
    if (!asked.empty() && !asked.contains(name)) continue;
    const mutant::On on(static_cast<int>(number));
    const sim::Mean drawn = sim::mean_of(file, cases, starts, false);
    const sim::Mean guided = sim::mean_of(file, cases, starts, true);
    fmt::print("{:<40}{:>10}{:>8}{:>10}{:>8}\n", name, drawn.cases, drawn.found, guided.cases, guided.found);
    std::fflush(stdout);
  }
}
