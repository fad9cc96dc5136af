// Judged after a run from its whole history: safety, and of liveness who leads and what is left lying. Slow and plain,
// and apart from sim/checkers.
//
// Each invariant is written from what the contract says (README.md names the pages), by looking through the history;
// none knows a bound, or forgets anything. The names are those of the checkers.
//
// Thread rule: pure functions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/scenario/scenario.h"
#include "tests/judge/history.h"

namespace tenure::judging {

// What is wrong, and from when on. The earliest counts.
struct Wrong {
  sim::TrueTime at;
  std::string what;
};

struct Case {
  const sim::Scenario& scenario;
  const History& history;
};

struct Invariant {
  std::string_view name;
  // Everything that breaks it, in any order; empty: it holds.
  std::vector<Wrong> (*judge)(const Case&);
  // Its checker asks for more, so it may find what the judge does not, and may find it before.
  bool is_part = false;
};
std::span<const Invariant> invariants();
const Invariant* find_invariant(std::string_view name);  // nullptr when it is not judged twice

// The earliest; nullopt when nothing is wrong.
std::optional<Wrong> earliest(const std::vector<Wrong>& wrongs);
// Does a checker that first found something wrong at `found` say what the judge says?
bool agree(const Invariant& invariant, const std::optional<Wrong>& judged,
           std::optional<sim::TrueTime> found);

std::vector<Wrong> one_holder_per_epoch(const Case&);
std::vector<Wrong> epochs_increase(const Case&);
std::vector<Wrong> fenced_writes(const Case&);
std::vector<Wrong> no_stale_act(const Case&);
std::vector<Wrong> acts_within_belief(const Case&);
std::vector<Wrong> one_believer(const Case&);
std::vector<Wrong> one_worker(const Case&);
std::vector<Wrong> no_duplicate_fire(const Case&);
std::vector<Wrong> no_lost_fire(const Case&);
std::vector<Wrong> no_drift(const Case&);
std::vector<Wrong> never_early(const Case&);
std::vector<Wrong> versions_take_turns(const Case&);
std::vector<Wrong> work_within_limit(const Case&);
std::vector<Wrong> items_run_once(const Case&);
std::vector<Wrong> no_stale_assignment(const Case&);
std::vector<Wrong> one_live_attempt(const Case&);
std::vector<Wrong> no_stale_completion(const Case&);
std::vector<Wrong> topic_isolation(const Case&);
std::vector<Wrong> begun_in_order(const Case&);
std::vector<Wrong> dead_or_delivered(const Case&);
std::vector<Wrong> delivered(const Case&);
std::vector<Wrong> leader_elected(const Case&);

}  // namespace tenure::judging
