// The fields of this store's requests and replies (core/base/fields.h).
//
// Thread rule: pure functions.
#pragma once

#include "core/base/fields.h"
#include "sim/stores/dynamodb/requests.h"

namespace tenure::dynamodb {

TENURE_FIELDS(PutItem, item, condition_expression, expression_attribute_names, expression_attribute_values)
TENURE_FIELDS(UpdateItem, key, update_expression, condition_expression, expression_attribute_names,
              expression_attribute_values)
TENURE_FIELDS(DeleteItem, key, condition_expression, expression_attribute_names, expression_attribute_values)
TENURE_FIELDS(GetItem, key)
TENURE_NO_FIELDS(Written)
TENURE_FIELDS(Found, item)
TENURE_FIELDS(Failed, code, message)

}  // namespace tenure::dynamodb
