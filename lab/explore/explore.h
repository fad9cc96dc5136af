// Bounded exhaustive exploration: every interleaving of a small cluster, each state visited once.
//
// It steps the production core (Instance, an ElectorKind's elector, the store machines), not a model of it.
// docs/exhaustive.md says what a state is, which moves exist, and what a finished space shows and does not show. In
// short:
//
//   1. Time moves from one instant at which something is due to the next. Between them, everything that can happen
//      happens in every order: a timer fires, an effect leaves, a request is executed, an answer arrives, something is
//      lost, a process is killed, started, paused or resumed.
//   2. A running process does what it has to do (an effect leaves, a due timer fires) before time moves on. Only a
//      pause delays it.
//   3. A message may wait for any time, but each delayed message uses up a budget. So do losses, kills and pauses.
//   4. States are equal if they differ only in their time, or in the numbers of requests. They are visited in order of
//      true time, and then of the number of moves. So the first way to a state leaves the most time, and the first
//      violation found is the earliest one, with the fewest moves.
//
// Thread rule: pure functions of their arguments; run as many at once as you like.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/lease/elector_kind.h"
#include "format/plans/plans.h"
#include "sim/kernel/true_time.h"
#include "sim/scenario/scenario.h"

namespace tenure::lab::explore {

inline constexpr std::uint32_t kInstancesMax = 3;
inline constexpr std::uint32_t kUnlimited = 0xffffffff;

// How many of each there may be in one history. A limited budget is at most kBudgetMax.
struct Budgets {
  std::uint32_t crashes = 1;  // kills; a dead process may start again at any time
  std::uint32_t pauses = 1;   // of any length
  std::uint32_t stops =
      0;  // a process is asked to stop, and ends when it has finished; it may start again at any time
  std::uint32_t losses = 1;  // requests, answers and notifications that are dropped
  std::uint32_t delays =
      1;  // messages that are still on their way when time moves on; they may then take any time
  std::uint32_t requests = kUnlimited;  // executed by the store
};
inline constexpr std::uint32_t kBudgetMax = 14;
inline constexpr std::uint32_t kRequestsMax = 0xffe;

struct InstanceSettings {
  Parameters election;
  Duration wall_offset;  // of its wall clock against true time
};

struct ExploreSettings {
  const ElectorKind* protocol = nullptr;
  std::vector<InstanceSettings> instances;  // 1 … kInstancesMax
  Duration store_offset;                    // of the store's clock against true time
  std::int64_t start_ns = 0;                // true time zero, since the Unix epoch
  Budgets budgets;
  Duration horizon = Duration::seconds(30);  // instants after it are not visited
  // Time also stops this long after each instant, so that messages can arrive between two instants. Zero: it does not.
  // Whole microseconds.
  Duration tick;
  // Random waits are drawn at both ends of their range, all of one step at the same end. Otherwise at the low one.
  bool jitter_ends = false;
  // Each new leader also does one piece of work, as a separate effect, on a resource that checks tokens if the protocol
  // has any. Without this no leader acts, and no-stale-act and acts-within-belief cannot fail.
  bool acting = false;
  std::uint64_t states_max =
      20'000'000;  // then it gives up; about 100 bytes each, and 1,000 each state of an instance
  std::uint64_t bytes_max = std::uint64_t{4} << 30;  // likewise
};

// The instances of a scenario, its protocol, and the offsets of their clocks (the middle of a range), within the bounds
// that its file states, or the defaults. Faults, latencies and schedules are the exploration's own.
ExploreSettings settings_of(const sim::Scenario& scenario, const format::ExhaustiveSetting& bounds);

// Why these settings cannot be explored, for people; empty when they can.
std::string why_not_explorable(const ExploreSettings& settings);

struct ExploreViolation {
  std::string check;               // "one-believer", "one-holder-per-epoch", "epochs-increase", …
  std::string what;                // one line
  sim::TrueTime at;                // true time
  std::vector<std::string> trace;  // from the start, one move a line
};

struct ExploreResult {
  bool finished = false;       // every state within the bounds was visited
  bool endless = false;        // and the horizon cut none off: the result holds for any length of time
  std::string why_not;         // when not finished
  bool out_of_states = false;  // that was why
  // In some history two instances led, one after the other. Without that, nothing was tried that could go wrong.
  bool led_in_turn = false;
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;      // moves followed, whether or not they led to a new state
  std::uint32_t depth = 0;            // the most moves on the way to any state
  sim::TrueTime reached;              // the latest instant visited
  std::uint64_t instance_states = 0;  // different states of a single instance …
  std::uint64_t store_states = 0;     // … and of the store
  std::uint64_t steps = 0;            // steps of the production core; other moves were already known
  std::uint64_t bytes = 0;            // of memory, at the end; states of instances and stores are estimated
  std::optional<ExploreViolation> violation;  // the first; exploration ends there
};

// Called now and then with the number of states so far; false: give up, as "interrupted".
using GoOn = std::function<bool(std::uint64_t states)>;

// REQUIRES: why_not_explorable(settings) is empty.
ExploreResult explore(
    const ExploreSettings& settings, const GoOn& go_on = [](std::uint64_t) { return true; });

// Why a finished space without a violation shows nothing, and what to change; empty: it does show something.
std::string why_it_shows_nothing(const ExploreSettings& settings, const ExploreResult& result);

// "2 instances; 1 crash, 0 pauses, 0 losses, 0 delays; within 40s".
std::string bounds_in_words(const ExploreSettings& settings);

// The report, for people; several lines, each ended.
std::string report(const ExploreSettings& settings, const ExploreResult& result);

}  // namespace tenure::lab::explore
