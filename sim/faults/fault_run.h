// A fault as it was run: whom it struck and when, or why it did not.
//
// Thread rule: values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/time.h"
#include "sim/kernel/true_time.h"

namespace tenure::sim {

struct FaultRun {
  std::uint64_t id = 0;
  std::uint64_t entry = 0;   // in the file, from 1; 0: unknown
  std::uint64_t strike = 0;  // of that entry, from 1; 0: it strikes once
  std::string action;
  std::string target;  // as resolved: "n1", "n1 n3", "store", "stores 0 3"
  TrueTime at;         // max(): its time never came
  std::optional<Duration> duration;
  std::string detail;      // "pause n1 for 16.2s"
  std::string skipped;     // why, if it was
  std::string fell_short;  // why it did not do what it says, although it struck
  bool met = true;         // what it changes came that way while it lasted, if it needs that
  // Whether it did what it says.
  bool took_effect() const { return skipped.empty() && fell_short.empty(); }
  bool operator==(const FaultRun&) const = default;
};

// The fault's name for people: "fault 1", "fault 1, strike 3".
std::string name_of(const FaultRun& fault);

}  // namespace tenure::sim
