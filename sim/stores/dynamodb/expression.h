// DynamoDB's expressions: conditions on an item, and updates of it.
//
//   condition: a OR b, a AND b, NOT a, (a), attribute_exists(name), attribute_not_exists(name), and two operands with
//              = <> < <= > >= between them
//   update:    SET name = term, name = term + term, name = term - term, …; REMOVE name, …
//   operand:   name, #name, :value; a term may also be if_not_exists(name, operand)
//
// Both operands of a comparison are the same: invalid. An update has each section and each attribute once at most, and
// not the key.
//
// Source: Amazon DynamoDB Developer Guide, "Condition and filter expressions", "Update expressions".
//
// Thread rule: pure functions.
#pragma once

#include <map>
#include <string>

#include "sim/stores/dynamodb/requests.h"

namespace tenure::dynamodb {

// What an expression may name beside the attributes themselves.
struct ExpressionNames {
  const std::map<std::string, std::string>& names;
  const Item& values;
};

// An expression that is none, or that names what is not there; DynamoDB's ValidationException.
struct Invalid {
  std::string message;
};

// Whether it holds for the item; an item that is not there has no attributes. Throws Invalid.
bool holds(const std::string& condition, const ExpressionNames& names, const Item& item);
// Throws Invalid if it is wrong for every item. DynamoDB says so before it asks the condition.
void check_update(const std::string& update, const ExpressionNames& names);
// The item afterwards. Throws Invalid, also if it is wrong for this item: an attribute is not there, or is no number.
Item updated(const std::string& update, const ExpressionNames& names, const Item& item);

}  // namespace tenure::dynamodb
