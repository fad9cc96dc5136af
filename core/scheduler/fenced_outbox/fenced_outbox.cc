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
      dispatcher_({.retry = settings.work_retry, .attempts = settings.work_attempts},
                  settings.destination_running, settings.destination_age),
      stalls_{StallWatch{settings.stall_timeout}, StallWatch{settings.stall_timeout},
              StallWatch{settings.stall_timeout}, StallWatch{settings.stall_timeout}} {}

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
    dispatcher_.forget_waiting();
    acknowledge_at_ = now;
  }
  act(env);
}

void FencedOutbox::on_hint(const ChangeNotified& hint) {
  if (hint.store != store_ || hint.what.resource != resource_) return;
  if (hint.what.what == Notification::What::schedules_changed) poll_now_ = true;
  if (hint.what.what == Notification::What::events_added && term_) term_->events_added = true;
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
  const MonoTime now = env.clock.mono();
  if (term_) {
    if (const auto jump = watch_.take_news()) env.journal.note(ClockAlarm{*jump});
  }
  if (!stopping_) {
    poll(now, env);
    if (term_) watch_progress(now, env);
    // Work that began now would be stopped half done.
    if (!step_aside_) {
      begin(now, env);
      lead(now, env);
    }
  }
  acknowledge(now, env);
  finish(now);
  arm(now, env);
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
  } else if (term_ && term_->in_flight && term_->in_flight->id == reply.id) {
    on_answer(reply, *std::exchange(term_->in_flight, std::nullopt), env);
  }
}

void FencedOutbox::on_poll(const StoreReplied& reply, MonoTime now) {
  const auto* answer = answer_of(reply);
  const auto* changes = answer ? std::get_if<reference::Changes>(answer) : nullptr;
  poll_failed_ = changes == nullptr;
  note_poll(reply.sent_at);
  if (poll_failed_) return poll_later(now);
  poll_again_ = settings_.retry_period;
  next_poll_ = std::min(next_poll_, now + settings_.poll_period);
  see_hold(reply, changes->hold.has_value(), false, now);
  // Of what was pruned while this instance was away, a delete for example, nothing else tells.
  if (!table_.goes_with(changes->branch) || table_.lacks_changes_before(changes->changes))
    return change_feeds(now);
  for (const reference::Change& change : changes->changes) on_change(change, changes->branch);
  if (changes->more) {
    poll_now_ = true;
    stall(Duty::read).went_on(settings_.request_timeout, now);  // the definitions come page by page
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
  const auto* answer = answer_of(reply);
  if (answer && !std::holds_alternative<reference::CommitRefused>(*answer)) return dispatcher_.acknowledged();
  acknowledge_at_ = now + settings_.retry_period;
  const auto token = term_ ? std::optional(term_->token) : std::nullopt;
  if (!dispatcher_.not_acknowledged(token)) look_again();
}

void FencedOutbox::on_work_done(const WorkDone& done, Env& env) {
  using Finish = Deliveries::Finish;
  const MonoTime now = env.clock.mono();
  const bool first = dispatcher_.done() == 0;
  const auto token = term_ ? std::optional(term_->token) : std::nullopt;
  const Finish finish = dispatcher_.finish(done, token, now);
  if (finish == Finish::waits) {
    // Still in the outbox: for this instance to begin again while it leads, or for the next one.
    if (!term_ || stopping_) dispatcher_.forget_waiting();
    return;
  }
  if (finish == Finish::lost) {
    if (!term_) return;  // the next leader reads everything
    look_again();
    term_->queue.work_ended(done.event.schedule);
    return;
  }
  if (finish == Finish::given_up) {
    env.journal.note(Annotation{"gives up work that failed, schedule", done.event.schedule.value});
    if (dispatcher_.lacks_numbers()) stopping_ ? dispatcher_.forget_waiting() : look_again();
  }
  if (first) acknowledge_at_ = stopping_ ? now : now + settings_.ack_delay;
  if (term_) term_->queue.work_ended(done.event.schedule);
}

void FencedOutbox::poll(MonoTime now, Env& env) {
  if (poll_ || (!poll_now_ && now < next_poll_)) return;
  poll_now_ = false;
  if (now >= next_poll_) {
    next_poll_ += settings_.poll_period;
    if (next_poll_ <= now) next_poll_ = now + settings_.poll_period;  // after standing still: no burst
  }
  poll_ = submit(reference::ChangesSince{resource_, table_.seq(), kPage}, false, env);
}

void FencedOutbox::acknowledge(MonoTime now, Env& env) {
  if (acknowledgement_ || now < acknowledge_at_ || dispatcher_.done() == 0) return;
  reports_.next([&](Report report) {
    if (report == Report::delivered) {
      auto delivered = dispatcher_.take_delivered(kPage);
      if (delivered.empty()) return false;
      acknowledgement_ = submit(reference::AckEvents{resource_, std::move(delivered)}, false, env);
      return true;
    }
    if (dispatcher_.given_up() == 0) return false;
    // What was given up under a token goes only while that token is this instance's.
    acknowledgement_ =
        submit(reference::GiveUpEvents{resource_, *self_, term_->token, dispatcher_.take_given_up(kPage)},
               true, env);
    return true;
  });
}

void FencedOutbox::finish(MonoTime now) {
  if (!stopping_ || gave_up_) return;
  if (dispatcher_.running() > 0 || commits()) {
    give_up_at_.reset();
  } else if (!give_up_at_) {
    give_up_at_ = now + settings_.request_timeout;
  } else if (now >= *give_up_at_) {
    gave_up_ = true;
  }
}

// Work that runs is in dispatcher_, and keeps finish() from giving up.
bool FencedOutbox::idle() const { return !commits() && (dispatcher_.empty() || gave_up_); }

bool FencedOutbox::commits() const {
  return term_ && term_->in_flight && LeaderTerm::is_protected(term_->in_flight->kind);
}

void FencedOutbox::arm(MonoTime now, Env& env) {
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
  if (dispatcher_.done() > 0 && !acknowledgement_) wake = std::min(wake, acknowledge_at_);
  if (stopping_) {
    if (give_up_at_ && !gave_up_) wake = std::min(wake, *give_up_at_);
    return wake;
  }
  if (!poll_) wake = std::min(wake, next_poll_);
  if (term_)
    for (const StallWatch& stall : stalls_) wake = std::min(wake, stall.deadline());
  if (!term_) return wake;
  wake = std::min(wake, dispatcher_.next_begin(now, free_workers(), whether_fires_wait()));
  return term_->in_flight ? wake : std::min(wake, next_act(now));
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
  StateHasher state(hasher, canon);
  state.add(RequestId{{}, hold_counter_});
  fold(state, self_, armed_, watch_, table_, poll_, poll_now_, next_poll_, poll_again_, dispatcher_,
       acknowledgement_, acknowledge_at_, reports_, stalls_, poll_failed_, quarantined_, stopping_, gave_up_,
       lost_commit_, give_up_at_, term_);
}

}  // namespace tenure
