#include "core/store/reference/waiting.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"

namespace tenure::reference {

void WaitingTable::add(std::uint64_t seq, WaitingRow row) {
  CHECK(rows_.empty() || rows_.rbegin()->first < seq, "numbers go up");
  CHECK(!contains(row.id), "an event waits once");
  seq_of_.add(row.id) = seq;
  by_schedule_[row.id.schedule].insert(seq);
  if (row.rules.delivery.kind == Delivery::Kind::push) ++pushes_;
  rows_.emplace_hint(rows_.end(), seq, std::move(row));
}

std::size_t WaitingTable::count(ScheduleId schedule) const {
  const auto found = by_schedule_.find(schedule);
  return found == by_schedule_.end() ? 0 : found->second.size();
}

WaitingRow* WaitingTable::find(const EventId& id) {
  const std::uint64_t* const seq = seq_of_.find(id);
  return seq == nullptr ? nullptr : &rows_.at(*seq);
}

WaitingTable::Left WaitingTable::take(Rows::iterator it) {
  Left left{.seq = it->first, .row = std::move(it->second)};
  rows_.erase(it);
  if (left.row.rules.delivery.kind == Delivery::Kind::push) --pushes_;
  seq_of_.erase(left.row.id);
  const auto of_schedule = by_schedule_.find(left.row.id.schedule);
  of_schedule->second.erase(left.seq);
  if (of_schedule->second.empty()) by_schedule_.erase(of_schedule);
  return left;
}

// By the leader, who counts the attempts since the last replay.
std::optional<WaitingTable::Left> WaitingTable::give_up(const DeadEvent& dead, StoreTime now) {
  const std::uint64_t* const seq = seq_of_.find(dead.id);
  if (seq == nullptr) return std::nullopt;
  const auto it = rows_.find(*seq);
  it->second.attempt.number = it->second.attempt.released + dead.attempts;
  it->second.why = dead.why;
  return finish(it, Standing::dead, now);
}

WaitingTable::Left WaitingTable::finish(Rows::iterator it, Standing how, StoreTime now) {
  const Attempt& attempt = it->second.attempt;
  if (attempt.number != 0) ended_[it->second.id] = {attempt.number, attempt.nonce, how, now};
  Left left = take(it);
  left.how = how;
  return left;
}

std::vector<WaitingTable::Left> WaitingTable::replace(ScheduleId schedule, StoreTime now) {
  std::vector<Left> gone;
  const auto of_schedule = by_schedule_.find(schedule);
  if (of_schedule == by_schedule_.end()) return gone;
  const std::vector<std::uint64_t> seqs(of_schedule->second.begin(), of_schedule->second.end());
  for (const std::uint64_t seq : seqs) {
    const auto it = rows_.find(seq);
    if (it->second.id.run != 0 || !it->second.rules.is_pulled()) continue;
    if (it->second.attempt.stands(now, false))
      it->second.attempt.cancelled = true;
    else
      gone.push_back(finish(it, Standing::replaced, now));
  }
  return gone;
}

WaitingTable::Acknowledgement WaitingTable::acknowledge(const EventId& id, StoreTime now, bool held) {
  const std::uint64_t* const seq = seq_of_.find(id);
  if (seq == nullptr) return Acknowledgement::not_here;
  const auto it = rows_.find(*seq);
  if (it->second.attempt.stands(now, held)) return Acknowledgement::claimed;
  finish(it, Standing::completed, now);
  return Acknowledgement::taken;
}

// ---- executions ------------------------------------------------------------------------------------------

ClaimedExecutions WaitingTable::claim(const ClaimExecutions& asked, StoreTime now, bool held,
                                      std::vector<Left>& left) {
  if (now < latest_from_) {  // invariant 6
    for (auto& [seq, row] : rows_)
      if (row.attempt.number != 0 && now < row.attempt.from) row.attempt.count_again(now);
    latest_from_ = now;
  }
  settle(asked.topic, now, held, left);

  ClaimedExecutions claimed;
  for (auto it = rows_.begin(); it != rows_.end() && claimed.executions.size() < asked.max; ++it) {
    auto& [seq, row] = *it;
    if (!row.rules.is_pulled() || row.name != asked.topic) continue;
    if (!may_be_claimed(seq, row, now, held)) continue;
    row.attempt = {.number = row.attempt.number + 1,
                   .nonce = asked.nonce,
                   .claimed = true,
                   .cancelled = false,
                   .from = now,
                   .until = now + asked.duration,
                   .released = row.attempt.released};
    row.worker = asked.worker;
    claimed.executions.push_back({.token = {row.id, row.attempt.number, row.attempt.nonce},
                                  .seq = seq,
                                  .version = row.version,
                                  .until = row.attempt.until});
  }
  if (!claimed.executions.empty()) latest_from_ = std::max(latest_from_, now);
  return claimed;
}

void WaitingTable::settle(const std::string& topic, StoreTime now, bool held, std::vector<Left>& left) {
  for (auto it = rows_.begin(); it != rows_.end() && left.size() < kSettledAtOnce;) {
    const auto here = it++;
    WaitingRow& row = here->second;
    if (!row.rules.is_pulled() || row.name != topic) continue;
    if (!row.attempt.claimed || row.attempt.stands(now, held)) continue;
    if (!row.attempt.cancelled && row.attempt.spent() < row.rules.delivery.attempts) continue;
    row.why = std::string(kTimedOut);
    left.push_back(finish(here, row.attempt.cancelled ? Standing::replaced : Standing::dead, now));
  }
}

bool WaitingTable::may_be_claimed(std::uint64_t seq, const WaitingRow& row, StoreTime now, bool held) const {
  const Attempt& attempt = row.attempt;
  if (attempt.stands(now, held) || attempt.backs_off(now)) return false;
  if (attempt.claimed && (attempt.cancelled || attempt.spent() >= row.rules.delivery.attempts))
    return false;  // the next claim settles it
  return !row.rules.one_at_a_time() || is_its_turn(seq, row, now, held);
}

// Invariant 3.
bool WaitingTable::is_its_turn(std::uint64_t seq, const WaitingRow& row, StoreTime now, bool held) const {
  for (const std::uint64_t other : by_schedule_.at(row.id.schedule)) {
    const WaitingRow& beside = rows_.at(other);
    if (other == seq || !beside.rules.is_pulled()) continue;
    const bool is_earlier = other < seq;
    if (is_earlier && row.rules.delivery.strict_order) return false;
    if ((is_earlier || beside.rules.one_at_a_time()) && beside.attempt.stands(now, held)) return false;
  }
  return true;
}

ExecutionState WaitingTable::extend(const ExecutionToken& token, Duration duration, StoreTime now) {
  WaitingRow* const row = find(token.event);
  if (row == nullptr || !row->attempt.is_of(token)) return remembered(token);
  Attempt& attempt = row->attempt;
  if (!attempt.claimed) return {attempt.when_over(), attempt.until};
  attempt.until = now + (duration == Duration{} ? attempt.until - attempt.from : duration);
  attempt.from = now;
  latest_from_ = std::max(latest_from_, now);
  return {attempt.cancelled ? Standing::cancelled : Standing::claimed, attempt.until};
}

ExecutionState WaitingTable::end(const ExecutionEnd& end, StoreTime now, std::optional<Left>& left) {
  const std::uint64_t* const seq = seq_of_.find(end.token.event);
  const auto it = seq == nullptr ? rows_.end() : rows_.find(*seq);
  if (it == rows_.end() || !it->second.attempt.is_of(end.token)) return remembered(end.token);
  WaitingRow& row = it->second;
  Attempt& attempt = row.attempt;
  if (!end.failed) {
    finish(it, Standing::completed, now);
    return {Standing::completed};
  }
  if (!attempt.claimed) return {attempt.when_over(), attempt.until};
  row.why = end.why;
  if (attempt.cancelled || attempt.spent() >= row.rules.delivery.attempts) {
    left = finish(it, attempt.cancelled ? Standing::replaced : Standing::dead, now);
    return {left->how};
  }
  attempt.claimed = false;
  attempt.from = now;
  attempt.until = now + back_off_after(row.rules.delivery, attempt.spent());
  latest_from_ = std::max(latest_from_, now);
  return {Standing::failed, attempt.until};
}

ExecutionState WaitingTable::release(const ExecutionToken& token, StoreTime now, std::optional<Left>& left) {
  const std::uint64_t* const seq = seq_of_.find(token.event);
  const auto it = seq == nullptr ? rows_.end() : rows_.find(*seq);
  if (it == rows_.end() || !it->second.attempt.is_of(token)) return remembered(token);
  Attempt& attempt = it->second.attempt;
  if (!attempt.claimed) return {attempt.when_over(), attempt.until};
  if (attempt.cancelled) {
    left = finish(it, Standing::replaced, now);
    return {Standing::replaced};
  }
  attempt.release(now);
  latest_from_ = std::max(latest_from_, now);
  return {Standing::released, attempt.until};
}

ExecutionState WaitingTable::remembered(const ExecutionToken& token) const {
  if (seq_of_.find(token.event) != nullptr) return {Standing::reissued};
  const auto found = ended_.find(token.event);
  if (found == ended_.end()) return {Standing::unknown};
  const Ended& ended = found->second;
  return {ended.attempt == token.attempt && ended.nonce == token.nonce ? ended.how : Standing::reissued};
}

void WaitingTable::count_again(StoreTime now) {
  for (auto& [seq, row] : rows_)
    if (row.attempt.number != 0 && (row.attempt.claimed || now < row.attempt.from))
      row.attempt.count_again(now);
  latest_from_ = now;
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
  std::vector<std::pair<StoreTime, EventId>> old;
  for (const auto& [id, ended] : ended_)
    if (ended.at <= before) old.emplace_back(ended.at, id);
  std::sort(old.begin(), old.end());
  if (old.size() > limit) old.resize(static_cast<std::size_t>(limit));
  for (const auto& [at, id] : old) ended_.erase(id);
  return old.size();
}

void WaitingTable::hash(Hasher& hasher) const {
  if (rows_.empty() && ended_.empty()) return;  // as before there was a choice
  const auto add_event = [&hasher](const EventId& id) { hasher.add(id.schedule).add(id.slot).add(id.run); };
  hasher.add(rows_.size());
  for (const auto& [seq, row] : rows_) {
    const auto& [id, version, name, rules, at, attempt, worker, why] = row;
    const auto& [kind, destination, strict_order, attempts, back_off, longest_back_off] = rules.delivery;
    add_event(id);
    hasher.add(seq).add(version).add(name).add(rules.overlap).add(kind).add(strict_order).add(attempts);
    hasher.add(back_off).add(longest_back_off).add(at).add(worker).add(why);
    hasher.add(attempt.number).add(attempt.nonce).add(attempt.claimed).add(attempt.cancelled);
    hasher.add(attempt.from).add(attempt.until);
    if (attempt.released != 0) hasher.add(attempt.released);
  }
  hasher.add(ended_.size());
  for (const auto& [id, ended] : ended_) {
    add_event(id);
    hasher.add(ended.attempt).add(ended.nonce).add(ended.how).add(ended.at);
  }
}

}  // namespace tenure::reference
