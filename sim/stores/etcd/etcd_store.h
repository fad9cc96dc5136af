// etcd 3.4, as far as elections need it: README.md beside this file has what it does, and from where that is known.
//
//   I1. A lease ends its TTL after its grant or its last renewal, on the leader's monotonic clock. The end of a lease
//       deletes nothing: a look at the leases does, every half second, by a commit of its own.
//   I2. A new leader has not seen the renewals: each lease begins anew with it.
//   I3. While its servers are parted, the minority has a copy of everything, as it was then. It answers what needs no
//       majority: serializable reads, watches, and renewals for as long as it has the old leader.
//   I4. A watch is answered with everything of its keys since its start, at once if there is something, and otherwise
//       with the next commit that has.
//
// Thread rule: as StoreMachine.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/stores/blocking_store.h"
#include "sim/stores/etcd/key_space.h"
#include "sim/stores/etcd/requests.h"
#include "sim/stores/server_cluster.h"

namespace tenure::etcd {

class EtcdStore final : public BlockingStore<EtcdStore, Request, Reply>, public ServerCluster {
 public:
  void hash(Hasher& hasher, StoreTime now) const override;
  void client_is_gone(Incarnation who, StoreTime now) override;
  std::optional<StoreTime> next_time_out() const override;
  void time_out(StoreTime now) override;  // the look at the leases
  void restart(StoreTime now) override;
  ServerCluster* cluster() override { return this; }

  // ---- ServerCluster (etcd_cluster.cc) ----
  void part(const ServerSplit& split, StoreTime now) override;
  void elect(StoreTime now) override;
  void depose(StoreTime now) override;
  void rejoin(bool carries_out, StoreTime now) override;
  bool loses(NodeId client, const tenure::Request& request, StoreTime now) const override;

  // None: it waits.
  std::optional<Reply> answer(const Get& asked, const Caller& caller);
  std::optional<Reply> answer(const Put& asked, const Caller& caller);
  std::optional<Reply> answer(const DeleteRange& asked, const Caller& caller);
  std::optional<Reply> answer(const Txn& asked, const Caller& caller);
  std::optional<Reply> answer(const Compact& asked, const Caller& caller);
  std::optional<Reply> answer(const Watch& asked, const Caller& caller);
  std::optional<Reply> answer(const LeaseGrant& asked, const Caller& caller);
  std::optional<Reply> answer(const LeaseRevoke& asked, const Caller& caller);
  std::optional<Reply> answer(const LeaseKeepAlive& asked, const Caller& caller);
  std::optional<Reply> answer(const LeaseTimeToLive& asked, const Caller& caller);

 private:
  void answered(StoreTime) override;

  struct Lease {
    std::int64_t ttl = 0;
    StoreTime ends;
  };
  using Leases = std::map<std::int64_t, Lease>;
  struct Minority {
    std::vector<NodeId> clients;
    KeySpace keys;
    Leases leases;
    bool leads = false;     // the old leader is there, and has not noticed
    bool confirms = false;  // it asks a majority before it renews
  };

  // What is wrong with the operations, whether or not they are done; empty: nothing.
  static std::string problem_of(const Txn& asked);
  static std::string problem_of(const std::vector<Operation>& operations);
  bool lacks_lease(const Put& asked) const;

  void revoke(std::int64_t id);
  // What a new leader does: it has not seen the renewals (I2).
  void begin_leases_anew(StoreTime now);
  // A commit is over: who waited for one like it is answered.
  void tell_watches();
  // What a watch has to be told, if it has.
  static std::optional<WatchResponse> seen(const KeySpace& keys, const Watch& watch);

  bool is_cut_off(NodeId client) const;
  // What the servers have that this client reaches.
  const KeySpace& keys_for(const Caller& caller) const;
  Leases& leases_for(const Caller& caller);

  KeySpace keys_;
  Leases leases_;
  bool has_leader_ = true;            // the majority
  std::optional<Minority> minority_;  // while the servers are parted
  std::int64_t last_id_ = 0;          // that the server has chosen
  std::vector<Waiting<Watch>> watches_;
  std::vector<Waiting<LeaseKeepAlive>> renewals_;
};

}  // namespace tenure::etcd
