// What exploration gives a driver for one move: draws, and a record of what the node notes and asks.
//
// Draws: a node's nonce is always the same, which is the worst case (only the epoch then distinguishes two grants);
// choose() gives the low end of its range, or the high one.
//
// Thread rule: lives for one move.
#pragma once

#include <string_view>

#include "core/driver/driver_host.h"
#include "lab/explore/node_state.h"

namespace tenure::lab::explore {

class ExploreEnv final : public DriverHost {
 public:
  ExploreEnv(const Rules& rules, NodeState& local, bool high, StepEffects& seen)
      : rules_(rules), local_(local), high_(high), seen_(seen) {}

  void stepping(const Input& input) override;
  void queued(const Effect& effect) override;
  void noted(const Note& note, bool believed) override;
  std::uint64_t choose(std::uint64_t n, std::string_view purpose) override;
  std::uint64_t nonce(std::string_view purpose) override;

 private:
  void acts();

  const Rules& rules_;
  NodeState& local_;
  bool high_;
  StepEffects& seen_;
};

}  // namespace tenure::lab::explore
