// When the fenced outbox asks for its leadership to end: it does not get done what is due.
#include <algorithm>
#include <utility>

#include "core/scheduler/fenced_outbox/fenced_outbox.h"

namespace tenure {
namespace {

constexpr std::string_view kDueUnread = "cannot fire: what is due cannot be read";
constexpr std::string_view kDefinitionsUnread = "cannot fire: the definitions of what is due cannot be read";
constexpr std::string_view kOutboxUnread = "cannot deliver: the outbox cannot be read";

}  // namespace

void FencedOutbox::forget_stalls() {
  for (StallWatch& stall : stalls_) stall.reset();
}

// What the leader has not read that it needs; empty when it has everything. It takes no turns while it reads anew, and
// that is over with the first of those: a hold may have to be set before that, and all begins anew.
std::string_view FencedOutbox::why_unread(MonoTime now) const {
  if (!watch_.clock().known()) return "cannot fire: the store's clock cannot be read";
  if (term_->loading == Loading::due) return kDueUnread;
  if (!term_->unmerged.empty()) return kDefinitionsUnread;
  if (!term_->took_turns) return term_->knows_outbox ? kDueUnread : kOutboxUnread;
  if (term_->known_until() <= watch_.clock().earliest(now)) return kDueUnread;
  if (poll_failed_) return "cannot fire: the change feed cannot be read";
  return unreadable_is_due(now) ? "cannot fire: a definition cannot be read by this program" : "";
}

bool FencedOutbox::unreadable_is_due(MonoTime now) const {
  return watch_.clock().known() &&
         std::any_of(term_->unreadable.begin(), term_->unreadable.end(),
                     [store_now = watch_.clock().earliest(now)](const reference::Segment& segment) {
                       return segment.cursor <= store_now;
                     });
}

// A request that was made at `tried` was not executed, or nobody knows. Reads that a commit waits for delay it like one
// that fails: each step alone may succeed in time, and nothing gets done. A look through the outbox waits for its turn,
// so it fails only when it is tried; it comes to the runs that were left out as well.
void FencedOutbox::note_failure(const InFlight& asked, MonoTime tried) {
  const bool commit_waits = term_->loading != Loading::nothing;
  switch (asked.kind) {
    case RequestKind::fires:
      term_->commit_failed = true;
      return stall(Duty::commit).failed("cannot fire: what is due cannot be committed", tried);
    case RequestKind::due:
      if (commit_waits) stall(Duty::commit).failed(kDueUnread, tried);
      return;
    case RequestKind::set_hold: return stall(Duty::hold).failed("cannot fire: the hold cannot be set", tried);
    case RequestKind::clear_hold:
      return stall(Duty::hold).failed("cannot fire: the hold cannot be lifted", tried);
    case RequestKind::prune: return;
    case RequestKind::page:
      if (!asked.reads_outbox()) return;
      if (commit_waits) stall(Duty::commit).failed(kOutboxUnread, tried);
      if (!asked.page.name) stall(Duty::look).failed(kOutboxUnread, tried);
  }
}

// The definitions of what is read come with the change feed: a commit waits for them as it waits for the reads.
void FencedOutbox::note_poll(MonoTime tried) {
  if (!term_ || term_->unmerged.empty()) return;
  if (poll_failed_)
    stall(Duty::commit).failed(kDefinitionsUnread, tried);
  else
    stall(Duty::commit).may_go_on();
}

// Once everything has been read anew, and what was to be committed is not there, it was executed after all, or an edit
// came between: that commit is not wanted any more. A new leader has not tried yet, but something may be due.
void FencedOutbox::watch_commits(MonoTime now) {
  if (!term_->reads_anew || term_->loading != Loading::nothing || !term_->unmerged.empty()) return;
  term_->reads_anew = false;
  const bool still_there =
      std::any_of(term_->rows.begin(), term_->rows.end(), [&](const reference::LedgerRow& row) {
        return term_->queue.has_from(row.schedule, row.version, row.from);
      });
  if (still_there || (term_->rows.empty() && rows_wait(now))) return;
  stall(Duty::commit).reset();
  term_->commit_failed = false;
}

void FencedOutbox::watch_progress(MonoTime now, Env& env) {
  watch_commits(now);
  stall(Duty::read).see(why_unread(now), now);
  if (!watch_.wants_hold() && !watch_.may_resume()) stall(Duty::hold).not_wanted(now);
  const auto stuck = std::find_if(stalls_.begin(), stalls_.end(),
                                  [now](const StallWatch& each) { return each.deadline() <= now; });
  if (stuck == stalls_.end()) return;
  step_aside_ = stuck->step_aside();
  if (stuck == stalls_.begin() && unreadable_is_due(now)) quarantine(env);
}

// The others have their turn now. Should none of them take it, or none of them be able to read it either, one schedule
// must not keep the lease going round.
void FencedOutbox::quarantine(Env& env) {
  for (const reference::Segment& segment : term_->unreadable) {
    if (quarantined_.insert({segment.schedule, segment.version}).second)
      env.journal.note(Annotation{"cannot read the definition of schedule", segment.schedule.value});
  }
}

void FencedOutbox::put(const reference::Segment& segment, const Definition& definition) {
  const bool aside = table_.is_unreadable(segment.schedule, segment.version) &&
                     settings_.stall_timeout > Duration{} &&
                     !quarantined_.contains({segment.schedule, segment.version});
  if (aside)
    term_->unreadable.push_back(segment);
  else
    term_->queue.put(segment, definition);
}

}  // namespace tenure
