// What the audit finds by comparing journals, in addition to the simulator's checkers: its own checks, and what
// prevents a verdict.
//
//   life-ends-once      nothing is written for a life after its `died` line
//   promise-kept        the store refuses no holder before the end of the lease that it granted
//   work-was-committed  the work of a slot begins only if somebody committed that slot
//   fires-begin         what was committed begins, once the leader has gone on
//   work-was-done       an event is acknowledged only once its work is over, and given up only after its failures
//   commits-follow      the commits of a version begin at its cursor and follow one another without a gap
//   overlaps-an-event   the store suppresses a slot only beside an event of its schedule
//   waits-as-asked      nothing is sent to its destination sooner than that has asked for
//   positions-once      the store gives no position to two changes
//   acts-within-belief  a leader acts only while it believes, under the token that it believes in
//   belief-within-grant a belief rests on grants of its token that its life had heard of, and ends with them
//   granted-as-asked    the store grants what was asked for, under the next epoch and its branch, and refuses for the
//                       holder that it names
//
// Thread rule: one Findings belongs to one audit.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/runner/result.h"

namespace tenure::sim {

class AuditFindings {
 public:
  void examined(std::string_view check, std::uint64_t n = 1) { check_of(check).opportunities += n; }
  void violate(std::string_view check, TrueTime at, std::string message);
  // Something happened that no journal tells: the verdict is no pass.
  void lacks(std::string what) { lacking_.push_back(std::move(what)); }
  // Something to know about the journals that does not prevent a pass.
  void note(std::string what) { notes_.push_back(std::move(what)); }

  const std::vector<CheckResult>& checks() const { return checks_; }  // that had an opportunity, in order
  const std::vector<std::string>& lacking() const { return lacking_; }
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  CheckResult& check_of(std::string_view name);

  std::vector<CheckResult> checks_;
  std::vector<std::string> lacking_;
  std::vector<std::string> notes_;
};

}  // namespace tenure::sim
