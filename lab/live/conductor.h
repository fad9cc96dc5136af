// Carries a scenario's faults out on a stage: at their times, or when journals tell of their events.
//
//   1. A literal plan (sim/faults/plan.h): the same seed strikes at the same times as in a simulation.
//   2. A process that a fault holds down is started again when no fault holds it down any more. One that ends without
//      being asked to is started again after a second, as a supervisor would, and told of.
//   3. An instance of ours that has reached an event waits for the conductor before it goes on (reached()), so that
//      a strike within kAtOnce of it hits that very moment. Of a command's processes an event is known when its line is
//      read, some milliseconds later.
//   4. The heal ends all faults at the scenario's `duration`. The tail follows.
//
// Thread rule: one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lab/live/life_events.h"
#include "lab/live/measure.h"
#include "lab/live/stage.h"
#include "sim/faults/fault_run.h"
#include "sim/faults/registry.h"
#include "sim/kernel/keyed_rng.h"
#include "sim/runner/recording.h"
#include "sim/scenario/scenario.h"

namespace tenure::lab {

class Conductor {
 public:
  static constexpr Duration kAtOnce = Duration::millis(2);
  static constexpr Duration kRestartAfter = Duration::seconds(1);

  // `plan`: literal. Everything must outlive the conductor.
  Conductor(const sim::Scenario& scenario, const std::vector<sim::FaultSetting>& plan, Stage& stage,
            sim::KeyedRng rng, bool own_instances);

  // Puts the starts of the instances and the faults on the timeline.
  void begin();
  // Does what is due.
  void advance(sim::TrueTime now);
  std::optional<sim::TrueTime> next() const;

  // A line of the journal of `node`.
  void saw(sim::TrueTime now, NodeId node, const journal::Line& line);
  // An instance of ours is at this event, and waits; or the outside world or a client tells of it.
  void reached(sim::TrueTime now, std::string_view event);
  // The process of `node` has ended; `how`: "exit status 1".
  void ended(sim::TrueTime now, NodeId node, std::string_view how);
  // Something that no journal tells: for the story.
  void tell(sim::TrueTime now, std::optional<NodeId> node, std::string text, sim::StoryKind kind);

  // Ends all faults and starts what is down. Nothing strikes from now on, and nothing that ends is started again.
  void heal(sim::TrueTime now);
  // From now on processes are to end.
  void over() { over_ = true; }
  bool healed() const { return healed_; }
  // A node that leads now, if any.
  std::optional<NodeId> leader(sim::TrueTime now) const;

  // In the order in which they struck; those whose time never came are last.
  std::vector<sim::FaultRun> faults() const;
  const std::vector<sim::NarratedEvent>& story() const { return story_; }
  const std::vector<sim::FaultSpan>& spans() const { return spans_; }
  const std::vector<sim::PauseSpan>& pauses() const { return pauses_; }
  // Of all processes. One that was killed ends when it was.
  const std::vector<ProcessEnd>& ends() const { return ends_; }
  const std::vector<ProcessStart>& starts() const { return starts_; }
  // Processes that ended though nobody asked them to: "n2: exit status 1".
  const std::vector<std::string>& unasked_ends() const { return unasked_; }
  // The events that some fault waits for.
  std::set<std::string> awaited() const;

 private:
  struct NodeHold {
    std::set<std::uint64_t> down;    // faults that hold it down
    std::set<std::uint64_t> frozen;  // likewise
    bool asked = false;              // to end
    std::uint64_t life = 0;          // which of its processes
    bool starting = false;
    std::optional<sim::TrueTime> killed = {};
    std::function<void()> when_ended = {};
  };
  struct Watch {
    const sim::FaultSetting* fault = nullptr;
    std::int64_t seen = 0;
  };

  void at(sim::TrueTime when, std::function<void()> what) { timeline_.emplace(when, std::move(what)); }
  void strike(const sim::FaultSetting& fault, std::uint64_t setting);
  // What is known of a fault when it strikes or is skipped.
  sim::FaultRun& note(const sim::FaultSetting& fault, std::uint64_t setting);
  void skip(const sim::FaultSetting& fault, std::uint64_t setting, std::string why);
  // Why it would change nothing there; empty: it would.
  std::string in_vain(const sim::FaultInjection& strike, NodeId node) const;
  std::vector<NodeId> resolve(const sim::FaultSetting& fault, const sim::FaultKind& kind) const;
  void begin_fault(const sim::FaultInjection& strike);
  void begin_store_fault(const sim::FaultInjection& strike);
  void end_fault(std::uint64_t id);

  void start(NodeId node);
  void take_down(std::uint64_t id, NodeId node);
  void ask_to_stop(std::uint64_t id, NodeId node, Duration grace);
  void let_up(std::uint64_t id, NodeId node);
  void freeze(std::uint64_t id, NodeId node);
  void thaw(std::uint64_t id, NodeId node);
  void crash_again(sim::FaultInjection strike, NodeId node);
  void deploy_from(sim::FaultInjection strike, std::size_t next);
  void stutter(sim::FaultInjection strike, NodeId node, std::uint64_t round);
  // What all faults together make of the ways to the store.
  void set_links();

  const sim::Scenario& scenario_;
  const std::vector<sim::FaultSetting>& plan_;
  Stage& stage_;
  const sim::KeyedRng rng_;
  const bool own_instances_;
  sim::TrueTime now_;
  std::multimap<sim::TrueTime, std::function<void()>> timeline_;
  std::map<NodeId, NodeHold> nodes_;
  ClusterView view_;
  std::vector<Watch> watches_;
  std::map<std::uint64_t, sim::FaultSetting> drawn_;  // strikes of faults that come at every event
  std::vector<sim::FaultInjection> active_;
  std::vector<sim::FaultRun> runs_;
  std::set<std::uint64_t> seen_;
  std::vector<sim::FaultSpan> spans_;
  std::vector<sim::PauseSpan> pauses_;
  std::vector<ProcessEnd> ends_;
  std::vector<ProcessStart> starts_;
  std::vector<sim::NarratedEvent> story_;
  std::vector<std::string> unasked_;
  bool healed_ = false;
  bool over_ = false;
};

}  // namespace tenure::lab
