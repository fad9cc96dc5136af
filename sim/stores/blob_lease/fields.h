// The fields of this store's requests and replies (core/base/fields.h).
//
// Thread rule: pure functions.
#pragma once

#include "core/base/fields.h"
#include "sim/stores/blob_lease/requests.h"

namespace tenure::blob_lease {

TENURE_FIELDS(AcquireLease, blob, lease_duration, proposed_lease_id)
TENURE_FIELDS(RenewLease, blob, lease_id)
TENURE_FIELDS(ChangeLease, blob, lease_id, proposed_lease_id)
TENURE_FIELDS(ReleaseLease, blob, lease_id)
TENURE_FIELDS(BreakLease, blob, break_period)
TENURE_FIELDS(PutBlob, blob, content, lease_id)
TENURE_FIELDS(GetBlob, blob)
TENURE_FIELDS(Leased, lease_id)
TENURE_NO_FIELDS(LeaseEnded)
TENURE_FIELDS(Breaks, lease_time)
TENURE_NO_FIELDS(BlobWritten)
TENURE_FIELDS(BlobRead, content, lease_state)
TENURE_FIELDS(Failed, code, message)

}  // namespace tenure::blob_lease
