// What elections and schedulers of this room have in common: each can be copied, is made from its setup, and has a
// table of parameters.
//
// Thread rule: pure functions.
#pragma once

#include <memory>
#include <span>

#include "core/lease/elector_kind.h"
#include "core/scheduler/scheduler_kind.h"

namespace tenure {

template <class Self, class Base>
class Copyable : public Base {
 public:
  std::unique_ptr<Base> clone() const final {
    return std::make_unique<Self>(static_cast<const Self&>(*this));
  }
};
template <class Self>
using CopyableElector = Copyable<Self, Elector>;
template <class Self>
using CopyableScheduler = Copyable<Self, Scheduler>;

// Of a kind: `parameters`, and `make`.
template <const auto& kSpecs>
std::span<const ParameterSpec> listed_parameters() {
  return kSpecs;
}
template <class Made>
std::unique_ptr<Elector> make_elector(const ElectorSetup& setup) {
  return std::make_unique<Made>(setup);
}
template <class Made>
std::unique_ptr<Scheduler> make_scheduler(const SchedulerSetup& setup) {
  return std::make_unique<Made>(setup);
}

// The progress bound of a scheduler with ticks: what is due waits for the next one first.
inline Duration ticking_progress_bound(const Parameters& settings, Duration answer) {
  return settings.duration("tick_period") + usual_progress_bound(settings, answer);
}

}  // namespace tenure
