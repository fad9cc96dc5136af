// What the audit finds by comparing journals, in addition to the simulator's checkers: its own checks, and what
// prevents a verdict (evidence.h; rows-allowed: row_evidence.h; life-ends-once: wholeness.h).
//
// Thread rule: one Findings belongs to one audit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/runner/result.h"

namespace tenure::lab {

// "a request", or "3 requests".
std::string counted(std::size_t n, std::string_view one, std::string_view many);

class AuditFindings {
 public:
  void examined(std::string_view check, std::uint64_t n = 1) { check_of(check).opportunities += n; }
  void violate(std::string_view check, sim::TrueTime at, std::string message);
  // Something happened that no journal tells: the verdict is no pass.
  void lacks(std::string what) { lacking_.push_back(std::move(what)); }
  // Something to know about the journals that does not prevent a pass.
  void note(std::string what) { notes_.push_back(std::move(what)); }

  const std::vector<sim::CheckResult>& checks() const {
    return checks_;
  }  // that had an opportunity, in order
  const std::vector<std::string>& lacking() const { return lacking_; }
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  sim::CheckResult& check_of(std::string_view name);

  std::vector<sim::CheckResult> checks_;
  std::vector<std::string> lacking_;
  std::vector<std::string> notes_;
};

}  // namespace tenure::lab
