// What a run found: the one structure that every output format prints.
//
// Equal for equal (scenario, seed); holds no wall-clock time and no host name.
//
// Thread rule: values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/ids.h"
#include "core/base/time.h"
#include "sim/kernel/true_time.h"

namespace tenure::sim {

enum class Verdict : std::uint8_t { pass, fail, inconclusive };
std::string_view name_of(Verdict verdict);

struct ReportedViolation {
  TrueTime at;
  std::string message;
};

struct CheckResult {
  enum class Kind : std::uint8_t { always, eventually, sometimes, threshold };
  std::string name;
  Kind kind = Kind::always;
  Verdict verdict = Verdict::pass;
  std::uint64_t opportunities = 0;
  std::uint64_t violation_count = 0;
  std::vector<ReportedViolation> violations;  // the first few
  std::string detail;  // "p90 16.8 < 20 (n=12)"; "outside its claims: …" when violated but only reported
  bool demanded = true;  // false: watched and reported, but outside the claims or merely reported
};

// All samples, sorted; statistics are computed from these in integers.
struct Samples {
  std::vector<Duration> values;
  std::size_t count() const { return values.size(); }
  Duration min() const;
  Duration max() const;
  Duration mean() const;
  Duration percentile(std::int64_t ppm) const;  // nearest rank
};

struct Metrics {
  std::uint64_t failovers = 0;        // grants that ended a leaderless time begun by a fault or a death
  std::uint64_t false_failovers = 0;  // leaderships lost although their node was running and reachable
  Samples failover;                   // from the fault that ended a leadership to the next grant
  Duration leaderless;
  std::vector<std::pair<std::string, Duration>> leaderless_by_cause;  // largest first
  Duration believer_overlap;
  Duration work_overlap;
  std::optional<Duration> safety_margin;  // smallest gap between one belief's end and another's start
  std::uint64_t store_requests = 0;
  std::uint64_t fires = 0;
  std::uint64_t skipped_slots = 0;  // missed, coalesced or suppressed
  Samples fire_lateness;            // work begun, after its slot, on the store's clock
  std::uint64_t stale_writes_rejected = 0;
  std::uint64_t epochs = 0;
};

// One instance's leadership over the run, in equal columns.
struct Strip {
  enum class Cell : std::uint8_t { standby, leads, stalled, down };  // stalled: believes, and is paused
  std::string name;
  std::vector<Cell> cells;
};

struct FaultRun {
  std::uint64_t id = 0;
  std::string action;
  std::string target;  // as resolved: "n1", "store"
  TrueTime at;
  std::optional<Duration> duration;
  std::string detail;   // "pause n1 for 16.2s"
  std::string skipped;  // why, if it was
};

struct StoryLine {
  TrueTime at;
  std::string who;   // "n1", "store", "resource"; empty for the run itself
  std::string text;
  bool is_fault = false;
};

struct Story {
  std::string checker;
  TrueTime at;
  std::string headline;
  std::vector<StoryLine> lines;
};

struct RunResult {
  std::string scenario;
  std::string path;
  std::uint64_t seed = 0;
  Verdict verdict = Verdict::pass;
  std::uint64_t trace_hash = 0;
  std::uint64_t events = 0;
  Duration simulated;
  std::vector<CheckResult> checks;
  Metrics metrics;
  std::vector<Strip> strips;
  std::vector<FaultRun> faults;
  std::optional<Story> story;  // of the first demanded violation
  std::string reproduce;       // the command line, without "tenure " left out
};

}  // namespace tenure::sim
