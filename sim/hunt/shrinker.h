// What the passes of a shrink share: the smallest scenario so far, and the question whether a smaller one will do.
//
// Thread rule: one shrinker belongs to one thread.
#pragma once

#include "sim/hunt/shrink.h"

namespace tenure::sim {

class Shrinker {
 public:
  Shrinker(const Scenario& failing, const Failure& failure, const ShrinkSetup& setup)
      : best_(failing), failure_(failure), last_failure_(failure), setup_(setup) {}

  const Scenario& best() const { return best_; }
  // What the best one says; may differ from the first failure in names and numbers.
  const Failure& failure() const { return last_failure_; }
  std::uint64_t tries() const { return tries_; }
  bool time_is_up() const { return time_is_up_; }

  // Keeps the candidate if it is a scenario and fails in the same way.
  bool accept(const Scenario& candidate);
  // The same, for the best one after `change` has been made to a copy of it.
  template <class Change>
  bool try_change(Change change) {
    Scenario candidate = best_;
    change(candidate);
    return accept(candidate);
  }

 private:
  Scenario best_;
  const Failure failure_;
  Failure last_failure_;
  const ShrinkSetup& setup_;
  std::uint64_t tries_ = 0;
  bool time_is_up_ = false;
};

// Each returns whether it made something smaller.
bool drop_faults(Shrinker& shrinker);
bool drop_schedules(Shrinker& shrinker);
bool drop_instances(Shrinker& shrinker);
bool shorten_run(Shrinker& shrinker);
bool quieten(Shrinker& shrinker);          // noise off
bool simplify_faults(Shrinker& shrinker);  // shorter, rounder, plainer
bool simplify_schedules(Shrinker& shrinker);

}  // namespace tenure::sim
