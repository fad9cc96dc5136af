// The fenced outbox as the registry has it: its parameters, what is wrong with a set of them (README, "Settings that go
// together"), and its claims (README, "Claims", says what each rests on).
#include <fmt/format.h>

#include <algorithm>

#include "core/model/describe.h"
#include "core/scheduler/fenced_outbox/fenced_outbox.h"
#include "core/scheduler/scheduler_kind.h"

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

// A new leader reads what is due, reads the outbox and commits, one request after the other.
constexpr int kUntilFirstCommit = 3;

// A leader that waits for a store that works is not stuck, also if each answer takes as long as it may.
void see_stall(const FencedOutboxSettings& s, std::vector<Complaint>& complaints) {
  if (s.stall_timeout == Duration{}) {
    complaints.push_back({"stall_timeout", "never-steps-aside",
                          "stall_timeout (0s) lets a leader stay that can renew its lease and fire nothing"});
  } else if (s.stall_timeout <= s.request_timeout * kUntilFirstCommit + s.retry_period) {
    complaints.push_back(
        {"stall_timeout", "stall-within-requests",
         fmt::format(
             "stall_timeout ({}) is no longer than {} request_timeout ({}) + retry_period ({}): a new leader "
             "asks {} times until it has fired, and steps aside if the store takes that long each time",
             describe(s.stall_timeout), kUntilFirstCommit, describe(s.request_timeout),
             describe(s.retry_period), kUntilFirstCommit)});
  }
}

// An alarm needs a margin, and a jump that is to raise one has to stand out from what drift explains.
void see_alarm(const FencedOutboxSettings& s, std::vector<Complaint>& complaints) {
  const Duration drift = drift_between_clocks(s.poll_period, s.max_clock_drift_ppm);
  if (s.clock_tolerance == Duration{} && s.max_clock_drift_ppm == 0) {
    complaints.push_back(
        {"clock_tolerance", "no-clock-margin",
         fmt::format("clock_tolerance (0s) and max_clock_drift_ppm (0) leave no margin: any difference of "
                     "rates is an alarm, and each holds all fires for clock_hold ({})",
                     describe(s.clock_hold))});
  } else if (s.clock_tolerance > Duration{} && drift > s.clock_tolerance) {
    complaints.push_back(
        {"poll_period", "drift-hides-jumps",
         fmt::format(
             "2 max_clock_drift_ppm ({}) x poll_period ({}) = {} exceeds clock_tolerance ({}): a jump "
             "of the store's clock by less than that may raise no alarm",
             s.max_clock_drift_ppm, describe(s.poll_period), describe(drift), describe(s.clock_tolerance)),
         true});
  }
}

// A hold is for looking at the clock again, more than once.
void see_hold(const FencedOutboxSettings& s, std::vector<Complaint>& complaints) {
  if (s.clock_hold == Duration{}) {
    complaints.push_back(
        {"clock_hold", "no-clock-hold",
         "clock_hold (0s) fires on at once after a jump of the store's clock: slots of a false future"});
    return;
  }
  if (s.clock_hold < s.poll_period)
    complaints.push_back(
        {"clock_hold", "hold-within-a-poll",
         fmt::format(
             "clock_hold ({}) is shorter than poll_period ({}): after a jump of the store's clock, the "
             "next look at it ends the hold",
             describe(s.clock_hold), describe(s.poll_period)),
         true});
  if (s.clock_tolerance > s.clock_hold)
    complaints.push_back(
        {"clock_tolerance", "tolerance-beyond-hold",
         fmt::format("clock_tolerance ({}) exceeds clock_hold ({}): what raises no alarm moves fires further "
                     "than an alarm would hold them up",
                     describe(s.clock_tolerance), describe(s.clock_hold)),
         true});
}

// What an instance has not read yet must not be forgotten.
void see_retention(const FencedOutboxSettings& s, std::vector<Complaint>& complaints) {
  if (s.retention == Duration{} || s.retention > s.poll_period * 2 + s.request_timeout) return;
  complaints.push_back(
      {"retention", "retention-within-polls",
       fmt::format("retention ({}) is no longer than 2 poll_period ({}) + request_timeout ({}): what an "
                   "instance has not yet read of the change feed is forgotten, and it reads all of it again",
                   describe(s.retention), describe(s.poll_period), describe(s.request_timeout))});
}

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
      {"fenced-writes", {}},
      {"never-early", {}},
      {"no-duplicate-fire", {}},
      {"acts-within-belief", {}},
      {"versions-take-turns", {}},
      {"work-within-limit", {}},
      {"no-lost-fire", {rate_bound, prompt_at_rest}, Claim::Aftermath::passes},
      {"no-drift", {}},
      {"begun-in-order", {}},
      {"dead-or-delivered", {}},
      {"one-live-attempt", {no_lost_commits}},
      {"no-stale-completion", {}},
      {"topic-isolation", {}},
      {"retry-after-honored", {}},
      {"destination-isolation", {rate_bound, no_mono_freeze, prompt_at_rest}},
      {"delivered", {no_store_step, no_mono_freeze, rate_bound, prompt_at_rest}, Claim::Aftermath::passes},
      {"caught-up", {no_store_step, no_mono_freeze, rate_bound, prompt_at_rest}, Claim::Aftermath::passes},
  };
  return kClaims;
}

std::vector<Complaint> validate_fenced_outbox(const Parameters& values) {
  const FencedOutboxSettings settings(values);
  std::vector<Complaint> complaints;
  see_stall(settings, complaints);
  see_alarm(settings, complaints);
  see_hold(settings, complaints);
  see_retention(settings, complaints);
  return complaints;
}

constinit const SchedulerKind kFencedOutbox = {
    .name = "fenced-outbox",
    .summary = "fires committed under the lease, delivered from an outbox",
    .store = &kReferenceStore,
    .timing = {.stall_timeout = "stall_timeout"},
    .keeps_ledger = true,
    .paused_step = kPausedStep,
    .needs_tokens = true,
    .parameters = fenced_outbox_parameters,
    .validate = validate_fenced_outbox,
    .claims = fenced_outbox_claims,
    .make = [](const SchedulerSetup& setup) -> std::unique_ptr<Scheduler> {
      return std::make_unique<FencedOutbox>(setup.store, setup.resource,
                                            FencedOutboxSettings{setup.parameters});
    }};

}  // namespace tenure
