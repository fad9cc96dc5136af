// Executions: claims on events that wait, and what becomes of them. The rules are those of
// core/store/reference/waiting.h, and cited by its numbers.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "adapters/sqlite/partition.h"
#include "core/base/check.h"
#include "core/journal/definition_codec.h"
#include "core/store/reference/history.h"

namespace tenure::sqlite {
namespace {

using reference::ExecutionState;
using reference::Standing;

// Of events that could be handed out, were it not for others of their schedules, so many are read at once.
constexpr std::int64_t kPage = 100;

void check_asked(const auto& asked) {
  const std::string problem = problem_of(asked);
  CHECK(problem.empty(), problem);
}

}  // namespace

reference::Reply SqlitePartition::apply(const reference::ClaimExecutions& asked) {
  check_asked(asked);
  if (now_ < head_.attempts) {  // invariant 6
    queries_.count_again.run(resource_, now_);
    head_.attempts = now_;
  }
  settle(asked.topic);

  reference::ClaimedExecutions claimed;
  std::uint64_t after = 0;
  for (bool more = true; more && claimed.executions.size() < asked.max;) {
    std::vector<Waiting> page;
    {
      Rows rows = queries_.claimable.with(resource_, asked.topic, held(), now_, after, kPage);
      while (rows.next()) page.push_back(read_waiting(rows));
    }
    more = std::cmp_equal(page.size(), kPage);
    for (Waiting& waiting : page) {
      after = waiting.seq;
      auto& [seq, row] = waiting;
      const bool settles = row.attempt.claimed &&
                           (row.attempt.cancelled || row.attempt.spent() >= row.rules.delivery.attempts);
      if (settles || !is_its_turn(waiting)) continue;
      row.attempt = {.number = row.attempt.number + 1,
                     .nonce = asked.nonce,
                     .claimed = true,
                     .cancelled = false,
                     .from = now_,
                     .until = now_ + asked.duration,
                     .released = row.attempt.released};
      row.worker = asked.worker;
      save_attempt(waiting);
      claimed.executions.push_back({.token = {row.id, row.attempt.number, row.attempt.nonce},
                                    .seq = seq,
                                    .version = row.version,
                                    .until = row.attempt.until});
      if (claimed.executions.size() == asked.max) break;
    }
  }
  return claimed;
}

// Those that were tried for the last time, or replaced, and timed out since.
void SqlitePartition::settle(const std::string& topic) {
  std::vector<Waiting> over;
  {
    Rows rows = queries_.timed_out.with(resource_, topic, held(), now_);
    while (over.size() < reference::kSettledAtOnce && rows.next()) {
      Waiting waiting = read_waiting(rows);
      const reference::Attempt& attempt = waiting.row.attempt;
      if (attempt.cancelled || attempt.spent() >= waiting.row.rules.delivery.attempts)
        over.push_back(std::move(waiting));
    }
  }
  for (Waiting& waiting : over) {
    waiting.row.why = std::string(reference::kTimedOut);
    finish(waiting, waiting.row.attempt.cancelled ? Standing::replaced : Standing::dead);
  }
}

// Invariant 3.
bool SqlitePartition::is_its_turn(const Waiting& waiting) {
  const reference::WaitingRow& row = waiting.row;
  if (!row.rules.one_at_a_time()) return true;
  if (row.rules.delivery.strict_order) {
    Rows rows = queries_.is_first.with(resource_, row.id.schedule, waiting.seq);
    rows.next();
    return rows.flag();
  }
  Rows rows = queries_.one_is_claimed.with(resource_, row.id.schedule, held(), now_);
  rows.next();
  return !rows.flag();
}

// Invariant 4.
void SqlitePartition::replace(ScheduleId schedule) {
  std::vector<Waiting> all;
  {
    Rows rows = queries_.waiting_of.with(resource_, schedule);
    while (rows.next()) all.push_back(read_waiting(rows));
  }
  for (Waiting& waiting : all) {
    if (waiting.row.id.run != 0) continue;
    if (waiting.row.attempt.stands(now_, false)) {
      waiting.row.attempt.cancelled = true;
      save_attempt(waiting);
    } else {
      finish(waiting, Standing::replaced);
    }
  }
}

reference::Reply SqlitePartition::apply(const reference::ExtendExecutions& asked) {
  check_asked(asked);
  reference::ExecutionStates states;
  for (const reference::ExecutionToken& token : asked.executions)
    states.executions.push_back(extend(token, asked.duration));
  return states;
}

ExecutionState SqlitePartition::extend(const reference::ExecutionToken& token, Duration duration) {
  auto waiting = find(token.event);
  if (!waiting || !waiting->row.attempt.is_of(token)) return remembered(token);
  reference::Attempt& attempt = waiting->row.attempt;
  if (!attempt.claimed) return {attempt.when_over(), attempt.until};
  attempt.from = now_;
  attempt.until = now_ + duration;
  save_attempt(*waiting);
  return {attempt.cancelled ? Standing::cancelled : Standing::claimed, attempt.until};
}

reference::Reply SqlitePartition::apply(const reference::EndExecutions& asked) {
  check_asked(asked);
  reference::ExecutionStates states;
  for (const reference::ExecutionEnd& one : asked.ends) states.executions.push_back(end(one));
  return states;
}

ExecutionState SqlitePartition::end(const reference::ExecutionEnd& one) {
  auto waiting = find(one.token.event);
  if (!waiting || !waiting->row.attempt.is_of(one.token)) return remembered(one.token);
  reference::WaitingRow& row = waiting->row;
  reference::Attempt& attempt = row.attempt;
  if (!one.failed) {
    finish(*waiting, Standing::completed);
    return {Standing::completed};
  }
  if (!attempt.claimed) return {attempt.when_over(), attempt.until};
  row.why = one.why;
  if (attempt.cancelled || attempt.spent() >= row.rules.delivery.attempts) {
    const Standing how = attempt.cancelled ? Standing::replaced : Standing::dead;
    finish(*waiting, how);
    return {how};
  }
  attempt.claimed = false;
  attempt.from = now_;
  attempt.until = now_ + back_off_after(row.rules.delivery, attempt.spent());
  save_attempt(*waiting);
  return {Standing::failed, attempt.until};
}

reference::Reply SqlitePartition::apply(const reference::ReleaseExecutions& asked) {
  reference::ExecutionStates states;
  for (const reference::ExecutionToken& token : asked.executions) states.executions.push_back(release(token));
  return states;
}

ExecutionState SqlitePartition::release(const reference::ExecutionToken& token) {
  auto waiting = find(token.event);
  if (!waiting || !waiting->row.attempt.is_of(token)) return remembered(token);
  reference::Attempt& attempt = waiting->row.attempt;
  if (!attempt.claimed) return {attempt.when_over(), attempt.until};
  if (attempt.cancelled) {
    finish(*waiting, Standing::replaced);
    return {Standing::replaced};
  }
  attempt.release(now_);
  save_attempt(*waiting);
  return {Standing::released, attempt.until};
}

ExecutionState SqlitePartition::remembered(const reference::ExecutionToken& token) {
  if (find(token.event)) return {Standing::reissued};
  const reference::EventId& id = token.event;
  Rows rows = queries_.ended.with(resource_, id.slot, id.schedule, id.run);
  if (!rows.next()) return {Standing::unknown};
  const std::uint32_t attempt = rows.small();
  const std::uint64_t nonce = rows.natural();
  const auto how = static_cast<Standing>(rows.integer());
  return {attempt == token.attempt && nonce == token.nonce ? how : Standing::reissued};
}

// ---- rows ------------------------------------------------------------------------------------------------

SqlitePartition::Waiting SqlitePartition::read_waiting(Rows& rows) {
  Waiting waiting;
  auto& [seq, row] = waiting;
  seq = rows.natural();
  row.id.slot = rows.time();
  row.id.schedule = {rows.small()};
  row.id.run = rows.natural();
  row.version = rows.small();
  row.name = rows.text();
  row.rules = decode_rules(rows.text());
  row.at = rows.time();
  row.attempt.number = rows.small();
  row.attempt.nonce = rows.natural();
  row.attempt.claimed = rows.flag();
  row.attempt.cancelled = rows.flag();
  row.attempt.from = rows.time();
  row.attempt.until = rows.time();
  row.worker = rows.text();
  row.why = rows.text();
  row.attempt.released = rows.small();
  return waiting;
}

std::optional<SqlitePartition::Waiting> SqlitePartition::find(const reference::EventId& id) {
  Rows rows = queries_.waiting_event.with(resource_, id.slot, id.schedule, id.run);
  if (!rows.next()) return std::nullopt;
  return read_waiting(rows);
}

void SqlitePartition::save_attempt(const Waiting& waiting) {
  const auto& [seq, row] = waiting;
  const auto& [number, nonce, claimed, cancelled, from, until, released] = row.attempt;
  queries_.save_attempt.run(resource_, seq, number, nonce, claimed, cancelled, from, until, row.worker,
                            row.why, released);
  head_.attempts = std::max(head_.attempts, from);
  wrote_ = true;
}

void SqlitePartition::finish(const Waiting& waiting, Standing how) {
  const auto& [seq, row] = waiting;
  queries_.forget_waiting.run(resource_, seq);
  if (row.attempt.number != 0)
    queries_.add_ended.run(resource_, row.id.slot, row.id.schedule, row.id.run, row.attempt.number,
                           row.attempt.nonce, static_cast<std::int64_t>(how), now_);
  if (how == Standing::dead) bury(waiting);
  if (how == Standing::replaced)
    add_history(reference::history_row(row.id, row.version, reference::Disposition::replaced, now_));
  wrote_ = true;
}

}  // namespace tenure::sqlite
