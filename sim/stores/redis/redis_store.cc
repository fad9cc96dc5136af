#include "sim/stores/redis/redis_store.h"

#include "sim/stores/message_kind.h"

namespace tenure::redis {
namespace {

constexpr std::int64_t kMilli = Duration::millis(1).ns();

// Whole milliseconds at or before it, also before the epoch.
std::int64_t floor_ms(std::int64_t ns) { return ns / kMilli - (ns % kMilli < 0 ? 1 : 0); }
std::int64_t floor_ms(Duration length) { return floor_ms(length.ns()); }

}  // namespace

std::int64_t RedisStore::without_what_has_ended(StoreTime now) {
  const std::int64_t now_ms = floor_ms(now.ns());
  std::erase_if(entries_,
                [now_ms](const auto& each) { return now_ms > each.second.ends_ms.value_or(now_ms); });
  return now_ms;
}

// A bad time is refused before anybody looks whether the key is there.
Reply RedisStore::answer(const Set& asked, std::int64_t now_ms) {
  if (asked.px && floor_ms(*asked.px) <= 0) return Failed{"ERR invalid expire time in 'set' command"};
  if (asked.nx && entries_.contains(asked.key)) return Status{false};
  Entry& entry = entries_[asked.key];
  entry.value = asked.value;
  entry.ends_ms.reset();
  if (asked.px) entry.ends_ms = now_ms + floor_ms(*asked.px);
  return Status{true};
}

Reply RedisStore::answer(const Get& asked, std::int64_t) {
  const auto found = entries_.find(asked.key);
  if (found == entries_.end()) return Bulk{};
  return Bulk{found->second.value};
}

Reply RedisStore::answer(const Del& asked, std::int64_t) {
  return Integer{static_cast<std::int64_t>(entries_.erase(asked.key))};
}

// An end that is not in the future deletes the key.
Reply RedisStore::answer(const Pexpire& asked, std::int64_t now_ms) {
  const auto found = entries_.find(asked.key);
  if (found == entries_.end()) return Integer{0};
  if (floor_ms(asked.milliseconds) <= 0)
    entries_.erase(found);
  else
    found->second.ends_ms = now_ms + floor_ms(asked.milliseconds);
  return Integer{1};
}

Reply RedisStore::answer(const Pttl& asked, std::int64_t now_ms) {
  const auto found = entries_.find(asked.key);
  if (found == entries_.end()) return Integer{-2};
  if (!found->second.ends_ms) return Integer{-1};
  return Integer{*found->second.ends_ms - now_ms};
}

bool RedisStore::has(const std::string& key, const std::string& value) const {
  const auto found = entries_.find(key);
  return found != entries_.end() && found->second.value == value;
}

Reply RedisStore::answer(const CompareAndDelete& asked, std::int64_t now_ms) {
  return has(asked.key, asked.value) ? answer(Del{asked.key}, now_ms) : Integer{0};
}

Reply RedisStore::answer(const CompareAndExtend& asked, std::int64_t now_ms) {
  return has(asked.key, asked.value) ? answer(Pexpire{asked.key, asked.milliseconds}, now_ms) : Integer{0};
}

void RedisStore::hash(Hasher& hasher, StoreTime now) const {
  for (const auto& [key, entry] : entries_) {
    hasher.add(key).add(entry.value).add(entry.ends_ms.has_value());
    if (entry.ends_ms) hasher.add(*entry.ends_ms * kMilli - now.ns());
  }
}

const MessageKind& kind_of(const Request*) { return kMessageKind<Request, 5>; }
const MessageKind& kind_of(const Reply*) { return kMessageKind<Reply, 5>; }

}  // namespace tenure::redis
