// The fenced outbox's parameters, as the registry shows them and as the code reads them.
//
// Thread rule: values; tables are immutable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/time.h"
#include "core/model/parameters.h"

namespace tenure {

struct FencedOutboxSettings {
  explicit FencedOutboxSettings(const Parameters& parameters);

  Duration poll_period;
  Duration read_ahead;
  std::size_t batch;
  std::size_t max_running;
  Duration request_timeout;
  Duration retry_period;
  Duration ack_delay;
  std::int64_t max_clock_drift_ppm;
  Duration clock_tolerance;
  Duration clock_hold;
  Duration stall_timeout;
  Duration work_retry;
  std::uint32_t work_attempts;
  Duration retention;
  Duration prune_period;
  std::uint32_t prune_batch;
};

std::span<const ParameterSpec> fenced_outbox_parameters();
std::vector<Complaint> validate_fenced_outbox(const Parameters& parameters);
std::vector<Claim> fenced_outbox_claims();

}  // namespace tenure
