// Leadership for a program of one's own: a function that runs while this process leads.
//
//   Runtime runtime;
//   Election election(runtime, {.id = NodeId{1}, .connect = connect}, [](const Term& term) {
//     while (!term.stop.stop_requested()) do_some_of_it(term.token);
//   });
//
//   1. The function is called with a term's token when leadership begins, and never while an earlier call has not
//      returned.
//   2. `stop` is requested `stop_margin` before belief would end, unless it has been extended by then, and at once
//      when leadership is lost or the election is told to stop. Work that takes longer to stop than that runs without
//      leadership: show the token with whatever it writes, so that the resource can refuse it.
//   3. Told to stop, the lease is released after the function has returned, and not before.
//
// Any number of elections can share a runtime; each leads over a resource of its own. Parameters and their meaning:
// core/electors/fenced_lease/README.md.
//
// Thread rule: made and destroyed by one thread, before the runtime ends. The function runs on a thread of its own.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <thread>

#include "adapters/runtime/runtime.h"
#include "core/model/parameters.h"

namespace tenure {

struct Term {
  ResourceId resource;
  Token token;
  std::stop_token stop;
};

struct ElectionOptions {
  NodeId id;                 // unlike any other participant's
  ResourceId resource = {};  // what leadership is over
  Connect connect;
  Parameters parameters = default_election();  // of fenced-lease
  Duration stop_margin = Duration::seconds(1);

  static Parameters default_election();
};

class Election {
 public:
  Election(Runtime& runtime, ElectionOptions options, std::function<void(const Term& term)> lead);
  // Waits for the function to return; it has been told to stop. REQUIRES: the runtime was stopped, or is about to
  // end.
  ~Election();
  Election(const Election&) = delete;

 private:
  class Terms;
  std::shared_ptr<Terms> terms_;
};

}  // namespace tenure
