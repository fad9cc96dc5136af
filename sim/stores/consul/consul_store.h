// Consul's keys and sessions, as far as locks need them: README.md beside this file has what it does, and from where
// that is known.
//
//   I1. A session with a TTL is invalidated twice that time after it was made or renewed last. A new leader of Consul's
//       has not seen the renewals, and begins every session anew.
//   I2. A key whose session is invalidated or destroyed cannot be locked for the session's lock delay. One that is
//       released can be at once.
//   I3. Every write has an index, which grows, also one that changes nothing, but for a lock that is refused for the
//       delay. A key's modify_index is that of the last write that changed it.
//
// Thread rule: as StoreMachine.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/stores/blocking_store.h"
#include "sim/stores/consul/requests.h"

namespace tenure::consul {

class ConsulStore final : public BlockingStore<ConsulStore, Request, Reply> {
 public:
  void hash(Hasher& hasher, StoreTime now) const override;
  void client_is_gone(Incarnation who, StoreTime now) override;
  std::optional<StoreTime> next_time_out() const override;
  void time_out(StoreTime now) override;
  void restart(StoreTime now) override;

  // None: it waits.
  std::optional<Reply> answer(const SessionCreate& asked, const Caller& caller);
  std::optional<Reply> answer(const SessionRenew& asked, const Caller& caller);
  std::optional<Reply> answer(const SessionDestroy& asked, const Caller& caller);
  std::optional<Reply> answer(const KvGet& asked, const Caller& caller);
  std::optional<Reply> answer(const KvPut& asked, const Caller& caller);
  std::optional<Reply> answer(const KvDelete& asked, const Caller& caller);

 private:
  struct Held {
    SessionEntry session;
    Duration lock_delay;
    bool deletes_keys = false;
    std::optional<StoreTime> ends;
  };

  // Whether it was written.
  bool lock(const KvPut& asked, const std::string& session);
  bool unlock(const KvPut& asked, const std::string& session);
  bool swap(const KvPut& asked, std::int64_t expected);
  // Unless it is like that already. Who waits for the key is answered.
  void write(KvPair pair);
  void erase(const std::string& key);
  void invalidate(const std::string& id, StoreTime now);
  void tell(const std::string& key);
  Found find(const std::string& key) const;

  std::map<std::string, KvPair> keys_;
  std::map<std::string, Held> sessions_;
  std::map<std::string, StoreTime> delayed_;  // keys that cannot be locked until then
  std::int64_t index_ = 1;                    // of the last write; its servers' own are before that
  std::int64_t keys_index_ = 0;               // of the last one that changed a key
  std::int64_t made_ = 0;                     // sessions
  std::vector<Waiting<KvGet>> waiting_;
};

}  // namespace tenure::consul
