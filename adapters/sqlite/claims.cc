// What a claim may hand out. The rules are those of core/store/reference/waiting.h, and cited by its numbers.
#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "adapters/sqlite/tables.h"

namespace tenure::sqlite {
namespace {

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
  rows.get(candidate.seq, candidate.schedule, candidate.turn, candidate.ready, candidate.claimed);
  return candidate;
}

}  // namespace

void SqliteWaiting::for_claimable(const reference::ClaimExecutions& asked, StoreTime now, bool held,
                                  const std::function<void(WaitingRow&)>& hand_out) {
  for (WaitingRow& row : claimable(asked.topic, asked.max, now, held)) hand_out(row);
}

// Mostly the first events that wait are to be had. Where many of them are not, a claim does not look at each:
//
//   1. It begins with all that waits, event by event.
//   2. After kPassedOver that it cannot hand out it looks at those that nobody has tried, and at those whose time has
//      come. So it passes over those that are worked on, or wait for the next attempt.
//   3. After as many more it looks at the first of each schedule that hands out one at a time. So it passes over what
//      is behind these.
std::vector<WaitingRow> SqliteWaiting::claimable(const std::string& topic, std::uint32_t max, StoreTime now,
                                                 bool held) {
  const std::int64_t many = max + kPassedOver;
  std::vector<WaitingRow> found;
  std::set<ScheduleId> busy;                      // of which an event is handed out, or is being worked on
  std::set<ScheduleId> behind;                    // in strict order, and the first event is not to be had
  const auto judge = [&](const Candidate& one) {  // invariant 3
    if (!one.ready) return;
    if (one.turn == 2 && (behind.contains(one.schedule) || !is_first(one.schedule, one.seq) ||
                          is_kept_waiting(one.schedule, one.seq, now, held))) {
      behind.insert(one.schedule);
      return;
    }
    if (one.turn == 1 && (busy.contains(one.schedule) || is_kept_waiting(one.schedule, one.seq, now, held))) {
      busy.insert(one.schedule);
      return;
    }
    static const std::string kSql = kWaiting + "WHERE resource = ?1 AND seq = ?2";
    Rows rows = r_.read(kSql.c_str(), one.seq);
    rows.next();
    WaitingRow row = read_waiting(rows);
    if (row.attempt.claimed && row.is_last()) return;  // the next claim settles it
    busy.insert(one.schedule);
    found.push_back(std::move(row));
  };

  std::int64_t looked = 0;
  std::int64_t last = 0;  // up to which number all was looked at
  {
    Rows rows = r_.read(
        "SELECT seq, schedule, turn, attempt = 0 OR (until_us <= ?4 AND NOT (claimed AND ?3)), claimed FROM "
        "tenure_waiting INDEXED BY tenure_waiting_name WHERE resource = ?1 AND kind = 1 AND name = ?2 ORDER "
        "BY seq LIMIT ?5",
        topic, held, now, many);
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
      Rows rows = r_.read(
          "SELECT seq, schedule, turn, 1, 0 FROM tenure_waiting INDEXED BY tenure_waiting_fresh WHERE "
          "resource = ?1 AND kind = 1 AND attempt = 0 AND name = ?2 AND turn = ?3 AND seq > ?4 ORDER BY seq "
          "LIMIT ?5",
          topic, turn, last, many);
      while (rows.next()) candidates.push_back(read_candidate(rows));
      if (turn != 0 && std::cmp_equal(candidates.size() - before, many))
        end = std::min(end, candidates.back().seq);
    }
    for (const bool claimed : {false, true}) {
      if (claimed && held) continue;
      Rows rows = r_.read(
          "SELECT seq, schedule, turn, 1, claimed FROM tenure_waiting INDEXED BY tenure_waiting_tried WHERE "
          "resource = ?1 AND name = ?2 AND attempt > 0 AND claimed = ?3 AND until_us <= ?4 AND kind = 1 AND "
          "seq > ?5",
          topic, claimed, now, last);
      while (rows.next()) candidates.push_back(read_candidate(rows));
    }
    if (by_schedule) {
      std::int64_t turn = 1;
      for (std::int64_t schedule = -1;;) {
        Rows rows = r_.read(
            "SELECT seq, schedule, turn, 1, 0 FROM tenure_waiting INDEXED BY tenure_waiting_turn WHERE "
            "resource = ?1 AND kind = 1 AND attempt = 0 AND turn > 0 AND name = ?2 AND (turn, schedule) > "
            "(?3, ?4) ORDER BY turn, schedule, seq LIMIT 1",
            topic, turn, schedule);
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

bool SqliteWaiting::is_first(ScheduleId schedule, std::int64_t seq) {
  Rows rows = r_.read(
      "SELECT NOT EXISTS (SELECT 1 FROM tenure_waiting INDEXED BY tenure_waiting_schedule WHERE resource = "
      "?1 AND schedule = ?2 AND kind = 1 AND seq < ?3)",
      schedule, seq);
  rows.next();
  return rows.flag();
}

bool SqliteWaiting::is_kept_waiting(ScheduleId schedule, std::int64_t seq, StoreTime now, bool held) {
  Rows rows = r_.read(
      "SELECT EXISTS (SELECT 1 FROM tenure_waiting INDEXED BY tenure_waiting_at_work WHERE resource = ?1 AND "
      "schedule = ?2 AND claimed AND (?3 OR until_us > ?4) AND (seq < ?5 OR turn > 0))",
      schedule, held, now, seq);
  rows.next();
  return rows.flag();
}

}  // namespace tenure::sqlite
