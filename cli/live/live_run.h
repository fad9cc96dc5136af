// One live run: the processes, their store and journals in one folder, from the first start to the last end.
//
// Thread rule: main thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/live/journal_tail.h"
#include "cli/live/live_store.h"
#include "cli/live/processes.h"
#include "cli/live/schedule_client.h"
#include "format/plans/plans.h"
#include "lab/live/conductor.h"
#include "lab/live/expectation.h"
#include "lab/live/measure.h"
#include "lab/live/outside_world.h"

namespace tenure::cli {

struct LiveRunOptions {
  const format::ScenarioFile* file = nullptr;
  std::uint64_t seed = 0;
  std::string folder;                // made; journals, logs and an SQLite store are kept there
  LiveStore* store = nullptr;        // made for this run
  std::vector<std::string> command;  // empty: instances of ours
  std::uint32_t clients = 1;         // that carry out the changes
  std::function<void(const std::string& line)> progress = {};
};

struct LiveRunResult {
  std::string problem;                // why there is nothing to judge; empty: there is
  std::vector<std::string> journals;  // files, in the order of their lives
  lab::LiveFacts facts;
  std::vector<sim::NarratedEvent> story;
  lab::OutsideFacts outside;  // `began` is zero of this and of the story
  Duration took;
  // By the machine's clock: nothing of this run was written outside of them.
  journal::BootTime from, to;
};

class LiveRun final : public lab::Stage {
 public:
  // `processes` outlives it.
  LiveRun(LiveRunOptions options, Processes& processes);
  ~LiveRun() override;

  LiveRunResult run();

  void start(NodeId node) override;
  bool runs(NodeId node) const override;
  void signal(NodeId node, lab::ProcessSignal what) override;
  void set_election(NodeId node, std::uint64_t fault) override;
  void step_clock(NodeId node, Duration wall, Duration mono) override;
  void set_links(NodeId node, const lab::WayRules& rules) override;
  void break_connections(NodeId node) override;
  void hold_lease_row(bool held, bool exclusive) override;
  void stall_replica() override;
  void fail_over() override;

 private:
  struct Instance {
    int process = 0;
    std::uint32_t lives = 0;
    process::Descriptor socket;
    std::vector<std::unique_ptr<JournalTail>> journals;
    ClockSteps* steps = nullptr;  // shared with it
    std::string scenario;         // the file that it runs
    sim::TrueTime since;
  };

  sim::TrueTime now() const;
  bool own_instances() const { return options_.command.empty(); }
  std::string path(const std::string& name) const { return options_.folder + "/" + name; }
  std::string prepare();  // why it cannot begin; empty: it can
  std::string write_scenario(const std::string& name, const sim::Scenario& scenario);
  std::vector<std::string> command_for(NodeId node, const std::string& journal) const;
  void loop(sim::TrueTime until);
  void wait(sim::TrueTime until);
  void hear(NodeId node, Instance& instance);
  void follow();
  void see_ends();
  void begin_changes();
  std::uint64_t edits_applied() const;
  void stop_all();
  void say_progress();

  LiveRunOptions options_;
  const sim::Scenario& scenario_;
  Processes& processes_;
  sim::KeyedRng rng_;
  std::vector<sim::FaultSetting> plan_;
  MachineClock clock_;
  journal::BootTime began_;
  std::map<NodeId, Instance> instances_;
  std::vector<std::unique_ptr<ScheduleClient>> clients_;  // the changes go round
  std::size_t changes_begun_ = 0;
  std::uint64_t changes_heard_ = 0;
  std::unique_ptr<lab::Conductor> conductor_;
  lab::OutsideWorld outside_;
  std::vector<std::string> silent_;  // lives that wrote no journal
  std::string problem_;              // found on the way, and the end of the run
  std::uint64_t stale_writes_ = 0;
  std::int64_t said_at_ = -1;
};

}  // namespace tenure::cli
