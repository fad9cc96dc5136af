#include "core/store/reference/outbox.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/check.h"

namespace tenure::reference {

namespace {
constexpr auto kSeq = [](const auto& entry) { return entry.event.seq; };
}

void check_well_formed(const DeadEvent& dead) {
  CHECK(dead.attempts > 0, "work that was never tried is not given up");
}

void OutboxQueue::add(const EventId& id) {
  const std::size_t before = size();
  std::uint64_t& seq = seq_of_.add(id);
  if (size() == before) return;
  seq = ++last_;
  entries_.push_back({.event = {.seq = seq, .id = id}, .pending = true});
}

std::optional<std::uint64_t> OutboxQueue::take(const EventId& id) {
  const std::uint64_t* const found = seq_of_.find(id);
  if (found == nullptr) return std::nullopt;
  const std::uint64_t seq = *found;
  std::ranges::lower_bound(entries_, seq, {}, kSeq)->pending = false;
  seq_of_.erase(id);
  sweep();
  return seq;
}

void OutboxQueue::give_up(const EventId& id, std::uint32_t attempts, StoreTime now) {
  if (const auto seq = take(id)) dead_.emplace(*seq, DeadEvent{id, attempts, *seq, now});
}

// Of a manual run that was asked for again after retention there may be two.
bool OutboxQueue::redrive(const EventId& id) {
  if (std::erase_if(dead_, [&id](const auto& entry) { return entry.second.id == id; }) == 0) return false;
  add(id);
  return true;
}

std::uint64_t OutboxQueue::prune_dead(StoreTime before, std::uint64_t limit) {
  std::vector<std::pair<StoreTime, std::uint64_t>> old;
  for (const auto& [seq, event] : dead_)
    if (event.since <= before) old.emplace_back(event.since, seq);
  std::sort(old.begin(), old.end());
  if (old.size() > limit) old.resize(static_cast<std::size_t>(limit));
  for (const auto& [since, seq] : old) dead_.erase(seq);
  return old.size();
}

void OutboxQueue::read(const ReadOutbox& asked, Outbox& outbox) const {
  for (auto it = std::ranges::upper_bound(entries_, asked.after, {}, kSeq); it != entries_.end(); ++it) {
    if (!it->pending) continue;
    if (outbox.events.size() >= asked.limit) {
      outbox.more = true;
      return;
    }
    outbox.events.push_back(it->event);
  }
}

void OutboxQueue::read(const ReadDead& asked, Dead& dead) const {
  for (auto it = dead_.upper_bound(asked.after); it != dead_.end(); ++it) {
    if (dead.events.size() >= asked.limit) {
      dead.more = true;
      return;
    }
    dead.events.push_back(it->second);
  }
}

void OutboxQueue::hash(Hasher& hasher) const {
  hasher.add(last_).add(size());
  for (const Entry& entry : entries_) {
    if (!entry.pending) continue;
    const EventId& id = entry.event.id;
    hasher.add(entry.event.seq).add(id.schedule).add(id.slot).add(id.run);
  }
  hasher.add(dead_.size());
  for (const auto& [seq, event] : dead_)
    hasher.add(seq)
        .add(event.id.schedule)
        .add(event.id.slot)
        .add(event.id.run)
        .add(event.attempts)
        .add(event.since);
}

void OutboxQueue::sweep() {
  while (!entries_.empty() && !entries_.front().pending) entries_.pop_front();
  if (entries_.size() <= 2 * size()) return;
  std::erase_if(entries_, [](const Entry& entry) { return !entry.pending; });
}

}  // namespace tenure::reference
