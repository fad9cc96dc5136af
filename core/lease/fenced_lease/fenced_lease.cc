#include "core/lease/fenced_lease/fenced_lease.h"

#include <algorithm>
#include <utility>

namespace tenure {
namespace {

constexpr TimerId kNext{Part::elector, 0};  // the next request is due
constexpr TimerId kEnd{Part::elector, 1};   // belief runs out

// A notification makes an acquire that is under way stale, and another one leaves beside it.
constexpr std::ptrdiff_t kAcquiresMax = 2;

// Of a renewal that was refused, by the denial.
constexpr std::string_view kReasons[] = {
    "renewal refused: nobody holds the lease",    "renewal refused: another holds the lease",
    "renewal refused: the token is stale",        "renewal refused: the lease has expired",
    "renewal refused: the store's clock stepped", "renewal refused: the store is on another branch",
    "renewal refused: the view is stale"};

}  // namespace

FencedLease::Settings::Settings(const Parameters& parameters)
    : lease_duration(parameters.duration("lease_duration")),
      renew_period(parameters.duration("renew_period")),
      retry_period(parameters.duration("retry_period")),
      retry_jitter(parameters.duration("retry_jitter")),
      request_timeout(parameters.duration("request_timeout")),
      max_clock_drift_ppm(parameters.number("max_clock_drift_ppm")),
      guard(parameters.duration("guard")),
      release_on_stop(parameters.flag("release_on_stop")) {}

FencedLease::FencedLease(const ElectorSetup& setup)
    : settings_(setup.parameters), store_(setup.store), resource_(setup.resource) {}

void FencedLease::step(const Input& input, Env& env) {
  // Whatever woke the node, its own clock comes first: after a pause the end may be long past.
  if (role_ == Role::leader && env.clock.mono() >= until_) {
    step_down("belief ran out", env);
    wait(Duration{}, env);  // the store may still name this node, and then nobody else can get the lease
  }
  if (env.clock.mono() >= aside_until_) aside_until_ = MonoTime::min();
  if (const auto* started = std::get_if<Started>(&input)) {
    if (role_ != Role::unborn) return;
    self_ = started->self;
    role_ = Role::standby;
    ask(Ask::acquire, {}, env);
  } else if (const auto* fired = std::get_if<TimerFired>(&input)) {
    on_timer(fired->timer, env);
  } else if (const auto* answer = std::get_if<StoreReplied>(&input)) {
    on_reply(*answer, env);
  } else if (const auto* change = std::get_if<ChangeNotified>(&input)) {
    const bool mine = change->store == store_ && change->what.resource == resource_;
    if (mine && change->what.what == Notification::What::lease_freed) on_freed(env);
  } else if (std::holds_alternative<StopAsked>(input)) {
    on_stop(env);
  }
}

void FencedLease::on_timer(TimerId timer, Env& env) {
  const MonoTime now = env.clock.mono();
  if (timer != kNext || now < next_at_) return;  // kEnd: step() has judged it
  next_at_ = MonoTime::max();
  env.clock.cancel_timer(kNext);
  held_back_ = !may_ask();
  if (held_back_) return;  // invariant 5: on_reply() goes on from here
  if (role_ == Role::leader) {
    ask(Ask::renew, token_, env);
    set_next(now + settings_.renew_period, env);
  } else if (role_ == Role::standby && owed_) {
    ask(Ask::release, *owed_, env);
  } else if (role_ == Role::standby && aside_until_ != MonoTime::min()) {
    set_next(aside_until_ + jitter(env), env);
  } else if (role_ == Role::standby) {
    ask(Ask::acquire, {}, env);
  }
}

void FencedLease::on_reply(const StoreReplied& answer, Env& env) {
  const auto found = std::find_if(pending_.begin(), pending_.end(), [&answer](const PendingRequest& pending) {
    return pending.id == answer.id;
  });
  if (found == pending_.end()) return;
  const PendingRequest asked = *found;
  pending_.erase(found);
  const bool held_back = held_back_;
  const Role role = role_;

  const auto* reply =
      answer.outcome == RequestOutcome::applied ? std::get_if<reference::Reply>(&answer.reply) : nullptr;
  const auto* grant = reply ? std::get_if<reference::Granted>(reply) : nullptr;
  const auto* refusal = reply ? std::get_if<reference::Refused>(reply) : nullptr;
  const bool released = reply && std::holds_alternative<reference::Released>(*reply);
  if (refusal) {
    on_refused(asked, *refusal, env);
  } else if (grant && asked.ask != Ask::release) {
    on_granted(*grant, answer.sent_at, env);
  } else if (released && asked.ask == Ask::release) {
    on_released(env);
  } else {
    on_no_answer(asked, answer.outcome == RequestOutcome::unknown, env);
  }
  // Invariant 5: whatever wait the answer called for, what was held back had been due before.
  const bool still_due = held_back && role_ == role && (role_ == Role::leader || !owed_);
  if (still_due && may_ask()) set_next(env.clock.mono(), env);
  // Invariant 4, whatever the answer was.
  if (role_ == Role::standby && next_at_ == MonoTime::max() && !awaits(Ask::acquire) && !awaits(Ask::release))
    wait(settings_.retry_period, env);
}

void FencedLease::on_granted(const reference::Granted& grant, MonoTime sent_at, Env& env) {
  if (role_ != Role::standby && role_ != Role::leader) return;
  const MonoTime end =
      sent_at + fenced_lease_belief(grant.duration, settings_.max_clock_drift_ppm, settings_.guard);
  const MonoTime now = env.clock.mono();
  const bool usable = now < end && now >= aside_until_ && !is_finished(grant.token);
  if (usable && role_ == Role::standby) {
    lead(grant.token, end, sent_at, env);
  } else if (usable && grant.token == token_) {
    extend(end, env);
  } else if (usable && !grant.token.older_than(token_)) {
    lead(grant.token, end, sent_at, env);
  } else if (role_ == Role::standby && !awaits(Ask::acquire) && !awaits(Ask::renew)) {
    // Too late to be believed, and nothing under way that could make it good: the lease would stand idle.
    give_back(grant.token, env);
  }
}

void FencedLease::on_refused(const PendingRequest& asked, const reference::Refused& refusal, Env& env) {
  if (asked.ask == Ask::renew) finish(asked.token);
  const bool lost = asked.ask == Ask::renew && role_ == Role::leader && asked.token == token_;
  if (lost) step_down(kReasons[static_cast<std::size_t>(refusal.why)], env);
  if (role_ == Role::stopping && asked.ask == Ask::release) return stop(env);
  if (role_ != Role::standby) return;

  const bool learnt = refusal.epoch != epoch_seen_;
  epoch_seen_ = refusal.epoch;
  if (asked.ask == Ask::release) owed_.reset();
  if (asked.ask == Ask::acquire && asked.stale) return;
  if (asked.ask == Ask::renew && !lost) return;

  if (refusal.holder == self_ || (refusal.remaining <= Duration{} && (learnt || asked.ask != Ask::acquire))) {
    wait(Duration{}, env);  // this node's own, or free: with what it has learnt it may get it now
  } else if (refusal.remaining > Duration{}) {
    wait(std::min(refusal.remaining, settings_.lease_duration), env);
  } else {
    wait(settings_.retry_period, env);
  }
}

void FencedLease::on_released(Env& env) {
  if (role_ == Role::stopping) return stop(env);
  owed_.reset();
  if (role_ == Role::standby) wait(settings_.retry_period, env);  // the others first: this node was too slow
}

void FencedLease::on_no_answer(const PendingRequest& asked, bool unknown, Env& env) {
  if (role_ == Role::stopping && asked.ask == Ask::release) return stop(env);
  // What this node sends may arrive though no answer does. Asking on, it would keep the lease from all others.
  const bool may_hold = role_ == Role::standby && !is_finished(token_);
  if (may_hold && unknown && asked.ask == Ask::acquire && !asked.stale) return give_back(token_, env);
  const MonoTime retry_at = env.clock.mono() + settings_.retry_period + jitter(env);
  if (role_ == Role::leader && asked.ask == Ask::renew && asked.token == token_) {
    set_next(std::min(next_at_, retry_at), env);
  } else if (role_ == Role::standby && asked.ask != Ask::renew && !asked.stale) {
    set_next(retry_at, env);
  }
}

void FencedLease::on_freed(Env& env) {
  if (role_ != Role::standby || owed_) return;
  if (aside_until_ != MonoTime::min() && env.clock.mono() < behind_until_) return;  // the others first
  aside_until_ = MonoTime::min();
  for (PendingRequest& pending : pending_) pending.stale = pending.ask == Ask::acquire;
  set_next(std::min(next_at_, env.clock.mono() + jitter(env)), env);
}

void FencedLease::step_aside(const StepAside& request, Env& env) {
  if (role_ != Role::leader) return;
  const MonoTime now = env.clock.mono();
  step_down(request.why, env);
  // A standby that does not hear of the release asks when the lease that it was told of is over.
  const Duration longest_sleep =
      settings_.lease_duration + settings_.retry_jitter + settings_.request_timeout;
  aside_until_ = now + std::max(request.behind, longest_sleep);
  behind_until_ = now + std::max(request.behind, settings_.retry_jitter + settings_.request_timeout);
  give_back(token_, env);
}

void FencedLease::on_stop(Env& env) {
  if (role_ == Role::stopping || role_ == Role::stopped) return;
  const bool led = role_ == Role::leader;
  if (led) step_down("asked to stop", env);
  if (!led || !settings_.release_on_stop) return stop(env);
  role_ = Role::stopping;
  finish(token_);
  ask(Ask::release, token_, env);
}

void FencedLease::lead(const Token& token, MonoTime until, MonoTime sent_at, Env& env) {
  role_ = Role::leader;
  token_ = token;
  epoch_seen_ = token.epoch;
  owed_.reset();
  until_ = MonoTime::min();
  extend(until, env);
  set_next(sent_at + settings_.renew_period, env);
}

void FencedLease::extend(MonoTime until, Env& env) {
  if (until <= until_) return;  // a grant sent earlier, answered later (invariant 2)
  until_ = until;
  env.clock.set_timer(kEnd, until_);
  env.journal.note(Believes{resource_, token_, until_});
}

void FencedLease::step_down(std::string_view why, Env& env) {
  role_ = Role::standby;
  until_ = MonoTime::min();
  env.clock.cancel_timer(kEnd);
  held_back_ = false;
  next_at_ = MonoTime::max();
  env.clock.cancel_timer(kNext);
  env.journal.note(StepsDown{resource_, why});
}

void FencedLease::give_back(const Token& token, Env& env) {
  finish(token);
  owed_ = token;
  held_back_ = false;
  next_at_ = MonoTime::max();
  env.clock.cancel_timer(kNext);
  env.journal.note(Annotation{"releases a lease that it cannot lead under, epoch",
                              static_cast<std::int64_t>(token.epoch)});
  ask(Ask::release, token, env);
}

void FencedLease::stop(Env& env) {
  role_ = Role::stopped;
  pending_.clear();
  next_at_ = MonoTime::max();
  env.clock.cancel_timer(kNext);
  env.journal.note(Stopped{});
}

void FencedLease::ask(Ask what, const Token& token, Env& env) {
  reference::Request request;
  switch (what) {
    case Ask::acquire:
      request = reference::Acquire{resource_, self_, epoch_seen_, env.random.nonce("acquire"),
                                   settings_.lease_duration};
      break;
    case Ask::renew: request = reference::Renew{resource_, self_, token, settings_.lease_duration}; break;
    case Ask::release: request = reference::Release{resource_, self_, token}; break;
  }
  Submission submission;
  submission.store = store_;
  submission.part = Part::elector;
  submission.request = std::move(request);
  submission.deadline = env.clock.mono() + settings_.request_timeout;
  pending_.push_back(PendingRequest{env.store.submit(std::move(submission)), what, token, false});
}

// Whether what is due may leave now: of each purpose one request is under way.
bool FencedLease::may_ask() const {
  if (role_ == Role::leader)
    return std::none_of(pending_.begin(), pending_.end(), [this](const PendingRequest& pending) {
      return pending.ask == Ask::renew && pending.token == token_;
    });
  const auto acquires = std::count_if(pending_.begin(), pending_.end(), [](const PendingRequest& pending) {
    return pending.ask == Ask::acquire;
  });
  return owed_ || acquires < kAcquiresMax;
}

void FencedLease::set_next(MonoTime at, Env& env) {
  held_back_ = false;
  if (at == next_at_) return;
  next_at_ = at;
  env.clock.set_timer(kNext, at);
}

void FencedLease::wait(Duration least, Env& env) { set_next(env.clock.mono() + least + jitter(env), env); }

Duration FencedLease::jitter(Env& env) const {
  const auto choices = static_cast<std::uint64_t>(settings_.retry_jitter.ns()) + 1;
  return Duration::nanos(static_cast<std::int64_t>(env.random.choose(choices, "retry jitter")));
}

bool FencedLease::awaits(Ask what) const {
  return std::any_of(pending_.begin(), pending_.end(),
                     [what](const PendingRequest& pending) { return pending.ask == what && !pending.stale; });
}

void FencedLease::finish(const Token& token) {
  if (!token.older_than(finished_)) finished_ = token;
}

bool FencedLease::is_finished(const Token& token) const {
  return token == finished_ || token.older_than(finished_);
}

Leadership FencedLease::leadership(const Clock&) const {
  if (role_ != Role::leader) return {};
  return Leadership{token_, until_};
}

std::unique_ptr<Elector> FencedLease::clone() const { return std::make_unique<FencedLease>(*this); }

void FencedLease::hash(Hasher& hasher, const Canon& canon) const {
  StateHasher state(hasher, canon);
  const auto add_token = [&](const Token& token) {
    fold(state, token.branch, token.epoch, canon.name(token.nonce));
  };
  fold(state, role_, self_, epoch_seen_, until_, next_at_, held_back_, aside_until_, behind_until_,
       owed_.has_value(), pending_.size());
  add_token(token_);
  add_token(finished_);
  if (owed_) add_token(*owed_);
  for (const auto& [id, ask, token, stale] : pending_) {
    fold(state, id, ask, stale);
    add_token(token);
  }
}

}  // namespace tenure
