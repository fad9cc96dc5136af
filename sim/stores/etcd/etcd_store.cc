#include "sim/stores/etcd/etcd_store.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/stores/message_kind.h"

namespace tenure::etcd {
namespace {

constexpr Duration kLook = Duration::millis(500);
constexpr Duration kElectionTimeout = Duration::seconds(1);  // what a new leader adds to each lease
constexpr std::int64_t kLeastTtl = 2;                        // 3/2 of the election timeout, rounded up
constexpr std::int64_t kLargestTtl = 9'000'000'000;

constexpr const char* kNoLease = "etcdserver: requested lease not found";
constexpr const char* kNoKey = "etcdserver: key is not provided";
constexpr std::array<std::string_view, 4> kResults = {"EQUAL", "NOT_EQUAL", "GREATER", "LESS"};

bool compares_one_thing(const Compare& it) {
  return it.version.has_value() + it.create_revision.has_value() + it.mod_revision.has_value() +
             it.lease.has_value() + it.value.has_value() ==
         1;
}

// The last look at or before `now`. The looks are in step with nothing that a client does, so any phase will do.
StoreTime look_before(StoreTime now) { return StoreTime{} + kLook * ((now - StoreTime{}).ns() / kLook.ns()); }

}  // namespace

// ---- keys -----------------------------------------------------------------------------------------------------------

bool EtcdStore::lacks_lease(const Put& asked) const { return asked.lease && !leases_.contains(*asked.lease); }

std::optional<Reply> EtcdStore::answer(const Get& asked, const Caller& caller) {
  if (asked.key.empty()) return Failed{kNoKey};
  return (asked.serializable ? keys_for(caller) : keys_).range(asked);
}

std::optional<Reply> EtcdStore::answer(const DeleteRange& asked, const Caller&) {
  if (asked.key.empty()) return Failed{kNoKey};
  return keys_.erase(asked);
}

std::optional<Reply> EtcdStore::answer(const Put& asked, const Caller&) {
  if (asked.key.empty()) return Failed{kNoKey};
  if (lacks_lease(asked)) return Failed{kNoLease};
  return keys_.put(asked);
}

std::string EtcdStore::problem_of(const std::vector<Operation>& operations) {
  std::vector<const DeleteRange*> deleted;
  for (const Operation& one : operations)
    if (const auto* range = std::get_if<DeleteRange>(&one)) deleted.push_back(range);
  std::set<std::string> put;
  for (const Operation& one : operations) {
    if (std::visit([](const auto& asked) { return asked.key.empty(); }, one)) return kNoKey;
    const auto* asked = std::get_if<Put>(&one);
    if (asked == nullptr) continue;
    const bool also_deleted = std::ranges::any_of(deleted, [&](const DeleteRange* range) {
      return is_in_range(asked->key, range->key, range->range_end);
    });
    if (also_deleted || !put.insert(asked->key).second)
      return "etcdserver: duplicate key given in txn request";
  }
  return {};
}

std::string EtcdStore::problem_of(const Txn& asked) {
  for (const Compare& compare : asked.compare) {
    if (compare.key.empty()) return kNoKey;
    if (!compares_one_thing(compare))
      return "compare: one of version, create_revision, mod_revision, lease, value";
    if (compare.result && std::ranges::find(kResults, *compare.result) == kResults.end())
      return "compare: result is EQUAL, NOT_EQUAL, GREATER or LESS";
  }
  const std::string problem = problem_of(asked.success);
  return problem.empty() ? problem_of(asked.failure) : problem;
}

std::optional<Reply> EtcdStore::answer(const Txn& asked, const Caller&) {
  if (std::string problem = problem_of(asked); !problem.empty()) return Failed{std::move(problem)};
  TxnResponse done;
  done.succeeded =
      std::ranges::all_of(asked.compare, [&](const Compare& compare) { return keys_.holds(compare); });
  const std::vector<Operation>& operations = done.succeeded ? asked.success : asked.failure;
  for (const Operation& one : operations)
    if (const auto* put = std::get_if<Put>(&one); put != nullptr && lacks_lease(*put))
      return Failed{kNoLease};
  for (const Operation& one : operations) {
    if (const auto* range = std::get_if<Get>(&one)) done.responses.emplace_back(keys_.range(*range));
    if (const auto* put = std::get_if<Put>(&one)) done.responses.emplace_back(keys_.put(*put));
    if (const auto* range = std::get_if<DeleteRange>(&one)) done.responses.emplace_back(keys_.erase(*range));
  }
  keys_.end_of_request();
  done.revision = keys_.revision();
  return done;
}

std::optional<Reply> EtcdStore::answer(const Compact& asked, const Caller&) {
  if (asked.revision <= keys_.compacted())
    return Failed{"etcdserver: mvcc: required revision has been compacted"};
  if (asked.revision > keys_.revision())
    return Failed{"etcdserver: mvcc: required revision is a future revision"};
  keys_.compact(asked.revision);
  return CompactionResponse{keys_.revision()};
}

// ---- watches --------------------------------------------------------------------------------------------------------

std::optional<Reply> EtcdStore::answer(const Watch& asked, const Caller& caller) {
  if (asked.key.empty()) return Failed{kNoKey};
  const KeySpace& keys = keys_for(caller);
  Watch watch = asked;
  watch.start_revision = asked.start_revision.value_or(keys.revision() + 1);
  if (std::optional<WatchResponse> response = seen(keys, watch)) return *std::move(response);
  watches_.push_back({caller, std::move(watch)});
  return std::nullopt;
}

std::optional<WatchResponse> EtcdStore::seen(const KeySpace& keys, const Watch& watch) {
  const std::int64_t from = watch.start_revision.value();
  if (from < keys.compacted()) return WatchResponse{0, {}, keys.compacted()};
  std::vector<KeyEvent> events = keys.events(watch.key, watch.range_end, from);
  if (events.empty()) return std::nullopt;
  return WatchResponse{keys.revision(), std::move(events), 0};
}

// Whoever reaches the minority alone is told nothing new. Each other one that waits on has seen everything up to now,
// so that no compaction takes anything from it.
void EtcdStore::tell_watches() {
  complete(watches_, [this](const Waiting<Watch>& waiting) {
    return is_cut_off(waiting.caller.session.who.node) ? std::nullopt : seen(keys_, waiting.asked);
  });
  for (Waiting<Watch>& waiting : watches_)
    if (!is_cut_off(waiting.caller.session.who.node))
      waiting.asked.start_revision = std::max(*waiting.asked.start_revision, keys_.revision() + 1);
}

void EtcdStore::answered(StoreTime) {
  keys_.end_of_request();
  tell_watches();
}

// ---- leases ---------------------------------------------------------------------------------------------------------

std::optional<Reply> EtcdStore::answer(const LeaseGrant& asked, const Caller& caller) {
  if (asked.ttl > kLargestTtl) return Failed{"etcdserver: too large lease TTL"};
  std::int64_t id = asked.id.value_or(0);
  while (id == 0 || (!asked.id && leases_.contains(id))) id = ++last_id_;
  const std::int64_t ttl = std::max(asked.ttl, kLeastTtl);
  if (!leases_.emplace(id, Lease{ttl, caller.now + Duration::seconds(ttl)}).second)
    return Failed{"etcdserver: lease already exists"};
  return LeaseGrantResponse{keys_.revision(), id, ttl};
}

std::optional<Reply> EtcdStore::answer(const LeaseRevoke& asked, const Caller&) {
  if (!leases_.contains(asked.id)) return Failed{kNoLease};
  revoke(asked.id);
  return LeaseRevokeResponse{keys_.revision()};
}

std::optional<Reply> EtcdStore::answer(const LeaseKeepAlive& asked, const Caller& caller) {
  const std::int64_t revision = keys_for(caller).revision();
  Leases& leases = leases_for(caller);
  const auto found = leases.find(asked.id);
  if (found == leases.end()) return LeaseKeepAliveResponse{revision, asked.id, 0};
  Lease& lease = found->second;
  if (lease.ends <= caller.now) {
    renewals_.push_back({caller, asked});
    return std::nullopt;
  }
  lease.ends = caller.now + Duration::seconds(lease.ttl);
  return LeaseKeepAliveResponse{revision, asked.id, lease.ttl};
}

// Whole seconds of what is left, cut.
std::optional<Reply> EtcdStore::answer(const LeaseTimeToLive& asked, const Caller& caller) {
  const std::int64_t revision = keys_for(caller).revision();
  const Leases& leases = leases_for(caller);
  const auto found = leases.find(asked.id);
  if (found == leases.end()) return LeaseTimeToLiveResponse{revision, asked.id, -1, 0};
  const Duration left = found->second.ends - caller.now;
  return LeaseTimeToLiveResponse{revision, asked.id, left.ns() / Duration::seconds(1).ns(),
                                 found->second.ttl};
}

// Its keys go by one commit, if it has any.
void EtcdStore::revoke(std::int64_t id) {
  const std::int64_t before = keys_.revision();
  leases_.erase(id);
  keys_.erase_keys_of(id);
  keys_.end_of_request();
  complete(renewals_, [&](const Waiting<LeaseKeepAlive>& waiting) {
    return waiting.asked.id == id ? std::optional(LeaseKeepAliveResponse{before, id, 0}) : std::nullopt;
  });
  tell_watches();
}

void EtcdStore::time_out(StoreTime now) {
  if (!has_leader_) return;
  const StoreTime look = look_before(now);
  std::vector<std::pair<StoreTime, std::int64_t>> over;
  for (const auto& [id, lease] : leases_)
    if (lease.ends <= look) over.emplace_back(lease.ends, id);
  std::ranges::sort(over);
  for (const auto& [ends, id] : over) revoke(id);
}

// The first look that finds a lease that is over.
std::optional<StoreTime> EtcdStore::next_time_out() const {
  if (leases_.empty() || !has_leader_) return std::nullopt;
  const StoreTime ends =
      std::ranges::min_element(leases_, {}, [](const auto& each) { return each.second.ends; })->second.ends;
  const StoreTime look = look_before(ends);
  return look < ends ? look + kLook : look;
}

void EtcdStore::client_is_gone(Incarnation who, StoreTime) {
  forget(watches_, who);
  forget(renewals_, who);
}

// Whoever leads now, the server that was restarted or another one.
void EtcdStore::restart(StoreTime now) {
  watches_.clear();
  renewals_.clear();
  forget_completed();
  begin_leases_anew(now);
}

void EtcdStore::begin_leases_anew(StoreTime now) {
  for (auto& [id, lease] : leases_) lease.ends = now + kElectionTimeout + Duration::seconds(lease.ttl);
}

void EtcdStore::hash(Hasher& hasher, StoreTime now) const {
  keys_.hash(hasher);
  hasher.add(last_id_).add(now - look_before(now));
  for (const auto& [id, lease] : leases_) hasher.add(id).add(lease.ttl).add(lease.ends - now);
  for (const Waiting<Watch>& waiting : watches_)
    hasher.add(waiting.caller.ticket).add(*waiting.asked.start_revision);
  for (const Waiting<LeaseKeepAlive>& waiting : renewals_) hasher.add(waiting.caller.ticket);
  if (!minority_) return;
  hasher.add(has_leader_).add(minority_->leads).add(minority_->confirms);
  for (const NodeId client : minority_->clients) hasher.add(client);
  minority_->keys.hash(hasher);
  for (const auto& [id, lease] : minority_->leases) hasher.add(id).add(lease.ends - now);
}

// The traces of those that ask for no stale read stay as they were.
void fold(Hasher& hasher, const Get& it) {
  const auto& [key, range_end, max_create_revision, serializable] = it;
  hasher.add(key);
  fold(hasher, range_end);
  fold(hasher, max_create_revision);
  if (serializable) hasher.add(serializable);
}

const MessageKind& kind_of(const Request*) { return kMessageKind<Request, 8>; }
const MessageKind& kind_of(const Reply*) { return kMessageKind<Reply, 8>; }

}  // namespace tenure::etcd
