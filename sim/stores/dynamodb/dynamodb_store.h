// A table of DynamoDB, as far as locks need it: README.md beside this file has what it does, and from where that is
// known.
//
//   I1. A write whose condition does not hold changes nothing.
//   I2. The clock plays no part: there are only the times that clients write.
//
// Thread rule: as StoreMachine.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sim/stores/dynamodb/expression.h"
#include "sim/stores/dynamodb/requests.h"
#include "sim/stores/machine_of.h"

namespace tenure::dynamodb {

class DynamodbStore final : public PlainStore<DynamodbStore, Request> {
 public:
  void hash(Hasher& hasher, StoreTime now) const override;
  template <class Asked>
  Reply answer(const Asked& asked, StoreTime) {
    try {
      return answer(asked);
    } catch (const Invalid& invalid) {
      return Failed{"ValidationException", invalid.message};
    }
  }

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
