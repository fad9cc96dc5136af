// etcd 3.4, as far as elections need it: README.md beside this file has what it does, and from where that is known.
//
//   I1. A lease ends its TTL after its grant or its last renewal, on the leader's monotonic clock. The end of a lease
//       deletes nothing: a look at the leases does, every half second, by a commit of its own.
//   I2. A new leader has not seen the renewals: each lease begins anew with it.
//   I3. A watch is answered with everything of its keys since its start, at once if there is something, and otherwise
//       with the next commit that has.
//
// Thread rule: as StoreMachine.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/store/etcd/key_space.h"
#include "core/store/session_store.h"
#include "core/store/store_machine.h"

namespace tenure::etcd {

class EtcdStore final : public StoreMachine, public SessionStore {
 public:
  // ---- StoreMachine ----
  bool handles(const tenure::Request& request) const override;
  // REQUIRES: it need not wait.
  tenure::Reply apply(const tenure::Request& request, StoreTime store_now,
                      std::vector<Notification>& notifications) override;
  RowLock lease_lock(const tenure::Request&) const override { return RowLock::none; }
  void promote(std::uint32_t) override {}  // a majority has what was acknowledged: a new leader is restart()
  std::unique_ptr<StoreMachine> clone() const override;
  void hash(Hasher& hasher, StoreTime now) const override;
  SessionStore* sessions() override { return this; }

  // ---- SessionStore ----
  std::optional<tenure::Reply> begin(const StoreSession& session, std::uint64_t ticket,
                                     const tenure::Request& request, StoreTime now) override;
  Completed take_completed() override { return std::exchange(completed_, {}); }
  bool waits_aside() const override { return true; }
  void client_is_gone(Incarnation who, StoreTime now) override;
  std::optional<StoreTime> next_time_out() const override;
  void time_out(StoreTime now) override { look_at_leases(now); }
  void restart(StoreTime now) override;

 private:
  struct Lease {
    std::int64_t ttl = 0;
    StoreTime ends;
  };
  struct Caller {
    std::uint64_t ticket = 0;
    Incarnation who;
    StoreTime now;
  };
  template <class Asked>
  struct Waiting {
    Caller caller;
    Asked asked;
  };

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

  // What is wrong with the operations, whether or not they are done; empty: nothing.
  static std::string problem_of(const Txn& asked);
  static std::string problem_of(const std::vector<Operation>& operations);
  bool lacks_lease(const Put& asked) const;

  void look_at_leases(StoreTime now);
  void revoke(std::int64_t id);
  // A commit is over: who waited for one like it is answered.
  void tell_watches();
  // What a watch has to be told, if it has.
  std::optional<WatchResponse> seen(const Watch& watch) const;

  KeySpace keys_;
  std::map<std::int64_t, Lease> leases_;
  std::int64_t last_id_ = 0;  // that the server has chosen
  std::vector<Waiting<Watch>> watches_;
  std::vector<Waiting<LeaseKeepAlive>> renewals_;
  Completed completed_;
};

}  // namespace tenure::etcd
