// What the store machines of this room have in common: a family of requests, an `answer` for each of them, and a state
// that can be copied. No request locks a lease row, and no row knows a branch.
//
// A store whose requests are answered at one instant derives from PlainStore<itself, its Request>, and has a public
//     Reply answer(const Asked& asked, StoreTime now);
// for each. One whose requests wait for something to happen derives from BlockingStore (blocking_store.h).
//
// Thread rule: as StoreMachine.
#pragma once

#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/check.h"
#include "core/store/store_machine.h"

namespace tenure {

template <class Store, class OwnRequest>
class MachineOf : public StoreMachine {
 public:
  bool handles(const Request& request) const final { return message_as<OwnRequest>(request) != nullptr; }
  RowLock lease_lock(const Request&) const override { return RowLock::none; }
  void promote(std::uint32_t) final {}
  std::unique_ptr<StoreMachine> clone() const final {
    return std::make_unique<Store>(static_cast<const Store&>(*this));
  }

 protected:
  // What the store's own `answer` gives.
  template <class... More>
  auto answer_to(const Request& request, const More&... more) {
    CHECK(handles(request), "a request of another store's family");
    return std::visit([&](const auto& asked) { return static_cast<Store&>(*this).answer(asked, more...); },
                      *message_as<OwnRequest>(request));
  }
};

template <class Store, class OwnRequest>
class PlainStore : public MachineOf<Store, OwnRequest> {
 public:
  Reply apply(const Request& request, StoreTime store_now, std::vector<Notification>&) final {
    return this->answer_to(request, store_now);
  }
};

}  // namespace tenure
