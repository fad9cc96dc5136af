// What a loop needs from the operating system: clocks, a way to sleep and to be woken, and connections to stores.
//
// Everything else in a loop follows from these and from what is posted to it. With a scripted platform, a loop runs in
// a test without a clock, a thread or a file descriptor (tests/driver).
//
// Thread rule: wake() may be called from any thread; clocks may be read from any; the rest is the loop's thread's.
#pragma once

#include <memory>
#include <optional>

#include "adapters/runtime/store_channel.h"
#include "adapters/runtime/store_worker.h"
#include "core/base/time.h"
#include "core/journal/stamp.h"

namespace tenure {

class LoopPlatform {
 public:
  virtual ~LoopPlatform() = default;
  virtual journal::Stamp now() const = 0;
  virtual WallTime wall() const = 0;
  // Ends the wait() under way, or else the next one.
  virtual void wake() = 0;
  // Waits until the clock has reached `alarm`, or wake() was called. It may also return early: the caller checks
  // everything.
  virtual void wait(std::optional<MonoTime> alarm) = 0;
  virtual std::unique_ptr<StoreChannel> open(const Connect& connect) = 0;
};

}  // namespace tenure
