// A scenario file as a situation: what every design is put into. The file's own protocol, scheduler, their settings and
// what it demands are left out; its faults, clocks, store and links are what it is for.
//
// Thread rule: pure functions, except that a design's file may be read.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "format/plans/plans.h"
#include "format/syntax/diagnostic.h"
#include "lab/compare/candidate.h"
#include "lab/tune/setting.h"
#include "sim/scenario/scenario.h"

namespace tenure::lab {

struct Situation {
  std::string name;
  TuneFile file;         // whose text and path it is
  std::string way_back;  // from its folder to the one that designs' paths are given from: "../", or empty
  std::optional<format::CompareSetting> stretch;
  std::optional<format::ExhaustiveSetting> exhaustive = {};  // what an exploration of it covers all of
  bool waits_for_acts = false;                               // a fault of it strikes when a leader acts
};

struct ReadSituation {
  std::optional<Situation> situation;
  std::vector<format::Diagnostic> problems;
};
ReadSituation read_situation(TuneFile file, std::string way_back = {});

// Through which scheduler an election that does nothing acts, in a situation that waits for acts. It keeps nothing, so
// what goes wrong is the election's.
constexpr std::string_view kActingLoop = "writer";

// A design in a situation.
struct MadeCase {
  std::optional<sim::Scenario> scenario;  // with a tail that is long enough for the design to recover in
  bool acts_through_loop = false;         // an election, which acts through kActingLoop here
  std::string not_applicable = {};        // the situation does nothing to such a design: why
  std::vector<format::Diagnostic> problems = {};  // the design is not right in any situation
};

struct CaseOptions {
  // The design's own failover time, if it is known: the situation lasts for three of them at least.
  std::optional<Duration> own_time = std::nullopt;
  bool stretched = false;  // what the situation stretches is as long as [compare] says
  std::optional<std::int64_t> instances = std::nullopt;  // in place of the situation's
};
// REQUIRES: to be stretched, the situation stretches something, and the time is known.
MadeCase make_case(const Situation& situation, const Candidate& candidate, const CaseOptions& options = {});

// The durations that the situation stretches to, as written. REQUIRES: it stretches something.
Duration stretched(const format::CompareSetting& stretch, Duration own_time);

}  // namespace tenure::lab
