// Histories that never happened: a real one with a mistake put into it, of the kinds that invariants are about. A core
// that does nothing wrong gives checkers little to see; a forger gives them what they are for.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tests/judge/history.h"

namespace tenure::judging {

struct Forgery {
  std::string_view name;
  // Changes one thing in the history; `draw` says which of those that there are. False when there is nothing to change.
  bool (*forge)(History& history, std::uint64_t draw);
};
std::span<const Forgery> forgeries_of_leaders();
// Of what a leader commits, and does itself.
std::span<const Forgery> forgeries_of_work();
// Of what others deliver: destinations, workers, and those that run items.
std::span<const Forgery> forgeries_of_deliveries();
std::vector<Forgery> all_forgeries();

}  // namespace tenure::judging
