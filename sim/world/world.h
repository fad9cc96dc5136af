// The world of one run: processes, the store (or several), the network, the outside resource, workers, and the clients
// that edit schedules.
//
// A pure function of (scenario, seed): the same pair gives the same records in the same order and the same trace hash.
// Faults turn the knobs below; checkers read the history.
//
// Thread rule: one world belongs to one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/kernel/keyed_rng.h"
#include "sim/kernel/timeline.h"
#include "sim/scenario/scenario.h"
#include "sim/world/history.h"
#include "sim/world/record.h"
#include "sim/world/sim_network.h"
#include "sim/world/sim_process.h"
#include "sim/world/store_server.h"
#include "sim/world/work_executor.h"
#include "sim/world/workers.h"

namespace tenure::sim {

class World final : public View,
                    public ProcessWorld,
                    public StoreWorld,
                    public NetworkWorld,
                    public WorkWorld,
                    public EventHandler {
 public:
  // `scenario` must outlive the world.
  World(const Scenario& scenario, std::uint64_t seed);
  ~World() override;
  World(const World&) = delete;

  void add_observer(Observer& observer) { history_.add(observer); }
  // Sets up the store, and puts the starts of the instances on the timeline. Call once, after all observers are added.
  void begin();
  // Runs everything up to and including `until`.
  void run_to(TrueTime until);

  TrueTime now() const { return timeline_.now(); }
  std::uint64_t trace_hash() const { return timeline_.trace_hash(); }
  std::uint64_t events() const { return timeline_.events(); }
  const Scenario& scenario() const { return scenario_; }
  KeyedRng rng() const { return rng_; }
  History& history() { return history_; }

  // Calls `act` at `at`, as a separate event.
  void at(TrueTime at, std::function<void()> act);

  // ---- knobs ----
  std::uint32_t node_count() const { return static_cast<std::uint32_t>(processes_.size()); }
  SimProcess& process(NodeId node) { return *processes_[node.value]; }
  const SimProcess& process(NodeId node) const { return *processes_[node.value]; }
  std::uint32_t store_count() const { return static_cast<std::uint32_t>(stores_.size()); }
  StoreServer& store(StoreId id = {}) { return *stores_[id.value]; }
  const StoreServer& store(StoreId id = {}) const { return *stores_[id.value]; }
  // Whether any request to the lease waits while its row is locked with `held`.
  bool waits_for(RowLock held) const;
  SimNetwork& network() { return *network_; }
  // Whether something came by what this fault has turned: a link, a store, a destination. REQUIRES: it has not ended.
  bool met(std::uint64_t fault) const;
  // REQUIRES: the scenario has destinations.
  Destinations& destinations() { return *work_->destinations(); }
  // REQUIRES: the scenario has workers.
  Workers& workers() { return *workers_; }
  // From its next start on, the node runs with these parameters.
  void set_election(NodeId node, Parameters parameters) { election_[node.value] = std::move(parameters); }
  // From now on, the node's program cannot read these schedules' definitions. To make it forget what it has read
  // already, restart it.
  void misread(std::uint64_t cause, NodeId node, std::vector<ScheduleId> schedules);
  void read_again(std::uint64_t cause);
  bool reads(NodeId node, ScheduleId schedule) const;
  // A store fails over to its replica, which must already stand still. Requests on their way to the old primary are
  // lost.
  void fail_over(StoreId store);
  // A client's request to the store; `answered` is called once, with the reply, or with `unknown` after `timeout`.
  void client_request(Request request, Duration timeout, std::function<void(const StoreReplied&)> answered);

  // A client's edit in a design's own statements; without a definition it is a delete. nullopt: the design cannot tell,
  // which is noted as an error in it.
  std::optional<Request> design_edit(ScheduleId schedule, std::string_view name,
                                     const Definition* definition);
  // Notes it as an error in the design if such an edit has failed.
  void judge_edit(const Reply& reply);

  // ---- View ----
  TrueTime true_time_of(NodeId node, const Until& until) const override;
  StoreTime store_now(StoreId id) const override { return store(id).now(); }
  MonoTime mono_now(NodeId node) const override { return process(node).clock().mono(now()); }

 private:
  // HostWorld
  std::unique_ptr<Node> make_node(NodeId node) override;
  void effect_left(Incarnation who, Effect effect) override;
  void process_changed(NodeId node) override;
  void life_began(Incarnation who) override;
  // StoreWorld
  void store_answered(const InFlightRequest& transit, StoreReplied&& reply) override;
  void store_notified(StoreId store, const Notification& what) override;
  void store_returned(StoreId store, TrueTime since) override;
  // NetworkWorld
  void message_arrived(const MessageTransit& transit) override;
  void request_arrived(InFlightRequest&& transit) override;
  void reply_arrived(ReplyTransit&& transit) override;
  void close_arrived(const ClientGone& gone) override { store(gone.store).client_is_gone(gone.who); }
  void notification_arrived(const NotificationTransit& transit) override;
  // WorkWorld
  Duration resource_latency(NodeId node) override { return network_->to_resource(node); }
  StoreTime fire_clock() const override { return store().now(); }
  bool still_leads(Incarnation who, const std::optional<Token>& token) const override;
  bool alive(Incarnation who) const override {
    return process(who.node).alive() && process(who.node).who() == who;
  }
  bool paused(Incarnation who) const override { return process(who.node).paused(); }
  void work_done(Incarnation who, const WorkDone& done) override;
  void write_done(Incarnation who, const WriteDone& done) override;

  void on_event(const Event& event) override;
  TrueTime first_start(std::uint32_t node) const;
  void furnish_processes();
  void furnish_stores();
  RateClock store_clock(StoreId id) const;
  void furnish_schedules();
  std::uint32_t schedule_count() const;
  // After so long it is connected, and is told to look at everything.
  void begins_to_listen(Incarnation who, Duration after);
  void answer_client(const StoreReplied& reply);

  struct ClientCall {
    RequestId id;
    std::function<void(const StoreReplied&)> answered;
  };

  const Scenario& scenario_;
  KeyedRng rng_;
  Timeline timeline_;
  History history_;
  std::uint16_t handler_;
  std::vector<std::unique_ptr<SimProcess>> processes_;
  std::vector<Parameters> election_;
  std::vector<std::unique_ptr<StoreServer>> stores_;  // one, or as many as the protocol needs
  std::unique_ptr<SimNetwork> network_;
  std::unique_ptr<WorkExecutor> work_;
  std::unique_ptr<Workers> workers_;  // null: the scenario has none
  struct Misreading {
    std::uint64_t cause = 0;
    NodeId node;
    std::vector<ScheduleId> schedules;
  };
  std::vector<Misreading> misreadings_;
  std::vector<bool> was_paused_;
  std::vector<Incarnation> was_alive_;  // number 0: was not

  std::vector<std::function<void()>> acts_;
  std::vector<std::uint32_t> free_acts_;
  std::vector<ClientCall> calls_;
  std::uint32_t client_requests_ = 0;
};

}  // namespace tenure::sim
