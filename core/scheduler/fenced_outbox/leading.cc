// The fenced outbox while its instance leads: which request comes next, and whose work begins.
#include <algorithm>
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
  if (term_ && (!leads || term_->token != *leadership.token)) give_up_call();
  if (!leads) {
    term_.reset();
    forget_stalls();
    relay_.forget_waiting();
    table_.forget_again();
  } else if (!term_ || term_->token != *leadership.token) {
    term_.emplace(*leadership.token);
    forget_stalls();
    relay_.forget_waiting();  // the outbox tells of it again
    relay_.read_anew();
    if (settings_.retention > Duration{})
      term_->prune_at = now + std::min(kFirstPrune, settings_.prune_period);
    // A poll that failed before it led says nothing of now, and a standby asks again later and later.
    poll_again_ = settings_.retry_period;
    next_poll_ = std::min(next_poll_, now + settings_.poll_period);
    if (std::exchange(poll_failed_, false) || !watch_.clock().known()) poll_now_ = true;
  }
}

// Its answer will not be heard.
void FencedOutbox::give_up_call() {
  if (term_->call && term_->call->what == Ask::fires) lost_commit_ = term_->token;
  term_->call.reset();
}

// The queue may differ from the store, and events may be in the outbox that the leader does not know of: from the
// start, as with a new term. An answer that is still to come no longer matters: what a commit did, the outbox will
// tell.
void FencedOutbox::reload() {
  give_up_call();
  // How far a sweep had come says nothing of the reading that begins. A reading that has to begin once more has as much
  // time as the first. But if that happens again and again, it gets nowhere.
  if (term_->took_turns || !term_->began_once_more) term_->outbox_reached = 0;
  term_->knows_outbox = false;
  term_->outbox_after = 0;
  term_->sweep_again = term_->reads_left_out = false;
  term_->left_out.reset();
  term_->backlog.clear();
  relay_.read_anew();
  reload_due();
}

// The queue alone may differ. What the leader has seen of the outbox stays as it is, and a reading of it goes on from
// where it was. But a commit that was given up may have been executed since: its events are behind all that it has
// seen. REQUIRES: no request is under way.
void FencedOutbox::reload_due() {
  if (lost_commit_ == term_->token) term_->knows_outbox = term_->reads_left_out = false;
  const bool is_first = term_->took_turns;
  if (is_first || !term_->began_once_more) term_->due_pages_reached = 0;
  term_->began_once_more = !is_first;
  term_->due_pages = 0;
  term_->loading = Loading::due;
  term_->reads_anew = true;
  term_->took_turns = false;
  term_->read_after.reset();
  term_->due_seq.reset();
  term_->unmerged.clear();
  term_->unreadable.clear();
  term_->queue.clear();
  term_->reserved = 0;
}

void FencedOutbox::back_off(MonoTime until) { term_->ready_at = std::max(term_->ready_at, until); }

void FencedOutbox::lead(Env& env) {
  const MonoTime now = env.clock.mono();
  if (!term_) return;
  begin_backlog(env);
  if (term_->call || now < term_->ready_at || !watch_.clock().known()) return;
  if (watch_.wants_hold()) {
    ask(Ask::set_hold, reference::SetHold{resource_, *self_, term_->token, watch_.jump()}, env);
  } else if (watch_.may_resume()) {
    ask(Ask::clear_hold, reference::ClearHold{resource_, *self_, term_->token}, env);
  } else if (term_->loading == Loading::due) {
    if (!term_->read_after) term_->horizon = watch_.clock().earliest(now) + settings_.look_ahead();
    read_due(env);
  } else if (term_->loading == Loading::outbox) {
    read_outbox(env);
  } else {
    take_turns(env);
  }
}

// Invariant 5. What has nothing to do keeps its place, so that it is first when it has.
void FencedOutbox::take_turns(Env& env) {
  if (!std::exchange(term_->took_turns, true)) stall(Duty::read_anew).see("", env.clock.mono());
  auto& turns = term_->turns;
  for (auto turn = turns.begin(); turn != turns.end(); ++turn) {
    if (!take(*turn, env)) continue;
    std::rotate(turn, turn + 1, turns.end());
    return;
  }
}

bool FencedOutbox::take(LeaderTerm::Turn turn, Env& env) {
  const MonoTime now = env.clock.mono();
  switch (turn) {
    case Turn::fire: return fire(watch_.clock().earliest(now), env);
    case Turn::read_ahead: return read_ahead(watch_.clock().earliest(now), env);
    case Turn::sweep: return sweep(env);
    case Turn::prune: return prune(env);
    case Turn::read_waiting: return read_waiting(env);
  }
  return false;
}

// The whole outbox now and then, page by page; and once there is room for manual runs again, those that were left in
// it. Where both are wanted, they take turns.
bool FencedOutbox::sweep(Env& env) {
  const bool begun = term_->outbox_after != 0;
  const bool wanted = begun || env.clock.mono() >= term_->sweep_at || term_->sweep_again;
  const bool has_room = term_->left_out && !term_->backlog.crowded();
  if (!wanted && !has_room) return false;
  term_->reads_left_out = has_room && !(wanted && term_->reads_left_out);
  if (!term_->reads_left_out && !begun) term_->sweep_again = false;
  read_outbox(env);
  return true;
}

// By a clock that is in doubt it would be too much: a false future has everything behind it. What fails waits for
// the next period.
bool FencedOutbox::prune(Env& env) {
  const MonoTime now = env.clock.mono();
  if (now < term_->prune_at || !watch_.may_fire()) return false;
  term_->prune_at = now + settings_.prune_period;
  const StoreTime before = watch_.clock().earliest(now) - settings_.retention;
  ask(Ask::prune, reference::Prune{resource_, before, settings_.prune_batch}, env);
  return true;
}

bool FencedOutbox::read_waiting(Env& env) {
  const std::optional<Relay::Page> page = relay_.next_page();
  if (!page) return false;
  term_->page = *page;
  ask(Ask::waiting, reference::ReadWaiting{resource_, Delivery::Kind::push, page->name, page->after, kPage},
      env);
  return true;
}

void FencedOutbox::ask(Ask what, reference::Request request, Env& env) {
  const bool as_leader =
      what != Ask::due && what != Ask::outbox && what != Ask::waiting && what != Ask::prune;
  term_->call = LeaderTerm::Call{submit(std::move(request), as_leader, env), what};
}

bool FencedOutbox::read_ahead(StoreTime store_now, Env& env) {
  if (!term_->unmerged.empty()) return false;
  if (!term_->read_after) {
    if (store_now + settings_.look_ahead() / 4 < term_->horizon) return false;
    // What is due before the old horizon is in the queue; what is due from there on comes after this position.
    term_->read_after.emplace().cursor = term_->horizon;
    term_->horizon = std::max(term_->horizon, store_now + settings_.look_ahead());
  }
  read_due(env);
  return true;
}

void FencedOutbox::read_due(Env& env) {
  ask(Ask::due, reference::ReadDue{resource_, term_->horizon, kPage, term_->read_after}, env);
}

void FencedOutbox::read_outbox(Env& env) {
  const std::uint64_t after = term_->reads_left_out ? *term_->left_out : term_->outbox_after;
  ask(Ask::outbox, reference::ReadOutbox{resource_, kPage, after}, env);
}

bool FencedOutbox::fire(StoreTime store_now, Env& env) {
  if (!may_commit()) return false;
  term_->rows.clear();
  term_->routed.clear();
  term_->reserved = term_->queue.take_due(store_now, term_->known_until(), settings_.batch, free_workers(),
                                          relay_.work(), term_->rows, term_->routed);
  term_->is_their_turn = false;
  if (term_->rows.empty()) return false;
  // Rows that fire nothing are no turn of the fires; unless a worker is left, which the fires do not want then.
  term_->is_their_turn = term_->reserved > 0 || free_workers() > 0;
  env.journal.note(LeadershipChecked{resource_});
  ask(Ask::fires, reference::CommitFires{resource_, *self_, term_->token, term_->rows}, env);
  return true;
}

// Invariant 4, and the order of slots: those that wait for a worker go before those that are not committed yet.
bool FencedOutbox::may_commit() const {
  return watch_.may_fire() && term_->loading == Loading::nothing && term_->unmerged.empty() &&
         !term_->backlog.has_slots();
}

void FencedOutbox::end_turn_of_fires() {
  if (std::exchange(term_->is_their_turn, false)) term_->runs_had_theirs = term_->retries_had_theirs = false;
}

// Workers that neither work nor are wanted by the commit under way.
std::size_t FencedOutbox::free_workers() const {
  const std::size_t taken = relay_.work().running() + (term_ ? term_->reserved : 0);
  return taken < settings_.max_running ? settings_.max_running - taken : 0;
}

// What is due, and what only workers, if anything, keep from being committed.
bool FencedOutbox::rows_wait(MonoTime now) const {
  return watch_.clock().known() && may_commit() &&
         term_->queue.has_due(watch_.clock().earliest(now), term_->known_until(), relay_.work());
}

// Fires that are due, and that a free worker would let be committed. A commit that failed keeps their turn until
// everything has been read anew.
bool FencedOutbox::fires_wait(MonoTime now) const {
  if (term_->loading != Loading::nothing) return term_->is_their_turn;
  if (!watch_.clock().known() || !may_commit()) return false;
  const StoreTime store_now = watch_.clock().earliest(now);
  return term_->queue.fires(store_now, term_->known_until(), relay_.work());
}

void FencedOutbox::begin_backlog(Env& env) {
  if (stopping_) return;
  Backlog& backlog = term_->backlog;
  std::size_t room = free_workers();
  for (; room > 0 && backlog.has_slots(); --room) begin_from_backlog(*backlog.take_slot(), env);
  if (room == 0 || !backlog.has_runs()) return;
  // Manual runs and fires that are due share the workers: half for each, and a single one in turns.
  const bool shared = fires_wait(env.clock.mono());
  if (shared && std::exchange(term_->runs_had_theirs, true)) return;
  if (shared) room = room / 2 + room % 2;
  for (; room > 0 && backlog.has_runs(); --room) begin_from_backlog(*backlog.take_run(), env);
}

void FencedOutbox::begin_from_backlog(const reference::EventId& event, Env& env) {
  term_->retries_had_theirs = false;
  execute(event, env);
}

void FencedOutbox::execute(const reference::EventId& event, Env& env) {
  if (stopping_ || !relay_.begin_work(event, term_->token)) return;
  begin_work(event, env);
}

void FencedOutbox::begin_work(const reference::EventId& event, Env& env) const {
  env.work.execute({resource_, event, term_->token, true});
}

// Work that failed and work that has not begun yet share the workers: half for each, and a single one in turns. It
// would wait for ever for what fires leave; and they for it, since what is begun again may fail again.
std::size_t FencedOutbox::room_to_retry(MonoTime now) const {
  if (!term_ || free_workers() == 0) return 0;
  const bool shared = term_->backlog.has_slots() || term_->backlog.has_runs() || fires_wait(now);
  if (!shared) return free_workers();
  return term_->retries_had_theirs ? 0 : (free_workers() + 1) / 2;
}

void FencedOutbox::retry(Env& env) {
  const MonoTime now = env.clock.mono();
  if (term_ && std::min(relay_.work().next_ask(), relay_.work().next_answer()) <= now)
    for (const reference::EventId& event : relay_.work().take_asks(now, free_workers(), term_->token))
      begin_work(event, env);
  if (now < relay_.work().next_retry()) return;
  const std::size_t room = room_to_retry(now);
  if (room == 0) return;
  term_->retries_had_theirs = true;
  for (const reference::EventId& event : relay_.work().take_retries(now, room, term_->token))
    begin_work(event, env);
}

void FencedOutbox::deliver(Env& env) {
  const MonoTime now = env.clock.mono();
  if (!term_ || relay_.next_begin(now) > now) return;
  relay_.begin(now, term_->token, [&](const Relay::Attempt& attempt) {
    env.work.execute({.resource = resource_,
                      .event = attempt.what.event,
                      .token = term_->token,
                      .once = true,
                      .destination = attempt.destination,
                      .sequence = attempt.what.sequence,
                      .attempt = attempt.what.number});
  });
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
    const bool waits = free_workers() == 0 || relay_.work().next_answer() != MonoTime::max();
    const bool stuck = waits && due <= store_now;
    next = std::min(next, stuck ? store_now + settings_.retry_period : due);
  }
  if (relay_.next_page()) return now;
  const MonoTime prune = watch_.may_fire() ? term_->prune_at : MonoTime::max();
  return std::min({watch_.clock().when(next), term_->sweep_at, prune});
}

void FencedOutbox::hash_term(Hasher& hasher, const Canon& canon) const {
  const LeaderTerm& term = *term_;
  hasher.add(term.token).add(term.call.has_value());
  if (term.call) hasher.add(canon.name(term.call->id.counter)).add(term.call->what);
  hasher.add(canon.offset(term.ready_at)).add(term.loading).add(term.horizon);
  hasher.add(term.reads_anew).add(term.polls_for_commit);
  hasher.add(term.knows_outbox).add(term.took_turns);
  for (const Turn turn : term.turns) hasher.add(turn);
  hasher.add(term.due_seq).add(term.needed_seq).add(term.outbox_after).add(term.outbox_reached);
  hasher.add(term.due_pages).add(term.due_pages_reached).add(term.began_once_more).add(term.refetched);
  hasher.add(canon.offset(term.sweep_at)).add(term.sweep_again).add(term.left_out).add(term.reads_left_out);
  hasher.add(canon.offset(term.prune_at));
  hasher.add(term.read_after.has_value()).add(term.unmerged.size());
  for (const reference::Segment& segment : term.unmerged)
    hasher.add(segment.schedule).add(segment.version).add(segment.cursor).add(segment.end);
  term.queue.hash(hasher);
  term.backlog.hash(hasher);
  hasher.add(term.unreadable.size());
  for (const reference::Segment& segment : term.unreadable)
    hasher.add(segment.schedule).add(segment.version).add(segment.cursor);
  hasher.add(term.commit_failed)
      .add(term.runs_had_theirs)
      .add(term.retries_had_theirs)
      .add(term.is_their_turn)
      .add(term.reserved)
      .add(term.rows.size());
  for (const reference::LedgerRow& row : term.rows)
    hasher.add(row.schedule).add(row.version).add(row.from).add(row.to).add(row.slot).add(row.what);
}

}  // namespace tenure
