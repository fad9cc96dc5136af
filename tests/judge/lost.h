// What a failover of the store takes back (docs/adr/0009-what-a-failover-takes-back.md).
//
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <vector>

#include "tests/judge/history.h"

namespace tenure::judging {

// What a store applied between these two facts never happened, from the second one on.
struct Lost {
  std::size_t stalled = 0;
  std::size_t failed_over = 0;
  std::uint32_t branch = 0;  // of what is applied afterwards
};

inline std::vector<Lost> lost_stretches(const History& history) {
  std::vector<Lost> all;
  bool stands_still = false;
  std::size_t stalled = 0;
  for (std::size_t place = 0; place < history.facts.size(); ++place) {
    const Fact& fact = history.facts[place].fact;
    if (std::holds_alternative<sim::StoreReplicaStalled>(fact)) {
      stands_still = true;
      stalled = place;
    }
    if (const auto* failed = std::get_if<sim::StoreFailedOver>(&fact); failed != nullptr && stands_still) {
      all.push_back({stalled, place, failed->branch});
      stands_still = false;
    }
  }
  return all;
}

// Was what the store applied at `place` lost before the fact `seen_from`?
inline bool is_lost(const std::vector<Lost>& lost, std::size_t place, std::size_t seen_from) {
  for (const Lost& stretch : lost)
    if (stretch.stalled < place && place < stretch.failed_over && stretch.failed_over <= seen_from)
      return true;
  return false;
}

// How far work that is done under `token` at `place` looks: to the end of the branch that the token is of.
inline std::size_t horizon_of(const std::vector<Lost>& lost, const std::optional<Token>& token,
                              std::size_t place) {
  if (!token) return place;
  for (const Lost& stretch : lost)
    if (stretch.failed_over <= place && token->branch < stretch.branch) return stretch.failed_over - 1;
  return place;
}

}  // namespace tenure::judging
