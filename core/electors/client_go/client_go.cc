#include "core/electors/client_go/client_go.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/int128.h"
#include "core/model/describe.h"

namespace tenure {
namespace {

constexpr TimerId kNext{Part::elector, 0};
constexpr TimerId kGiveUp{Part::elector, 1};

// A standby's wait is drawn from [R, (1 + 1.2) R].
constexpr std::int64_t kJitterTenths = 12;

Duration whole_seconds(Duration d) { return Duration::seconds(d.ns() / Duration::seconds(1).ns()); }

}  // namespace

ClientGo::Settings::Settings(const Parameters& parameters)
    : lease_duration(whole_seconds(parameters.duration("lease_duration"))),
      renew_deadline(parameters.duration("renew_deadline")),
      retry_period(parameters.duration("retry_period")),
      request_timeout(parameters.duration("request_timeout")),
      release_on_cancel(parameters.flag("release_on_cancel")) {}

ClientGo::ClientGo(const ElectorSetup& setup)
    : settings_(setup.parameters), store_(setup.store), resource_(setup.resource) {}

void ClientGo::step(const Input& input, Env& env) {
  // The poll's context has expired: whatever it was still waiting for fails.
  if (role_ == Role::leader && env.clock.mono() >= poll_until_) give_up(env);
  if (const auto* started = std::get_if<Started>(&input)) {
    if (role_ != Role::unborn) return;
    self_ = started->self;
    role_ = Role::standby;
    attempt(env);
  } else if (const auto* fired = std::get_if<TimerFired>(&input)) {
    on_timer(fired->timer, env);
  } else if (const auto* answer = std::get_if<StoreReplied>(&input)) {
    if (pending_ && pending_->id == answer->id) on_reply(*answer, env);
  } else if (std::holds_alternative<StopAsked>(input)) {
    on_stop(env);
  }
}

void ClientGo::on_timer(TimerId timer, Env& env) {
  if (timer != kNext || env.clock.mono() < next_at_ || pending_) return;  // kGiveUp: step() has judged it
  next_at_ = MonoTime::max();
  if (role_ == Role::leader && poll_until_ == MonoTime::max()) begin_poll(env);
  if (role_ == Role::leader || role_ == Role::standby) attempt(env);
}

void ClientGo::begin_poll(Env& env) {
  poll_from_ = env.clock.mono();
  poll_until_ = poll_from_ + settings_.renew_deadline;
  env.clock.set_timer(kGiveUp, poll_until_);
}

void ClientGo::attempt(Env& env) {
  attempt_at_ = env.clock.mono();
  submit(record::Get{resource_}, Pending{{}, Ask::get, {}}, env);
}

void ClientGo::on_reply(const StoreReplied& answer, Env& env) {
  const Pending asked = *pending_;
  pending_.reset();
  if (role_ == Role::stopping) return stop(env);

  const auto* reply =
      answer.outcome == Outcome::applied ? std::get_if<record::Reply>(&answer.reply) : nullptr;
  if (!reply) return fail(env);
  if (const auto* found = std::get_if<record::Found>(reply); found && asked.ask == Ask::get) {
    on_record(*found, env);
  } else if (std::holds_alternative<record::NotFound>(*reply) && asked.ask == Ask::get) {
    put(0, {self_, settings_.lease_duration, 0, 0}, Ask::put, env);
  } else if (const auto* stored = std::get_if<record::Stored>(reply); stored && asked.ask == Ask::put) {
    observe(stored->version, asked.written, env);
    succeed(env);
  } else {
    fail(env);
  }
}

void ClientGo::on_record(const record::Found& found, Env& env) {
  if (version_ == 0 || found.record != record_) observe(found.version, found.record, env);
  version_ = found.version;
  const bool mine = record_.holder == self_;
  const bool nobodys = record_.holder.number == 0;
  const bool valid =
      seen_at_ + record_.duration > attempt_at_;  // `now` as the attempt began, as in the original
  if (!mine && !nobodys && valid) return fail(env);
  put(found.version,
      {self_, settings_.lease_duration, record_.transitions + (mine ? 0u : 1u), record_.renewals + 1},
      Ask::put, env);
}

void ClientGo::put(std::uint64_t version, const record::LeaseRecord& record, Ask ask, Env& env) {
  submit(record::Put{resource_, version, record}, Pending{{}, ask, record}, env);
}

void ClientGo::submit(record::Request request, const Pending& pending, Env& env) {
  Submission submission;
  submission.store = store_;
  submission.part = Part::elector;
  submission.request = std::move(request);
  submission.deadline = std::min(env.clock.mono() + settings_.request_timeout, poll_until_);
  pending_ = pending;
  pending_->id = env.store.submit(std::move(submission));
}

void ClientGo::succeed(Env& env) {
  if (role_ == Role::standby) {
    role_ = Role::leader;
    env.journal.note(Believes{resource_, std::nullopt, Open{}});
  }
  poll_until_ = MonoTime::max();
  env.clock.cancel_timer(kGiveUp);
  set_next(env.clock.mono() + settings_.retry_period, env);
}

void ClientGo::fail(Env& env) {
  const MonoTime now = env.clock.mono();
  if (role_ == Role::leader) {
    // The poll ticks at whole periods from its beginning; ticks that fell into an attempt are lost.
    const std::int64_t ticks = (now - poll_from_) / settings_.retry_period;
    set_next(poll_from_ + settings_.retry_period * (ticks + 1), env);
  } else {
    const std::int64_t spread = mul_div_floor(settings_.retry_period.ns(), kJitterTenths, 10);
    const std::uint64_t extra = env.random.choose(static_cast<std::uint64_t>(spread) + 1, "poll jitter");
    set_next(now + settings_.retry_period + Duration::nanos(static_cast<std::int64_t>(extra)), env);
  }
}

// The renew loop has returned. Processes exit here and are started again; the new candidate begins at once.
void ClientGo::give_up(Env& env) {
  role_ = Role::standby;
  poll_until_ = MonoTime::max();
  next_at_ = MonoTime::max();
  env.clock.cancel_timer(kNext);
  pending_.reset();  // nobody waits for its answer any more
  env.journal.note(StepsDown{resource_, "renew deadline passed"});
  release(env);
  attempt(env);  // takes the place of the release, whose answer changes nothing
}

// With the version last seen. If a put is still under way that one is out of date, and the release comes to
// nothing (client-go#1289).
void ClientGo::release(Env& env) {
  if (!settings_.release_on_cancel || record_.holder != self_) return;
  put(version_, {Incarnation{}, Duration::seconds(1), record_.transitions, record_.renewals + 1},
      Ask::release, env);
}

void ClientGo::on_stop(Env& env) {
  if (role_ == Role::stopping || role_ == Role::stopped) return;
  const bool led = role_ == Role::leader;
  env.clock.cancel_timer(kNext);
  env.clock.cancel_timer(kGiveUp);
  next_at_ = MonoTime::max();
  poll_until_ = MonoTime::max();
  pending_.reset();
  role_ = Role::stopping;
  if (led) {
    env.journal.note(StepsDown{resource_, "asked to stop"});
    release(env);
  }
  if (!pending_) stop(env);
}

void ClientGo::stop(Env& env) {
  role_ = Role::stopped;
  env.journal.note(Stopped{});
}

void ClientGo::observe(std::uint64_t version, const record::LeaseRecord& record, Env& env) {
  version_ = version;
  record_ = record;
  seen_at_ = env.clock.mono();
}

void ClientGo::set_next(MonoTime at, Env& env) {
  next_at_ = at;
  env.clock.set_timer(kNext, at);
}

Leadership ClientGo::leadership(const Clock&) const {
  if (role_ != Role::leader) return {};
  return Leadership{std::nullopt, MonoTime::max()};
}

std::unique_ptr<Elector> ClientGo::clone() const { return std::make_unique<ClientGo>(*this); }

void ClientGo::hash(Hasher& hasher, const Canon& canon) const {
  const auto add_record = [&hasher](const record::LeaseRecord& record) {
    hasher.add(record.holder).add(record.duration).add(record.transitions).add(record.renewals);
  };
  hasher.add(role_).add(self_).add(version_);
  if (version_ != 0) hasher.add(canon.offset(seen_at_));
  add_record(record_);
  hasher.add(canon.offset(poll_until_)).add(canon.offset(next_at_));
  if (poll_until_ != MonoTime::max()) hasher.add(canon.offset(poll_from_));
  hasher.add(pending_.has_value());
  if (!pending_) return;
  hasher.add(pending_->id.incarnation).add(canon.name(pending_->id.counter)).add(pending_->ask);
  hasher.add(canon.offset(attempt_at_));
  add_record(pending_->written);
}

// ---- what it declares ------------------------------------------------------------------------------------

namespace {

constexpr std::int64_t kYear = Duration::hours(24 * 365).ns();
constexpr std::int64_t kMilli = Duration::millis(1).ns();
using Type = ParameterSpec::Type;

constexpr ParameterSpec kParameters[] = {
    {"lease_duration", Type::duration, Duration::seconds(15).ns(), kMilli, kYear,
     "how long the record must stand still before a candidate takes it; written to it in whole seconds"},
    {"renew_deadline", Type::duration, Duration::seconds(10).ns(), kMilli, kYear,
     "how long a leader polls without a success before it stops leading"},
    {"retry_period", Type::duration, Duration::seconds(2).ns(), kMilli, kYear, "the period of every poll"},
    {"request_timeout", Type::duration, Duration::seconds(5).ns(), kMilli, kYear,
     "how long a get or an update may hang; components of Kubernetes set half the renew deadline"},
    {"release_on_cancel", Type::boolean, 0, 0, 1, "empty the record when asked to stop"},
};

std::span<const ParameterSpec> parameters() { return kParameters; }

std::vector<Complaint> validate(const Parameters& values) {
  std::vector<Complaint> complaints;
  const Duration lease = values.duration("lease_duration");
  const Duration deadline = values.duration("renew_deadline");
  const Duration retry = values.duration("retry_period");
  const Duration jittered = Duration::nanos(mul_div_floor(retry.ns(), kJitterTenths, 10));
  if (lease <= deadline)
    complaints.push_back({"lease_duration", "",
                          fmt::format("lease_duration ({}) must be greater than renew_deadline ({})",
                                      describe(lease), describe(deadline))});
  if (deadline <= jittered)
    complaints.push_back({"renew_deadline", "",
                          fmt::format("renew_deadline ({}) must be greater than 1.2 x retry_period ({})",
                                      describe(deadline), describe(jittered))});
  if (!complaints.empty()) return complaints;
  if (whole_seconds(lease) != lease)
    complaints.push_back(
        {"lease_duration", "truncated-lease",
         fmt::format("lease_duration ({}) is written to the record as {}: others wait for less than was "
                     "configured",
                     describe(lease), describe(whole_seconds(lease)))});
  if (retry + deadline >= whole_seconds(lease))
    complaints.push_back({"renew_deadline", "belief-beyond-lease",
                          fmt::format("retry_period ({}) + renew_deadline ({}) is not less than the lease "
                                      "that others wait for ({}): a "
                                      "leader that was cut off still leads when the next one starts",
                                      describe(retry), describe(deadline), describe(whole_seconds(lease)))});
  return complaints;
}

std::vector<Claim> claims() {
  using enum Assumption;
  return {
      {"one-believer", {rates_equal, no_pause, prompt_store, no_lost_commits, no_mono_freeze}},
      {"acts-within-belief", {}},
      {"leader-elected", {prompt_at_rest}},
  };
}

std::unique_ptr<Elector> make(const ElectorSetup& setup) { return std::make_unique<ClientGo>(setup); }

}  // namespace

constinit const ElectorKind kClientGo = {
    .name = "client-go",
    .summary = "the leader election of Kubernetes' Go client, on a versioned record",
    .store = "record",
    .has_tokens = false,
    .parameters = parameters,
    .validate = validate,
    .claims = claims,
    .make = make,
};

}  // namespace tenure
