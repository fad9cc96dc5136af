// The program of a design has no errors. What it does wrong while it runs is judged by all the others.
#include "core/model/describe.h"
#include "tests/judge/invariants.h"

namespace tenure::judging {

std::vector<Wrong> design_error(const Case& run) {
  std::vector<Wrong> wrongs;
  for (const Kept& kept : run.history.facts)
    if (const auto* note = std::get_if<KeptNote>(&kept.fact);
        note != nullptr && std::holds_alternative<DesignError>(note->note))
      wrongs.push_back({kept.at, "the program of " + describe(note->who) + " failed"});
  return wrongs;
}

}  // namespace tenure::judging
