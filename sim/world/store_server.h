// One store: a server that runs store machines, with a clock, limited capacity, and ways to fail.
//
// A request waits for one of `concurrent` places, is executed for a drawn time, and is applied at the end, at one
// instant of the store's clock. Beyond `queue` waiting requests, the store refuses. Faults turn knobs under their id;
// any number may overlap.
//
// A request that waits for a lock keeps its place, and is applied once the lock is free.
// In a store with sessions (sim/stores/session_store.h) a request can wait, and is applied when the store says
// so. One
// that waits for a lock keeps its place there too. One that waits for something to happen keeps none, and
// those behind
// it on its connection overtake it. When its client has given up on it, it goes on waiting, and is answered to
// nobody.
//
// A store that is several servers can be parted. What nobody can answer then is lost: its client learns so at its
// deadline.
//
// A replica has everything that the store has applied, until it is told to stand still. After a failover the
// replica is
// the store, on a new branch. Its clock is as good as the old one's.
//
//   I1. Every request that arrives is applied at most once.
//   I2. Requests of one connection are applied in the order in which they arrived, but for those that wait for
//       something to happen: they are asked in that order. After a hang, those of different connections are in
//       no order.
//   I3. The store's time is read when a request is applied: after the wait for a lock. A store with sessions is told
//       the time when a request begins, and does what it does with it.
//
// Thread rule: one store belongs to one run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/model/input.h"
#include "core/store/store_machine.h"
#include "sim/kernel/keyed_rng.h"
#include "sim/kernel/timeline.h"
#include "sim/models/links.h"
#include "sim/models/quantiles.h"
#include "sim/models/rate_clock.h"
#include "sim/stores/server_cluster.h"
#include "sim/stores/session_store.h"
#include "sim/world/history.h"
#include "sim/world/store_knobs.h"
#include "sim/world/store_outage.h"

namespace tenure::sim {

// A request on its way, with what its answer must echo.
struct InFlightRequest {
  Endpoint from = 0;
  Incarnation who;
  StoreId store;
  Part part = Part::elector;
  std::uint32_t connection =
      0;                  // the part's connections in order of opening: a driver that gave up on an answer
                          // opens a new one, and what is still on the old one is in no order with it
  std::uint8_t lane = 0;  // whose connection that is
  RequestId id;
  MonoTime sent_at;
  Request request;
};

class StoreWorld {
 public:
  virtual ~StoreWorld() = default;
  virtual void store_answered(const InFlightRequest& transit, StoreReplied&& reply) = 0;
  virtual void store_notified(StoreId store, const Notification& what) = 0;
  // It is reachable again, and every connection to it has broken since.
  virtual void store_returned(StoreId store, TrueTime since) = 0;
};

class StoreServer : public EventHandler {
 public:
  struct Setting {
    StoreId id;
    Quantiles latency;
    std::map<std::size_t, Quantiles> latency_of;  // StoreSetting's
    std::int64_t concurrent = 1;
    std::int64_t queue = 0;
    RateClock clock;  // reads nanoseconds since the Unix epoch

    const Quantiles& latency_for(const Request& request) const {
      const auto* asked = std::get_if<reference::Request>(&request);
      const auto its = asked != nullptr ? latency_of.find(asked->index()) : latency_of.end();
      return its != latency_of.end() ? its->second : latency;
    }
  };
  StoreServer(Timeline& timeline, History& history, StoreWorld& world, KeyedRng rng, Setting setting,
              std::vector<std::unique_ptr<StoreMachine>> machines);
  StoreServer(const StoreServer&) = delete;

  void arrive(InFlightRequest&& transit);
  // Applies at once, without the network: sets up the world before it starts.
  Reply apply_now(Incarnation who, const Request& request);

  StoreId id() const { return setting_.id; }
  StoreTime now() const { return StoreTime::from_ns(clock_.read(timeline_.now())); }
  void step_clock(Duration by);
  // What a store that delivers at least once has delivered, and others should not have.
  bool can_deliver_again() const { return has_sessions() && sessions()->can_deliver_again(now()); }
  void deliver_again();

  // Its servers are parted, until they rejoin. What a fault says after that, or while another one has parted them, is
  // for nothing. REQUIRES: part_servers: they can be, and are not.
  bool servers_parted() const { return parted_by_.has_value(); }
  void part_servers(std::uint64_t fault, const ServerSplit& split);
  void elect(std::uint64_t fault);
  void depose_old_leader(std::uint64_t fault);
  void rejoin_servers(std::uint64_t fault, bool carries_out);

  // A process is gone, and its connections are closed.
  void client_is_gone(Incarnation who);
  bool has_sessions() const { return sessions() != nullptr; }

  // The replica stands still from now on. REQUIRES: !replica_stalled(), and no machine has sessions.
  void stall_replica();
  bool replica_stalled() const { return !replica_.empty(); }
  // The primary is gone, with everything that waited or was under way there, and the replica is promoted. REQUIRES:
  // replica_stalled().
  void fail_over();

  void turn(std::uint64_t fault, const StoreKnobs& knobs);
  // A part of the service fails, until it is restored.
  void break_part(std::uint64_t fault, StoreOutage outage);
  void turn_back(std::uint64_t fault);
  // Whether a request came to what it had turned or broken. REQUIRES: it has not turned back yet.
  bool met(std::uint64_t fault) const;

  void on_event(const Event& event) override;

 private:
  // What a fault has made of it.
  template <class What>
  struct Turned {
    std::uint64_t fault = 0;
    What what;
    bool met = false;  // a request came to it
  };
  struct Execution {
    Execution(InFlightRequest&& of, EventHandle end, std::uint64_t number, TrueTime at)
        : transit(std::move(of)), done(end), serial(number), ends(at) {}

    InFlightRequest transit;
    EventHandle done;
    std::uint64_t serial = 0;
    TrueTime ends;
    Duration left = {};  // while the store hangs
  };
  StoreKnobs knobs() const;
  // Says what it is from now on, if that is not what it was.
  // Something came to what has() says that a fault has turned.
  template <class Has>
  void meet_turned(Has&& has);
  void say_if_turned(const StoreKnobs& before, bool was_broken);
  // Whether a broken part prevents the execution of this request; if so, the request is already handled.
  bool fails_in_part(const InFlightRequest& transit, KeyedRng rng);
  StoreMachine& machine_for(const Request& request);
  bool must_wait_for_lock(const Request& request);
  bool in_turn(const InFlightRequest& transit) const;
  bool has_place() const;
  void go_on(Execution&& execution);
  void admit(InFlightRequest&& transit);
  void begin(InFlightRequest&& transit);
  void finish(Execution&& execution);
  void fill_places();
  void refuse(const InFlightRequest& transit, Rejection why);
  void say_that_it_broke(const InFlightRequest& transit);
  void server_dies();
  void stand_still();
  void mix_queue(std::uint64_t fault);
  Reply apply(Incarnation who, RequestId id, const Request& request);
  KeyedRng next_noise();

  // ---- a machine with sessions: at most one ----
  SessionStore* sessions() const;
  bool waits_aside() const { return has_sessions() && sessions()->waits_aside(); }
  void begin_in_session(SessionStore& sessions, Execution&& execution);
  // After each call of it: answers what it has completed, and sets the alarm of its next time-out.
  void follow(SessionStore& sessions);
  void time_out();
  void answer(const InFlightRequest& transit, Reply&& reply);

  Timeline& timeline_;
  History& history_;
  StoreWorld& world_;
  KeyedRng rng_;
  Setting setting_;
  TrueTime down_since_;
  RateClock clock_;
  std::uint16_t handler_;
  std::uint32_t branch_ = 1;
  std::vector<std::unique_ptr<StoreMachine>> machines_;
  std::vector<std::unique_ptr<StoreMachine>>
      replica_;  // while it stands still; otherwise it equals machines_

  std::vector<Execution> executing_;
  std::deque<Execution> blocked_;   // wait for a lock, in the order of their arrival; they keep their places
  std::vector<Execution> waiting_;  // in a store with sessions; for locks, they keep their places
  EventHandle time_out_;            // its next one
  std::vector<Incarnation> gone_;   // clients whose end it has not noticed, since it hangs
  std::deque<InFlightRequest> queue_;
  std::vector<Turned<StoreKnobs>> turned_;
  std::vector<Turned<StoreOutage>> broken_;
  std::optional<std::uint64_t> parted_by_;  // the fault
  std::vector<Notification> notifications_;
  std::int64_t second_ = -1;
  std::uint64_t ordinal_ = 0;
  std::uint64_t serial_ = 0;
};

}  // namespace tenure::sim
