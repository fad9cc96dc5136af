#include "core/scheduler/fenced_outbox/settings.h"

#include "core/scheduler/fenced_outbox/deliveries.h"

namespace tenure {
namespace {

using Type = ParameterSpec::Type;

constexpr ParameterSpec kFencedOutboxParameters[] = {
    {"poll_period", Type::duration, 5 * nanos::kSecond, nanos::kMillisecond, nanos::kHour,
     "how often every instance reads the change feed, and the leader the outbox"},
    {"read_ahead", Type::duration, 60 * nanos::kSecond, nanos::kMillisecond, 24 * nanos::kHour,
     "how far into the future the leader reads what will be due"},
    {"batch", Type::count, 500, 1, 100'000, "how many slots one commit covers at most"},
    {"max_running", Type::count, 10'000, 1, 1'000'000,
     "how much work the leader has running at once; further fires wait"},
    {"request_timeout", Type::duration, 3 * nanos::kSecond, nanos::kMillisecond, nanos::kHour,
     "how long to wait for an answer from the store"},
    {"retry_period", Type::duration, 200 * nanos::kMillisecond, nanos::kMillisecond, nanos::kHour,
     "the pause after a request that failed"},
    {"ack_delay", Type::duration, nanos::kSecond, 0, nanos::kHour,
     "how long deliveries are gathered before the outbox is told of them"},
    {"max_clock_drift_ppm", Type::ppm, 500, 0, 500'000,
     "by how much each clock's rate may be off without an alarm"},
    {"clock_tolerance", Type::duration, 500 * nanos::kMillisecond, 0, nanos::kHour,
     "how far the store's clock may jump without an alarm"},
    {"clock_hold", Type::duration, 60 * nanos::kSecond, 0, 24 * nanos::kHour,
     "how long the store's clock must be steady after an alarm before firing resumes"},
    {"stall_timeout", Type::duration, 15 * nanos::kSecond, 0, nanos::kHour,
     "how long a leader may fail to do what is due before it lets another try; 0: for ever"},
    {"work_retry", Type::duration, nanos::kSecond, nanos::kMillisecond, Deliveries::kLongest.ns(),
     "how long to wait before work that failed, or was refused for its token, is begun again; doubled each "
     "time"},
    {"work_attempts", Type::count, 5, 1, 1'000'000,
     "how often work may fail under one leader before its event is dead"},
    {"destination_running", Type::count, 100, 1, 100'000,
     "how many deliveries to one destination are under way at once"},
    {"destination_age", Type::duration, 24 * nanos::kHour, nanos::kMillisecond, 365 * 24 * nanos::kHour,
     "a delivery that fails this long after one leader first tried it is the last: its event is dead"},
    {"retention", Type::duration, 7 * 24 * nanos::kHour, 0, 10 * 365 * 24 * nanos::kHour,
     "how long the store keeps what has ended: ledger rows, old definitions and payloads, manual runs, dead "
     "events, executions, history, instances, and schedules without a slot left; 0: for ever"},
    {"prune_period", Type::duration, nanos::kHour, nanos::kMillisecond, 24 * nanos::kHour,
     "how often a leader has the store forget what is older than retention; first a minute after its "
     "leadership began, or a prune_period if that is shorter"},
    {"prune_batch", Type::count, 1'000, 1, 100'000,
     "how many rows one prune request forgets at most; after a full batch the next one follows at once"},
};

}  // namespace

FencedOutboxSettings::FencedOutboxSettings(const Parameters& parameters)
    : poll_period(parameters.duration("poll_period")),
      read_ahead(parameters.duration("read_ahead")),
      batch(static_cast<std::size_t>(parameters.number("batch"))),
      max_running(static_cast<std::size_t>(parameters.number("max_running"))),
      request_timeout(parameters.duration("request_timeout")),
      retry_period(parameters.duration("retry_period")),
      ack_delay(parameters.duration("ack_delay")),
      max_clock_drift_ppm(parameters.number("max_clock_drift_ppm")),
      clock_tolerance(parameters.duration("clock_tolerance")),
      clock_hold(parameters.duration("clock_hold")),
      stall_timeout(parameters.duration("stall_timeout")),
      work_retry(parameters.duration("work_retry")),
      work_attempts(static_cast<std::uint32_t>(parameters.number("work_attempts"))),
      destination_running(static_cast<std::size_t>(parameters.number("destination_running"))),
      destination_age(parameters.duration("destination_age")),
      retention(parameters.duration("retention")),
      prune_period(parameters.duration("prune_period")),
      prune_batch(static_cast<std::uint32_t>(parameters.number("prune_batch"))) {}

std::span<const ParameterSpec> fenced_outbox_parameters() { return kFencedOutboxParameters; }

const std::vector<Claim>& fenced_outbox_claims() {
  using enum Assumption;
  static const std::vector<Claim> kClaims = {
      // Judged by the store within the commit, whatever the instance believes.
      {"fenced-writes", {}},
      {"never-early", {}},
      // By the cursor in the same commit; in the outside world, by the event id.
      {"no-duplicate-fire", {}},
      // Each protected request is decided on in the step that looked at the leadership.
      {"acts-within-belief", {}},
      {"versions-take-turns", {}},
      // What runs is counted across leaderships.
      {"work-within-limit", {}},
      // Of the branch that survives, if commits are lost: a follower knows by its branch that the feed is another.
      // But a leader whose clock runs away from the store's takes slots for late, or for overlapped, too early.
      {"no-lost-fire", {rate_bound, prompt_at_rest}, Claim::Aftermath::passes},
      {"no-drift", {}},
      // Queues begin what they are shown in the order of its numbers, and each leadership counts its own attempts.
      {"begun-in-order", {}},
      {"dead-or-delivered", {}},
      // Judged by the store within the request; but a claim that a failover lost is handed out once more.
      {"one-live-attempt", {no_lost_commits}},
      {"no-stale-completion", {}},
      {"topics-apart", {}},
      // Counted by the clock that the wait is asked for by: that of the leader.
      {"waits-as-asked", {}},
      // By places of their own, and turns of their own at the store.
      {"destinations-apart", {rate_bound, no_mono_freeze, prompt_at_rest}},
      // A jump of either clock against the other stops firing for clock_hold.
      {"delivered", {no_store_step, no_mono_freeze, rate_bound, prompt_at_rest}, Claim::Aftermath::passes},
      {"caught-up", {no_store_step, no_mono_freeze, rate_bound, prompt_at_rest}, Claim::Aftermath::passes},
  };
  return kClaims;
}

}  // namespace tenure
