// Requests to a table of items and the workers that run them, as a controller keeps one: workers report, the leader
// assigns.
//
// Workers and items are numbers from 1. Every item is there from the beginning, with version 0 and no worker.
//
// Thread rule: values.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "core/base/fields.h"
#include "core/base/time.h"
#include "core/store/message.h"

namespace tenure::placement {

// A worker's sign of life, and all that it runs at this moment. With `leaves` it is the last one, and it runs nothing.
struct ReportWork {
  std::int64_t worker = 0;
  std::vector<std::int64_t> runs;
  bool leaves = false;
};
struct ListPlacements {};
// From now on `worker` is to run the item. `seen`: the item's version that the leader decided by. With `guarded` it is
// refused when the item has another one by now. `term`: of the leader, if it has one; refused when a later leader has
// shown a greater one.
struct AssignItem {
  std::int64_t item = 0;
  std::int64_t worker = 0;
  std::int64_t seen = 0;
  bool guarded = false;
  std::optional<std::int64_t> term;
};

// What the worker is to run.
struct Yours {
  std::vector<std::int64_t> items;
};
struct PlacedItem {
  std::int64_t item = 0;
  std::int64_t worker = 0;
  std::int64_t version = 0;  // how often it was assigned
};
struct SeenWorker {
  std::int64_t worker = 0;
  Duration silent;  // since its last report, on the store's clock; never less than zero
};
// Items that were ever assigned, and workers that have reported and not left, by number.
struct Placements {
  std::vector<PlacedItem> items;
  std::vector<SeenWorker> workers;
};
struct Assigned {
  std::int64_t version = 0;  // the item's from now on
};
// Nothing changed.
struct NotAssigned {
  std::int64_t version = 0;  // the item's
};

using Request = std::variant<ReportWork, ListPlacements, AssignItem>;
using Reply = std::variant<Yours, Placements, Assigned, NotAssigned>;

// Their fields (core/base/fields.h).
TENURE_FIELDS(ReportWork, worker, runs, leaves)
TENURE_NO_FIELDS(ListPlacements)
TENURE_FIELDS(AssignItem, item, worker, seen, guarded, term)
TENURE_FIELDS(Yours, items)
TENURE_FIELDS(PlacedItem, item, worker, version)
TENURE_FIELDS(SeenWorker, worker, silent)
TENURE_FIELDS(Placements, items, workers)
TENURE_FIELDS(Assigned, version)
TENURE_FIELDS(NotAssigned, version)

const MessageKind& kind_of(const Request*);
const MessageKind& kind_of(const Reply*);

}  // namespace tenure::placement
