// What the cases of a hunt did together: sums, and the first case with each feature.
//
// Thread rule: values.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/runner/judge.h"

namespace tenure::lab {

struct HuntTotals {
  // A feature (signature.h), and the case that was the first to show it, counted from 0.
  struct FirstSeen {
    std::uint32_t feature = 0;
    std::uint64_t index = 0;
    bool operator==(const FirstSeen&) const = default;
  };

  std::uint64_t cases = 0;
  std::uint64_t inside = 0;   // the claims
  std::uint64_t mutated = 0;  // made from earlier cases
  std::uint64_t events = 0;
  bool differ = false;                // in the number of events
  std::vector<FirstSeen> first_seen;  // in the order of the cases
  // How often each event of `sometimes` happened, and each fault struck; zeros included.
  std::map<std::string, std::uint64_t> sometimes;
  std::map<std::string, std::uint64_t> faults;
  sim::FaultTally struck;
  // What each checker examined.
  std::map<std::string, std::uint64_t> examined;
  // The number of cases in which a checker had violations that were not demanded.
  std::map<std::string, std::uint64_t> reported;

  // The number of the last case that showed something new; 0 without cases.
  std::uint64_t last_new() const { return first_seen.empty() ? 0 : first_seen.back().index; }
  // Whether all cases were the same run but for their seeds: they show no more than one.
  bool are_alike() const { return cases > 1 && last_new() == 0 && !differ; }
  // The cases of seeds after these. What they showed for the first time is new here only if nothing before them did.
  void append(const HuntTotals& later);
};

}  // namespace tenure::lab
