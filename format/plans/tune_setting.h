// The request to `tenure tune`: [tune] and [profile] of a scenario file.
//
// A setting to try is a list of overrides, as for `--set`. So a try runs exactly what the command that applies a choice
// runs, checked by the same parser. Places in the file are kept, because some errors (a measure without samples) are
// known only after runs.
//
// Thread rule: values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/time.h"
#include "sim/scenario/scenario.h"

namespace tenure::format {

struct FilePlace {
  int line = 0;
  int column = 0;
  int length = 1;
  int override_index = -1;
};

// Values of one kind, and how an override writes them.
enum class TuneType : std::uint8_t { duration, number, boolean };

struct TuneSpan {
  std::int64_t low = 0;  // both ends included
  std::int64_t high = 0;
};

// The tables whose parameters can be tuned, as prefixes of their keys.
inline constexpr std::string_view kTuneElection = "election.";
inline constexpr std::string_view kTuneScheduling = "scheduling.";

struct TuneParameter {
  std::string key;  // "election.lease_duration"
  TuneType type = TuneType::duration;
  std::vector<std::int64_t> values;  // in the order of the file; empty: a span
  TuneSpan span;
  bool is_span() const { return values.empty(); }
  FilePlace place;
};

// One number for all runs of a setting: a statistic of a metric (names.h), or of one of these rates.
struct TuneMeasure {
  using Statistic = sim::Threshold::Statistic;
  std::string metric;
  Statistic statistic = Statistic::mean;
  std::int64_t percentile_ppm = 0;
  std::string text;  // in one spelling: "failover_seconds.p99"
  bool operator==(const TuneMeasure&) const = default;
};

// Rates of a run, over its simulated time, besides its metrics.
struct TuneRateName {
  std::string_view name;
  std::string_view doc;
};
inline constexpr TuneRateName kTuneRateNames[] = {
    {"false_failovers_per_day", "leaderships lost although their node was running and reachable, a day"},
    {"leaderless_share", "the part of the time that nobody leads"},
};

struct TuneObjective {
  TuneMeasure measure;
  FilePlace place;
};

struct TuneConstraint {
  std::string text;                    // a checker's name, or a bound as written
  std::optional<TuneMeasure> measure;  // nullopt: the checker must hold in every run
  bool less = true;
  bool or_equal = false;
  std::int64_t bound_nano = 0;
  FilePlace place;
};

// Where each checker starts to fail: for each of `values`, `against` is searched by bisection.
struct TuneFrontier {
  std::optional<TuneParameter> parameter;  // nullopt: only for the file's own setting
  std::string against;                     // any key for --set: "fault.1.duration"
  TuneType type = TuneType::duration;
  TuneSpan span;
  std::int64_t resolution = 1;  // the width at which bisection ends
  std::string write = "{}";     // how the value is written, with {} for the value: "-{}..{}"
  std::vector<std::string> checkers;
  std::int64_t seeds = 0;
  FilePlace place;  // of `against`
  FilePlace range_place;
};

struct TuneSetting {
  enum class Search : std::uint8_t { grid, halton, halving };
  Search search = Search::grid;
  std::int64_t settings = 0;  // halton, halving: how many
  std::int64_t steps = 0;     // grid: how many values of a span
  std::int64_t seeds = 0;
  std::vector<TuneParameter> parameters;
  std::vector<TuneObjective> objectives;
  std::vector<TuneConstraint> constraints;
  std::optional<TuneFrontier> frontier;
};

// How often events happen, in millionths of an event in a month of 30 days.
struct ProfileSetting {
  std::int64_t crashes_micro = 0;  // of each node
  std::int64_t deploys_micro = 0;
  std::int64_t store_failovers_micro = 0;
  Duration crash_downtime;
  // Of the file's other faults together; nullopt: as often as in the file.
  std::optional<std::int64_t> disturbances_micro;
  std::int64_t seeds = 0;  // of each cause
};

}  // namespace tenure::format
