#include "core/store/reference/waiting.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/store/reference/prune.h"

namespace tenure::reference {

bool WaitingTable::add(WaitingRow row) {
  if (find(row.id) != nullptr) return false;
  CHECK(rows_.empty() || rows_.rbegin()->first < row.seq, "numbers go up");
  seq_of_.add(row.id) = row.seq;
  by_schedule_[row.id.schedule].insert(row.seq);
  if (row.rules.delivery.kind == Delivery::Kind::push) ++pushes_;
  rows_.emplace_hint(rows_.end(), row.seq, std::move(row));
  return true;
}

WaitingRow WaitingTable::take(WaitingRow& row) {
  WaitingRow taken = std::move(row);
  rows_.erase(taken.seq);
  if (taken.rules.delivery.kind == Delivery::Kind::push) --pushes_;
  seq_of_.erase(taken.id);
  const auto of_schedule = by_schedule_.find(taken.id.schedule);
  of_schedule->second.erase(taken.seq);
  if (of_schedule->second.empty()) by_schedule_.erase(of_schedule);
  return taken;
}

WaitingRow* WaitingTable::find(const EventId& id) {
  const std::uint64_t* const seq = seq_of_.find(id);
  return seq == nullptr ? nullptr : &rows_.at(*seq);
}

std::vector<WaitingRow*> WaitingTable::of(ScheduleId schedule) {
  std::vector<WaitingRow*> rows;
  const auto found = by_schedule_.find(schedule);
  if (found == by_schedule_.end()) return rows;
  for (const std::uint64_t seq : found->second) rows.push_back(&rows_.at(seq));
  return rows;
}

std::size_t WaitingTable::count(ScheduleId schedule) {
  const auto found = by_schedule_.find(schedule);
  return found == by_schedule_.end() ? 0 : found->second.size();
}

// ---- executions ------------------------------------------------------------------------------------------

std::vector<WaitingRow*> WaitingTable::timed_out(const std::string& topic, StoreTime now, bool held) {
  std::vector<WaitingRow*> over;
  for (auto& [seq, row] : rows_) {
    if (over.size() == kSettledAtOnce) break;
    if (!row.rules.is_pulled() || row.name != topic) continue;
    if (row.attempt.claimed && !row.attempt.stands(now, held) && row.is_last()) over.push_back(&row);
  }
  return over;
}

void WaitingTable::for_claimable(const ClaimExecutions& asked, StoreTime now, bool held,
                                 const std::function<void(WaitingRow&)>& hand_out) {
  std::uint32_t handed_out = 0;
  for (auto it = rows_.begin(); it != rows_.end() && handed_out < asked.max; ++it) {
    WaitingRow& row = it->second;
    if (!row.rules.is_pulled() || row.name != asked.topic) continue;
    if (!may_be_claimed(row, now, held)) continue;
    hand_out(row);
    ++handed_out;
  }
}

bool WaitingTable::may_be_claimed(const WaitingRow& row, StoreTime now, bool held) const {
  const Attempt& attempt = row.attempt;
  if (attempt.stands(now, held) || attempt.backs_off(now)) return false;
  if (attempt.claimed && row.is_last()) return false;  // the next claim settles it
  return !row.rules.one_at_a_time() || is_its_turn(row, now, held);
}

// Invariant 3.
bool WaitingTable::is_its_turn(const WaitingRow& row, StoreTime now, bool held) const {
  for (const std::uint64_t other : by_schedule_.at(row.id.schedule)) {
    const WaitingRow& beside = rows_.at(other);
    if (other == row.seq || !beside.rules.is_pulled()) continue;
    const bool is_earlier = other < row.seq;
    if (is_earlier && row.rules.delivery.strict_order) return false;
    if ((is_earlier || beside.rules.one_at_a_time()) && beside.attempt.stands(now, held)) return false;
  }
  return true;  // nothing is before it
}

void WaitingTable::count_again(StoreTime now, bool all) {
  for (auto& [seq, row] : rows_)
    if (row.attempt.number != 0 && ((all && row.attempt.claimed) || now < row.attempt.from))
      row.attempt.count_again(now);
  latest_from_ = now;
}

std::optional<Ended> WaitingTable::ended(const EventId& id) {
  const auto found = ended_.find(id);
  return found == ended_.end() ? std::nullopt : std::optional(found->second);
}

// ---- reads -----------------------------------------------------------------------------------------------

void WaitingTable::read(const ReadWaiting& asked, StoreTime now, bool held, WaitingEvents& events) const {
  for (auto it = rows_.upper_bound(asked.after); it != rows_.end(); ++it) {
    const auto& [seq, row] = *it;
    if (row.rules.delivery.kind != asked.kind || (asked.name && row.name != *asked.name)) continue;
    if (events.events.size() >= asked.limit) {
      events.more = true;
      return;
    }
    const bool stands = row.attempt.stands(now, held);
    events.events.push_back({.seq = seq,
                             .id = row.id,
                             .version = row.version,
                             .name = row.name,
                             .at = row.at,
                             .attempt = row.attempt.number,
                             .claimed = stands,
                             .until = row.attempt.until,
                             .worker = row.worker,
                             .delivery = row.rules.delivery});
  }
}

Depth WaitingTable::depth(Delivery::Kind kind) const {
  Depth depth;
  for (const auto& [seq, row] : rows_) {
    if (row.rules.delivery.kind != kind) continue;
    if (depth.events == 0) depth.oldest = row.at;
    if (++depth.events == kCounted) break;
  }
  return depth;
}

std::optional<std::uint32_t> WaitingTable::version_of(const EventId& id) const {
  const std::uint64_t* const seq = seq_of_.find(id);
  if (seq == nullptr) return std::nullopt;
  return rows_.at(*seq).version;
}

bool WaitingTable::needs(ScheduleId schedule, std::uint32_t first, std::uint32_t last) const {
  const auto found = by_schedule_.find(schedule);
  if (found == by_schedule_.end()) return false;
  return std::any_of(found->second.begin(), found->second.end(), [&](std::uint64_t seq) {
    const std::uint32_t version = rows_.at(seq).version;
    return first <= version && version <= last;
  });
}

std::uint64_t WaitingTable::prune(StoreTime before, std::uint64_t limit) {
  return prune_before(ended_, before, limit, [](const Ended& ended) { return ended.at; });
}

}  // namespace tenure::reference
