#include "sim/stores/dynamodb/dynamodb_store.h"

#include "sim/stores/dynamodb/expression.h"
#include "sim/stores/message_kind.h"

namespace tenure::dynamodb {
namespace {

template <class Asked>
bool may_write(const Asked& asked, const Item& present) {
  const ExpressionNames names{asked.expression_attribute_names, asked.expression_attribute_values};
  return !asked.condition_expression || holds(*asked.condition_expression, names, present);
}

Failed condition_failed() { return {"ConditionalCheckFailedException", "The conditional request failed"}; }

}  // namespace

const Item& DynamodbStore::item(const std::string& key) const {
  static const Item kNone;
  const auto found = items_.find(key);
  return found == items_.end() ? kNone : found->second;
}

Reply DynamodbStore::answer(const PutItem& asked) {
  const auto key = asked.item.find(kPartitionKey);
  if (key == asked.item.end() || !std::holds_alternative<std::string>(key->second))
    throw Invalid{"One or more parameter values were invalid: Missing the key key in the item"};
  const std::string& name = std::get<std::string>(key->second);
  if (!may_write(asked, item(name))) return condition_failed();
  items_[name] = asked.item;
  return Written{};
}

Reply DynamodbStore::answer(const UpdateItem& asked) {
  const ExpressionNames names{asked.expression_attribute_names, asked.expression_attribute_values};
  check_update(asked.update_expression, names);
  const Item& before = item(asked.key);
  if (!may_write(asked, before)) return condition_failed();
  Item after = updated(asked.update_expression, names, before);
  after[kPartitionKey] = asked.key;
  items_[asked.key] = std::move(after);
  return Written{};
}

Reply DynamodbStore::answer(const DeleteItem& asked) {
  if (!may_write(asked, item(asked.key))) return condition_failed();
  items_.erase(asked.key);
  return Written{};
}

Reply DynamodbStore::answer(const GetItem& asked) {
  const auto found = items_.find(asked.key);
  if (found == items_.end()) return Found{};
  return Found{found->second};
}

// The times that clients write are numbers like any others: two tables whose clients wrote at different times differ.
void DynamodbStore::hash(Hasher& hasher, StoreTime) const {
  for (const auto& [key, attributes] : items_) {
    hasher.add(key).add(attributes.size());
    for (const auto& [name, value] : attributes) {
      hasher.add(name).add(value.index());
      std::visit([&hasher](const auto& it) { hasher.add(it); }, value);
    }
  }
}

const MessageKind& kind_of(const Request*) { return kMessageKind<Request, 6>; }
const MessageKind& kind_of(const Reply*) { return kMessageKind<Reply, 6>; }

}  // namespace tenure::dynamodb
