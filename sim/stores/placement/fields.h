// The fields of this store's requests and replies (core/base/fields.h).
//
// Thread rule: pure functions.
#pragma once

#include "core/base/fields.h"
#include "sim/stores/placement/requests.h"

namespace tenure::placement {

TENURE_FIELDS(ReportWork, worker, runs, leaves)
TENURE_NO_FIELDS(ListPlacements)
TENURE_FIELDS(AssignItem, item, worker, seen, guarded, term)
TENURE_FIELDS(Yours, items)
TENURE_FIELDS(PlacedItem, item, worker, version)
TENURE_FIELDS(SeenWorker, worker, silent)
TENURE_FIELDS(Placements, items, workers)
TENURE_FIELDS(Assigned, version)
TENURE_FIELDS(NotAssigned, version)

}  // namespace tenure::placement
