// Schedules for your own program: a function that begins the work of each fire, while this process leads.
//
//   Runtime runtime;
//   Schedules schedules(runtime, {.id = NodeId{1}, .connect = connect}, [](const WorkItem& fire, auto done) {
//     pool.run([=] { do_it(fire.event, *fire.token); done(WorkResult::done); });
//   });
//
//   1. Every process runs one. The leader fires what is due, in the order of slots. The function begins a fire's work
//      and returns. Call `done` once, from any thread, when the work has ended.
//   2. A slot is committed once, and its work is begun at least once: if a process dies before the store has heard that
//      the work was done, the next leader begins it again. `fire.event` is the same each time. A resource that
//      remembers it can refuse the second time: as WorkResult::running while the work may still fail, and as
//      WorkResult::duplicate once it is over.
//   3. Show `fire.token` with every write of the work. If a write is refused because of the token, the result is
//      WorkResult::fenced, and the new leader does the work.
//   4. After a stop is asked for, no new work begins. The lease is given back when all work has come back.
//   5. Nothing begins once the leadership in which it was decided is over, even if the runtime has stood still in
//      between. Work that runs is not stopped by that: its token is refused where it is shown.
//   6. After destruction, the function is not called again. The lease is given back when the work has come back.
//
// Any client can put schedules into the store, with PutSchedule requests (core/store/reference/requests.h). Parameters:
// core/lease/fenced_lease/README.md, core/scheduler/fenced_outbox/README.md.
//
// Thread rule: made and destroyed by one thread, before the runtime is. The function is called on the runtime's loop
// thread, and must not block.
#pragma once

#include <memory>

#include "adapters/runtime/election.h"

namespace tenure {

struct SchedulesOptions {
  NodeId id;                 // different from any other participant's
  ResourceId resource = {};  // whose schedules: each application of a store has its own
  Connect connect;           // called twice, so that fires do not hold up renewals
  Parameters election = ElectionOptions::default_election();
  Parameters scheduling = default_scheduling();  // of fenced-outbox
  std::vector<std::string> accept = {};          // as in ElectionOptions
  // Is told of each note, beliefs among them, on the runtime's loop thread; must not block. May be empty.
  std::function<void(const Note&)> observe = {};
  bool has_clients = false;  // as in HostedNode

  std::string problem() const;                // likewise
  std::vector<std::string> warnings() const;  // unsafe settings that run without being accepted
  static Parameters default_scheduling();
};

class FireGate;

class Schedules {
 public:
  Schedules(Runtime& runtime, SchedulesOptions options, WorkHandler fire);
  ~Schedules();
  Schedules(const Schedules&) = delete;

 private:
  Runtime& runtime_;
  std::shared_ptr<FireGate> gate_;
  Incarnation life_;  // its own: another life of the same id may have followed
};

}  // namespace tenure
