// What instances share: the store, and the resource for their work.
//
// It remembers the greatest grant so far, so that the next grant can be checked: one-holder-per-epoch and
// epochs-increase use the store's grants, as in sim/checkers.
//
//   1. A machine is applied to only on a copy: states share it.
//
// Thread rule: one SharedState belongs to one exploration.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/store/store_machine.h"
#include "lab/explore/node_state.h"

namespace tenure::lab::explore {

struct SharedState {
  std::shared_ptr<const StoreMachine> machine;
  sim::TrueTime now;
  Token newest;                 // the greatest token granted; epoch 0: none
  Incarnation newest_holder;    // to whom
  std::optional<Token> landed;  // the greatest token under which work was accepted
};

// What a visit of a packet to the outside led to.
struct Visit {
  std::vector<Notification> notifications;  // for every running instance
  bool worked = false;                      // work of the newest leadership was accepted
  Check broken = Check::none;               // the check that failed
};

SharedState make_outside(const Rules& rules);
// The request at `index` is executed; the answer begins its way back. REQUIRES: one is travelling.
Visit execute(const Rules& rules, SharedState& outside, NodeState& local, std::size_t index,
              const StepEffects& seen);
// The work at `index` reaches the resource, which refuses a token older than one that it has seen. no-stale-act: it
// accepts work of a leader after the work of a later one. REQUIRES: some is travelling.
Visit land(SharedState& outside, NodeState& local, std::size_t index, const StepEffects& seen);
// What other instances see of a belief that began, of accepted work, of a notification.
void see_began(NodeState& local);
void see_worked(NodeState& local);
void see(NodeState& local, const Notification& notification);

void hash(const Rules& rules, const SharedState& outside, Hasher& hasher);

}  // namespace tenure::lab::explore
