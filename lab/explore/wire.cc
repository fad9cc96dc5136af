#include "lab/explore/wire.h"

#include "core/base/check.h"

namespace tenure::sim::explore {
namespace {

constexpr const char* kElections = "exploration knows the requests of elections";

class Adder {
 public:
  Adder(Hasher& hasher, const Canon& canon) : hasher_(hasher), canon_(canon) {}

  void add(const house::Acquire& it) {
    hasher_.add(it.resource).add(it.holder).add(it.epoch_seen).add(canon_.name(it.nonce)).add(it.duration);
  }
  void add(const house::Renew& it) {
    hasher_.add(it.resource).add(it.holder).add(it.duration);
    add(it.token);
  }
  void add(const house::Release& it) {
    hasher_.add(it.resource).add(it.holder);
    add(it.token);
  }
  void add(const house::Granted& it) {
    add(it.token);
    hasher_.add(it.duration);
  }
  void add(const house::Refused& it) { hasher_.add(it.why).add(it.holder).add(it.epoch).add(it.remaining); }
  void add(const house::Released&) {}
  void add(const lease_table::TryLock& it) { hasher_.add(it.resource).add(it.holder).add(it.duration); }
  void add(const lease_table::Beat& it) {
    hasher_.add(it.resource).add(it.holder);
    hasher_.add(canon_.offset(it.heartbeat)).add(canon_.offset(it.stale_before));
  }
  void add(const lease_table::NoRow&) {}
  void add(const record::Get& it) { hasher_.add(it.resource); }
  void add(const record::Put& it) {
    hasher_.add(it.resource).add(it.version);
    add(it.record);
  }
  void add(const record::Found& it) {
    hasher_.add(it.version);
    add(it.record);
  }
  void add(const record::Stored& it) { hasher_.add(it.version); }
  void add(const record::NotFound&) {}
  void add(const record::Conflict&) {}
  template <class Other>
  void add(const Other&) {
    CHECK(false, kElections);
  }

 private:
  void add(const Token& it) { hasher_.add(it.branch).add(it.epoch).add(canon_.name(it.nonce)); }
  void add(const record::LeaseRecord& it) {
    hasher_.add(it.holder).add(it.duration).add(it.transitions);
    hasher_.add(canon_.offset(it.acquired)).add(canon_.offset(it.renewed));
  }

  Hasher& hasher_;
  const Canon& canon_;
};

}  // namespace

void hash(Hasher& hasher, const Canon& canon, const Request& request) {
  hasher.add(request.index());
  Adder adder(hasher, canon);
  std::visit(
      [&](const auto& family) {
        hasher.add(family.index());
        std::visit([&](const auto& asked) { adder.add(asked); }, family);
      },
      request);
}

void hash(Hasher& hasher, const Canon& canon, StoreTime now, const Reply& reply) {
  hasher.add(reply.index());
  Adder adder(hasher, canon);
  std::visit(
      [&](const auto& family) {
        hasher.add(family.index());
        std::visit(
            [&](const auto& answer) {
              if constexpr (requires { answer.expires_at; }) {
                hasher.add(answer.expires_at - now);
              } else {
                adder.add(answer);
              }
            },
            family);
      },
      reply);
}

Reply shifted(Reply reply, Duration by) {
  if (auto* family = std::get_if<lease_table::Reply>(&reply)) {
    if (auto* locked = std::get_if<lease_table::Locked>(family)) locked->expires_at += by;
  }
  return reply;
}

}  // namespace tenure::sim::explore
