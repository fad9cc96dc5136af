// The hunts that both judges look at, and forged histories of them.
//
// Thread rule: pure functions.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "format/plans/plans.h"
#include "tests/judge/forge.h"
#include "tests/judge/invariants.h"

namespace tenure::judging {

struct Source {
  std::string name;
  format::ScenarioFile file;  // as hunts judge it
};
// Files of the library that hunts are for; others, with all policies of schedules, destinations, workers and items; and
// each protocol with each scheduler.
const std::vector<Source>& sources();

// Looks at the histories of a seed, of all sources: as they were, and forged in every way. `of`: in words. `forgery` is
// empty for one that happened.
using Look = std::function<void(const Case& run, const std::string& of, std::string_view forgery)>;
void for_each_history(std::uint64_t seed, const Look& look);

}  // namespace tenure::judging
