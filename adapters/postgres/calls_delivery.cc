// What becomes of events, the history, and instances: calls and replies.
#include <algorithm>

#include "adapters/postgres/calls.h"
#include "core/base/check.h"

namespace tenure::postgres {
namespace {

using Numbers = std::vector<std::int64_t>;

void check_request(const auto& asked) {
  const std::string problem = problem_of(asked);
  CHECK(problem.empty(), problem);
}

std::int64_t number_after(std::uint64_t seq) {
  return static_cast<std::int64_t>(std::min(seq, std::uint64_t{INT64_MAX}));
}

// Attempts as five lists.
struct Tokens {
  Numbers schedules, slots, runs, attempts, nonces;

  void add(const reference::ExecutionToken& token) {
    schedules.push_back(token.event.schedule.value);
    slots.push_back(micros(token.event.slot));
    runs.push_back(as_signed(token.event.run));
    attempts.push_back(token.attempt);
    nonces.push_back(as_signed(token.nonce));
  }
  Params& add_to(Params& params) const {
    return params.add(schedules).add(slots).add(runs).add(attempts).add(nonces);
  }
};

reference::EventId event(std::int64_t schedule, std::int64_t slot, std::int64_t run) {
  return {{static_cast<std::uint32_t>(schedule)}, store_time(slot), as_unsigned(run)};
}

}  // namespace

StatementCall delivery_call(const reference::ClaimExecutions& asked, std::int64_t wait_ms) {
  check_request(asked);
  return {"SELECT * FROM tenure.claim($1, $2, $3, $4, $5, $6, $7)", Params()
                                                                        .add(wait_ms)
                                                                        .add(asked.resource.value)
                                                                        .add(asked.topic)
                                                                        .add(asked.max)
                                                                        .add(micros(asked.duration))
                                                                        .add(asked.worker)
                                                                        .add(as_signed(asked.nonce))};
}

StatementCall delivery_call(const reference::ExtendExecutions& asked, std::int64_t wait_ms) {
  check_request(asked);
  Tokens tokens;
  for (const reference::ExecutionToken& token : asked.executions) tokens.add(token);
  Params params;
  params.add(wait_ms).add(asked.resource.value).add(micros(asked.duration));
  return {"SELECT * FROM tenure.extend_attempts($1, $2, $3, $4, $5, $6, $7, $8)", tokens.add_to(params)};
}

StatementCall delivery_call(const reference::EndExecutions& asked, std::int64_t wait_ms) {
  check_request(asked);
  Tokens tokens;
  Numbers failed;
  std::vector<std::string> whys;
  for (const reference::ExecutionEnd& end : asked.ends) {
    tokens.add(end.token);
    failed.push_back(end.failed ? 1 : 0);
    whys.push_back(end.why);
  }
  Params params;
  params.add(wait_ms).add(asked.resource.value);
  return {"SELECT * FROM tenure.end_attempts($1, $2, $3, $4, $5, $6, $7, $8, $9)",
          tokens.add_to(params).add(failed).add(whys)};
}

StatementCall delivery_call(const reference::ReleaseExecutions& asked, std::int64_t wait_ms) {
  Tokens tokens;
  for (const reference::ExecutionToken& token : asked.executions) tokens.add(token);
  const std::size_t count = asked.executions.size();
  Params params;
  params.add(wait_ms).add(asked.resource.value);
  return {"SELECT * FROM tenure.end_attempts($1, $2, $3, $4, $5, $6, $7, $8, $9)",
          tokens.add_to(params).add(Numbers(count, 2)).add(std::vector<std::string>(count))};
}

StatementCall delivery_call(const reference::ReadWaiting& asked, std::int64_t) {
  return {"SELECT * FROM tenure.read_waiting($1, $2, $3, $4, $5, $6)",
          Params()
              .add(asked.resource.value)
              .add(static_cast<std::int64_t>(asked.kind))
              .add(!asked.name.has_value())
              .add(asked.name.value_or(""))
              .add(number_after(asked.after))
              .add(std::int64_t{asked.limit} + 1)};
}

StatementCall delivery_call(const reference::ReadDepths& asked, std::int64_t) {
  return {asked.ahead ? "SELECT * FROM tenure.depths_ahead($1, $2)" : "SELECT * FROM tenure.depths($1, $2)",
          Params().add(asked.resource.value).add(static_cast<std::int64_t>(reference::kCounted))};
}

StatementCall delivery_call(const reference::ReadHistory& asked, std::int64_t) {
  const bool from_the_end = asked.newest_first && asked.after == 0;
  return {"SELECT * FROM tenure.history_rows($1, $2, $3, $4, $5)",
          Params()
              .add(asked.resource.value)
              .add(asked.schedule ? std::int64_t{asked.schedule->value} : -1)
              .add(from_the_end ? INT64_MAX : number_after(asked.after))
              .add(asked.newest_first)
              .add(std::int64_t{asked.limit} + 1)};
}

StatementCall delivery_call(const reference::RegisterNode& asked, std::int64_t wait_ms) {
  check_request(asked);
  return {"SELECT * FROM tenure.register($1, $2, $3, $4)",
          Params().add(wait_ms).add(asked.resource.value).add(asked.key).add(asked.name)};
}

StatementCall delivery_call(const reference::ReadNodes& asked, std::int64_t) {
  return {"SELECT * FROM tenure.nodes($1)", Params().add(asked.resource.value)};
}

// ---- replies ---------------------------------------------------------------------------------------------

reference::Reply delivery_reply(const reference::ClaimExecutions& asked, ResultRow& row, Answer& answer) {
  answer.changed = row.flag();
  const auto seqs = row.integers();
  const auto schedules = row.integers();
  const auto slots = row.integers();
  const auto runs = row.integers();
  const auto versions = row.integers();
  const auto attempts = row.integers();
  reference::ClaimedExecutions claimed;
  for (std::size_t i = 0; i < seqs.size(); ++i)
    claimed.executions.push_back({.token = {event(schedules.at(i), slots.at(i), runs.at(i)),
                                            static_cast<std::uint32_t>(attempts.at(i)), asked.nonce},
                                  .seq = as_unsigned(seqs[i]),
                                  .version = static_cast<std::uint32_t>(versions.at(i)),
                                  .until = answer.store_time + asked.duration});
  return claimed;
}

namespace {

reference::Reply states(ResultRow& row, Answer& answer) {
  answer.changed = row.flag();
  const auto standings = row.integers();
  const auto untils = row.integers();
  reference::ExecutionStates states;
  // A newer schema may know one that this program has no name for.
  constexpr std::int64_t kLast = static_cast<std::int64_t>(reference::Standing::released);
  for (std::size_t i = 0; i < standings.size(); ++i) {
    const bool known = standings[i] >= 0 && standings[i] <= kLast;
    states.executions.push_back(
        {known ? static_cast<reference::Standing>(standings[i]) : reference::Standing::unknown,
         store_time(untils.at(i))});
  }
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
  const auto seqs = row.integers();
  const auto schedules = row.integers();
  const auto slots = row.integers();
  const auto runs = row.integers();
  const auto versions = row.integers();
  const auto names = row.texts();
  const auto ats = row.integers();
  const auto attempts = row.integers();
  const auto claims = row.integers();
  const auto untils = row.integers();
  const auto workers = row.texts();
  const auto stricts = row.integers();
  const auto most = row.integers();
  const auto back_offs = row.integers();
  const auto longest = row.integers();
  reference::WaitingEvents read;
  read.more = seqs.size() > asked.limit;
  const bool is_push = asked.kind == Delivery::Kind::push;
  for (std::size_t i = 0; i < seqs.size() && i < asked.limit; ++i) {
    const StoreTime until = store_time(untils.at(i));
    read.events.push_back({.seq = as_unsigned(seqs[i]),
                           .id = event(schedules.at(i), slots.at(i), runs.at(i)),
                           .version = static_cast<std::uint32_t>(versions.at(i)),
                           .name = names.at(i),
                           .at = store_time(ats.at(i)),
                           .attempt = static_cast<std::uint32_t>(attempts.at(i)),
                           .claimed = claims.at(i) == 1 && (held || answer.store_time < until),
                           .until = until,
                           .worker = workers.at(i),
                           .delivery = {.kind = asked.kind,
                                        .destination = is_push ? names.at(i) : "",
                                        .strict_order = stricts.at(i) == 1,
                                        .attempts = static_cast<std::uint32_t>(most.at(i)),
                                        .back_off = Duration::micros(back_offs.at(i)),
                                        .longest_back_off = Duration::micros(longest.at(i))}});
  }
  return read;
}

reference::Reply delivery_reply(const reference::ReadDepths& asked, ResultRow& row, Answer&) {
  const auto events = row.integers();
  const auto oldest = row.integers();
  const auto depth = [&](std::size_t i) {
    return reference::Depth{as_unsigned(events.at(i)), store_time(oldest.at(i))};
  };
  reference::Depths depths{.work = depth(0), .pull = depth(1), .push = depth(2), .dead = depth(3)};
  if (asked.ahead) {
    depths.ahead = as_unsigned(row.integer());
    depths.ahead_until = row.time();
  }
  return depths;
}

reference::Reply delivery_reply(const reference::ReadHistory& asked, ResultRow& row, Answer&) {
  reference::HistoryPage page;
  page.branch = row.small();
  page.forgotten = row.natural();
  page.last = row.natural();
  const auto seqs = row.integers();
  const auto schedules = row.integers();
  const auto versions = row.integers();
  const auto whats = row.integers();
  const auto slots = row.integers();
  const auto runs = row.integers();
  const auto froms = row.integers();
  const auto tos = row.integers();
  const auto counts = row.integers();
  const auto ats = row.integers();
  page.more = seqs.size() > asked.limit;
  for (std::size_t i = 0; i < seqs.size() && i < asked.limit; ++i)
    page.rows.push_back({.seq = as_unsigned(seqs[i]),
                         .schedule = {static_cast<std::uint32_t>(schedules.at(i))},
                         .version = static_cast<std::uint32_t>(versions.at(i)),
                         .what = static_cast<reference::Disposition>(whats.at(i)),
                         .slot = store_time(slots.at(i)),
                         .run = as_unsigned(runs.at(i)),
                         .from = store_time(froms.at(i)),
                         .to = store_time(tos.at(i)),
                         .slots = counts.at(i),
                         .at = store_time(ats.at(i))});
  return page;
}

reference::Reply delivery_reply(const reference::RegisterNode&, ResultRow& row, Answer& answer) {
  answer.changed = true;
  return reference::NodeRegistered{{row.small()}};
}

reference::Reply delivery_reply(const reference::ReadNodes&, ResultRow& row, Answer&) {
  const auto nodes = row.integers();
  const auto names = row.texts();
  const auto since = row.integers();
  const auto seen = row.integers();
  reference::RegisteredNodes read;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    read.nodes.push_back({{static_cast<std::uint32_t>(nodes[i])},
                          names.at(i),
                          store_time(since.at(i)),
                          store_time(seen.at(i))});
  return read;
}

}  // namespace tenure::postgres
