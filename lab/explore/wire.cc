#include "lab/explore/wire.h"

#include "core/base/check.h"
#include "core/base/one_of.h"
#include "core/store/reference/fields.h"
#include "sim/stores/lease_table/requests.h"
#include "sim/stores/record/requests.h"

namespace tenure::lab::explore {
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

template <class Reference, class LeaseTable, class Record, class Message>
void add(Hasher& hasher, const Canon& canon, StoreTime store_now, const Message& message) {
  hasher.add(store_number(message));
  const auto add_one = [&](const auto& family) {
    hasher.add(family.index());
    Adder adder(hasher, canon, store_now);
    std::visit([&](const auto& one) { adder.add(one); }, family);
  };
  if (const auto* reference = message_as<Reference>(message))
    add_one(*reference);
  else if (const auto* row = message_as<LeaseTable>(message))
    add_one(*row);
  else if (const auto* record = message_as<Record>(message))
    add_one(*record);
  else
    CHECK(false, kElections);
}

void shift(record::LeaseRecord& record, Duration by) {
  record.acquired += by;
  record.renewed += by;
}

}  // namespace

void hash(Hasher& hasher, const Canon& canon, const Request& request) {
  // No time of a store is in a request of an election.
  add<reference::Request, lease_table::Request, record::Request>(hasher, canon, StoreTime{}, request);
}

void hash(Hasher& hasher, const Canon& canon, StoreTime now, const Reply& reply) {
  add<reference::Reply, lease_table::Reply, record::Reply>(hasher, canon, now, reply);
}

Request shifted(Request request, Duration by) {
  if (const auto* family = message_as<lease_table::Request>(request)) {
    if (const auto* beat = std::get_if<lease_table::Beat>(family)) {
      lease_table::Beat later = *beat;
      later.heartbeat += by;
      later.stale_before += by;
      return lease_table::Request{later};
    }
  } else if (const auto* records = message_as<record::Request>(request)) {
    if (const auto* put = std::get_if<record::Put>(records)) {
      record::Put later = *put;
      shift(later.record, by);
      return record::Request{later};
    }
  }
  return request;
}

Reply shifted(Reply reply, Duration by) {
  if (const auto* family = message_as<lease_table::Reply>(reply)) {
    if (const auto* locked = std::get_if<lease_table::Locked>(family))
      return lease_table::Reply{lease_table::Locked{locked->expires_at + by}};
  } else if (const auto* records = message_as<record::Reply>(reply)) {
    if (const auto* found = std::get_if<record::Found>(records)) {
      record::Found later = *found;
      shift(later.record, by);
      return record::Reply{later};
    }
  }
  return reply;
}

}  // namespace tenure::lab::explore
