// What a simulated process gives its driver: alarms on the timeline, records in the history, keyed draws.
//
// Thread rule: lives for one call of the driver.
#pragma once

#include <string_view>

#include "core/driver/driver_host.h"
#include "sim/world/sim_process.h"

namespace tenure::sim {

class SimEnv final : public DriverHost {
 public:
  explicit SimEnv(SimProcess& process) : process_(process) {}

  void stepping(const Input& input) override;
  void queued(const Effect& effect) override;
  void noted(const Note& note, bool believed) override;
  void wall_clock_read() override { process_.wall_clock_read_ = true; }
  void alarm_set(const Alarm& alarm) override { process_.set_alarm(alarm); }
  void alarm_dropped(const Alarm& alarm) override { process_.drop_alarm(alarm); }
  std::uint64_t choose(std::uint64_t n, std::string_view purpose) override;
  std::uint64_t nonce(std::string_view purpose) override;
  Disk* disk() override { return &process_.disk_; }

 private:
  KeyedRng next_noise(std::string_view purpose);

  SimProcess& process_;
};

}  // namespace tenure::sim
