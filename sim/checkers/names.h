// How checkers name times, nodes and schedules: as in the story and the scenario, or as in journals.
//
// Thread rule: pure functions; Names is immutable.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/model/describe.h"
#include "core/store/reference/requests.h"
#include "sim/kernel/true_time.h"
#include "sim/scenario/scenario.h"

namespace tenure::sim {

// Since the start of the run, to the millisecond: "15.214s", "1m15.214s", "2h01m15.214s".
std::string time_text(TrueTime time);

// To the millisecond; what is shorter stays as it is.
std::string length_text(Duration length);

// A name for people: "n1", "n1#2", "a client" for a client that edits schedules, or "worker 1".
std::string who_text(Incarnation who, NodeNames nodes = NodeNames::from_one);

class Names {
 public:
  // `scenario` is read here only.
  explicit Names(const Scenario& scenario, NodeNames nodes = NodeNames::from_one);

  std::string who(Incarnation who) const;                       // of a worker the name that it has
  std::string store(StoreId store) const;                       // "store"; of several, "store 2"
  std::string schedule(ScheduleId schedule) const;              // "billing"
  std::string slot(ScheduleId schedule, StoreTime slot) const;  // "billing 2026-01-01T00:01:00Z"
  std::string event(const reference::EventId& event) const;     // the same, or "billing run 3"

 private:
  std::map<ScheduleId, std::string> schedules_;
  std::vector<std::string> workers_;
  NodeNames nodes_;
  std::uint32_t stores_ = 1;
};

}  // namespace tenure::sim
