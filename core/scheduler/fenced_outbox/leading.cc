// The fenced outbox while its instance leads: reading what is due, committing it, delivering it.
#include <algorithm>
#include <utility>

#include "core/scheduler/fenced_outbox/fenced_outbox.h"

namespace tenure {
namespace {

constexpr std::uint32_t kPage = 1000;  // segments, or events, in one request
// After the store found a slot in its future although the estimate did not.
constexpr Duration kNotYet = Duration::millis(1);

}  // namespace

void FencedOutbox::follow(const Leadership& leadership, MonoTime now) {
  if (!leadership.token || !leadership.leads(now)) {
    term_.reset();
    table_.forget_again();
  } else if (!term_ || term_->token != *leadership.token) {
    term_.emplace(*leadership.token);
    if (!watch_.clock().known()) poll_now_ = true;
  }
}

// The queue may differ from the store: from the start, as with a new term. An answer that is still to come no
// longer matters: what a commit did, the outbox will tell.
void FencedOutbox::reload() {
  term_->call.reset();
  term_->reading = Reading::due;
  term_->read_after.reset();
  term_->due_seq.reset();
  term_->unmerged.clear();
  term_->queue.clear();
}

void FencedOutbox::back_off(MonoTime until) { term_->ready_at = std::max(term_->ready_at, until); }

void FencedOutbox::lead(Env& env) {
  const MonoTime now = env.clock.mono();
  if (!term_ || term_->call || now < term_->ready_at || !watch_.clock().known()) return;
  const StoreTime store_now = watch_.clock().earliest(now);
  if (watch_.wants_hold()) {
    ask(Ask::set_hold, house::SetHold{resource_, *self_, term_->token, watch_.jump()}, env);
  } else if (watch_.may_resume()) {
    ask(Ask::clear_hold, house::ClearHold{resource_, *self_, term_->token}, env);
  } else if (term_->reading == Reading::due) {
    if (!term_->read_after) term_->horizon = store_now + settings_.read_ahead;
    read_due(env);
  } else if (term_->reading == Reading::outbox) {
    if (has_room()) read_outbox(env);
  } else if (store_now + settings_.read_ahead / 4 >= term_->horizon) {
    // What is due before the old horizon is in the queue; what is due from there on comes after this position.
    term_->read_after.emplace().cursor = term_->horizon;
    term_->horizon = store_now + settings_.read_ahead;
    term_->reading = Reading::due;
    read_due(env);
  } else if (has_room() && std::exchange(term_->sweep, false)) {
    term_->outbox_after = 0;
    term_->reading = Reading::outbox;
    read_outbox(env);
  } else {
    fire(store_now, env);
  }
}

void FencedOutbox::ask(Ask what, house::Request request, Env& env) {
  const bool as_leader = what != Ask::due && what != Ask::outbox;
  term_->call = LeaderTerm::Call{submit(std::move(request), as_leader, env), what};
}

void FencedOutbox::read_due(Env& env) {
  ask(Ask::due, house::ReadDue{resource_, term_->horizon, kPage, term_->read_after}, env);
}

void FencedOutbox::read_outbox(Env& env) {
  const std::size_t room = settings_.max_running - deliveries_.running();
  const auto limit = static_cast<std::uint32_t>(std::min<std::size_t>(kPage, room));
  ask(Ask::outbox, house::ReadOutbox{resource_, limit, term_->outbox_after}, env);
}

void FencedOutbox::fire(StoreTime store_now, Env& env) {
  if (!watch_.may_fire() || !term_->unmerged.empty()) return;  // invariant 4
  term_->rows.clear();
  const std::size_t room = has_room() ? settings_.max_running - deliveries_.running() : 0;
  term_->queue.take_due(store_now, settings_.batch, room, deliveries_, term_->rows);
  if (term_->rows.empty()) return;
  env.journal.note(LeadershipChecked{resource_});
  ask(Ask::fires, house::CommitFires{resource_, *self_, term_->token, term_->rows}, env);
}

void FencedOutbox::on_answer(const StoreReplied& reply, Ask what, Env& env) {
  const MonoTime now = env.clock.mono();
  const auto* answer = reply.outcome == Outcome::applied ? std::get_if<house::Reply>(&reply.reply) : nullptr;
  if (answer) {
    if (const auto* refused = std::get_if<house::CommitRefused>(answer))
      return on_refused(reply, *refused, now);
    const auto* due = std::get_if<house::Due>(answer);
    if (due && what == Ask::due) return on_due(reply, *due, now);
    const auto* outbox = std::get_if<house::Outbox>(answer);
    if (outbox && what == Ask::outbox) return on_outbox(*outbox, env);
    const auto* committed = std::get_if<house::Committed>(answer);
    if (committed && what == Ask::fires) return on_committed(*committed, env);
    const auto* set = std::get_if<house::HoldSet>(answer);
    if (set && what != Ask::fires) return on_hold_set(reply, *set, now);
  }
  // Not executed, or nobody knows: a commit's rows are out of the queue, and perhaps in the ledger.
  if (what == Ask::fires) reload();
  back_off(now + settings_.retry_period);
}

void FencedOutbox::on_due(const StoreReplied& reply, const house::Due& due, MonoTime now) {
  see_hold(reply, due.hold.has_value(), false, now);
  if (table_.seq() > due.change_seq || !table_.goes_with(due.branch)) return change_feeds(now);
  if (!term_->due_seq) term_->due_seq = due.change_seq;
  term_->needed_seq = due.change_seq;
  if (table_.seq() < due.change_seq) poll_now_ = true;
  term_->unmerged.insert(term_->unmerged.end(), due.segments.begin(), due.segments.end());
  if (due.more && !due.segments.empty()) {
    term_->read_after = due.segments.back();
  } else {
    term_->read_after.reset();
    term_->reading = Reading::outbox;
    term_->outbox_after = 0;
  }
  merge();
}

void FencedOutbox::on_outbox(const house::Outbox& outbox, Env& env) {
  for (const house::OutboxEvent& event : outbox.events) {
    term_->outbox_after = event.seq;
    execute(event.id, env);
  }
  if (!outbox.more || outbox.events.empty()) term_->reading = Reading::nothing;
}

void FencedOutbox::on_committed(const house::Committed& committed, Env& env) {
  const MonoTime now = env.clock.mono();
  std::vector<const house::Covering*>
      early;  // the first of its segment that was not due: the rest had to fail
  const auto fails_with_it = [&early](const house::Covering& row) {
    return std::any_of(early.begin(), early.end(), [&row](const house::Covering* before) {
      return before->schedule == row.schedule && before->version == row.version;
    });
  };
  const std::vector<house::Covering>& rows = term_->rows;
  bool in_doubt = committed.rows.size() != rows.size();
  for (std::size_t i = 0; i < rows.size() && !in_doubt; ++i) {
    const house::RowResult result = committed.rows[i];
    if (result == house::RowResult::covered || fails_with_it(rows[i])) continue;
    in_doubt =
        result != house::RowResult::not_due || !term_->queue.contains(rows[i].schedule, rows[i].version);
    early.push_back(&rows[i]);
  }
  if (in_doubt) {
    // Somebody was here: an edit, or an earlier commit of ours that was given up. Events of that one may have to
    // go before those of this one, so the outbox gives them all, in the order of commits.
    reload();
    back_off(now + kNotYet);
    return;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool fired = rows[i].what == house::Disposition::fired;
    if (!fired || committed.rows[i] != house::RowResult::covered) continue;
    execute({rows[i].schedule, rows[i].slot, 0}, env);
    term_->queue.committed(rows[i].schedule);
  }
  for (const house::Covering* row : early) term_->queue.move_to(row->schedule, row->version, row->from);
  if (!early.empty()) back_off(now + kNotYet);
}

void FencedOutbox::on_hold_set(const StoreReplied& reply, const house::HoldSet& set, MonoTime now) {
  hold_counter_ = reply.id.counter;
  see_hold(reply, set.hold.has_value(), true, now);
}

void FencedOutbox::on_refused(const StoreReplied& reply, const house::CommitRefused& refused, MonoTime now) {
  reload();
  if (refused.held) {
    see_hold(reply, true, false, now);
  } else {
    // The election will find out; or the store's clock goes back, and the lease is good again.
    back_off(now + settings_.poll_period);
  }
}

void FencedOutbox::on_change(const house::Change& change, std::uint32_t branch) {
  if (!table_.apply(change, branch) || !term_) return;
  const house::Segment& segment = change.segment;
  if (change.deleted) {
    std::erase_if(term_->unmerged, [&](const house::Segment& s) { return s.schedule == segment.schedule; });
    term_->queue.remove(segment.schedule);
    return;
  }
  // A change that the queue began with is in it already, further on perhaps, or drained.
  if (!term_->due_seq || change.seq <= *term_->due_seq) return;
  term_->queue.close_before(segment.schedule, segment.version, segment.begin);
  term_->queue.put(segment, change.definition);
}

void FencedOutbox::merge() {
  if (table_.seq() < term_->needed_seq) return;
  bool missing = false;
  for (house::Segment segment : std::exchange(term_->unmerged, {})) {
    segment.end = std::min(segment.end, table_.end_of(segment.schedule, segment.version));
    const Definition* definition = table_.find(segment.schedule, segment.version);
    if (definition)
      term_->queue.put(segment, *definition);
    else
      missing = true;
  }
  const bool refetch = missing && !term_->refetched;
  term_->refetched = missing;
  if (!missing) table_.forget_again();
  if (!refetch) return;
  // Forgotten too early: the feed still has it.
  read_feed_anew(true);
  reload();
}

void FencedOutbox::execute(const house::EventId& event, Env& env) {
  if (stopping_ || !deliveries_.begin(event, term_->token)) return;
  env.work.execute({resource_, event, term_->token, true});
}

MonoTime FencedOutbox::next_act(MonoTime now) const {
  if (now < term_->ready_at) return term_->ready_at;
  if (!watch_.clock().known() || term_->reading != Reading::nothing)
    return MonoTime::max();  // an answer will tell
  StoreTime next = term_->horizon - settings_.read_ahead / 4;
  if (watch_.may_fire() && term_->unmerged.empty()) {
    // Without room, what is due and would fire waits for work that ends; what would not is looked for now and then.
    const StoreTime due = term_->queue.next();
    const bool stuck = !has_room() && watch_.clock().when(due) <= now;
    next = std::min(next, stuck ? watch_.clock().earliest(now) + settings_.retry_period : due);
  }
  return watch_.clock().when(next);
}

void FencedOutbox::hash_term(Hasher& hasher, const Canon& canon) const {
  const LeaderTerm& term = *term_;
  hasher.add(term.token).add(term.call.has_value());
  if (term.call) hasher.add(canon.name(term.call->id.counter)).add(term.call->what);
  hasher.add(canon.offset(term.ready_at)).add(term.reading).add(term.horizon);
  hasher.add(term.due_seq).add(term.needed_seq).add(term.outbox_after).add(term.sweep).add(term.refetched);
  hasher.add(term.read_after.has_value()).add(term.unmerged.size());
  for (const house::Segment& segment : term.unmerged)
    hasher.add(segment.schedule).add(segment.version).add(segment.cursor).add(segment.end);
  term.queue.hash(hasher);
  hasher.add(term.rows.size());
  for (const house::Covering& row : term.rows)
    hasher.add(row.schedule).add(row.version).add(row.from).add(row.to).add(row.slot).add(row.what);
}

}  // namespace tenure
