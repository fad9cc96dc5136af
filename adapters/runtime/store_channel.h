// A connection to a store as the loop sees it: requests go in, and an answer comes out of each, in order, unless the
// channel is stopped. In production a thread is behind it (store_worker.h), in tests a script.
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
  // Nothing more is taken; what waits is still executed.
  virtual void finish() = 0;
  // Nothing more is taken, and what waits is dropped, unanswered.
  virtual void stop() = 0;
  // Where its store is, as far as it is known, for words.
  virtual std::string place() = 0;
  // After one of these: the last request has ended, and the connection is closed.
  virtual bool ended() = 0;
};

}  // namespace tenure
