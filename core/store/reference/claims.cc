// Executions: claims on events that wait, and what becomes of them. The rules are those of waiting.h, and cited by its
// numbers.
#include <string>
#include <utility>

#include "core/store/reference/rules.h"

namespace tenure::reference {

void ReferenceRules::finish(WaitingRow& row, Standing how) {
  const WaitingRow gone = tables_.waiting.take(row);
  const Attempt& attempt = gone.attempt;
  if (attempt.number != 0) tables_.waiting.remember(gone.id, {attempt.number, attempt.nonce, how, now_});
  if (how == Standing::replaced) tables_.history.add(gone.id, gone.version, Disposition::replaced, now_);
  if (how == Standing::dead)
    tables_.outbox.keep_dead({.event = {gone.id, attempt.spent(), gone.seq, now_, gone.why},
                              .version = gone.version,
                              .waiting = DeadWaiting{gone.name, gone.rules}});
}

// Invariant 4.
void ReferenceRules::replace(ScheduleId schedule) {
  for (WaitingRow* const row : tables_.waiting.of(schedule)) {
    if (row->id.run != 0 || !row->rules.is_pulled()) continue;
    if (row->attempt.stands(now_, false)) {
      row->attempt.cancelled = true;
      tables_.waiting.save(*row);
    } else {
      finish(*row, Standing::replaced);
    }
  }
}

Reply ReferenceRules::apply(const ClaimExecutions& asked) {
  check(asked);
  WaitingRows& waiting = tables_.waiting;
  if (now_ < waiting.latest_from()) waiting.count_again(now_, false);  // invariant 6
  for (WaitingRow* const row : waiting.timed_out(asked.topic, now_, held())) {
    row->why = std::string(kTimedOut);
    finish(*row, row->attempt.cancelled ? Standing::replaced : Standing::dead);
  }
  ClaimedExecutions claimed;
  waiting.for_claimable(asked, now_, held(), [&](WaitingRow& row) {
    row.attempt = {.number = row.attempt.number + 1,
                   .nonce = asked.nonce,
                   .claimed = true,
                   .cancelled = false,
                   .from = now_,
                   .until = now_ + asked.duration,
                   .released = row.attempt.released};
    row.worker = asked.worker;
    waiting.save(row);
    claimed.executions.push_back({.token = {row.id, row.attempt.number, row.attempt.nonce},
                                  .seq = row.seq,
                                  .version = row.version,
                                  .until = row.attempt.until});
  });
  return claimed;
}

Reply ReferenceRules::apply(const ExtendExecutions& asked) {
  check(asked);
  ExecutionStates states;
  for (const ExecutionToken& token : asked.executions)
    states.executions.push_back(extend(token, asked.duration));
  return states;
}

ExecutionState ReferenceRules::extend(const ExecutionToken& token, Duration duration) {
  WaitingRow* const row = tables_.waiting.find(token.event);
  if (row == nullptr || !row->attempt.is_of(token)) return remembered(token, row != nullptr);
  Attempt& attempt = row->attempt;
  if (!attempt.claimed) return {attempt.when_over(), attempt.until};
  attempt.until = now_ + (duration == Duration{} ? attempt.until - attempt.from : duration);
  attempt.from = now_;
  tables_.waiting.save(*row);
  return {attempt.cancelled ? Standing::cancelled : Standing::claimed, attempt.until};
}

Reply ReferenceRules::apply(const EndExecutions& asked) {
  check(asked);
  ExecutionStates states;
  for (const ExecutionEnd& one : asked.ends) states.executions.push_back(end(one));
  return states;
}

ExecutionState ReferenceRules::end(const ExecutionEnd& end) {
  WaitingRow* const row = tables_.waiting.find(end.token.event);
  if (row == nullptr || !row->attempt.is_of(end.token)) return remembered(end.token, row != nullptr);
  Attempt& attempt = row->attempt;
  if (!end.failed) {
    finish(*row, Standing::completed);
    return {Standing::completed};
  }
  if (!attempt.claimed) return {attempt.when_over(), attempt.until};
  row->why = end.why;
  if (row->is_last()) {
    const Standing how = attempt.cancelled ? Standing::replaced : Standing::dead;
    finish(*row, how);
    return {how};
  }
  attempt.claimed = false;
  attempt.from = now_;
  attempt.until = now_ + back_off_after(row->rules.delivery, attempt.spent());
  tables_.waiting.save(*row);
  return {Standing::failed, attempt.until};
}

Reply ReferenceRules::apply(const ReleaseExecutions& asked) {
  ExecutionStates states;
  for (const ExecutionToken& token : asked.executions) states.executions.push_back(release(token));
  return states;
}

ExecutionState ReferenceRules::release(const ExecutionToken& token) {
  WaitingRow* const given_back = tables_.waiting.find(token.event);
  if (given_back == nullptr || !given_back->attempt.is_of(token))
    return remembered(token, given_back != nullptr);
  Attempt& attempt = given_back->attempt;
  if (!attempt.claimed) return {attempt.when_over(), attempt.until};
  if (attempt.cancelled) {
    finish(*given_back, Standing::replaced);
    return {Standing::replaced};
  }
  attempt.release(now_);
  tables_.waiting.save(*given_back);
  return {Standing::released, attempt.until};
}

ExecutionState ReferenceRules::remembered(const ExecutionToken& token, bool is_here) {
  if (is_here) return {Standing::reissued};
  const auto ended = tables_.waiting.ended(token.event);
  if (!ended) return {Standing::unknown};
  return {ended->attempt == token.attempt && ended->nonce == token.nonce ? ended->how : Standing::reissued};
}

}  // namespace tenure::reference
