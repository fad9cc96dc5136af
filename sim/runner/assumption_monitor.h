// Watches a run for what breaks assumptions: clocks, processes, answers. What worst cases only allow, it has seen.
//
// What it takes for a breach:
//   rates_equal, wall_in_step   a node's clocks, or its wall clock, are off by kLeastMove from true time
//   rate_bound                  a node's clocks have gone kLeastMove further than the bound of a part lets them
//   no_mono_freeze              a node's machine is suspended; then its rate is not equal to the others' either
//   no_store_step               the steps of a store's clock come to kLeastMove; then no wall clock is in step
//   no_pause                    a process stands still for longer than an effect takes to leave it
//   no_crash                    a process dies, until it starts again
//   prompt_store                a request of an instance is refused, given up, or answered after its timeout
//   prompt_at_rest              likewise, or after a leader can wait for it, while no fault is at work
// A late answer is late from when it was asked for: whoever waits for it is held up from then on.
//
// The rest no record shows (Broken::unseen).
//
// Thread rule: one monitor belongs to one run.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/model/parameters.h"
#include "sim/runner/foreseen.h"
#include "sim/world/world.h"

namespace tenure::sim {

// The resolution of a store's times. A clock moved by less counts as not moved: no lease and no slot is that fine.
constexpr Duration kLeastMove = Duration::micros(1);

// A breach that was seen.
struct Seen {
  Assumption assumption = Assumption::rate_bound;
  TrueTime since;
  TrueTime until = TrueTime::max();
  std::optional<NodeId> node = {};  // nullopt: the store's
  std::optional<Part> part = {};    // nullopt: whatever the bounds
};

class AssumptionMonitor final : public Observer {
 public:
  explicit AssumptionMonitor(const World& world);

  std::uint32_t wants() const override {
    return record_mask<ClockChanged, StoreClockStepped, NodeStarted, NodeDied, NodePaused, NodeResumed,
                       Submitted, RequestAnswered, FaultBegan, FaultEnded>();
  }
  void see(TrueTime now, const Record& record) override;
  // The run is over.
  void finish(TrueTime now);

  const std::vector<Seen>& seen() const { return seen_; }

 private:
  struct OpenRequest {
    RequestId id;
    Part part = Part::elector;
    TrueTime since;
  };
  struct OfNode {
    TrueTime read;  // when its clocks were read last; and what they said
    MonoTime mono;
    bool suspended = false;
    Duration off;                         // rates of its monotonic clock, summed up
    std::array<Duration, 2> beyond = {};  // likewise, beyond the bound of each part
    std::optional<TrueTime> paused;
    std::optional<TrueTime> died;
    std::vector<OpenRequest> pending;
  };

  void note(const Seen& one);
  void read_clocks(NodeId node, TrueTime now);
  void answered(const RequestAnswered& answer, TrueTime now);
  void judge(const OpenRequest& request, bool refused, TrueTime now);
  // Closes what lasts until now.
  void resumed(NodeId node, TrueTime now);
  void started(NodeId node, TrueTime now);

  const World& world_;
  std::array<AnswerLimits, 2> limits_;                           // of each part
  std::array<std::optional<std::int64_t>, 2> drift_bounds_ppm_;  // likewise
  std::vector<OfNode> nodes_;
  Duration stepped_;                          // by all stores' clocks
  std::map<std::uint64_t, Duration> faults_;  // at work, and for how long each lingers
  TrueTime at_rest_from_;                     // when no fault is at work
  std::vector<Seen> seen_;
};

// What of `foreseen` came about: of each breach that a monitor can see, when and where it was seen. `slack`: so long
// after its end its cause may still show.
std::vector<Broken> confirmed(std::vector<Broken> foreseen, const std::vector<Seen>& seen, Duration slack);

}  // namespace tenure::sim
