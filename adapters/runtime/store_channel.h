// A connection to a store as the loop sees it: requests go in, and an answer to each comes out, in order, unless the
// channel is stopped. In production a thread runs it (store_worker.h), in tests a script.
//
// Thread rule: submit(), finish() and stop() may be called from any thread; `done` may be called on any.
#pragma once

#include <functional>
#include <string>

#include "adapters/store/answer.h"
#include "core/base/time.h"

namespace tenure {

class StoreChannel {
 public:
  using Done = std::function<void(Answer answer)>;

  virtual ~StoreChannel() = default;
  virtual void submit(reference::Request request, MonoTime deadline, Done done) = 0;
  // Takes nothing more; requests that wait are still executed.
  virtual void finish() = 0;
  // Takes nothing more; requests that wait are dropped without an answer.
  virtual void stop() = 0;
  // Where its store is, as far as known, for messages.
  virtual std::string place() = 0;
  // True after finish() or stop(), once the last request has ended and the connection is closed.
  virtual bool ended() = 0;
};

}  // namespace tenure
