#include "sim/protocols/heartbeat_lock/heartbeat_lock.h"

#include <fmt/format.h>

#include <utility>

#include "core/model/describe.h"
#include "sim/stores/lease_table/requests.h"
#include "sim/stores/registry.h"

namespace tenure {
namespace {

constexpr TimerId kBeat{Part::elector, 0};

}  // namespace

HeartbeatLock::HeartbeatLock(const ElectorSetup& setup)
    : period_(setup.parameters.duration("heartbeat_period")),
      timeout_(setup.parameters.duration("heartbeat_timeout")),
      request_timeout_(setup.parameters.duration("request_timeout")),
      as_documented_(setup.parameters.flag("as_documented")),
      store_(setup.store),
      resource_(setup.resource) {}

void HeartbeatLock::step(const Input& input, Env& env) {
  if (stopped_) return;
  if (const auto* started = std::get_if<Started>(&input)) {
    if (self_.number != 0) return;
    self_ = started->self;
    tick_ = env.clock.mono();
    beat(env);
  } else if (const auto* fired = std::get_if<TimerFired>(&input)) {
    if (fired->timer == kBeat && env.clock.mono() >= next_at_) beat(env);
  } else if (const auto* answer = std::get_if<StoreReplied>(&input)) {
    if (attempt_ == answer->id) on_reply(*answer, env);
  } else if (std::holds_alternative<StopAsked>(input)) {
    // To release is to write "none" and leave the heartbeat: who comes next waits as if nothing had been written.
    stop_leading("asked to stop", env);
    stopped_ = true;
    env.clock.cancel_timer(kBeat);
    env.journal.note(Stopped{});
  }
}

void HeartbeatLock::beat(Env& env) {
  next_at_ = MonoTime::max();
  const WallTime now = env.clock.wall();
  Submission submission;
  submission.store = store_;
  submission.part = Part::elector;
  if (as_documented_) {
    // "heartbeat = now() WHERE holder = me OR heartbeat < now() - timeout" is this statement in other words.
    submission.request = lease_table::Request{lease_table::TryLock{resource_, self_, timeout_}};
  } else {
    // The same statement for both; a leader's cutoff is now, so it succeeds whoever has the row.
    submission.request =
        lease_table::Request{lease_table::Beat{resource_, self_, now, leads_ ? now : now - timeout_}};
  }
  submission.deadline = env.clock.mono() + request_timeout_;
  attempt_ = env.store.submit(std::move(submission));
}

void HeartbeatLock::on_reply(const StoreReplied& answer, Env& env) {
  attempt_.reset();
  const auto* reply =
      answer.outcome == RequestOutcome::applied ? message_as<lease_table::Reply>(answer.reply) : nullptr;
  if (reply != nullptr && std::holds_alternative<lease_table::Locked>(*reply)) {
    if (!leads_) env.journal.note(Believes{resource_, std::nullopt, Open{}});
    leads_ = true;
  } else {
    stop_leading(reply != nullptr ? "no row was updated" : "the statement failed", env);
  }
  // Whole periods from the first; those that fell into the statement are lost.
  tick_ += period_ * ((env.clock.mono() - tick_) / period_ + 1);
  next_at_ = tick_;
  env.clock.set_timer(kBeat, next_at_);
}

void HeartbeatLock::stop_leading(std::string_view why, Env& env) {
  if (!leads_) return;
  leads_ = false;
  env.journal.note(StepsDown{resource_, why});
}

Leadership HeartbeatLock::leadership(const Clock&) const {
  if (!leads_) return {};
  return Leadership{std::nullopt, MonoTime::max()};
}

void HeartbeatLock::hash(Hasher& hasher, const Canon& canon) const {
  hasher.add(self_).add(stopped_).add(leads_).add(canon.offset(tick_)).add(canon.offset(next_at_));
  hasher.add(attempt_.has_value()).add(canon.name(attempt_ ? attempt_->counter : 0));
}

// ---- what it declares ------------------------------------------------------------------------------------

namespace {

using Type = ParameterSpec::Type;

constexpr ParameterSpec kHeartbeatLockParameters[] = {
    {"heartbeat_period", Type::duration, Duration::seconds(10).ns(), nanos::kMillisecond, nanos::kYear,
     "from one beat to the next one's, for leaders and standbys"},
    {"heartbeat_timeout", Type::duration, Duration::seconds(60).ns(), nanos::kMillisecond, nanos::kYear,
     "how old a heartbeat must be for others to take the row"},
    {"request_timeout", Type::duration, Duration::seconds(30).ns(), nanos::kMillisecond, nanos::kYear,
     "how long a statement may hang before it counts as failed"},
    {"as_documented", Type::boolean, 0, 0, 1,
     "beat with the statement of the design's document, not with its code's"},
};

std::vector<Complaint> validate_heartbeat_lock(const Parameters& values) {
  std::vector<Complaint> complaints;
  const Duration period = values.duration("heartbeat_period");
  const Duration timeout = values.duration("heartbeat_timeout");
  const Duration request = values.duration("request_timeout");
  // The beat after a statement that took that long comes at the next whole period.
  const Duration apart = period * std::max((request.ns() + period.ns() - 1) / period.ns(), std::int64_t{1});
  if (period + request < timeout && apart + request > timeout)
    complaints.push_back(
        {"heartbeat_timeout", "timeout-within-a-beat",
         fmt::format(
             "after a statement that takes request_timeout ({}), the next one starts {} after it did, "
             "and may hang as long: that is more than heartbeat_timeout ({})",
             describe(request), describe(apart), describe(timeout))});
  if (period + request >= timeout)
    complaints.push_back(
        {"heartbeat_timeout", "timeout-within-a-beat",
         fmt::format("heartbeat_period ({}) + request_timeout ({}) is not less than heartbeat_timeout ({}): "
                     "a leader whose statement hangs still leads when the next one starts",
                     describe(period), describe(request), describe(timeout))});
  return complaints;
}

const std::vector<Claim>& heartbeat_lock_claims() {
  using enum Assumption;
  static const std::vector<Claim> kClaims = {
      {"one-believer", {wall_in_step, rates_equal, no_pause, prompt_store, no_lost_commits, no_mono_freeze}},
      {"acts-within-belief", {}},
      {"leader-elected", {wall_in_step, prompt_at_rest}},
  };
  return kClaims;
}

}  // namespace

constinit const ElectorKind kHeartbeatLock = {
    .name = "heartbeat-lock",
    .summary = "a row with a heartbeat, on the clocks of its users, without a token or a deadline",
    .store = &kLeaseTableStore,
    .has_tokens = false,
    .parameters = listed_parameters<kHeartbeatLockParameters>,
    .validate = validate_heartbeat_lock,
    .claims = heartbeat_lock_claims,
    .make = make_elector<HeartbeatLock>,
};

}  // namespace tenure
