#include "sim/stores/consul/consul_store.h"

#include <algorithm>

#include "sim/stores/message_kind.h"

namespace tenure::consul {
namespace {

constexpr Duration kLeastTtl = Duration::seconds(10);
constexpr Duration kLongestTtl = Duration::seconds(86'400);
constexpr Duration kUsualLockDelay = Duration::seconds(15);
constexpr Duration kLongestLockDelay = Duration::seconds(60);
constexpr Duration kUsualWait = Duration::seconds(300);
constexpr Duration kLongestWait = Duration::seconds(600);

constexpr const char* kKeyMissing = "Missing key name";

// Twice the TTL: it is promised only that a session lives for as long as that.
StoreTime end_of(Duration ttl, StoreTime now) { return now + ttl * 2; }

}  // namespace

// ---- sessions -------------------------------------------------------------------------------------------------------

std::optional<Reply> ConsulStore::answer(const SessionCreate& asked, const Caller& caller) {
  const std::string behavior = asked.behavior.value_or("release");
  if (behavior != "release" && behavior != "delete")
    return Failed{"Invalid Behavior setting '" + behavior + "'"};
  if (asked.ttl && (*asked.ttl < kLeastTtl || *asked.ttl > kLongestTtl))
    return Failed{"Invalid Session TTL, must be between [10s=24h0m0s]"};
  ++index_;
  Held made;
  made.session = {"session-" + std::to_string(++made_), asked.ttl};
  made.lock_delay = std::min(asked.lock_delay.value_or(kUsualLockDelay), kLongestLockDelay);
  made.deletes_keys = behavior == "delete";
  if (asked.ttl) made.ends = end_of(*asked.ttl, caller.now);
  sessions_.emplace(made.session.id, made);
  return made.session;
}

std::optional<Reply> ConsulStore::answer(const SessionRenew& asked, const Caller& caller) {
  const auto found = sessions_.find(asked.id);
  if (found == sessions_.end()) return Renewed{};
  Held& held = found->second;
  if (held.ends) held.ends = end_of(held.session.ttl.value(), caller.now);
  return Renewed{held.session};
}

std::optional<Reply> ConsulStore::answer(const SessionDestroy& asked, const Caller& caller) {
  ++index_;
  if (sessions_.contains(asked.id)) invalidate(asked.id, caller.now);
  return Done{true};
}

void ConsulStore::invalidate(const std::string& id, StoreTime now) {
  const Held held = std::move(sessions_.extract(id).mapped());
  std::vector<KvPair> locked;
  for (const auto& [key, pair] : keys_)
    if (pair.session == id) locked.push_back(pair);
  for (KvPair& pair : locked) {
    if (held.lock_delay > Duration{}) delayed_[pair.key] = now + held.lock_delay;
    pair.session.reset();
    if (held.deletes_keys)
      erase(pair.key);
    else
      write(std::move(pair));
  }
}

// ---- keys -----------------------------------------------------------------------------------------------------------

void ConsulStore::write(KvPair pair) {
  KvPair& now = keys_[pair.key];
  if (now.modify_index != 0 && now.value == pair.value && now.session == pair.session &&
      now.lock_index == pair.lock_index)
    return;
  pair.create_index = now.modify_index != 0 ? now.create_index : index_;
  pair.modify_index = keys_index_ = index_;
  now = std::move(pair);
  tell(std::string(now.key));
}

void ConsulStore::erase(const std::string& key) {
  if (keys_.erase(key) == 0) return;
  keys_index_ = index_;
  tell(key);
}

Found ConsulStore::find(const std::string& key) const {
  const auto found = keys_.find(key);
  if (found == keys_.end()) return {std::max<std::int64_t>(keys_index_, 1), std::nullopt};
  return {found->second.modify_index, found->second};
}

std::optional<Reply> ConsulStore::answer(const KvPut& asked, const Caller&) {
  if (asked.key.empty()) return Failed{kKeyMissing};
  if (asked.acquire.has_value() + asked.release.has_value() + asked.cas.has_value() > 1)
    return Failed{"Conflicting flags: acquire, release, cas"};
  if (asked.acquire && delayed_.contains(asked.key)) return Done{false};  // it gets no index
  ++index_;
  if (asked.acquire && !sessions_.contains(*asked.acquire))
    return Failed{"invalid session \"" + *asked.acquire + "\""};
  if (asked.acquire) return Done{lock(asked, *asked.acquire)};
  if (asked.release) return Done{unlock(asked, *asked.release)};
  if (asked.cas) return Done{swap(asked, *asked.cas)};
  KvPair pair = find(asked.key).pair.value_or(KvPair{});
  pair.key = asked.key;
  pair.value = asked.value;
  write(std::move(pair));
  return Done{true};
}

bool ConsulStore::lock(const KvPut& asked, const std::string& session) {
  KvPair pair = find(asked.key).pair.value_or(KvPair{});
  if (pair.session && *pair.session != session) return false;
  if (!pair.session) ++pair.lock_index;
  pair.key = asked.key;
  pair.value = asked.value;
  pair.session = session;
  write(std::move(pair));
  return true;
}

bool ConsulStore::unlock(const KvPut& asked, const std::string& session) {
  std::optional<KvPair> pair = find(asked.key).pair;
  if (!pair || pair->session != session) return false;
  pair->value = asked.value;
  pair->session.reset();
  write(*std::move(pair));
  return true;
}

bool ConsulStore::swap(const KvPut& asked, std::int64_t expected) {
  KvPair pair = find(asked.key).pair.value_or(KvPair{});
  if (pair.modify_index != expected) return false;
  pair.key = asked.key;
  pair.value = asked.value;
  write(std::move(pair));
  return true;
}

std::optional<Reply> ConsulStore::answer(const KvDelete& asked, const Caller&) {
  if (asked.key.empty()) return Failed{kKeyMissing};
  ++index_;
  const std::optional<KvPair> pair = find(asked.key).pair;
  if (pair && asked.cas.value_or(pair->modify_index) != pair->modify_index) return Done{false};
  erase(asked.key);
  return Done{true};
}

// ---- queries that wait ----------------------------------------------------------------------------------------------

std::optional<Reply> ConsulStore::answer(const KvGet& asked, const Caller& caller) {
  if (asked.key.empty()) return Failed{kKeyMissing};
  Found found = find(asked.key);
  if (asked.index.value_or(0) <= 0 || found.index > *asked.index) return found;
  Duration wait = asked.wait.value_or(kUsualWait);
  if (wait <= Duration{}) wait = kUsualWait;
  waiting_.push_back({caller, asked, caller.now + std::min(wait, kLongestWait)});
  return std::nullopt;
}

void ConsulStore::tell(const std::string& key) {
  complete(waiting_, [&](const Waiting<KvGet>& waiting) {
    Found found = find(key);
    const bool is_told = waiting.asked.key == key && found.index > *waiting.asked.index;
    return is_told ? std::optional(std::move(found)) : std::nullopt;
  });
}

// ---- time -----------------------------------------------------------------------------------------------------------

std::optional<StoreTime> ConsulStore::next_time_out() const {
  std::optional<StoreTime> next;
  const auto take = [&next](StoreTime time) { next = std::min(next.value_or(time), time); };
  for (const auto& [id, held] : sessions_)
    if (held.ends) take(*held.ends);
  for (const Waiting<KvGet>& waiting : waiting_) take(waiting.until);
  return next;
}

void ConsulStore::time_out(StoreTime now) {
  std::erase_if(delayed_, [now](const auto& delayed) { return delayed.second <= now; });
  std::vector<std::pair<StoreTime, std::string>> over;
  for (const auto& [id, held] : sessions_)
    if (held.ends && *held.ends <= now) over.emplace_back(*held.ends, id);
  std::ranges::sort(over);
  for (const auto& [ends, id] : over) {
    ++index_;
    invalidate(id, now);
  }
  complete(waiting_, [&](const Waiting<KvGet>& waiting) {
    return waiting.until <= now ? std::optional(find(waiting.asked.key)) : std::nullopt;
  });
}

void ConsulStore::client_is_gone(Incarnation who, StoreTime) { forget(waiting_, who); }

void ConsulStore::restart(StoreTime now) {
  waiting_.clear();
  forget_completed();
  for (auto& [id, held] : sessions_)
    if (held.ends) held.ends = end_of(held.session.ttl.value(), now);
}

void ConsulStore::hash(Hasher& hasher, StoreTime now) const {
  hasher.add(index_).add(keys_index_).add(made_).add(keys_.size());
  for (const auto& [key, pair] : keys_) {
    hasher.add(key).add(pair.value).add(pair.session.has_value()).add(pair.session.value_or(""));
    hasher.add(pair.lock_index).add(pair.create_index).add(pair.modify_index);
  }
  for (const auto& [id, held] : sessions_) {
    hasher.add(id).add(held.lock_delay).add(held.deletes_keys).add(held.ends.has_value());
    if (held.ends) hasher.add(*held.ends - now).add(held.session.ttl.value());
  }
  for (const auto& [key, until] : delayed_) hasher.add(key).add(until - now);
  for (const Waiting<KvGet>& waiting : waiting_)
    hasher.add(waiting.caller.ticket).add(*waiting.asked.index).add(waiting.until - now);
}

const MessageKind& kind_of(const Request*) { return kMessageKind<Request, 9>; }
const MessageKind& kind_of(const Reply*) { return kMessageKind<Reply, 9>; }

}  // namespace tenure::consul
