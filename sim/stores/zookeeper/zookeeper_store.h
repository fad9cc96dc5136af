// ZooKeeper 3.8, as far as elections need it: README.md beside this file has what it does, and from where that is
// known.
//
//   I1. A session ends at the first tick after its timeout has gone by since its last request arrived, on the server's
//       monotonic clock. Then its ephemeral nodes are deleted, in one transaction. It is told so when it comes back.
//   I2. A new leader has not seen the requests: each session begins anew with it, and has to come back to it.
//   I3. A watch tells once, of the next change. What it has told waits for the session until that asks for it.
//   I4. A session belongs to the connection that connected it last. Requests on another are refused.
//   I5. Each request that may write has a zxid of its own, also one that is refused.
//
// Thread rule: as StoreMachine.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/stores/blocking_store.h"
#include "sim/stores/zookeeper/node_tree.h"
#include "sim/stores/zookeeper/requests.h"

namespace tenure::zookeeper {

class ZookeeperStore final : public BlockingStore<ZookeeperStore, Request, Reply> {
 public:
  void hash(Hasher& hasher, StoreTime now) const override;
  void client_is_gone(Incarnation who, StoreTime now) override;
  std::optional<StoreTime> next_time_out() const override;
  void time_out(StoreTime now) override;  // of sessions
  void restart(StoreTime now) override;

  // None: it waits.
  std::optional<Reply> answer(const Connect& asked, const Caller& caller);
  template <class Asked>
  std::optional<Reply> answer(const Asked& asked, const Caller& caller) {
    if (std::optional<Failed> refused = touch(asked.session, caller)) return *std::move(refused);
    return answer_in_session(asked, caller);
  }

 private:
  void answered(StoreTime) override;

  struct Session {
    Duration timeout;
    StoreTime ends;
    std::optional<StoreSession> connection;  // none: it has to come back first
    std::set<std::string> watched_nodes;
    std::set<std::string> watched_children;  // by their parent
    std::deque<WatchedEvent> events;
  };

  // A request of the session has arrived; or why it is refused.
  std::optional<Failed> touch(std::int64_t session, const Caller& caller);
  std::optional<Reply> answer_in_session(const Ping& asked, const Caller& caller);
  std::optional<Reply> answer_in_session(const Close& asked, const Caller& caller);
  std::optional<Reply> answer_in_session(const Create& asked, const Caller& caller);
  std::optional<Reply> answer_in_session(const Delete& asked, const Caller& caller);
  std::optional<Reply> answer_in_session(const SetData& asked, const Caller& caller);
  std::optional<Reply> answer_in_session(const Exists& asked, const Caller& caller);
  std::optional<Reply> answer_in_session(const GetData& asked, const Caller& caller);
  std::optional<Reply> answer_in_session(const GetChildren& asked, const Caller& caller);
  std::optional<Reply> answer_in_session(const NextEvent& asked, const Caller& caller);

  void end(std::int64_t session);
  // What happened is told to who watches for it.
  void has_come(const std::string& path);
  void has_gone(const std::string& path);
  void tell_of_node(const std::string& path, const char* type);
  void tell_of_children(const std::string& path);

  NodeTree nodes_;
  std::map<std::int64_t, Session> sessions_;
  std::int64_t made_ = 0;  // sessions
  std::int64_t zxid_ = 0;
  std::vector<Waiting<NextEvent>> waiting_;
};

}  // namespace tenure::zookeeper
