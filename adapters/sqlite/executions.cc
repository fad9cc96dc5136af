// Executions: what becomes of claims (claims.cc). The rules are those of core/store/reference/waiting.h, and cited by
// its numbers.
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

void check_asked(const auto& asked) {
  const std::string problem = problem_of(asked);
  CHECK(problem.empty(), problem);
}

}  // namespace

// Invariant 4.
void SqlitePartition::replace(ScheduleId schedule) {
  std::vector<Waiting> all;
  {
    Rows rows = queries_.waiting_of.with(resource_, schedule);
    while (rows.next()) all.push_back(read_waiting(rows));
  }
  for (Waiting& waiting : all) {
    if (waiting.row.id.run != 0 || !waiting.row.rules.is_pulled()) continue;
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
  attempt.until = now_ + (duration == Duration{} ? attempt.until - attempt.from : duration);
  attempt.from = now_;
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
