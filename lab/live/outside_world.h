// The outside world of a live run: what leaders send their work to. It refuses tokens older than one it has seen, and
// events that it has begun before, if the scenario's [work] says so.
//
// Thread rule: one thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/model/env.h"
#include "core/model/input.h"
#include "sim/kernel/keyed_rng.h"
#include "sim/kernel/true_time.h"
#include "sim/scenario/scenario.h"

namespace tenure::lab {

struct OutsideWork {
  NodeId node;
  std::uint64_t number = 0;  // the node's own, by which it knows the answer
  reference::EventId event;
  std::optional<Token> token;
};
struct OutsideAnswer {
  NodeId node;
  std::uint64_t number = 0;
  WorkResult result = WorkResult::done;
};

class OutsideWorld {
 public:
  OutsideWorld(const sim::WorkSetting& setting, sim::KeyedRng rng) : setting_(setting), rng_(rng) {}

  // nullopt: it has begun, and the answer comes by finished().
  std::optional<OutsideAnswer> begin(sim::TrueTime now, const OutsideWork& work);
  std::vector<OutsideAnswer> finished(sim::TrueTime now);
  std::optional<sim::TrueTime> next() const;
  // What its process had under way is over. Where event ids count, it has been begun, and is not begun again.
  void ended(NodeId node);
  // How often an event was begun that had been begun before.
  std::uint64_t doubled() const { return doubled_; }

 private:
  struct Running {
    OutsideWork work;
    sim::TrueTime until;
    bool fails = false;
  };
  const sim::WorkSetting& setting_;
  const sim::KeyedRng rng_;
  std::uint64_t begun_ = 0;
  std::optional<Token> newest_;
  std::vector<Running> running_;
  std::set<reference::EventId> begun_events_;
  std::uint64_t doubled_ = 0;
};

}  // namespace tenure::lab
