// Requests to a table of DynamoDB: items by their key, written under conditions. The names are DynamoDB's own, as its
// clients in Python and Ruby spell them, and so are the expressions.
//
// An attribute is text or a whole number (S, N). The table's partition key is the attribute `key`, which is text.
//
// Thread rule: values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>

#include "core/base/fields.h"
#include "core/store/message.h"

namespace tenure::dynamodb {

using Attribute = std::variant<std::string, std::int64_t>;
using Item = std::map<std::string, Attribute>;

inline constexpr const char* kPartitionKey = "key";

// Replaces the item as a whole.
struct PutItem {
  Item item;
  std::optional<std::string> condition_expression;
  std::map<std::string, std::string> expression_attribute_names;  // "#owner"
  Item expression_attribute_values;                               // ":owner"
};
// Makes the item if there is none.
struct UpdateItem {
  std::string key;
  std::string update_expression;
  std::optional<std::string> condition_expression;
  std::map<std::string, std::string> expression_attribute_names;
  Item expression_attribute_values;
};
struct DeleteItem {
  std::string key;
  std::optional<std::string> condition_expression;
  std::map<std::string, std::string> expression_attribute_names;
  Item expression_attribute_values;
};
// A strongly consistent read.
struct GetItem {
  std::string key;
};

struct Written {};
struct Found {
  std::optional<Item> item;
};
// Nothing was changed.
struct Failed {
  std::string code;  // "ConditionalCheckFailedException"
  std::string message;
};

using Request = std::variant<PutItem, UpdateItem, DeleteItem, GetItem>;
using Reply = std::variant<Written, Found, Failed>;

// Their fields (core/base/fields.h).
TENURE_FIELDS(PutItem, item, condition_expression, expression_attribute_names, expression_attribute_values)
TENURE_FIELDS(UpdateItem, key, update_expression, condition_expression, expression_attribute_names,
              expression_attribute_values)
TENURE_FIELDS(DeleteItem, key, condition_expression, expression_attribute_names, expression_attribute_values)
TENURE_FIELDS(GetItem, key)
TENURE_NO_FIELDS(Written)
TENURE_FIELDS(Found, item)
TENURE_FIELDS(Failed, code, message)

const MessageKind& kind_of(const Request*);
const MessageKind& kind_of(const Reply*);

}  // namespace tenure::dynamodb
