// Leadership for your own program: a function that runs while this process leads.
//
//   Runtime runtime;
//   Election election(runtime, {.id = NodeId{1}, .connect = connect}, [](const Term& term) {
//     while (!term.stop.stop_requested()) do_some_of_it(term.token);
//   });
//
//   1. When leadership begins, the function is called with the term's token; never while an earlier call has not
//      returned. If it returns by itself, it is done with this term, and is called again for the next one. If it was
//      asked to stop and a late renewal then saved its term, it is called again with the same token. It must not throw:
//      an exception that leaves a thread ends the program.
//   2. `stop` is requested `stop_margin` before belief would end, unless belief has been extended by then. It is
//      requested at once when leadership is lost or the election is told to stop. A thread of its own watches the
//      margin, so a runtime that stands still, in a journal or a sink that blocks, does not keep the function running.
//      Work that takes longer to stop runs without leadership: show the token with every write, so that the resource
//      can refuse it.
//   3. When the election is told to stop, it releases the lease only after the function has returned.
//   4. An election that is destroyed stops as in 3, and its function is not called again.
//
// Any number of elections can share a runtime; each leads over a resource of its own. Parameters and their meaning:
// core/lease/fenced_lease/README.md.
//
// Thread rule: made and destroyed by one thread, before the runtime is. The function runs on a thread of its own.
// Callbacks of its stop token run on the thread that requests the stop: the runtime's loop, the watch, or the one that
// destroys.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "adapters/runtime/runtime.h"
#include "core/lease/elector_kind.h"
#include "core/model/parameters.h"

namespace tenure {

std::vector<Complaint> complaints_of_election(const Parameters& parameters);
// REQUIRES: no parameter is ill-formed.
std::unique_ptr<Elector> make_election(NodeId self, ResourceId resource, Parameters parameters);

// For a node's journal: "election.lease_duration", and so on.
void note_settings(const std::string& part, const Parameters& parameters,
                   std::map<std::string, std::int64_t>& settings);

struct Term {
  ResourceId resource;
  Token token;
  std::stop_token stop;
};

struct ElectionOptions {
  NodeId id;                 // different from any other participant's
  ResourceId resource = {};  // what leadership is over: each application of a store has its own
  Connect connect;
  Parameters parameters = default_election();   // of fenced-lease
  Duration stop_margin = Duration::seconds(1);  // shorter than a belief lasts
  // Unsafe parameters are refused unless they are named here, as in a scenario's `accept`.
  std::vector<std::string> accept = {};

  // Why nobody can lead with these options, in words; empty: one can. An Election ends the program with these words, so
  // ask first if the numbers come from a user.
  std::string problem() const;
  static Parameters default_election();
};

class ElectionTerms;

class Election {
 public:
  Election(Runtime& runtime, ElectionOptions options, std::function<void(const Term& term)> lead);
  // Tells the function to stop, and waits for it to return; the runtime then gives the lease back.
  ~Election();
  Election(const Election&) = delete;

 private:
  Runtime& runtime_;
  std::shared_ptr<ElectionTerms> terms_;
  Incarnation life_;  // its own: another life of the same id may have followed
};

}  // namespace tenure
