// Shared by the passes of a shrink: the smallest scenario so far, and the test of a smaller one.
//
// Thread rule: one shrinker belongs to one thread.
#pragma once

#include <cstddef>
#include <optional>

#include "sim/kernel/true_time.h"
#include "sim/scenario/scenario.h"

namespace tenure::lab {

class Shrinker {
 public:
  virtual ~Shrinker() = default;
  const sim::Scenario& best() const { return best_; }
  // When the best scenario failed; without a failure, its end.
  virtual sim::TrueTime failed_at() const = 0;
  virtual bool may_shorten_tail() const = 0;
  // When the fault of this place struck last in the best scenario; nullopt: it did not, or no run is known.
  virtual std::optional<sim::TrueTime> struck_at(std::size_t place) const = 0;

  // Keeps the candidate if it fails in the same way.
  virtual bool accept(const sim::Scenario& candidate) = 0;
  // The same, for a copy of the best scenario with `change` applied.
  template <class Change>
  bool try_change(Change change) {
    sim::Scenario candidate = best_;
    change(candidate);
    return accept(candidate);
  }

 protected:
  explicit Shrinker(const sim::Scenario& start) : best_(start) {}
  sim::Scenario best_;
};

// Each pass returns whether it made something smaller.
bool drop_faults(Shrinker& shrinker);
bool drop_schedules(Shrinker& shrinker);
bool drop_receivers(Shrinker& shrinker);  // destinations and workers
bool drop_instances(Shrinker& shrinker);
bool shorten_run(Shrinker& shrinker);
bool advance_faults(Shrinker& shrinker);   // less time before the first and between them; edits likewise
bool drop_noise(Shrinker& shrinker);       // noise off
bool simplify_faults(Shrinker& shrinker);  // shorter, rounder, simpler
bool simplify_schedules(Shrinker& shrinker);

}  // namespace tenure::lab
