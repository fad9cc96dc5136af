#include "core/scheduler/fenced_outbox/fenced_outbox.h"

#include <algorithm>
#include <utility>

namespace tenure {
namespace {

constexpr TimerId kTimer{Part::scheduler, 0};
// How much longer at most a standby waits between two polls while none is answered.
constexpr std::int64_t kSlower = 16;
// Before looking again at what was due already and could not be done.
constexpr Duration kSoon = Duration::millis(1);

}  // namespace

FencedOutbox::FencedOutbox(StoreId store, ResourceId resource, const FencedOutboxSettings& settings)
    : store_(store),
      resource_(resource),
      settings_(settings),
      watch_(StoreClockEstimate{settings.max_clock_drift_ppm, settings.clock_tolerance}, settings.clock_hold),
      poll_again_(settings.retry_period),
      relay_({.retry = settings.work_retry, .attempts = settings.work_attempts}, settings.destination_running,
             settings.destination_age),
      stalls_{StallWatch{settings.stall_timeout}, StallWatch{settings.stall_timeout},
              StallWatch{settings.stall_timeout}, StallWatch{settings.stall_timeout},
              StallWatch{settings.stall_timeout}, StallWatch{settings.stall_timeout},
              StallWatch{settings.stall_timeout}} {}

void FencedOutbox::step(const Input& input, const Leadership& leadership, Env& env) {
  if (const auto* started = std::get_if<Started>(&input)) start(*started, env);
  if (!self_) return;
  step_aside_.reset();  // nobody took it
  const MonoTime now = env.clock.mono();
  follow(leadership, now);
  if (const auto* done = std::get_if<WorkDone>(&input)) {
    on_work_done(*done, env);
  } else if (const auto* reply = std::get_if<StoreReplied>(&input)) {
    on_reply(*reply, env);
  } else if (const auto* timer = std::get_if<TimerFired>(&input)) {
    if (timer->timer == kTimer) armed_.reset();
  } else if (const auto* change = std::get_if<ChangeNotified>(&input)) {
    on_hint(*change);
  } else if (std::holds_alternative<StopAsked>(input)) {
    stopping_ = true;
    relay_.forget_waiting();
    acknowledge_at_ = now;
  }
  act(env);
}

void FencedOutbox::on_hint(const ChangeNotified& hint) {
  if (hint.store != store_ || hint.what.resource != resource_) return;
  if (hint.what.what == Notification::What::schedules_changed) poll_now_ = true;
  if (hint.what.what == Notification::What::events_added && term_) term_->sweep_again = true;
}

void FencedOutbox::start(const Started& started, Env& env) {
  if (self_) return;
  self_ = started.self;
  const auto period = static_cast<std::uint64_t>(settings_.poll_period.ns());
  const auto phase = static_cast<std::int64_t>(env.random.choose(period, "poll-phase"));
  next_poll_ = env.clock.mono() + Duration::nanos(phase);
  poll_now_ = true;
}

void FencedOutbox::act(Env& env) {
  if (term_) {
    if (const auto jump = watch_.take_news()) env.journal.note(ClockAlarm{*jump});
  }
  if (!stopping_) {
    poll(env);
    if (term_) watch_progress(env);
    // Work that began now would be stopped half done.
    if (!step_aside_) {
      retry(env);
      lead(env);
      deliver(env);
    }
  }
  acknowledge(env);
  finish(env.clock.mono());
  arm(env);
}

void FencedOutbox::on_reply(const StoreReplied& reply, Env& env) {
  if (reply.part != Part::scheduler || reply.store != store_) return;
  const MonoTime now = env.clock.mono();
  if (reply.outcome == RequestOutcome::applied) watch_.observe(reply.sent_at, now, reply.store_time);
  if (poll_ == reply.id) {
    poll_.reset();
    on_poll(reply, now);
  } else if (acknowledgement_ == reply.id) {
    acknowledgement_.reset();
    on_acknowledgement(reply, now);
  } else if (term_ && term_->call && term_->call->id == reply.id) {
    const Ask what = term_->call->what;
    term_->call.reset();
    on_answer(reply, what, env);
  }
}

void FencedOutbox::on_poll(const StoreReplied& reply, MonoTime now) {
  const auto* family = std::get_if<reference::Reply>(&reply.reply);
  const auto* changes = family ? std::get_if<reference::Changes>(family) : nullptr;
  poll_failed_ = reply.outcome != RequestOutcome::applied || !changes;
  note_poll(reply.sent_at);
  if (poll_failed_) return poll_later(now);
  poll_again_ = settings_.retry_period;
  next_poll_ = std::min(next_poll_, now + settings_.poll_period);
  stall(Duty::read_changes).succeeded();
  see_hold(reply, changes->hold.has_value(), false, now);
  // Of what was pruned while this instance was away, a delete for example, nothing else tells.
  if (!table_.goes_with(changes->branch) || table_.lacks_changes_before(changes->changes))
    return change_feeds(now);
  for (const reference::Change& change : changes->changes) on_change(change, changes->branch);
  if (changes->more) {
    poll_now_ = true;
    stall(Duty::read_due).went_on(settings_.request_timeout, now);  // the definitions come page by page
  } else {
    table_.caught_up();
  }
  if (term_) merge();
}

// A leader cannot do without. Standbys leave a store that is slow to those that can do something.
void FencedOutbox::poll_later(MonoTime now) {
  if (term_) {
    next_poll_ = std::min(next_poll_, now + settings_.retry_period);
  } else {
    next_poll_ = std::max(next_poll_, now + poll_again_);
    poll_again_ =
        std::min(poll_again_ * 2, std::max(settings_.poll_period, settings_.request_timeout) * kSlower);
  }
}

// The table was read from a feed that the store no longer has: it failed over, and the numbers are others'. What the
// queue was made of may be gone as well.
void FencedOutbox::change_feeds(MonoTime now) {
  read_feed_anew(false);
  if (!term_) return;
  reload();
  back_off(now + settings_.retry_period);
}

// An answer that is still to come goes on from where the table was.
void FencedOutbox::read_feed_anew(bool keep_all) {
  table_.reset(keep_all);
  poll_.reset();
  poll_now_ = true;
}

void FencedOutbox::on_acknowledgement(const StoreReplied& reply, MonoTime now) {
  const auto* answer =
      reply.outcome == RequestOutcome::applied ? std::get_if<reference::Reply>(&reply.reply) : nullptr;
  if (answer && !std::holds_alternative<reference::CommitRefused>(*answer)) return relay_.acknowledged();
  acknowledge_at_ = now + settings_.retry_period;
  const auto token = term_ ? std::optional(term_->token) : std::nullopt;
  if (!relay_.not_acknowledged(token) && term_) term_->sweep_again = true;
}

void FencedOutbox::on_work_done(const WorkDone& done, Env& env) {
  using Finish = Deliveries::Finish;
  const MonoTime now = env.clock.mono();
  const bool first = relay_.done() == 0;
  const auto token = term_ ? std::optional(term_->token) : std::nullopt;
  const Finish finish = relay_.finish(done, token, now);
  if (finish == Finish::waits) {
    // Still in the outbox: for this instance to begin again while it leads, or for the next one.
    if (!term_ || stopping_) relay_.forget_waiting();
    return;
  }
  if (finish == Finish::lost) {
    if (!term_) return;  // the next leader reads everything
    term_->sweep_again = true;
    term_->queue.work_ended(done.event.schedule);
    return;
  }
  if (finish == Finish::given_up)
    env.journal.note(Remark{"gives up work that failed, schedule", done.event.schedule.value});
  if (first) acknowledge_at_ = stopping_ ? now : now + settings_.ack_delay;
  if (term_) term_->queue.work_ended(done.event.schedule);
}

void FencedOutbox::poll(Env& env) {
  const MonoTime now = env.clock.mono();
  if (poll_ || (!poll_now_ && now < next_poll_)) return;
  poll_now_ = false;
  if (now >= next_poll_) {
    next_poll_ += settings_.poll_period;
    if (next_poll_ <= now) next_poll_ = now + settings_.poll_period;  // after standing still: no burst
  }
  if (term_) term_->polls_for_commit = term_->reads_anew && !term_->unmerged.empty();
  poll_ = submit(reference::ChangesSince{resource_, table_.seq(), kPage}, false, env);
}

void FencedOutbox::acknowledge(Env& env) {
  if (acknowledgement_ || relay_.done() == 0 || env.clock.mono() < acknowledge_at_) return;
  // What was given up under a token goes only while that token is this instance's.
  const std::size_t given_up = relay_.given_up();
  const bool gives_up = given_up > 0 && (gives_up_next_ || given_up == relay_.done());
  gives_up_next_ = !gives_up;
  acknowledgement_ =
      gives_up ? submit(reference::GiveUpEvents{resource_, *self_, term_->token, relay_.take_given_up(kPage)},
                        true, env)
               : submit(reference::AckEvents{resource_, relay_.take_delivered(kPage)}, false, env);
}

void FencedOutbox::finish(MonoTime now) {
  if (!stopping_ || gave_up_) return;
  if (relay_.running() > 0 || commits()) {
    give_up_at_.reset();
  } else if (!give_up_at_) {
    give_up_at_ = now + settings_.request_timeout;
  } else if (now >= *give_up_at_) {
    gave_up_ = true;
  }
}

// Work that runs is in relay_, and keeps finish() from giving up.
bool FencedOutbox::idle() const { return !commits() && (relay_.empty() || gave_up_); }

bool FencedOutbox::commits() const {
  if (!term_ || !term_->call) return false;
  const Ask what = term_->call->what;
  return what != Ask::due && what != Ask::outbox && what != Ask::waiting && what != Ask::prune;
}

void FencedOutbox::arm(Env& env) {
  const MonoTime now = env.clock.mono();
  MonoTime wake = next_wake(now);
  if (wake == MonoTime::max()) return;
  if (wake <= now) wake = now + kSoon;
  // A timer that fires too early does no harm, and one that is left alone costs nothing.
  if (armed_ && *armed_ <= wake) return;
  armed_ = wake;
  env.clock.set_timer(kTimer, wake);
}

MonoTime FencedOutbox::next_wake(MonoTime now) const {
  MonoTime wake = MonoTime::max();
  if (relay_.done() > 0 && !acknowledgement_) wake = std::min(wake, acknowledge_at_);
  if (stopping_) {
    if (give_up_at_ && !gave_up_) wake = std::min(wake, *give_up_at_);
    return wake;
  }
  if (!poll_) wake = std::min(wake, next_poll_);
  if (term_)
    for (const StallWatch& stall : stalls_) wake = std::min(wake, stall.deadline());
  const Deliveries& work = relay_.work();
  if (work.next_retry() < wake && room_to_retry(now) > 0) wake = work.next_retry();
  if (term_) wake = std::min({wake, work.next_answer(), relay_.next_begin(now)});
  if (term_ && free_workers() > 0) wake = std::min(wake, work.next_ask());
  if (term_ && !term_->call) wake = std::min(wake, next_act(now));
  return wake;
}

void FencedOutbox::see_hold(const StoreReplied& reply, bool held, bool own, MonoTime now) {
  // What was asked before we changed the hold says nothing of it as it is now.
  if (reply.id.counter >= hold_counter_) watch_.see_hold(held, own, now);
}

RequestId FencedOutbox::submit(reference::Request request, bool as_leader, Env& env) const {
  const MonoTime deadline = env.clock.mono() + settings_.request_timeout;
  return env.store.submit({store_, Part::scheduler, Request{std::move(request)}, deadline, as_leader});
}

std::unique_ptr<Scheduler> FencedOutbox::clone() const { return std::make_unique<FencedOutbox>(*this); }

void FencedOutbox::hash(Hasher& hasher, const Canon& canon) const {
  const auto add_id = [&](const std::optional<RequestId>& id) {
    hasher.add(canon.name(id ? id->counter : 0));
  };
  const auto add_time = [&](const std::optional<MonoTime>& t) {
    hasher.add(t.has_value()).add(t ? canon.offset(*t) : 0);
  };
  hasher.add(self_);
  add_time(armed_);
  watch_.hash(hasher, canon);
  hasher.add(canon.name(hold_counter_));
  table_.hash(hasher);
  add_id(poll_);
  hasher.add(poll_now_).add(canon.offset(next_poll_)).add(poll_again_);
  relay_.hash(hasher, canon);
  add_id(acknowledgement_);
  hasher.add(canon.offset(acknowledge_at_)).add(gives_up_next_);
  for (const StallWatch& stall : stalls_) stall.hash(hasher, canon);
  hasher.add(poll_failed_).add(quarantined_.size());
  for (const auto& [schedule, version] : quarantined_) hasher.add(schedule).add(version);
  hasher.add(stopping_).add(gave_up_).add(lost_commit_);
  add_time(give_up_at_);
  hasher.add(term_.has_value());
  if (term_) hash_term(hasher, canon);
}

}  // namespace tenure
