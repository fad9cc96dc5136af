#include "core/store/reference/outbox.h"

#include <algorithm>

namespace tenure::reference {

namespace {
constexpr auto kSeq = [](const auto& entry) { return entry.event.seq; };
}

void OutboxQueue::add(const EventId& id) {
  const std::size_t before = size();
  seq_of_.try_emplace(seq_of_.end(), id, last_ + 1);
  if (size() == before) return;
  entries_.push_back({.event = {.seq = ++last_, .id = id}, .pending = true});
}

void OutboxQueue::acknowledge(const EventId& id) {
  const auto found = seq_of_.find(id);
  if (found == seq_of_.end()) return;
  std::ranges::lower_bound(entries_, found->second, {}, kSeq)->pending = false;
  seq_of_.erase(found);
  sweep();
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

void OutboxQueue::hash(Hasher& hasher) const {
  hasher.add(last_).add(size());
  for (const Entry& entry : entries_) {
    if (!entry.pending) continue;
    const EventId& id = entry.event.id;
    hasher.add(entry.event.seq).add(id.schedule).add(id.slot).add(id.run);
  }
}

void OutboxQueue::sweep() {
  while (!entries_.empty() && !entries_.front().pending) entries_.pop_front();
  if (entries_.size() <= 2 * size()) return;
  std::erase_if(entries_, [](const Entry& entry) { return !entry.pending; });
}

}  // namespace tenure::reference
