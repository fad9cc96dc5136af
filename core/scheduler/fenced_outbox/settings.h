// The fenced outbox's parameters, as the registry shows them and as the code reads them.
//
// Thread rule: values; tables are immutable.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/time.h"
#include "core/model/parameters.h"

namespace tenure {

// What one request reads or acknowledges at most: segments, changes, events.
inline constexpr std::uint32_t kPage = 1000;

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
  std::size_t destination_running;
  Duration destination_age;
  Duration retention;
  Duration prune_period;
  std::uint32_t prune_batch;

  // How far into the future the leader reads, whatever read_ahead says. When a quarter of it is left, it reads on:
  // after the request under way and those of three other turns, each of which may take request_timeout.
  Duration look_ahead() const {
    constexpr std::int64_t kAnswers = 5;
    return std::max(read_ahead, request_timeout * kAnswers * 4);
  }
};

std::span<const ParameterSpec> fenced_outbox_parameters();
std::vector<Complaint> validate_fenced_outbox(const Parameters& parameters);
const std::vector<Claim>& fenced_outbox_claims();

}  // namespace tenure
