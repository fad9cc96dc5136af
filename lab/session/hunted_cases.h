// What a part of a hunt found.
//
// Thread rule: values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/hunt/failure.h"
#include "lab/hunt/hunt_totals.h"
#include "lab/hunt/signature.h"
#include "lab/session/hunt_findings.h"

namespace tenure::lab {

// Consecutive cases, hunted by themselves.
struct HuntedCases {
  struct KeptFailure {
    std::uint64_t seed = 0;
    std::uint64_t times = 1;  // how many cases failed in the same way
    Failure failure;
    std::string path;  // of the saved failure
  };
  HuntTotals totals;
  std::vector<KeptFailure> kept;  // in the order of their seeds
  std::uint64_t failures = 0;
  std::uint64_t compared = 0;
  std::string difference = {};
  std::uint64_t difference_seed = 0;

  // The cases of seeds after these.
  void append(const HuntedCases& later);
};

HuntedCases hunted_cases(const HuntFindings& findings, const HuntTotals& totals);

}  // namespace tenure::lab
