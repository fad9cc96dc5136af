// etcd's servers, while they cannot reach each other. The requests are answered in etcd_store.cc.
#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/check.h"
#include "sim/stores/etcd/etcd_store.h"

namespace tenure::etcd {

bool EtcdStore::is_cut_off(NodeId client) const {
  return minority_ && std::ranges::find(minority_->clients, client) != minority_->clients.end();
}

const KeySpace& EtcdStore::keys_for(const Caller& caller) const {
  return is_cut_off(caller.session.who.node) ? minority_->keys : keys_;
}

EtcdStore::Leases& EtcdStore::leases_for(const Caller& caller) {
  return is_cut_off(caller.session.who.node) ? minority_->leases : leases_;
}

void EtcdStore::part(const ServerSplit& split, StoreTime now) {
  CHECK(!minority_, "servers that are together are parted");
  time_out(now);
  has_leader_ = !split.leader_is_in_minority;
  minority_ = Minority{split.minority, keys_, leases_, split.leader_is_in_minority, split.leader_confirms};
  // These wait for a revocation that their leader cannot commit.
  std::erase_if(renewals_,
                [this](const auto& waiting) { return is_cut_off(waiting.caller.session.who.node); });
}

// A renewal that waited for the end of its lease is passed on to the new leader, and the lease has not ended with it.
void EtcdStore::elect(StoreTime now) {
  CHECK(!has_leader_, "the majority elects when it has no leader");
  has_leader_ = true;
  begin_leases_anew(now);
  complete(renewals_, [&](const Waiting<LeaseKeepAlive>& waiting) {
    Lease& lease = leases_.at(waiting.asked.id);
    lease.ends = now + Duration::seconds(lease.ttl);
    return std::optional(LeaseKeepAliveResponse{keys_.revision(), waiting.asked.id, lease.ttl});
  });
}

void EtcdStore::depose(StoreTime) {
  CHECK(minority_, "a leader that others have left behind");
  minority_->leads = false;
}

void EtcdStore::rejoin(bool carries_out, StoreTime now) {
  CHECK(minority_, "servers that are parted come together");
  const Minority was = *std::exchange(minority_, std::nullopt);
  if (!has_leader_ && was.leads) {  // it is still the leader of all, and nobody has committed anything
    has_leader_ = true;
    leases_ = was.leases;
  } else if (!has_leader_) {
    elect(now);
  } else if (was.leads && carries_out) {
    for (const auto& [id, lease] : was.leases)
      if (lease.ends <= now && leases_.contains(id)) revoke(id);
  }
  tell_watches();
}

// Of a lease that has ended, the old leader waits for a commit that cannot come.
bool EtcdStore::loses(NodeId client, const tenure::Request& request, StoreTime now) const {
  const bool cut_off = is_cut_off(client);
  if (!cut_off && has_leader_) return false;
  const auto& asked = *message_as<Request>(request);
  if (std::holds_alternative<Watch>(asked)) return false;
  if (const auto* get = std::get_if<Get>(&asked)) return !get->serializable;
  if (!cut_off || !minority_->leads) return true;
  if (const auto* renewed = std::get_if<LeaseKeepAlive>(&asked)) {
    if (minority_->confirms) return true;
    const auto lease = minority_->leases.find(renewed->id);
    return lease != minority_->leases.end() && lease->second.ends <= now;
  }
  return !std::holds_alternative<LeaseTimeToLive>(asked);
}

}  // namespace tenure::etcd
