// What the fenced outbox makes of the answers to its leader's requests.
#include <algorithm>
#include <utility>

#include "core/scheduler/fenced_outbox/fenced_outbox.h"

namespace tenure {
namespace {

// After the store found a slot in its future although the estimate did not.
constexpr Duration kNotYet = Duration::millis(1);

// A fire that the store has judged to overlap is in the ledger as that.
bool is_covered(reference::RowResult result) {
  return result == reference::RowResult::covered || result == reference::RowResult::overlapped;
}

}  // namespace

void FencedOutbox::on_answer(const StoreReplied& reply, const InFlight& asked, Env& env) {
  const MonoTime now = env.clock.mono();
  term_->reserved = 0;
  if (const auto* answer = answer_of(reply)) {
    if (const auto* refused = std::get_if<reference::CommitRefused>(answer))
      return on_refused(reply, *refused, asked, now);
    if (const auto* due = std::get_if<reference::Due>(answer)) return on_due(reply, *due, now);
    if (const auto* outbox = std::get_if<reference::Outbox>(answer))
      return on_outbox(asked.page, *outbox, now);
    if (const auto* committed = std::get_if<reference::Committed>(answer))
      return on_committed(*committed, env);
    if (const auto* set = std::get_if<reference::HoldSet>(answer)) return on_hold_set(reply, *set, now);
    if (const auto* waiting = std::get_if<reference::WaitingEvents>(answer)) {
      dispatcher_.take(asked.page, *waiting);
      return;
    }
    if (const auto* pruned = std::get_if<reference::Pruned>(answer)) {
      if (pruned->rows >= settings_.prune_batch) term_->prune_at = now;  // there may be more
      return;
    }
  }
  note_failure(asked, reply.sent_at);
  // Not executed, or nobody knows: a commit's rows are out of the queue, and perhaps in the ledger, or will be.
  if (asked.kind == RequestKind::fires) {
    if (reply.outcome == RequestOutcome::unknown) lost_commit_ = term_->token;
    reload();
  }
  back_off(now + settings_.retry_period);
}

void FencedOutbox::on_due(const StoreReplied& reply, const reference::Due& due, MonoTime now) {
  see_hold(reply, due.hold.has_value(), false, now);
  if (table_.seq() > due.change_seq || !table_.goes_with(due.branch)) return change_feeds(now);
  if (!term_->due_seq) term_->due_seq = due.change_seq;
  term_->needed_seq = due.change_seq;
  if (table_.seq() < due.change_seq) poll_now_ = true;
  term_->unmerged.insert(term_->unmerged.end(), due.segments.begin(), due.segments.end());
  stall(Duty::commit).may_go_on();
  // In turns, three others may come before the next page; and before the next reading, if this one took as long as it
  // had looked ahead.
  if (term_->loading == Loading::nothing) stall(Duty::read).went_on(settings_.request_timeout * 4, now);
  if (due.more && !due.segments.empty()) {
    const reference::Segment& last = due.segments.back();
    const bool further = term_->due.took({last.cursor, last.schedule, last.version}, true);
    // Pages that are read once more are no way forward.
    if (term_->loading == Loading::due && further) stall(Duty::read).went_on(settings_.request_timeout, now);
    if (!term_->commit_failed) stall(Duty::commit).went_on(settings_.request_timeout, now);
  } else {
    term_->due.more = false;
    if (term_->loading == Loading::due)
      term_->loading = term_->knows_outbox ? Loading::nothing : Loading::outbox;
  }
  merge();
}

void FencedOutbox::on_outbox(const DeliveryDispatcher::Page& page, const reference::Outbox& outbox,
                             MonoTime now) {
  const bool further = dispatcher_.take(page, outbox);
  stall(Duty::commit).may_go_on();
  if (page.name) return;
  if (outbox.push_waits && (page.after == 0 || !outbox.more)) dispatcher_.read_on(Source::waiting);
  if (dispatcher_.has_more(Source::outbox)) {
    // Pages that were read before are no way forward.
    if (!further) return;
    stall(Duty::look).reset();
    stall(Duty::read).went_on(settings_.request_timeout, now);
    if (!term_->commit_failed) stall(Duty::commit).went_on(settings_.request_timeout, now);
    return;
  }
  // Counted from the end: a look that takes longer than the period does not follow on its own heels.
  const bool again = std::exchange(term_->look_again, false);
  if (term_->look_at == MonoTime::max()) term_->look_at = again ? now : now + settings_.poll_period;
  stall(Duty::look).succeeded();
  term_->knows_outbox = true;
  term_->loading = Loading::nothing;
}

void FencedOutbox::on_committed(const reference::Committed& committed, Env& env) {
  const MonoTime now = env.clock.mono();
  std::vector<const reference::LedgerRow*>
      early;  // the first of its segment that was not due: the rest had to fail
  const auto fails_with_it = [&early](const reference::LedgerRow& row) {
    return std::any_of(early.begin(), early.end(), [&row](const reference::LedgerRow* before) {
      return before->schedule == row.schedule && before->version == row.version;
    });
  };
  if (std::any_of(committed.rows.begin(), committed.rows.end(), is_covered)) {
    stall(Duty::commit).succeeded();
    term_->commit_failed = false;
    if (std::exchange(term_->fires_turn, false)) dispatcher_.own().fires_had_places();
  } else {
    stall(Duty::commit)
        .may_go_on();  // the store does its part: an edit came between, or the clock was estimated wrong
  }
  const std::vector<reference::LedgerRow>& rows = term_->rows;
  bool in_doubt = committed.rows.size() != rows.size();
  for (std::size_t i = 0; i < rows.size() && !in_doubt; ++i) {
    const reference::RowResult result = committed.rows[i];
    if (is_covered(result) || fails_with_it(rows[i])) continue;
    in_doubt =
        result != reference::RowResult::not_due || !term_->queue.contains(rows[i].schedule, rows[i].version);
    early.push_back(&rows[i]);
  }
  // Somebody was here: an edit, or an earlier commit of ours that was given up. Events of that one may have to go
  // before those of this one, so the outbox gives them all, in the order of commits.
  if (in_doubt && (lost_commit_ == term_->token || committed.rows.size() != rows.size())) {
    reload();
    back_off(now + kNotYet);
    return;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool fires = rows[i].what == reference::Disposition::fired;
    if (!fires || !is_covered(committed.rows[i])) continue;
    if (committed.rows[i] == reference::RowResult::covered) has_fired(i, env);
    term_->queue.committed(rows[i].schedule);
  }
  if (in_doubt) {
    reload_due();
    back_off(now + kNotYet);
    return;
  }
  for (const reference::LedgerRow* row : early) term_->queue.move_to(row->schedule, row->version, row->from);
  if (!early.empty()) back_off(now + kNotYet);
}

// Work begins at once. What goes to a destination is read where it waits; what is pulled, the store hands out.
void FencedOutbox::has_fired(std::size_t row, Env& env) {
  const auto routed = term_->routed.find(row);
  if (routed == term_->routed.end()) {
    const reference::EventId event{term_->rows[row].schedule, term_->rows[row].slot, 0};
    if (!stopping_ && dispatcher_.begin_work(event, term_->token)) execute(event, env);
  } else if (routed->second.kind == Delivery::Kind::push) {
    dispatcher_.committed(routed->second.destination);
  }
}

void FencedOutbox::on_hold_set(const StoreReplied& reply, const reference::HoldSet& set, MonoTime now) {
  hold_counter_ = reply.id.counter;
  stall(Duty::hold).succeeded();
  see_hold(reply, set.hold.has_value(), true, now);
  if (!set.hold) reload_due();  // what was edited in a false future was drawn back with it
}

void FencedOutbox::on_refused(const StoreReplied& reply, const reference::CommitRefused& refused,
                              const InFlight& asked, MonoTime now) {
  if (refused.held) {
    stall(Duty::commit).reset();  // what is held is not to be committed, and was not
    reload_due();
    see_hold(reply, true, false, now);
  } else {
    note_failure(asked, reply.sent_at);
    reload();
    // The election will find out; or the store's clock goes back, and the lease is good again.
    back_off(now + settings_.retry_period);
  }
}

void FencedOutbox::on_change(const reference::Change& change, std::uint32_t branch) {
  if (!table_.apply(change, branch)) return;
  const Delivery& delivery = change.definition.delivery;
  if (delivery.kind == Delivery::Kind::push) dispatcher_.knows(delivery.destination);
  if (!term_) return;
  const reference::Segment& segment = change.segment;
  if (change.deleted) {
    std::erase_if(term_->unmerged,
                  [&](const reference::Segment& s) { return s.schedule == segment.schedule; });
    std::erase_if(term_->unreadable,
                  [&](const reference::Segment& s) { return s.schedule == segment.schedule; });
    term_->queue.remove(segment.schedule);
    return;
  }
  // A change that the queue began with is in it already, further on perhaps, or drained.
  if (!term_->due_seq || change.seq <= *term_->due_seq) return;
  term_->queue.close_before(segment.schedule, segment.version, segment.begin);
  put(segment, *table_.find(segment.schedule, segment.version));
}

void FencedOutbox::merge() {
  if (table_.seq() < term_->needed_seq) return;
  bool missing = false;
  for (reference::Segment segment : std::exchange(term_->unmerged, {})) {
    segment.end = std::min(segment.end, table_.end_of(segment.schedule, segment.version));
    const Definition* definition = table_.find(segment.schedule, segment.version);
    if (definition)
      put(segment, *definition);
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

}  // namespace tenure
