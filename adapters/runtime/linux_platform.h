// This machine as a loop's platform: its clocks, an eventfd, a timerfd, and a thread for each connection to a store.
//
// The loop sleeps on CLOCK_BOOTTIME, so that it wakes when a suspended machine does.
//
// Thread rule: as loop_platform.h.
#pragma once

#include <memory>
#include <optional>

#include "adapters/runtime/loop_platform.h"
#include "adapters/runtime/machine_clock.h"

namespace tenure {

class LinuxPlatform final : public LoopPlatform {
 public:
  explicit LinuxPlatform(ClockError clock_error);
  ~LinuxPlatform() override;
  LinuxPlatform(const LinuxPlatform&) = delete;

  const MachineClock& clock() const { return clock_; }
  journal::Stamp now() const override { return clock_.now(); }
  WallTime wall() const override { return clock_.wall(); }
  void wake() override;
  void wait(std::optional<MonoTime> alarm) override;
  std::unique_ptr<StoreChannel> open(const Connect& connect) override;

 private:
  const MachineClock clock_;
  int wake_ = -1;   // eventfd: something was posted
  int alarm_ = -1;  // timerfd
};

}  // namespace tenure
