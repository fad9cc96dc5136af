// When the fenced outbox asks for its leadership to end: it does not get done what is due.
#include <algorithm>

#include "core/scheduler/fenced_outbox/fenced_outbox.h"

namespace tenure {
namespace {

constexpr std::string_view kCannotCommit = "cannot fire: what is due cannot be committed";

}  // namespace

void FencedOutbox::forget_stalls() {
  stall_.reset();
  feed_stall_.reset();
  sweep_stall_.reset();
  unread_stall_.reset();
}

// Whether what is due, or may be, waits for something else than the store: a hold, or work that is running.
bool FencedOutbox::waits_by_design() const {
  return watch_.held() || deliveries_.running() >= settings_.max_running;
}

// Why what is due, or may be, does not get done; empty when nothing is.
std::string_view FencedOutbox::why_stuck(MonoTime now) const {
  if (!watch_.clock().known()) return "cannot fire: the store's clock cannot be read";
  if (watch_.wants_hold()) return "cannot fire: the hold cannot be set";
  if (watch_.held()) return "cannot fire: the hold cannot be lifted";
  if (term_->loading == Loading::due) return "cannot fire: what is due cannot be read";
  if (term_->loading == Loading::outbox) return "cannot fire: the outbox cannot be read";
  if (!term_->unmerged.empty()) return "cannot fire: the definitions of what is due cannot be read";
  if (term_->known_until() <= watch_.clock().earliest(now)) return "cannot fire: what is due cannot be read";
  const bool committing = term_->call && term_->call->what == Ask::fires;
  const bool due = term_->queue.next() <= watch_.clock().earliest(now);
  return committing || due ? kCannotCommit : "";
}

// A request was not executed, or nobody knows. Reads that fail are no news to a leader that has nothing to commit.
void FencedOutbox::note_failure(Ask what, MonoTime now) {
  if (what == Ask::fires) stall_.failed(kCannotCommit, now);
  if (what == Ask::set_hold || what == Ask::clear_hold) stall_.failed(why_stuck(now), now);
}

void FencedOutbox::watch_progress(Env& env) {
  const MonoTime now = env.clock.mono();
  const std::string_view why = why_stuck(now);
  if (!why.empty() && waits_by_design())
    stall_.wait(now);
  else
    stall_.see(why, now);
  feed_stall_.see(poll_failed_ ? "cannot fire: the change feed cannot be read" : "", now);
  // What is read anew ends with the outbox.
  if (term_->loading == Loading::nothing)
    sweep_stall_.see(now >= term_->sweep_at ? "cannot deliver: the outbox cannot be read" : "", now);
  // While what is due is read anew, it is not known.
  if (term_->loading != Loading::due && term_->unmerged.empty() && watch_.clock().known()) {
    const StoreTime store_now = watch_.clock().earliest(now);
    const bool unread =
        std::any_of(term_->unreadable.begin(), term_->unreadable.end(),
                    [&](const reference::Segment& segment) { return segment.cursor <= store_now; });
    unread_stall_.see(unread ? "cannot fire: a definition cannot be read by this program" : "", now);
  }
  if (now >= stall_.deadline()) {
    step_aside_ = stall_.step_aside();
  } else if (now >= feed_stall_.deadline()) {
    step_aside_ = feed_stall_.step_aside();
  } else if (now >= sweep_stall_.deadline()) {
    step_aside_ = sweep_stall_.step_aside();
  } else if (now >= unread_stall_.deadline()) {
    step_aside_ = unread_stall_.step_aside();
    quarantine(env);
  }
}

// The others have their turn now. Should none of them take it, or none of them be able to read it either, one schedule
// must not keep the lease going round.
void FencedOutbox::quarantine(Env& env) {
  for (const reference::Segment& segment : term_->unreadable) {
    if (quarantined_.insert({segment.schedule, segment.version}).second)
      env.journal.note(Remark{"cannot read the definition of schedule", segment.schedule.value});
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
