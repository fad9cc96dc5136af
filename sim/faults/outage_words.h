// The parts of a store's service that can fail alone, as scenarios name them.
//
// Thread rule: constants.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "core/base/check.h"
#include "sim/world/store_outage.h"

namespace tenure::sim {

// In the order of OutageOf.
inline constexpr std::array<std::string_view, 8> kOutageWords = {
    "elector", "scheduler", "commits", "acknowledgements", "reads", "due", "outbox", "changes"};

// REQUIRES: one of the words.
inline OutageOf outage_named(std::string_view word) {
  const auto* const found = std::find(kOutageWords.begin(), kOutageWords.end(), word);
  CHECK(found != kOutageWords.end(), "a choice is one of its words");
  return static_cast<OutageOf>(found - kOutageWords.begin());
}

}  // namespace tenure::sim
