#include "sim/world/sim_disk.h"

#include <algorithm>

namespace tenure::sim {

std::uint64_t SimDisk::put(const std::string& key, const std::string& value) {
  const std::size_t size = key.size() + value.size();
  while (!unsynced_.empty() && (bytes_ + size > kRoom || unsynced_.size() == kMostUnsynced))
    write_down_oldest();
  if (bytes_ + size > kRoom) return 0;
  bytes_ += size;
  unsynced_.push_back({key, value});
  return ++written_;
}

std::optional<std::string> SimDisk::get(const std::string& key) const {
  const auto last = std::find_if(unsynced_.rbegin(), unsynced_.rend(),
                                 [&key](const Write& write) { return write.key == key; });
  if (last != unsynced_.rend()) return last->value;
  const auto found = safe_.find(key);
  return found != safe_.end() ? std::optional(found->second) : std::nullopt;
}

std::map<std::string, std::string> SimDisk::contents() const {
  std::map<std::string, std::string> all = safe_;
  for (const Write& write : unsynced_) all[write.key] = write.value;
  return all;
}

void SimDisk::sync(std::uint64_t write) {
  while (!unsynced_.empty() && written_ - unsynced_.size() < write) write_down_oldest();
}

// It takes the place of what was there under its key.
void SimDisk::write_down_oldest() {
  Write& oldest = unsynced_.front();
  const auto [place, is_new] = safe_.try_emplace(oldest.key);
  if (!is_new) bytes_ -= oldest.key.size() + place->second.size();
  place->second = std::move(oldest.value);
  unsynced_.pop_front();
}

std::size_t SimDisk::crash(const KeyedRng& rng) {
  if (unsynced_.empty()) return 0;
  sync(written_ - unsynced_.size() + rng.below(unsynced_.size() + 1));
  const std::size_t lost = unsynced_.size();
  for (const Write& write : unsynced_) bytes_ -= write.key.size() + write.value.size();
  unsynced_.clear();
  return lost;
}

}  // namespace tenure::sim
