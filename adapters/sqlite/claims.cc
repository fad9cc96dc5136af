// Claims on events that wait. The rules are those of core/store/reference/waiting.h, and cited by its numbers.
#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "adapters/sqlite/partition.h"
#include "core/base/check.h"

namespace tenure::sqlite {
namespace {

using reference::Standing;

// After so many events that a claim cannot hand out it looks for others in another way.
constexpr std::int64_t kPassedOver = 1'000;

// What a claim may hand out.
struct Candidate {
  std::int64_t seq = 0;
  ScheduleId schedule;
  std::int64_t turn = 0;  // as in the table
  bool ready = false;     // it waits for nothing
  bool claimed = false;   // its attempt has not ended
};

Candidate read_candidate(Rows& rows) {
  Candidate candidate;
  candidate.seq = rows.integer();
  candidate.schedule = {rows.small()};
  candidate.turn = rows.integer();
  candidate.ready = rows.flag();
  candidate.claimed = rows.flag();
  return candidate;
}

bool is_settled_by_claims(const reference::WaitingRow& row) {
  return row.attempt.claimed && (row.attempt.cancelled || row.attempt.spent() >= row.rules.delivery.attempts);
}

}  // namespace

reference::Reply SqlitePartition::apply(const reference::ClaimExecutions& asked) {
  const std::string problem = problem_of(asked);
  CHECK(problem.empty(), problem);
  if (now_ < head_.attempts) {  // invariant 6
    queries_.count_again.run(resource_, now_);
    head_.attempts = now_;
  }
  for (Waiting& waiting : to_settle(asked.topic)) {
    waiting.row.why = std::string(reference::kTimedOut);
    finish(waiting, waiting.row.attempt.cancelled ? Standing::replaced : Standing::dead);
  }
  reference::ClaimedExecutions claimed;
  for (Waiting& waiting : claimable(asked.topic, asked.max)) {
    auto& [seq, row] = waiting;
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
  }
  return claimed;
}

bool SqlitePartition::finds_nothing(const reference::ClaimExecutions& asked) {
  return now_ >= head_.attempts && to_settle(asked.topic).empty() &&
         claimable(asked.topic, std::min(asked.max, 1U)).empty();
}

// Those that were tried for the last time, or replaced, and timed out since.
std::vector<SqlitePartition::Waiting> SqlitePartition::to_settle(const std::string& topic) {
  std::vector<Waiting> over;
  Rows rows = queries_.timed_out.with(resource_, topic, held(), now_);
  while (over.size() < reference::kSettledAtOnce && rows.next()) {
    Waiting waiting = read_waiting(rows);
    if (is_settled_by_claims(waiting.row)) over.push_back(std::move(waiting));
  }
  return over;
}

// Mostly the first events that wait are to be had. Where many of them are not, a claim does not look at each:
//
//   1. It begins with all that waits, event by event.
//   2. After kPassedOver that it cannot hand out it looks at those that nobody has tried, and at those whose time has
//      come. So it passes over those that are worked on, or wait for the next attempt.
//   3. After as many more it looks at the first of each schedule that hands out one at a time. So it passes over what
//      is behind these.
std::vector<SqlitePartition::Waiting> SqlitePartition::claimable(const std::string& topic,
                                                                 std::uint32_t max) {
  const std::int64_t many = max + kPassedOver;
  std::vector<Waiting> found;
  std::set<ScheduleId> busy;                      // of which an event is handed out, or is being worked on
  std::set<ScheduleId> behind;                    // in strict order, and the first event is not to be had
  const auto judge = [&](const Candidate& one) {  // invariant 3
    if (!one.ready) return;
    if (one.turn == 2 && (behind.contains(one.schedule) || !is_first(one.schedule, one.seq) ||
                          is_kept_waiting(one.schedule, one.seq))) {
      behind.insert(one.schedule);
      return;
    }
    if (one.turn == 1 && (busy.contains(one.schedule) || is_kept_waiting(one.schedule, one.seq))) {
      busy.insert(one.schedule);
      return;
    }
    Rows rows = queries_.waiting_number.with(resource_, one.seq);
    rows.next();
    Waiting waiting = read_waiting(rows);
    if (is_settled_by_claims(waiting.row)) return;
    busy.insert(one.schedule);
    found.push_back(std::move(waiting));
  };

  std::int64_t looked = 0;
  std::int64_t last = 0;  // up to which number all was looked at
  {
    Rows rows = queries_.all_in_order.with(resource_, topic, held(), now_, many);
    for (; found.size() < max && rows.next(); ++looked) {
      const Candidate one = read_candidate(rows);
      last = one.seq;
      judge(one);
    }
  }
  if (found.size() == max || looked < many) return found;

  for (const bool by_schedule : {false, true}) {
    std::vector<Candidate> candidates;
    std::int64_t end = INT64_MAX;  // up to which number all is looked at
    for (std::int64_t turn = 0; turn <= (by_schedule ? 0 : 2); ++turn) {
      const std::size_t before = candidates.size();
      Rows rows = queries_.fresh.with(resource_, topic, turn, last, many);
      while (rows.next()) candidates.push_back(read_candidate(rows));
      if (turn != 0 && std::cmp_equal(candidates.size() - before, many))
        end = std::min(end, candidates.back().seq);
    }
    for (const bool claimed : {false, true}) {
      if (claimed && held()) continue;
      Rows rows = queries_.over.with(resource_, topic, claimed, now_, last);
      while (rows.next()) candidates.push_back(read_candidate(rows));
    }
    if (by_schedule) {
      std::int64_t turn = 1;
      for (std::int64_t schedule = -1;;) {
        Rows rows = queries_.first_of_next.with(resource_, topic, turn, schedule);
        if (!rows.next()) break;
        const Candidate one = read_candidate(rows);
        turn = one.turn;
        schedule = one.schedule.value;
        if (one.seq > last) candidates.push_back(one);
      }
    }
    std::sort(candidates.begin(), candidates.end(),
              [](const Candidate& one, const Candidate& other) { return one.seq < other.seq; });
    for (const Candidate& one : candidates) {
      if (found.size() == max || one.seq > end) break;
      judge(one);
    }
    if (found.size() == max || end == INT64_MAX) break;
    last = end;
  }
  return found;
}

bool SqlitePartition::is_first(ScheduleId schedule, std::int64_t seq) {
  Rows rows = queries_.is_first.with(resource_, schedule, seq);
  rows.next();
  return rows.flag();
}

bool SqlitePartition::is_kept_waiting(ScheduleId schedule, std::int64_t seq) {
  Rows rows = queries_.is_kept_waiting.with(resource_, schedule, held(), now_, seq);
  rows.next();
  return rows.flag();
}

}  // namespace tenure::sqlite
