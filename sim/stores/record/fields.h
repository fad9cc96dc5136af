// The fields of this store's requests and replies (core/base/fields.h).
//
// Thread rule: pure functions.
#pragma once

#include "core/base/fields.h"
#include "sim/stores/record/requests.h"

namespace tenure::record {

TENURE_FIELDS(LeaseRecord, holder, duration, transitions, acquired, renewed)
TENURE_FIELDS(Get, resource)
TENURE_FIELDS(Put, resource, version, record)
TENURE_FIELDS(Found, version, record)
TENURE_NO_FIELDS(NotFound)
TENURE_FIELDS(Stored, version)
TENURE_NO_FIELDS(Conflict)

}  // namespace tenure::record
