// What a live run measured, by the simulator's own collector (sim/checkers/metrics): journals become the records of a
// run, and what they cannot tell is added.
//
//   1. Journals tell of beliefs, requests and work. Faults, pauses and the ends of processes are added at their times.
//   2. Zero is the beginning of the run. What comes after the end of the tail does not count.
//   3. A request is executed when its answer comes. A fire is late by the store's clock when its leader begins it.
//   4. Round trips are those of requests that no fault overlapped, but for the first one of a connection. Starts are
//      those without a pause of the node, to the first answer. Both are what a simulation is given.
//
// Thread rule: pure functions and values.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "core/journal/line.h"
#include "lab/audit/journal_reader.h"
#include "sim/checkers/metrics/measures.h"
#include "sim/runner/recording.h"
#include "sim/scenario/scenario.h"
#include "sim/world/record.h"

namespace tenure::lab {

// Journals name nodes from 1 (`{node}`), scenarios from 0.
inline NodeId as_in_journals(NodeId node) { return NodeId{node.value + 1}; }

// The end of a process, though its journal may not tell: when it was killed, or when it was seen to have ended.
struct ProcessEnd {
  NodeId node;
  sim::TrueTime at;
};

// A process that was started, and whether it is the node's first one of the run.
struct ProcessStart {
  NodeId node;
  sim::TrueTime at;
  bool first = false;
};

// Beside the journals.
struct OutsideFacts {
  std::vector<sim::FaultSpan> faults;
  std::vector<sim::PauseSpan> pauses;
  std::vector<ProcessEnd> ends;
  std::vector<ProcessStart> starts;
  journal::BootTime began;
};

// What failovers and fires are made of, by what nodes ask and the store executes.
struct RunParts {
  sim::Samples renewals;    // from one to the next, of one holder
  sim::Samples take_overs;  // from a lease's end to the next holder's grant
  sim::Samples commits;     // of fires, from asking to execution
  std::optional<sim::TrueTime> first_grant = {};
};
class PartsCollector final : public sim::Observer {
 public:
  std::uint32_t wants() const override { return sim::record_mask<sim::Submitted, sim::Applied>(); }
  void see(sim::TrueTime now, const sim::Record& record) override;

  const RunParts& parts() const { return parts_; }

 private:
  void take_grant(sim::TrueTime now, const sim::Applied& applied, const reference::Granted& granted);

  std::optional<Incarnation> holder_;
  sim::TrueTime granted_;
  sim::TrueTime ends_;
  std::map<RequestId, sim::TrueTime> commits_;  // asked for, and not known to be executed
  RunParts parts_;
};

// What both places, live and simulated, measure of one run.
struct RunMeasures {
  sim::Metrics metrics;
  RunParts parts;
};

// What the machine and its store take, where no fault disturbed them: a simulation is given it.
struct MachineTimes {
  std::map<std::size_t, std::vector<Duration>> round_trips;  // by the request's index in reference::Request
  std::vector<Duration> first_starts;                        // from a process's start to its first answer
  std::vector<Duration> restarts;                            // likewise, of those that are not the first

  void add(const MachineTimes& more);
};

struct LiveMeasures {
  RunMeasures run;
  MachineTimes times;
};
// nullopt: the journals have no common order. REQUIRES: an audit has read them.
std::optional<LiveMeasures> measure_live(std::vector<NodeJournal> journals, const sim::Scenario& scenario,
                                         const OutsideFacts& facts);

// Lines that a life has written while its process was paused, or after it was killed: the faults did not reach what
// wrote them. One text for each node; none: all is as it should be.
std::vector<std::string> written_while_stopped(const std::vector<NodeJournal>& journals,
                                               const OutsideFacts& facts);

}  // namespace tenure::lab
