// A table of DynamoDB, as far as locks need it: README.md beside this file has what it does, and from where that is
// known.
//
//   I1. A write whose condition does not hold changes nothing.
//   I2. The clock plays no part: there are only the times that clients write.
//
// Thread rule: as StoreMachine.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/store/store_machine.h"
#include "sim/stores/dynamodb/requests.h"

namespace tenure::dynamodb {

class DynamodbStore final : public StoreMachine {
 public:
  bool handles(const tenure::Request& request) const override;
  tenure::Reply apply(const tenure::Request& request, StoreTime store_now,
                      std::vector<Notification>& notifications) override;
  RowLock lease_lock(const tenure::Request&) const override { return RowLock::none; }  // nothing is held open
  void promote(std::uint32_t) override {}
  std::unique_ptr<StoreMachine> clone() const override;
  void hash(Hasher& hasher, StoreTime now) const override;

 private:
  Reply answer(const PutItem& asked);
  Reply answer(const UpdateItem& asked);
  Reply answer(const DeleteItem& asked);
  Reply answer(const GetItem& asked);
  // No attributes at all when there is none.
  const Item& item(const std::string& key) const;

  std::map<std::string, Item> items_;
};

}  // namespace tenure::dynamodb
