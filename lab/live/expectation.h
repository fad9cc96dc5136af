// The verdict on a live run: what the audit of its journals found, by what the scenario expects.
//
//   1. The audit's checks count as they do in an audit, and those that `always` lists are demanded.
//      An event that the outside world began twice is a duplicate: journals do not tell of that.
//   2. `eventually`: leader-elected is whether somebody led at the end of the tail. caught-up is not judged: the
//      audit's no-lost-fire judges what was due before the end.
//   3. `sometimes` and faults count as in a simulation (sim/runner/judge.h).
//   4. What the audit finds lacking is no pass. What only a simulator can know is said not to be judged.
//
// Thread rule: pure functions and values.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "lab/audit/audit.h"
#include "sim/faults/fault_run.h"
#include "sim/scenario/scenario.h"

namespace tenure::lab {

// Beside the journals.
struct LiveFacts {
  std::vector<sim::FaultRun> faults;
  bool led_at_end = false;
  bool interrupted = false;                // before the end of the tail
  std::uint64_t stale_writes_refused = 0;  // by the store, as its answers said
  std::uint64_t edits_applied = 0;
  std::uint64_t fires_doubled = 0;             // events that the outside world has begun twice
  std::vector<std::string> unasked_ends = {};  // of processes
  std::vector<std::string> lacking = {};       // why the journals may not tell what happened
};

// How often each thing that [expect] `sometimes` may name is in the journals.
std::map<std::string, std::uint64_t> happened_in(const std::vector<NodeJournal>& journals);

struct LiveVerdict {
  sim::Verdict verdict = sim::Verdict::inconclusive;
  std::vector<sim::CheckResult> checks;
  std::vector<std::string> not_judged;  // "failover_seconds: …"
};
LiveVerdict judge_live(const Audit& audit, std::map<std::string, std::uint64_t> happened,
                       const sim::Scenario& scenario, const LiveFacts& facts);

}  // namespace tenure::lab
