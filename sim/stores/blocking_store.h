// What the stores have in common whose requests wait for something to happen: etcd, Consul, a queue, ZooKeeper.
//
// Such a machine derives from BlockingStore<itself, its Request, its Reply>. It has a public `answer` for each request,
// which gives the reply, or none: then it has put the request among those that wait, and gives its reply to
// complete() later. answered() is called after each request.
//
// Thread rule: as StoreMachine.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "sim/stores/machine_of.h"
#include "sim/stores/session_store.h"

namespace tenure {

template <class Store, class OwnRequest, class OwnReply>
class BlockingStore : public MachineOf<Store, OwnRequest>, public SessionStore {
 public:
  // ---- StoreMachine ----
  // REQUIRES: it need not wait.
  Reply apply(const Request& request, StoreTime store_now, std::vector<Notification>&) final {
    std::optional<Reply> reply = begin({}, 0, request, store_now);
    CHECK(reply.has_value(), "a request that waits is for begin()");
    return *std::move(reply);
  }
  SessionStore* sessions() final { return this; }

  // ---- SessionStore ----
  std::optional<Reply> begin(const StoreSession& session, std::uint64_t ticket, const Request& request,
                             StoreTime now) final {
    time_out(now);
    std::optional<OwnReply> reply = this->answer_to(request, Caller{ticket, session, now});
    answered(now);
    if (!reply) return std::nullopt;
    return Reply{*std::move(reply)};
  }
  Completed take_completed() final { return std::exchange(completed_, {}); }
  bool waits_aside() const final { return true; }

  struct Caller {
    std::uint64_t ticket = 0;
    StoreSession session;
    StoreTime now;
  };

 protected:
  template <class Asked>
  struct Waiting {
    Caller caller;
    Asked asked;
    StoreTime until = StoreTime::max();  // it is answered then at the latest
  };
  template <class Asked>
  static void forget(std::vector<Waiting<Asked>>& all, Incarnation who) {
    std::erase_if(all, [who](const auto& waiting) { return waiting.caller.session.who == who; });
  }
  // Whoever `reply_to` has a reply for is answered, in order, and waits no more.
  template <class Asked, class ReplyTo>
  void complete(std::vector<Waiting<Asked>>& all, const ReplyTo& reply_to) {
    std::erase_if(all, [&](const Waiting<Asked>& waiting) {
      auto reply = reply_to(waiting);
      if (reply) completed_.emplace_back(waiting.caller.ticket, Reply{OwnReply{*std::move(reply)}});
      return reply.has_value();
    });
  }
  void forget_completed() { completed_.clear(); }
  virtual void answered(StoreTime) {}

 private:
  Completed completed_;
};

}  // namespace tenure
