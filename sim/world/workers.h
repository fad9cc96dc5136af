// The workers: processes outside of the cluster that claim executions from the store, work on them for a time, and say
// what came of it (docs/executions.md).
//
// A worker has `concurrent` places. While one is free it claims; after a claim that gave less than was asked for, it
// waits for `poll`. Each `heartbeat` it extends what it works on. An end it says again until it has an answer. What the
// store calls cancelled it stops, and ends as failed; what is no longer its own it drops. A request without an answer
// by `timeout` is given up, with its connection, and may still be executed.
//
// A paused worker stands still: its work, its timers, and what comes in wait until it goes on. What it had sent goes
// its way. One that crashes forgets everything. Its next life has connections of its own.
//
// A worker that is stopped claims no more. It has `grace` for what it works on, and then gives the rest back,
// as it does at once with what a claim on its way still brings. It says so again until it has an answer, and
// leaves when nothing is left. One that has not left when it is to start again is killed. Of what it gives
// back, half goes on until there is an answer, by the seed: such work does not hear that it is to stop. If it
// is done before the answer is there, the worker says so, on another connection than that of the return: the
// one may overtake the other.
//
// Thread rule: one of these belongs to one run.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/store/reference/requests.h"
#include "sim/kernel/keyed_rng.h"
#include "sim/kernel/timeline.h"
#include "sim/scenario/worker_processes.h"
#include "sim/world/history.h"
#include "sim/world/sim_network.h"

namespace tenure::sim {

class Workers : public EventHandler {
 public:
  // `settings` outlive it.
  Workers(Timeline& timeline, History& history, SimNetwork& network, KeyedRng rng,
          const std::vector<WorkerSetting>& settings);
  Workers(const Workers&) = delete;

  // They start, within their first `poll`. Call once.
  void begin();
  void reply_arrived(Incarnation who, const StoreReplied& reply);

  // ---- knobs: `name` as WorkerProcess::is_meant_by() takes it ----
  void pause(std::uint64_t cause, std::string_view name);
  void resume(std::uint64_t cause);
  void crash(std::uint64_t cause, std::string_view name);
  void stop(std::uint64_t cause, std::string_view name, Duration grace);
  void restart(std::uint64_t cause);  // after a crash or a stop
  // Where they are in the network.
  std::vector<Endpoint> endpoints_of(std::string_view name) const;

  void on_event(const Event& event) override;

 private:
  enum Kind : std::uint8_t {
    kPoll,
    kHeartbeat,
    kWorkEnds,
    kAskAgain,
    kTimeout,
    kReply,
    kGraceOver,
    kGiveBackAgain,
  };
  // Each has a connection of its own.
  enum class Asks : std::uint8_t { claim, extend, end, release };

  struct Job {
    reference::ExecutionToken token;
    bool working = true;      // otherwise its end is to be said, or it is to be given back
    bool given_back = false;  // it is said so until there is an answer; it may go on meanwhile
    bool failed = false;
    std::string why;
    TrueTime ends;
    Duration left;  // while the worker is paused
    EventHandle end;
  };
  struct Question {
    Asks what = Asks::claim;
    std::uint32_t max = 0;                              // claim
    std::vector<reference::ExecutionToken> asked = {};  // extend, release
    std::uint64_t job = 0;                              // end
    StoreReplied reply = {};                            // once it has arrived
  };
  struct Process {
    WorkerProcess is;
    std::uint32_t index = 0;
    std::uint32_t life = 1;
    std::vector<std::uint64_t> paused_by;
    std::vector<std::uint64_t> down_by;
    std::vector<std::uint64_t> stopped_by = {};  // it is stopping
    std::vector<Event> held = {};                // while it is paused
    std::map<std::uint64_t, Job> jobs = {};
    std::map<std::uint32_t, Question> questions = {};  // without an answer, by the request's counter
    std::uint32_t asked = 0;
    // By what is asked; that of returns is opened by the first one.
    std::array<std::optional<std::uint32_t>, 4> connections = {0, 1, 2, std::nullopt};
    std::uint32_t opened = 3;
    bool polls = false;  // a claim is under way, or its time is set
    bool beats = false;  // the time of a heartbeat is set

    bool is_paused() const { return !paused_by.empty(); }
    bool is_down() const { return !down_by.empty(); }
    bool is_stopping() const { return !stopped_by.empty(); }
    bool claims() const;  // a claim of it is on its way
    Incarnation who() const { return {NodeId{kFirstWorkerNode.value + index}, life}; }
    std::int64_t working() const;
  };

  void set(Process& process, Duration after, Kind kind, std::uint64_t payload);
  void take(Process& process, const Event& event);
  void poll(Process& process);
  void poll_if_free(Process& process);
  void beat(Process& process);
  void ask(Process& process, Question question, reference::Request request);
  void say_end(Process& process, std::uint64_t serial);
  void hear(Process& process, const Question& question);
  void hear_states(Process& process, const Question& question, const reference::ExecutionStates& states);
  void hear_given_back(Process& process, const Question& question, bool answered);
  void begin_job(Process& process, const reference::ExecutionToken& token);
  void end_job(Process& process, std::uint64_t serial, bool failed, std::string why, Ending ending);
  void drop(Process& process, std::uint64_t serial);
  // Its work is over, and nobody is told.
  void stop_job(Process& process, Job& job, Ending ending);
  void stop_work(Process& process);
  void give_back(Process& process);
  void leave_if_done(Process& process);
  void go_down(Process& process);
  static std::optional<std::uint32_t>& connection_of(Process& process, Asks what);
  void time_out(Process& process, std::uint32_t counter);
  KeyedRng noise_of(const reference::ExecutionToken& token) const;

  Timeline& timeline_;
  History& history_;
  SimNetwork& network_;
  KeyedRng rng_;
  std::uint16_t handler_;
  std::vector<Process> processes_;
  std::uint64_t jobs_ = 0;
};

}  // namespace tenure::sim
