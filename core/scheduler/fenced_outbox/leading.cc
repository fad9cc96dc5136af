// The fenced outbox while its instance leads: which request comes next, and whose work begins.
#include <algorithm>
#include <tuple>
#include <utility>

#include "core/scheduler/fenced_outbox/fenced_outbox.h"

namespace tenure {
namespace {

// A leader's first prune. Soon, for there may be a deploy more often than a prune_period; but what came due before it
// led goes first.
constexpr Duration kFirstPrune = Duration::seconds(60);

}  // namespace

void FencedOutbox::follow(const Leadership& leadership, MonoTime now) {
  const bool leads = leadership.token && leadership.leads(now);
  if (term_ && (!leads || term_->token != *leadership.token)) give_up_request();
  if (!leads) {
    term_.reset();
    forget_stalls();
    dispatcher_.forget_waiting();
    table_.forget_again();
  } else if (!term_ || term_->token != *leadership.token) {
    term_.emplace(*leadership.token);
    forget_stalls();
    dispatcher_.forget_waiting();  // the outbox tells of it again
    dispatcher_.read_anew(true);
    if (settings_.retention > Duration{})
      term_->prune_at = now + std::min(kFirstPrune, settings_.prune_period);
    // A poll that failed before it led says nothing of now, and a standby asks again later and later.
    poll_again_ = settings_.retry_period;
    next_poll_ = std::min(next_poll_, now + settings_.poll_period);
    if (std::exchange(poll_failed_, false) || !watch_.clock().known()) poll_now_ = true;
  }
}

// Its answer will not be heard.
void FencedOutbox::give_up_request() {
  if (term_->in_flight && term_->in_flight->kind == RequestKind::fires) lost_commit_ = term_->token;
  term_->in_flight.reset();
}

// The queue may differ from the store, and events may be in the outbox that the leader does not know of: from the
// start, as with a new term. An answer that is still to come no longer matters: what a commit did, the outbox will
// tell.
void FencedOutbox::reload() {
  give_up_request();
  // How far a look had come says nothing of the reading that begins. A reading that has to begin once more has as much
  // time as the first. But if that happens again and again, it gets nowhere.
  dispatcher_.read_anew(term_->took_turns || !term_->began_once_more);
  term_->knows_outbox = term_->look_again = false;
  term_->look_at = MonoTime::max();
  reload_due();
}

// The queue alone may differ. What the leader has seen of the outbox stays as it is, and a reading of it goes on from
// where it was. But a commit that was given up may have been executed since: its events are behind all that it has
// seen. REQUIRES: no request is under way.
void FencedOutbox::reload_due() {
  if (lost_commit_ == term_->token) {
    term_->knows_outbox = false;
    dispatcher_.read_on(Source::outbox);
  }
  const bool is_first = term_->took_turns;
  if (is_first || !term_->began_once_more) term_->due.reached.reset();
  term_->began_once_more = !is_first;
  term_->due.restart();
  term_->loading = Loading::due;
  term_->reads_anew = true;
  term_->took_turns = false;
  term_->due_seq.reset();
  term_->unmerged.clear();
  term_->unreadable.clear();
  term_->queue.clear();
  term_->reserved = 0;
}

void FencedOutbox::back_off(MonoTime until) { term_->ready_at = std::max(term_->ready_at, until); }

// What is in hand may have been forgotten, and the outbox still has it.
void FencedOutbox::look_again() {
  if (!term_) return;
  if (term_->look_at == MonoTime::max())
    term_->look_again = true;
  else
    term_->look_at = MonoTime::min();
}

void FencedOutbox::lead(MonoTime now, Env& env) {
  if (!term_ || term_->in_flight || now < term_->ready_at || !watch_.clock().known()) return;
  if (watch_.wants_hold()) {
    ask(RequestKind::set_hold, reference::SetHold{resource_, *self_, term_->token, watch_.jump()}, env);
  } else if (watch_.may_resume()) {
    ask(RequestKind::clear_hold, reference::ClearHold{resource_, *self_, term_->token}, env);
  } else if (term_->loading == Loading::due) {
    if (!term_->due.after) term_->horizon = watch_.clock().earliest(now) + settings_.look_ahead();
    read_due(env);
  } else if (term_->loading == Loading::outbox) {
    read_page(dispatcher_.page_of_all(Source::outbox), env);
  } else {
    // Invariant 5. All has been read, whatever comes of the first thing that is asked for now.
    if (!std::exchange(term_->took_turns, true)) stall(Duty::read).see(why_unread(now), now);
    term_->tasks.next([&](TaskKind task) { return take(task, now, env); });
  }
}

bool FencedOutbox::take(TaskKind task, MonoTime now, Env& env) {
  switch (task) {
    case TaskKind::fire: return fire(watch_.clock().earliest(now), env);
    case TaskKind::read_ahead: return read_ahead(now, env);
    case TaskKind::read_outbox: return read_outbox(now, env);
    case TaskKind::prune: return prune(now, env);
    case TaskKind::read_waiting: return read_next_page(Source::waiting, env);
  }
  return false;
}

// The whole outbox now and then, page by page; what comes in between; and once there is room for manual runs again,
// those that were left in it.
bool FencedOutbox::read_outbox(MonoTime now, Env& env) {
  if (now >= term_->look_at) {
    term_->look_at = MonoTime::max();
    dispatcher_.look_through();
  }
  if (std::exchange(term_->events_added, false)) dispatcher_.read_on(Source::outbox);
  return read_next_page(Source::outbox, env);
}

bool FencedOutbox::read_next_page(Source source, Env& env) {
  const auto page = dispatcher_.next_page(source);
  if (page) read_page(*page, env);
  return page.has_value();
}

// By a clock that is in doubt it would be too much: a false future has everything behind it. What fails waits for
// the next period.
bool FencedOutbox::prune(MonoTime now, Env& env) {
  if (now < term_->prune_at || !watch_.may_fire()) return false;
  term_->prune_at = now + settings_.prune_period;
  const StoreTime before = watch_.clock().earliest(now) - settings_.retention;
  ask(RequestKind::prune, reference::Prune{resource_, before, settings_.prune_batch}, env);
  return true;
}

bool FencedOutbox::read_ahead(MonoTime now, Env& env) {
  if (!term_->unmerged.empty()) return false;
  if (!term_->due.more) {
    const StoreTime store_now = watch_.clock().earliest(now);
    if (store_now + settings_.look_ahead() / 4 < term_->horizon) return false;
    // What is due before the old horizon is in the queue; what is due from there on comes after this position.
    term_->due.read_from(LeaderTerm::DuePosition{term_->horizon, ScheduleId{}, 0});
    term_->horizon = std::max(term_->horizon, store_now + settings_.look_ahead());
  }
  read_due(env);
  return true;
}

void FencedOutbox::ask(RequestKind kind, reference::Request request, Env& env) {
  const bool as_leader = LeaderTerm::is_protected(kind);
  term_->in_flight = InFlight{submit(std::move(request), as_leader, env), kind};
}

void FencedOutbox::read_due(Env& env) {
  std::optional<reference::Segment> after;
  if (term_->due.after) {
    after.emplace();
    std::tie(after->cursor, after->schedule, after->version) = *term_->due.after;
  }
  ask(RequestKind::due, reference::ReadDue{resource_, term_->horizon, kPage, after}, env);
}

void FencedOutbox::read_page(const DeliveryDispatcher::Page& page, Env& env) {
  if (page.source == Source::outbox)
    ask(RequestKind::page, reference::ReadOutbox{resource_, kPage, page.after}, env);
  else
    ask(RequestKind::page,
        reference::ReadWaiting{resource_, Delivery::Kind::push, page.name, page.after, kPage}, env);
  term_->in_flight->page = page;
}

bool FencedOutbox::fire(StoreTime store_now, Env& env) {
  if (!may_commit()) return false;
  term_->rows.clear();
  term_->routed.clear();
  term_->reserved = term_->queue.take_due(store_now, term_->known_until(), settings_.batch, free_workers(),
                                          dispatcher_.own().in_hand(), term_->rows, term_->routed);
  term_->fires_turn = false;
  if (term_->rows.empty()) return false;
  // Rows that fire nothing are no turn of the fires; unless a worker is left, which the fires do not want then.
  term_->fires_turn = term_->reserved > 0 || free_workers() > 0;
  env.journal.note(LeadershipChecked{resource_});
  ask(RequestKind::fires, reference::CommitFires{resource_, *self_, term_->token, term_->rows}, env);
  return true;
}

// Invariant 4, and the order of slots: those that wait for a worker go before those that are not committed yet.
bool FencedOutbox::may_commit() const {
  return watch_.may_fire() && term_->loading == Loading::nothing && term_->unmerged.empty() &&
         !dispatcher_.own().slots_wait();
}

// Workers that neither work nor are wanted by the commit under way.
std::size_t FencedOutbox::free_workers() const {
  const std::size_t taken = dispatcher_.own().in_hand().running() + (term_ ? term_->reserved : 0);
  return taken < settings_.max_running ? settings_.max_running - taken : 0;
}

// What is due, and what only workers, if anything, keep from being committed.
bool FencedOutbox::rows_wait(MonoTime now) const {
  const StoreTime next = term_->queue.next();
  return watch_.clock().known() && may_commit() && next <= watch_.clock().earliest(now) &&
         next < term_->known_until();
}

// Fires that are due, and that a free worker would let be committed. A commit that failed keeps their turn until
// everything has been read anew.
bool FencedOutbox::fires_wait(MonoTime now) const {
  if (term_->loading != Loading::nothing) return term_->fires_turn;
  if (!watch_.clock().known() || !may_commit()) return false;
  const StoreTime store_now = watch_.clock().earliest(now);
  return term_->queue.fires(store_now, term_->known_until(), dispatcher_.own().in_hand());
}

DestinationQueue::FiresWait FencedOutbox::whether_fires_wait() const {
  return {this, [](const void* self, MonoTime now) {
            return static_cast<const FencedOutbox*>(self)->fires_wait(now);
          }};
}

void FencedOutbox::begin(MonoTime now, Env& env) {
  if (!term_) return;
  const auto begin = [&](const DeliveryDispatcher::Attempt& attempt) {
    const auto& [event, sequence, number] = attempt.what;
    if (attempt.destination.empty()) return execute(event, env);
    env.work.execute({.resource = resource_,
                      .event = event,
                      .token = term_->token,
                      .once = true,
                      .destination = attempt.destination,
                      .sequence = sequence,
                      .attempt = number});
  };
  dispatcher_.begin(now, term_->token, free_workers(), whether_fires_wait(), begin);
}

void FencedOutbox::execute(const reference::EventId& event, Env& env) {
  env.work.execute({resource_, event, term_->token, true});
}

MonoTime FencedOutbox::next_act(MonoTime now) const {
  if (now < term_->ready_at) return term_->ready_at;
  if (!watch_.clock().known() || term_->loading != Loading::nothing)
    return MonoTime::max();  // an answer will tell
  const StoreTime store_now = watch_.clock().earliest(now);
  StoreTime next = term_->unmerged.empty() ? term_->horizon - settings_.look_ahead() / 4 : StoreTime::max();
  if (may_commit()) {
    // Without a free worker, what is due and would fire waits for work that ends, and beside unknown work for an
    // answer; what would not is looked for now and then.
    const StoreTime due = term_->queue.next();
    const bool waits = free_workers() == 0 || dispatcher_.own().in_hand().next_answer() != MonoTime::max();
    const bool stuck = waits && due <= store_now;
    next = std::min(next, stuck ? store_now + settings_.retry_period : due);
  }
  const MonoTime prune = watch_.may_fire() ? term_->prune_at : MonoTime::max();
  return std::min({watch_.clock().when(next), term_->look_at, prune});
}

}  // namespace tenure
