// What becomes of events, the history, and instances: calls and replies.
#include <algorithm>

#include "adapters/postgres/calls.h"
#include "core/base/check.h"

namespace tenure::postgres {
namespace {

void check_request(const auto& asked) {
  const std::string problem = problem_of(asked);
  CHECK(problem.empty(), problem);
}

std::int64_t number_after(std::uint64_t seq) {
  return static_cast<std::int64_t>(std::min(seq, std::uint64_t{INT64_MAX}));
}

// Events as tenure.claim gives them.
struct ClaimedRow {
  std::uint64_t seq = 0;
  reference::EventId event;
  std::uint32_t version = 0;
  std::uint32_t attempt = 0;
};
TENURE_FIELDS(ClaimedRow, seq, event, version, attempt)

// And tenure.read_waiting.
struct WaitingRow {
  std::uint64_t seq = 0;
  reference::EventId id;
  std::uint32_t version = 0;
  std::string name;
  StoreTime at;
  std::uint32_t attempt = 0;
  bool claimed = false;
  StoreTime until;
  std::string worker;
  bool strict_order = false;
  std::uint32_t attempts = 0;
  Duration back_off;
  Duration longest_back_off;
};
TENURE_FIELDS(WaitingRow, seq, id, version, name, at, attempt, claimed, until, worker, strict_order, attempts,
              back_off, longest_back_off)

}  // namespace

StatementCall delivery_call(const reference::ClaimExecutions& asked, std::int64_t wait_ms) {
  check_request(asked);
  return {"SELECT * FROM tenure.claim($1, $2, $3, $4, $5, $6, $7)",
          Params(wait_ms, asked.resource, asked.topic, asked.max, asked.duration, asked.worker, asked.nonce)};
}

StatementCall delivery_call(const reference::ExtendExecutions& asked, std::int64_t wait_ms) {
  check_request(asked);
  return {"SELECT * FROM tenure.extend_attempts($1, $2, $3, $4, $5, $6, $7, $8)",
          Params(wait_ms, asked.resource, asked.duration, asked.executions)};
}

StatementCall delivery_call(const reference::EndExecutions& asked, std::int64_t wait_ms) {
  check_request(asked);
  return {"SELECT * FROM tenure.end_attempts($1, $2, $3, $4, $5, $6, $7, $8, $9)",
          Params(wait_ms, asked.resource, asked.ends)};
}

StatementCall delivery_call(const reference::ReleaseExecutions& asked, std::int64_t wait_ms) {
  const std::size_t count = asked.executions.size();
  return {"SELECT * FROM tenure.end_attempts($1, $2, $3, $4, $5, $6, $7, $8, $9)",
          Params(wait_ms, asked.resource, asked.executions, Numbers(count, 2), Texts(count))};
}

StatementCall delivery_call(const reference::ReadWaiting& asked, std::int64_t) {
  return {"SELECT * FROM tenure.read_waiting($1, $2, $3, $4, $5, $6)",
          Params(asked.resource, static_cast<std::int64_t>(asked.kind), !asked.name.has_value(),
                 asked.name.value_or(""), number_after(asked.after), std::int64_t{asked.limit} + 1)};
}

StatementCall delivery_call(const reference::ReadDepths& asked, std::int64_t) {
  return {asked.ahead ? "SELECT * FROM tenure.depths_ahead($1, $2)" : "SELECT * FROM tenure.depths($1, $2)",
          Params(asked.resource, static_cast<std::int64_t>(reference::kCounted))};
}

StatementCall delivery_call(const reference::ReadHistory& asked, std::int64_t) {
  const bool from_the_end = asked.newest_first && asked.after == 0;
  return {"SELECT * FROM tenure.history_rows($1, $2, $3, $4, $5)",
          Params(asked.resource, asked.schedule ? std::int64_t{asked.schedule->value} : -1,
                 from_the_end ? INT64_MAX : number_after(asked.after), asked.newest_first,
                 std::int64_t{asked.limit} + 1)};
}

StatementCall delivery_call(const reference::RegisterNode& asked, std::int64_t wait_ms) {
  check_request(asked);
  return {"SELECT * FROM tenure.register($1, $2, $3, $4)",
          Params(wait_ms, asked.resource, asked.key, asked.name)};
}

StatementCall delivery_call(const reference::ReadNodes& asked, std::int64_t) {
  return {"SELECT * FROM tenure.nodes($1)", Params(asked.resource)};
}

// ---- replies ---------------------------------------------------------------------------------------------

reference::Reply delivery_reply(const reference::ClaimExecutions& asked, ResultRow& row, Answer& answer) {
  answer.changed = row.flag();
  reference::ClaimedExecutions claimed;
  for (const ClaimedRow& one : row.structs<ClaimedRow>())
    claimed.executions.push_back({.token = {one.event, one.attempt, asked.nonce},
                                  .seq = one.seq,
                                  .version = one.version,
                                  .until = answer.store_time + asked.duration});
  return claimed;
}

namespace {

reference::Reply states(ResultRow& row, Answer& answer) {
  answer.changed = row.flag();
  reference::ExecutionStates states{row.structs<reference::ExecutionState>()};
  // A newer schema may know one that this program has no name for.
  for (reference::ExecutionState& state : states.executions)
    if (state.standing > reference::Standing::released) state.standing = reference::Standing::unknown;
  return states;
}

}  // namespace

reference::Reply delivery_reply(const reference::ExtendExecutions&, ResultRow& row, Answer& answer) {
  return states(row, answer);
}

reference::Reply delivery_reply(const reference::EndExecutions&, ResultRow& row, Answer& answer) {
  return states(row, answer);
}

reference::Reply delivery_reply(const reference::ReleaseExecutions&, ResultRow& row, Answer& answer) {
  return states(row, answer);
}

reference::Reply delivery_reply(const reference::ReadWaiting& asked, ResultRow& row, Answer& answer) {
  const bool held = row.flag();
  reference::WaitingEvents read;
  const bool is_push = asked.kind == Delivery::Kind::push;
  for (WaitingRow& one : row.structs<WaitingRow>())
    read.events.push_back({.seq = one.seq,
                           .id = one.id,
                           .version = one.version,
                           .name = one.name,
                           .at = one.at,
                           .attempt = one.attempt,
                           .claimed = one.claimed && (held || answer.store_time < one.until),
                           .until = one.until,
                           .worker = std::move(one.worker),
                           .delivery = {.kind = asked.kind,
                                        .destination = is_push ? one.name : "",
                                        .strict_order = one.strict_order,
                                        .attempts = one.attempts,
                                        .back_off = one.back_off,
                                        .longest_back_off = one.longest_back_off}});
  read.more = cut(read.events, asked.limit);
  return read;
}

reference::Reply delivery_reply(const reference::ReadDepths& asked, ResultRow& row, Answer&) {
  const auto all = row.structs<reference::Depth>();
  reference::Depths depths{.work = all.at(0), .pull = all.at(1), .push = all.at(2), .dead = all.at(3)};
  if (asked.ahead) row.get(depths.ahead, depths.ahead_until);
  return depths;
}

reference::Reply delivery_reply(const reference::ReadHistory& asked, ResultRow& row, Answer&) {
  reference::HistoryPage page;
  row.get(page.branch, page.forgotten, page.last);
  page.rows = row.structs<reference::HistoryRow>();
  page.more = cut(page.rows, asked.limit);
  return page;
}

reference::Reply delivery_reply(const reference::RegisterNode&, ResultRow& row, Answer& answer) {
  answer.changed = true;
  return reference::NodeRegistered{{row.small()}};
}

reference::Reply delivery_reply(const reference::ReadNodes&, ResultRow& row, Answer&) {
  return reference::RegisteredNodes{row.structs<reference::RegisteredNode>()};
}

}  // namespace tenure::postgres
