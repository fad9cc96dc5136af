// What a line of a journal is to faults that wait for an event (`on = "leads"`), and who leads by all lines so far.
//
// Lines come as they are written: a process that stands still or is cut off says nothing, and is what it was.
//
// Thread rule: one thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "core/journal/line.h"
#include "sim/kernel/true_time.h"

namespace tenure::lab {

// The events of one life, as sim/faults/engine.cc counts them: "granted", "leads", "steps-down", "leadership-checked",
// "acts", "committed", "alarm".
class LifeEvents {
 public:
  std::vector<std::string_view> see(const journal::Line& line);

 private:
  bool believes_ = false;
  std::set<std::uint32_t> acquires_;  // requests that have no answer yet
};

// Who leads, by what all journals have told.
class ClusterView {
 public:
  // Returns the line's events.
  std::vector<std::string_view> see(sim::TrueTime now, const journal::Line& line);
  void ended(NodeId node);  // its process

  // Whose lease it is: the last one to whom it was granted, unless that one gave it back or is dead.
  std::optional<NodeId> holder() const;
  // Those that believe, the longest-believing first.
  std::vector<NodeId> believers(sim::TrueTime now) const;

 private:
  struct Belief {
    sim::TrueTime since;
    sim::TrueTime until;
  };
  std::map<Incarnation, LifeEvents> lives_;
  std::map<NodeId, Belief> beliefs_;
  std::optional<NodeId> holder_;
  std::uint64_t epoch_ = 0;
};

}  // namespace tenure::lab
