#include "lab/explore/wire.h"

#include "core/base/check.h"
#include "core/base/one_of.h"
#include "core/store/fields.h"

namespace tenure::sim::explore {
namespace {

constexpr const char* kElections = "exploration knows the requests of elections";

template <class T>
constexpr bool kOfElections =
    kIsOneOf<T, reference::Renew, reference::Release, reference::Granted, reference::Refused,
             reference::Released, lease_table::TryLock, lease_table::Beat, lease_table::NoRow, record::Get,
             record::Put, record::Found, record::NotFound, record::Stored, record::Conflict>;

class Adder {
 public:
  Adder(Hasher& hasher, const Canon& canon, StoreTime store_now)
      : hasher_(hasher), canon_(canon), store_now_(store_now) {}

  // By their fields; a nonce by its name, a time as its offset from now.
  void add(const reference::Acquire& it) {
    const auto& [resource, holder, epoch_seen, nonce, duration] = it;
    hasher_.add(resource).add(holder).add(epoch_seen).add(canon_.name(nonce)).add(duration);
  }
  void add(const lease_table::Locked& it) {
    const auto& [expires_at] = it;
    hasher_.add(expires_at - store_now_);
  }
  template <class Election>
  void add(const Election& it) {
    if constexpr (kOfElections<Election>)
      visit_fields(it, [&](const auto&... field) { (put(field), ...); });
    else
      CHECK(false, kElections);
  }

 private:
  void put(const Token& it) {
    const auto& [branch, epoch, nonce] = it;
    hasher_.add(branch).add(epoch).add(canon_.name(nonce));
  }
  void put(WallTime it) { hasher_.add(canon_.offset(it)); }
  void put(const record::LeaseRecord& it) {
    visit_fields(it, [&](const auto&... field) { (put(field), ...); });
  }
  template <class Plain>
  void put(const Plain& it) {
    hasher_.add(it);
  }

  Hasher& hasher_;
  const Canon& canon_;
  const StoreTime store_now_;
};

template <class Families>
void add(Hasher& hasher, const Canon& canon, StoreTime store_now, const Families& what) {
  hasher.add(what.index());
  Adder adder(hasher, canon, store_now);
  std::visit(
      [&](const auto& family) {
        hasher.add(family.index());
        std::visit([&](const auto& one) { adder.add(one); }, family);
      },
      what);
}

void shift(record::LeaseRecord& record, Duration by) {
  record.acquired += by;
  record.renewed += by;
}

}  // namespace

void hash(Hasher& hasher, const Canon& canon, const Request& request) {
  add(hasher, canon, StoreTime{}, request);  // no time of a store is in a request of an election
}

void hash(Hasher& hasher, const Canon& canon, StoreTime now, const Reply& reply) {
  add(hasher, canon, now, reply);
}

Request shifted(Request request, Duration by) {
  if (auto* family = std::get_if<lease_table::Request>(&request)) {
    if (auto* beat = std::get_if<lease_table::Beat>(family)) {
      beat->heartbeat += by;
      beat->stale_before += by;
    }
  } else if (auto* records = std::get_if<record::Request>(&request)) {
    if (auto* put = std::get_if<record::Put>(records)) shift(put->record, by);
  }
  return request;
}

Reply shifted(Reply reply, Duration by) {
  if (auto* family = std::get_if<lease_table::Reply>(&reply)) {
    if (auto* locked = std::get_if<lease_table::Locked>(family)) locked->expires_at += by;
  } else if (auto* records = std::get_if<record::Reply>(&reply)) {
    if (auto* found = std::get_if<record::Found>(records)) shift(found->record, by);
  }
  return reply;
}

}  // namespace tenure::sim::explore
