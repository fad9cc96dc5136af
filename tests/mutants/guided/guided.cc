// How many cases a hunt needs to find a planted bug: one that learns, against one that draws every case anew.
//
//   mutants_guided [CASES [STARTS]]   at most CASES (3000) from each of STARTS (8) first seeds, for every mutant that
//                                     takes a drawing hunt more than 50 on the mean
//
// The scenario is scenarios/hunt.toml, which nobody made with a mutant in mind. A hunt that finds nothing counts as
// CASES.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "adapters/tzdb/tzdb.h"
#include "core/base/check.h"
#include "sim/hunt/hunt.h"
#include "sim/runner/run.h"
#include "sim/scenario/toml/parse.h"
#include "tests/mutants/switch.h"
#include "tests/mutants/table.h"

namespace tenure::sim {
namespace {

Scenario hunt_file() {
  std::ifstream file(TENURE_SOURCE_DIR "/scenarios/hunt.toml", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  static const Tzdb zones;
  return parse_scenario("hunt.toml", text, {}, zones).scenario.value();
}

// Whether this case shows it; a CHECK of the core that stops it counts.
CaseResult result_of(const Scenario& scenario) {
  CaseResult result;
  SignatureCollector collector;
  try {
    result.run = run(scenario, *scenario.seed, {.trace = &collector, .story = false});
    result.signature = collector.take(result.run);
    result.failures = failures_of(result.run);
  } catch (const std::logic_error& error) {
    result.failures = {Failure{std::string(kBrokenInvariant), error.what(), {}}};
  }
  return result;
}

std::uint64_t cases_to_find(const Scenario& file, std::uint64_t first_seed, std::uint64_t cases,
                            bool guided) {
  Hunt hunt(file, {.first_seed = first_seed, .cases = cases, .guided = guided});
  while (hunt.begin_generation() > 0)
    while (hunt.generation_size() > 0) {
      Case made = hunt.make(hunt.next_case());
      const CaseResult result = result_of(made.scenario);
      if (!result.failures.empty()) return hunt.cases() + 1;
      hunt.take(std::move(made), result);
    }
  return cases;
}

struct Mean {
  std::uint64_t cases = 0;
  int found = 0;
};

Mean mean_of(const Scenario& file, std::uint64_t cases, std::uint64_t starts, bool guided) {
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
  const std::uint64_t cases = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 3'000;
  const std::uint64_t starts = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 8;
  set_check_handler([](const CheckFailure& failure) { throw std::logic_error(failure.expression); });
  const sim::Scenario file = sim::hunt_file();
  fmt::print("{:<40}{:>10}{:>8}{:>10}{:>8}\n", "mutant", "drawn", "found", "guided", "found");
  std::uint64_t drawn_sum = 0;
  std::uint64_t guided_sum = 0;
  for (int number = 0; number < static_cast<int>(mutant::mutants().size()); ++number) {
    const mutant::On on(number);
    const sim::Mean drawn = sim::mean_of(file, cases, starts, false);
    if (drawn.cases <= 50 || drawn.found == 0) continue;
    const sim::Mean guided = sim::mean_of(file, cases, starts, true);
    drawn_sum += drawn.cases;
    guided_sum += guided.cases;
    fmt::print("{:<40}{:>10}{:>8}{:>10}{:>8}\n", mutant::mutants()[static_cast<std::size_t>(number)].name,
               drawn.cases, drawn.found, guided.cases, guided.found);
    std::fflush(stdout);
  }
  fmt::print("{:<40}{:>10}{:>8}{:>10}\n", "sum", drawn_sum, "", guided_sum);
}
