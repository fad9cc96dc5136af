#include "core/store/reference/outbox.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/store/reference/problems.h"
#include "core/store/reference/prune.h"

namespace tenure::reference {

namespace {
constexpr auto kSeqOfEntry = [](const auto& entry) { return entry.event.seq; };

// Of one that is here. Mostly none is missing between the first and this one.
template <class Entries>
auto place_of(Entries& entries, std::uint64_t seq) {
  const std::uint64_t place = seq - entries.front().event.seq;
  if (place < entries.size() && entries[place].event.seq == seq)
    return entries.begin() + static_cast<std::ptrdiff_t>(place);
  return std::ranges::lower_bound(entries, seq, {}, kSeqOfEntry);
}
}  // namespace

void check_well_formed(const DeadEvent& dead) {
  CHECK(dead.attempts > 0, "work that was never tried is not given up");
  const std::string problem = problem_of_reason(dead.why);
  CHECK(problem.empty(), problem);
}

std::string problem_of(const DiscardDead& asked) {
  Problems problems;
  problems.check_text("actor", asked.actor, kNameBytes);
  return problems.take();
}

bool OutboxQueue::add(const EventId& id, std::uint32_t version, StoreTime now) {
  const std::size_t before = size();
  std::uint64_t& seq = seq_of_.add(id);
  if (size() == before) return false;
  seq = ++last_;
  entries_.push_back({.event = {.seq = seq, .id = id}, .version = version, .at = now, .pending = true});
  return true;
}

std::optional<OutboxQueue::Taken> OutboxQueue::take(const EventId& id) {
  const std::uint64_t* const found = seq_of_.find(id);
  if (found == nullptr) return std::nullopt;
  const std::uint64_t seq = *found;
  const auto entry = place_of(entries_, seq);
  entry->pending = false;
  const std::uint32_t version = entry->version;
  seq_of_.erase(id);
  sweep();
  return Taken{seq, version};
}

bool OutboxQueue::give_up(const DeadEvent& dead, StoreTime now) {
  const std::uint64_t* const seq = seq_of_.find(dead.id);
  if (seq == nullptr || (dead.seq != 0 && dead.seq != *seq)) return false;
  const auto taken = take(dead.id);
  keep_dead({.event = {dead.id, dead.attempts, taken->seq, now, dead.why}, .version = taken->version});
  return true;
}

void OutboxQueue::keep_dead(DeadEntry dead) {
  const std::uint64_t seq = dead.event.seq;
  dead_.emplace(seq, std::move(dead));
}

std::optional<std::uint32_t> OutboxQueue::version_of(const EventId& id) const {
  if (const std::uint64_t* const seq = seq_of_.find(id)) return place_of(entries_, *seq)->version;
  std::optional<std::uint32_t> latest;
  for (const auto& [seq, dead] : dead_)
    if (dead.event.id == id) latest = std::max(latest.value_or(0), dead.version);
  return latest;
}

bool OutboxQueue::needs(ScheduleId schedule, std::uint32_t first, std::uint32_t last) const {
  const auto is_one = [&](const EventId& id, std::uint32_t version) {
    return id.schedule == schedule && first <= version && version <= last;
  };
  return std::any_of(
             entries_.begin(), entries_.end(),
             [&](const Entry& entry) { return entry.pending && is_one(entry.event.id, entry.version); }) ||
         std::any_of(dead_.begin(), dead_.end(),
                     [&](const auto& dead) { return is_one(dead.second.event.id, dead.second.version); });
}

std::optional<DeadEntry> OutboxQueue::take_dead(const EventId& id) {
  std::optional<DeadEntry> latest;
  std::erase_if(dead_, [&](auto& entry) {
    if (entry.second.event.id != id) return false;
    if (!latest || entry.second.version >= latest->version) latest = std::move(entry.second);
    return true;
  });
  return latest;
}

bool OutboxQueue::discard(const EventId& id, const Discard& discard) {
  bool marked = false;
  for (auto& [seq, dead] : dead_) {
    if (dead.event.id != id || dead.discard) continue;
    dead.discard = discard;
    marked = true;
  }
  return marked;
}

std::uint64_t OutboxQueue::prune_dead(StoreTime before, std::uint64_t limit) {
  return prune_before(dead_, before, limit, [](const DeadEntry& dead) { return dead.event.since; });
}

void OutboxQueue::read(const ReadOutbox& asked, Outbox& outbox) const {
  for (auto it = std::ranges::upper_bound(entries_, asked.after, {}, kSeqOfEntry); it != entries_.end();
       ++it) {
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
    if (it->second.discard.has_value() != asked.discarded) continue;
    if (dead.events.size() >= asked.limit) {
      dead.more = true;
      return;
    }
    dead.events.push_back(it->second.event);
    if (it->second.discard) dead.discards.push_back(*it->second.discard);
  }
}

Depth OutboxQueue::depth() const {
  const auto first = std::ranges::find(entries_, true, &Entry::pending);
  if (first == entries_.end()) return {};
  return {std::min<std::uint64_t>(size(), kCounted), first->at};
}

Depth OutboxQueue::depth_of_dead() const {
  Depth depth;
  for (const auto& [seq, dead] : dead_) {
    if (dead.discard) continue;
    if (depth.events++ == 0) depth.oldest = dead.event.since;
  }
  depth.events = std::min(depth.events, kCounted);
  return depth;
}

void OutboxQueue::hash(Hasher& hasher) const {
  fold(hasher, last_, size(), dead_);
  for (const Entry& entry : entries_)
    if (entry.pending) fold(hasher, entry.event, entry.version);
}

void OutboxQueue::sweep() {
  while (!entries_.empty() && !entries_.front().pending) entries_.pop_front();
  if (entries_.size() <= 2 * size()) return;
  std::erase_if(entries_, [](const Entry& entry) { return !entry.pending; });
}

}  // namespace tenure::reference
