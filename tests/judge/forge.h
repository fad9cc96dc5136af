// Histories that never happened: a real one with a mistake put into it, of the kinds that invariants are about. A core
// that does nothing wrong gives checkers little to see; a forger gives them what they are for.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tests/judge/history.h"

namespace tenure::judging {

struct Forgery {
  std::string_view name;
  // Changes one thing in the history; `draw` says which of those that there are. False when there is nothing to change.
  bool (*forge)(History& history, std::uint64_t draw);
};
const std::vector<Forgery>& forgeries();
// Of what clients of the store do that have no leader: workers with executions, and those that run items.
const std::vector<Forgery>& forgeries_of_workers();
// Of what is sent to destinations, and of how events end.
const std::vector<Forgery>& forgeries_of_deliveries();

}  // namespace tenure::judging
