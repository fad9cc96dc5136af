// How a history is forged: where it has what, and what is put in or taken out.
//
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "core/base/hash.h"
#include "tests/judge/history.h"

namespace tenure::judging {

using Places = std::vector<std::size_t>;

// Of the facts of a kind that are wanted.
template <class Kind, class Wanted>
Places places_of(const History& history, Wanted wanted) {
  Places places;
  for (std::size_t place = 0; place < history.facts.size(); ++place)
    if (const auto* fact = std::get_if<Kind>(&history.facts[place].fact); fact != nullptr && wanted(*fact))
      places.push_back(place);
  return places;
}

// One of them. REQUIRES: there is one.
inline std::size_t drawn(const Places& places, std::uint64_t draw) {
  return places[reduce(mix64(draw, 1), places.size())];
}

void put_in(History& history, std::size_t at, Kept kept);
void take_out(History& history, std::size_t at);

}  // namespace tenure::judging
