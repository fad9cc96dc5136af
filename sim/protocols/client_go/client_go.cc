#include "sim/protocols/client_go/client_go.h"

#include <algorithm>
#include <utility>

#include "core/base/int128.h"
#include "sim/protocols/client_go/client_go_kind.h"
#include "sim/stores/record/requests.h"

namespace tenure {
namespace {

constexpr TimerId kAttempt{Part::elector, 0};
constexpr TimerId kGiveUp{Part::elector, 1};
constexpr Duration kSecond = Duration::seconds(1);

}  // namespace

ClientGo::Habits::Habits(std::string_view release)
    : renews_by_update(release != client_go::kOldest),
      keeps_a_tick(release >= "0.33"),
      bounds_the_release(release != client_go::kOldest),
      looks_to_release(release >= "0.36"),
      retries_a_release(release >= "0.37") {}

ClientGo::Settings::Settings(const Parameters& parameters)
    : lease_duration(client_go::whole_seconds(parameters.duration("lease_duration"))),
      renew_deadline(parameters.duration("renew_deadline")),
      retry_period(parameters.duration("retry_period")),
      request_timeout(parameters.duration("request_timeout")),
      release_on_cancel(parameters.flag("release_on_cancel")),
      habits(parameters.choice("release")) {}

ClientGo::ClientGo(const ElectorSetup& setup)
    : settings_(setup.parameters), store_(setup.store), resource_(setup.resource) {}

void ClientGo::step(const Input& input, Env& env) {
  // The poll's context has expired: whatever it was still waiting for fails.
  if (role_ == Role::leader && poll_ && env.clock.mono() >= poll_->until) give_up(env);
  if (const auto* started = std::get_if<Started>(&input)) {
    if (role_ != Role::unborn) return;
    self_ = started->self;
    const std::uint64_t come = env.random.choose(static_cast<std::uint64_t>(kSecond.ns()), "second phase");
    const std::int64_t began = env.clock.wall().ns() - static_cast<std::int64_t>(come);
    second_phase_ = Duration::nanos(began - detail::floor_to(began, kSecond.ns()));
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
  if (timer != kAttempt || env.clock.mono() < next_at_ || pending_) return;  // kGiveUp: step() has judged it
  next_at_ = MonoTime::max();
  if (role_ == Role::leader && !poll_) begin_poll(env);
  if (role_ == Role::leader || role_ == Role::standby) attempt(env);
}

// ---- attempts --------------------------------------------------------------------------------------------

void ClientGo::attempt(Env& env) {
  attempt_at_ = env.clock.mono();
  attempt_second_ = whole_second(env.clock);
  if (!settings_.habits.renews_by_update || !mine() || !valid())
    return submit(record::Get{resource_}, Ask::get, {}, env);
  record::LeaseRecord record = fresh_record();
  record.transitions = record_.transitions;
  record.acquired = record_.acquired;
  put(version_, record, Ask::renew, env);
}

// Scenarios begin on a second and their faults come at whole seconds, real ones do not. So each process draws how far
// its second has come when it starts: nothing depends on what its wall clock shows.
WallTime ClientGo::whole_second(const Clock& clock) const {
  return WallTime::from_ns(detail::floor_to((clock.wall() - second_phase_).ns(), kSecond.ns())) +
         second_phase_;
}

// Held by this node, as of the beginning of the attempt.
record::LeaseRecord ClientGo::fresh_record() const {
  return {self_, settings_.lease_duration, 0, attempt_second_, attempt_second_};
}

void ClientGo::on_reply(const StoreReplied& answer, Env& env) {
  const PendingAttempt asked = *pending_;
  pending_.reset();
  // After a pause Go runs the timers that are overdue before it looks at the network: what waits there is too late.
  const bool in_time = env.clock.mono() < asked.deadline;
  const auto* reply = in_time && answer.outcome == RequestOutcome::applied
                          ? message_as<record::Reply>(answer.reply)
                          : nullptr;
  if (role_ == Role::releasing || role_ == Role::stopping) return on_release_reply(asked.ask, reply, env);

  const auto* stored = reply != nullptr ? std::get_if<record::Stored>(reply) : nullptr;
  if (stored != nullptr) return succeed(asked.written, stored->version, env);
  if (asked.ask == Ask::renew) return submit(record::Get{resource_}, Ask::get, {}, env);
  if (reply == nullptr || asked.ask != Ask::get) return fail(env);
  if (const auto* found = std::get_if<record::Found>(reply)) return on_found(*found, env);
  put(0, fresh_record(), Ask::put, env);
}

void ClientGo::on_found(const record::Found& found, Env& env) {
  version_ = found.version;
  if (got_ != found.record) {
    got_ = found.record;
    observe(found.record, env);
  }
  const bool nobodys = found.record.holder.number == 0;
  if (!mine() && !nobodys && valid()) return fail(env);
  record::LeaseRecord record = fresh_record();
  record.transitions = found.record.transitions + (mine() ? 0u : 1u);
  if (mine()) record.acquired = found.record.acquired;
  put(found.version, record, Ask::put, env);
}

void ClientGo::put(std::uint64_t version, const record::LeaseRecord& record, Ask ask, Env& env) {
  submit(record::Put{resource_, version, record}, ask, record, env);
}

void ClientGo::submit(record::Request request, Ask ask, const record::LeaseRecord& written, Env& env) {
  Submission submission;
  submission.store = store_;
  submission.part = Part::elector;
  submission.request = std::move(request);
  submission.deadline = std::min(env.clock.mono() + settings_.request_timeout, release_until_);
  if (poll_) submission.deadline = std::min(submission.deadline, poll_->until);
  const MonoTime deadline = submission.deadline;
  pending_ = PendingAttempt{env.store.submit(std::move(submission)), ask, deadline, written};
}

void ClientGo::succeed(const record::LeaseRecord& written, std::uint64_t version, Env& env) {
  version_ = version;
  observe(written, env);
  const bool began = role_ == Role::standby;
  poll_.reset();
  env.clock.cancel_timer(kGiveUp);
  if (!began) return set_next(env.clock.mono() + settings_.retry_period, env);
  role_ = Role::leader;
  env.journal.note(Believes{resource_, std::nullopt, Open{}});
  begin_poll(env);  // the first renewal does not wait
  attempt(env);
}

void ClientGo::fail(Env& env) {
  const MonoTime now = env.clock.mono();
  if (role_ == Role::leader) return set_next(next_tick(now), env);
  const std::int64_t spread = mul_div_floor(settings_.retry_period.ns(), client_go::kJitterTenths, 10);
  const std::uint64_t extra = env.random.choose(static_cast<std::uint64_t>(spread) + 1, "poll jitter");
  set_next(now + settings_.retry_period + Duration::nanos(static_cast<std::int64_t>(extra)), env);
}

// ---- polls of a leader -----------------------------------------------------------------------------------

void ClientGo::begin_poll(Env& env) {
  const MonoTime now = env.clock.mono();
  poll_ = Poll{now, now + settings_.renew_deadline, std::nullopt};
  if (settings_.habits.keeps_a_tick) poll_->ticks_from = now;
  env.clock.set_timer(kGiveUp, poll_->until);
}

// When the next attempt of this poll begins, after one that ended now. Ticks come every R. Those that fell into the
// attempt are lost, or all but one of them are.
MonoTime ClientGo::next_tick(MonoTime now) {
  if (!poll_->ticks_from) poll_->ticks_from = now;
  const std::int64_t ticked = (now - *poll_->ticks_from) / settings_.retry_period;
  if (settings_.habits.keeps_a_tick && ticked > poll_->ticks) {
    poll_->ticks = ticked;
    return now;
  }
  poll_->ticks = ticked + 1;
  return *poll_->ticks_from + settings_.retry_period * poll_->ticks;
}

// The renew loop has returned: it releases if it is to, and stops leading after that.
void ClientGo::give_up(Env& env) {
  poll_.reset();
  pending_.reset();  // nobody waits for its answer any more
  next_at_ = MonoTime::max();
  env.clock.cancel_timer(kAttempt);
  role_ = Role::releasing;
  release(env);
}

// ---- release ---------------------------------------------------------------------------------------------

void ClientGo::release(Env& env) {
  if (!settings_.release_on_cancel) return released(env);
  if (settings_.habits.bounds_the_release) release_until_ = env.clock.mono() + settings_.renew_deadline;
  if (settings_.habits.looks_to_release) return submit(record::Get{resource_}, Ask::look, {}, env);
  if (!mine()) return released(env);
  empty_record(record_.transitions, env);
}

// The record that was read is not looked at but for its version: whose it was is judged by what was observed before.
void ClientGo::on_release_reply(Ask asked, const record::Reply* reply, Env& env) {
  const auto* found = reply != nullptr ? std::get_if<record::Found>(reply) : nullptr;
  if (const auto* stored = reply != nullptr ? std::get_if<record::Stored>(reply) : nullptr) {
    version_ = stored->version;
    observe({Incarnation{}, kSecond, record_.transitions, attempt_second_, attempt_second_}, env);
  }
  if (reply != nullptr && std::holds_alternative<record::Conflict>(*reply) &&
      settings_.habits.retries_a_release)
    return submit(record::Get{resource_}, Ask::look, {}, env);
  if (found != nullptr) version_ = found->version;
  if (asked != Ask::look || found == nullptr || !mine()) return released(env);
  empty_record(found->record.transitions, env);
}

void ClientGo::empty_record(std::uint64_t transitions, Env& env) {
  attempt_second_ = whole_second(env.clock);
  put(version_, {Incarnation{}, kSecond, transitions, attempt_second_, attempt_second_}, Ask::release, env);
}

// The elector of a leader that gave up is run again at once, as a candidate. It remembers what it observed: since
// v0.30, while its own last renewal is valid, it tries an update first.
void ClientGo::released(Env& env) {
  release_until_ = MonoTime::max();
  if (role_ == Role::stopping) return stop(env);
  role_ = Role::standby;
  env.journal.note(StepsDown{resource_, "renew deadline passed"});
  attempt(env);
}

void ClientGo::on_stop(Env& env) {
  if (role_ == Role::stopping || role_ == Role::stopped) return;
  const Role was = role_;
  role_ = Role::stopping;
  env.clock.cancel_timer(kAttempt);
  env.clock.cancel_timer(kGiveUp);
  next_at_ = MonoTime::max();
  poll_.reset();
  if (was == Role::leader || was == Role::releasing) env.journal.note(StepsDown{resource_, "asked to stop"});
  if (was == Role::releasing) return;  // the release goes on
  pending_.reset();
  if (was == Role::leader) return release(env);
  stop(env);
}

void ClientGo::stop(Env& env) {
  role_ = Role::stopped;
  env.journal.note(Stopped{});
}

// ---- the rest --------------------------------------------------------------------------------------------

void ClientGo::observe(const record::LeaseRecord& record, Env& env) {
  record_ = record;
  seen_at_ = env.clock.mono();
}

void ClientGo::set_next(MonoTime at, Env& env) {
  next_at_ = at;
  env.clock.set_timer(kAttempt, at);
}

Leadership ClientGo::leadership(const Clock&) const {
  if (role_ != Role::leader && role_ != Role::releasing) return {};
  return Leadership{std::nullopt, MonoTime::max()};
}

void ClientGo::hash(Hasher& hasher, const Canon& canon) const {
  const auto add_record = [&](const record::LeaseRecord& record) {
    hasher.add(record == record::LeaseRecord{});
    if (record == record::LeaseRecord{}) return;  // its times are no times
    hasher.add(record.holder).add(record.duration).add(record.transitions);
    hasher.add(canon.offset(record.acquired)).add(canon.offset(record.renewed));
  };
  // How far the present second has come, on which the next record's times depend.
  hasher.add(canon.offset(WallTime::from_ns(second_phase_.ns())) % kSecond.ns());
  hasher.add(role_).add(self_).add(version_);
  add_record(record_);
  if (record_.holder.number != 0 || got_) hasher.add(canon.offset(seen_at_));
  hasher.add(got_.has_value());
  if (got_) add_record(*got_);
  hasher.add(canon.offset(next_at_)).add(canon.offset(release_until_)).add(poll_.has_value());
  if (poll_) {
    hasher.add(canon.offset(poll_->from)).add(poll_->ticks).add(poll_->ticks_from.has_value());
    if (poll_->ticks_from) hasher.add(canon.offset(*poll_->ticks_from));
  }
  hasher.add(pending_.has_value());
  if (!pending_) return;
  hasher.add(pending_->id.incarnation).add(canon.name(pending_->id.counter)).add(pending_->ask);
  hasher.add(canon.offset(pending_->deadline));
  hasher.add(canon.offset(attempt_at_)).add(canon.offset(attempt_second_));
  add_record(pending_->written);
}

}  // namespace tenure
