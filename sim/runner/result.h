// What a run found. Every output format prints this structure.
//
// The same scenario and seed give an equal result. It holds no wall-clock time and no host name.
//
// Thread rule: values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/ids.h"
#include "core/base/time.h"
#include "sim/checkers/metrics/measures.h"
#include "sim/faults/fault_run.h"
#include "sim/kernel/true_time.h"
#include "sim/scenario/data_files.h"

namespace tenure::sim {

enum class Verdict : std::uint8_t { pass, fail, inconclusive };
std::string_view name_of(Verdict verdict);

struct ReportedViolation {
  TrueTime at;
  std::string message;
  bool operator==(const ReportedViolation&) const = default;
};

struct CheckResult {
  enum class Kind : std::uint8_t { always, eventually, sometimes, threshold, fault };
  std::string name;
  Kind kind = Kind::always;
  Verdict verdict = Verdict::pass;
  std::uint64_t opportunities = 0;
  std::uint64_t violation_count = 0;
  std::vector<ReportedViolation> violations;  // the first few
  // "p90 16.8 < 20 (n=12)"; "p90 21, not < 20 (n=12)"; "outside its claims: …" when violated but only reported
  std::string detail;
  bool demanded = true;  // false: only reported, or outside the claims
  // What was violated although nothing demands it and [expect] does not say what to make of it: "two led for 13.557s".
  // The run is then no pass (judge.h). Empty: no such violation.
  std::string unasked = {};
  bool operator==(const CheckResult&) const = default;
};

struct StoryLine {
  TrueTime at;
  std::string who;  // "n1", "store", "resource"; empty for the run itself
  std::string text;
  bool is_fault = false;
  bool operator==(const StoryLine&) const = default;
};

struct Story {
  std::string checker;
  TrueTime at;
  std::string headline;
  std::vector<StoryLine> lines;
  bool operator==(const Story&) const = default;
};

// The cause of a metric's worst value, in words.
struct WorstSample {
  std::string metric;
  TrueTime at;
  std::string text;  // "16.442s: n3 led from 1m16.442s, after n1; because of fault 1 (…) at …"
  bool operator==(const WorstSample&) const = default;
};

struct RunResult {
  std::string scenario;
  std::string path;
  std::uint64_t seed = 0;
  Verdict verdict = Verdict::pass;
  std::uint64_t trace_hash = 0;
  std::uint64_t events = 0;
  std::string tzdb;            // the version of the time zone database; empty when every schedule is in UTC
  std::vector<DataNote> data;  // what the scenario read from files of measurements
  Duration simulated;
  std::vector<CheckResult> checks;
  Metrics metrics;
  bool wall_clock_read = false;  // some instance looked at its wall clock, or said how far it believes by it
  std::vector<WorstSample> worst;  // for the metrics that have one
  std::vector<LeadershipTimeline> strips;
  std::vector<FaultRun> faults;
  std::optional<Story> story;  // of the first demanded violation; for a saved failure, of its own checker's
  std::string reproduce;       // the whole command line, with "tenure "
  bool operator==(const RunResult&) const = default;
};

}  // namespace tenure::sim
