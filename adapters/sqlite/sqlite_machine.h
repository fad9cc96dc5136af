// The SQLite store as a store machine: in memory, under the simulator's clock. A scenario with `store.engine =
// "sqlite"` runs on it, and gives the same records as on the machine.
//
// Thread rule: as StoreMachine.
#pragma once

#include <memory>

#include "adapters/sqlite/sqlite_store.h"
#include "core/store/store_machine.h"

namespace tenure {

class SqliteMachine final : public StoreMachine {
 public:
  // `zones` must outlive it. CHECKs that the engine works: a simulation has no other store to go to.
  explicit SqliteMachine(const TimeZones& zones);

  bool handles(const Request& request) const override;
  Reply apply(const Request& request, StoreTime store_now, std::vector<Notification>& notifications) override;
  RowLock lease_lock(const Request& request) const override;
  void promote(std::uint32_t branch) override;
  std::unique_ptr<StoreMachine> clone() const override;
  void hash(Hasher& hasher, StoreTime now) const override;

 private:
  SqliteMachine() = default;

  std::shared_ptr<StoreTime> now_ = std::make_shared<StoreTime>();
  std::unique_ptr<SqliteStore> store_;
};

}  // namespace tenure
