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

void FencedOutbox::on_answer(const StoreReplied& reply, Ask what, Env& env) {
  const MonoTime now = env.clock.mono();
  term_->reserved = 0;
  const auto* answer =
      reply.outcome == RequestOutcome::applied ? std::get_if<reference::Reply>(&reply.reply) : nullptr;
  if (answer) {
    if (const auto* refused = std::get_if<reference::CommitRefused>(answer))
      return on_refused(reply, *refused, what, now);
    const auto* due = std::get_if<reference::Due>(answer);
    if (due && what == Ask::due) return on_due(reply, *due, now);
    const auto* outbox = std::get_if<reference::Outbox>(answer);
    if (outbox && what == Ask::outbox) return on_outbox(*outbox, env);
    const auto* waiting = std::get_if<reference::WaitingEvents>(answer);
    if (waiting && what == Ask::waiting) return relay_.take(term_->page, *waiting);
    const auto* committed = std::get_if<reference::Committed>(answer);
    if (committed && what == Ask::fires) return on_committed(*committed, env);
    const auto* set = std::get_if<reference::HoldSet>(answer);
    if (set && what != Ask::fires) return on_hold_set(reply, *set, now);
    const auto* pruned = std::get_if<reference::Pruned>(answer);
    if (pruned && what == Ask::prune) {
      if (pruned->rows >= settings_.prune_batch) term_->prune_at = now;  // there may be more
      return;
    }
  }
  note_failure(what, reply.sent_at);
  // Not executed, or nobody knows: a commit's rows are out of the queue, and perhaps in the ledger, or will be.
  if (what == Ask::fires) {
    if (reply.outcome == RequestOutcome::unknown) lost_commit_ = term_->token;
    reload();
  }
  // What it was to find is looked for again, though the period is not over.
  if (what == Ask::outbox && term_->loading == Loading::nothing && term_->outbox_after == 0)
    term_->sweep_again = true;
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
  if (term_->loading == Loading::nothing) stall(Duty::read_due).went_on(settings_.request_timeout * 4, now);
  if (due.more && !due.segments.empty()) {
    // Pages that are read once more are no way forward.
    if (term_->loading == Loading::due && ++term_->due_pages > term_->due_pages_reached) {
      term_->due_pages_reached = term_->due_pages;
      stall(Duty::read_due).went_on(settings_.request_timeout, now);
      stall(Duty::read_anew).went_on(settings_.request_timeout, now);
    }
    if (!term_->commit_failed) stall(Duty::commit).went_on(settings_.request_timeout, now);
    term_->read_after = due.segments.back();
  } else {
    term_->read_after.reset();
    if (term_->loading == Loading::due)
      term_->loading = term_->knows_outbox ? Loading::nothing : Loading::outbox;
  }
  merge();
}

// Runs are kept in their order: behind the first that is left out none is kept, until it has been read once more.
void FencedOutbox::take_page(const reference::Outbox& outbox) {
  const auto left_out = term_->reads_left_out ? std::nullopt : term_->left_out;
  std::uint64_t before = term_->reads_left_out ? *term_->left_out : term_->outbox_after;
  std::optional<std::uint64_t> first = left_out;
  for (const reference::OutboxEvent& event : outbox.events) {
    const bool is_behind = event.id.run != 0 && first && event.seq > *first;
    if (!relay_.holds_work(event.id) && !is_behind && !term_->backlog.add(event)) first = before;
    before = event.seq;
  }
  if (term_->reads_left_out && !first && outbox.more) first = before;
  term_->left_out = first;
  if (!term_->reads_left_out) term_->outbox_after = before;
}

void FencedOutbox::on_outbox(const reference::Outbox& outbox, Env& env) {
  const bool begins = !term_->reads_left_out && term_->outbox_after == 0;
  if (begins && outbox.push_waits) relay_.look();
  take_page(outbox);
  begin_backlog(env);
  stall(Duty::commit).may_go_on();
  if (term_->reads_left_out) return;
  if (outbox.more && !outbox.events.empty()) {
    // Pages that were read before are no way forward.
    if (term_->outbox_after <= term_->outbox_reached) return;
    term_->outbox_reached = term_->outbox_after;
    stall(Duty::read_anew).reset();
    stall(Duty::read_outbox).reset();
    if (!term_->commit_failed) stall(Duty::commit).went_on(settings_.request_timeout, env.clock.mono());
    return;
  }
  // Counted from the end: a sweep that takes longer than the period does not follow on its own heels.
  term_->sweep_at = env.clock.mono() + settings_.poll_period;
  term_->outbox_after = term_->outbox_reached = 0;
  stall(Duty::read_outbox).succeeded();
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
    end_turn_of_fires();
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
  if (routed == term_->routed.end())
    execute({term_->rows[row].schedule, term_->rows[row].slot, 0}, env);
  else if (routed->second.kind == Delivery::Kind::push)
    relay_.committed(routed->second.destination);
}

void FencedOutbox::on_hold_set(const StoreReplied& reply, const reference::HoldSet& set, MonoTime now) {
  hold_counter_ = reply.id.counter;
  stall(Duty::hold).succeeded();
  see_hold(reply, set.hold.has_value(), true, now);
  if (!set.hold) reload_due();  // what was edited in a false future was drawn back with it
}

void FencedOutbox::on_refused(const StoreReplied& reply, const reference::CommitRefused& refused, Ask what,
                              MonoTime now) {
  if (refused.held) {
    stall(Duty::commit).reset();  // what is held is not to be committed, and was not
    reload_due();
    see_hold(reply, true, false, now);
  } else {
    note_failure(what, reply.sent_at);
    reload();
    // The election will find out; or the store's clock goes back, and the lease is good again.
    back_off(now + settings_.retry_period);
  }
}

void FencedOutbox::on_change(const reference::Change& change, std::uint32_t branch) {
  if (!table_.apply(change, branch)) return;
  const Delivery& delivery = change.definition.delivery;
  if (delivery.kind == Delivery::Kind::push) relay_.knows(delivery.destination);
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
