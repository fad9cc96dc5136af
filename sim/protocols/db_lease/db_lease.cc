#include "sim/protocols/db_lease/db_lease.h"

#include <fmt/format.h>

#include <utility>

#include "core/model/describe.h"
#include "sim/stores/lease_table/requests.h"
#include "sim/stores/registry.h"

namespace tenure {
namespace {

constexpr TimerId kPoll{Part::elector, 0};

}  // namespace

DbLease::DbLease(const ElectorSetup& setup)
    : lock_duration_(setup.parameters.duration("lock_duration")),
      poll_period_(setup.parameters.duration("poll_period")),
      request_timeout_(setup.parameters.duration("request_timeout")),
      store_(setup.store),
      resource_(setup.resource) {}

void DbLease::step(const Input& input, Env& env) {
  if (stopped_) return;
  if (const auto* started = std::get_if<Started>(&input)) {
    if (self_.number != 0) return;
    self_ = started->self;
    attempt(env);
  } else if (const auto* fired = std::get_if<TimerFired>(&input)) {
    if (fired->timer == kPoll && env.clock.mono() >= next_at_) attempt(env);
  } else if (const auto* answer = std::get_if<StoreReplied>(&input)) {
    if (attempt_ == answer->id) on_reply(*answer, env);
  } else if (std::holds_alternative<StopAsked>(input)) {
    // Nothing is released: the row runs out by itself.
    stop_leading("asked to stop", env);
    stopped_ = true;
    env.clock.cancel_timer(kPoll);
    env.journal.note(Stopped{});
  }
}

void DbLease::attempt(Env& env) {
  next_at_ = MonoTime::max();
  Submission submission;
  submission.store = store_;
  submission.part = Part::elector;
  submission.request = lease_table::Request{lease_table::TryLock{resource_, self_, lock_duration_}};
  submission.deadline = env.clock.mono() + request_timeout_;
  attempt_ = env.store.submit(std::move(submission));
}

void DbLease::on_reply(const StoreReplied& answer, Env& env) {
  attempt_.reset();
  const auto* reply =
      answer.outcome == RequestOutcome::applied ? message_as<lease_table::Reply>(answer.reply) : nullptr;
  if (const auto* locked = reply ? std::get_if<lease_table::Locked>(reply) : nullptr) {
    flag_ = true;
    expires_at_ =
        WallTime::from_ns(locked->expires_at.ns());  // the published mistake: two clocks, one comparison
    env.journal.note(Believes{resource_, std::nullopt, expires_at_});
  } else {
    stop_leading(reply ? "no row came back" : "the attempt failed", env);
  }
  next_at_ = env.clock.mono() + poll_period_;
  env.clock.set_timer(kPoll, next_at_);
}

void DbLease::stop_leading(std::string_view why, Env& env) {
  if (!flag_) return;
  flag_ = false;
  env.journal.note(StepsDown{resource_, why});
}

Leadership DbLease::leadership(const Clock& clock) const {
  if (!flag_ || clock.wall() >= expires_at_) return {};
  return Leadership{std::nullopt, clock.mono() + (expires_at_ - clock.wall())};
}

void DbLease::hash(Hasher& hasher, const Canon& canon) const {
  hasher.add(self_).add(stopped_).add(flag_).add(flag_ ? canon.offset(expires_at_) : 0);
  hasher.add(attempt_.has_value())
      .add(canon.name(attempt_ ? attempt_->counter : 0))
      .add(canon.offset(next_at_));
}

// ---- what it declares ------------------------------------------------------------------------------------

namespace {

using Type = ParameterSpec::Type;

constexpr ParameterSpec kDbLeaseParameters[] = {
    {"lock_duration", Type::duration, Duration::seconds(5).ns(), nanos::kMillisecond, nanos::kYear,
     "for how long the row is taken"},
    {"poll_period", Type::duration, Duration::seconds(3).ns(), nanos::kMillisecond, nanos::kYear,
     "sleep between the end of one attempt and the next one"},
    {"request_timeout", Type::duration, Duration::seconds(10).ns(), nanos::kMillisecond, nanos::kYear,
     "how long an attempt may hang before it counts as failed"},
};

std::vector<Complaint> validate_db_lease(const Parameters& values) {
  std::vector<Complaint> complaints;
  const Duration lock = values.duration("lock_duration");
  const Duration poll = values.duration("poll_period");
  if (lock.ns() % Duration::micros(1).ns() != 0)
    complaints.push_back(
        {"lock_duration", "",
         fmt::format("lock_duration ({}) is not in whole microseconds, which is all that a store keeps",
                     describe(lock))});
  if (poll >= lock)
    complaints.push_back(
        {"poll_period", "poll-beyond-lock",
         fmt::format("poll_period ({}) is not shorter than lock_duration ({}): a healthy leader loses "
                     "the row between two polls",
                     describe(poll), describe(lock))});
  return complaints;
}

const std::vector<Claim>& db_lease_claims() {
  using enum Assumption;
  static const std::vector<Claim> kClaims = {
      {"one-believer", {wall_in_step, rates_equal, no_store_step, no_lost_commits}, Claim::Aftermath::passes},
      {"acts-within-belief", {}},
      {"leader-elected", {wall_in_step, no_store_step, prompt_at_rest}},
  };
  return kClaims;
}

}  // namespace

constinit const ElectorKind kDbLease = {
    .name = "db-lease",
    .summary = "a row taken on the database's clock and believed on the node's, without a token",
    .store = &kLeaseTableStore,
    .has_tokens = false,
    .parameters = listed_parameters<kDbLeaseParameters>,
    .validate = validate_db_lease,
    .claims = db_lease_claims,
    .timing = {.lock = "lock_duration", .poll_period = "poll_period"},
    .make = make_elector<DbLease>,
};

}  // namespace tenure
