// A part of a store's service that fails while the rest works: for some nodes, or for some kinds of request.
//
// Thread rule: values.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/ids.h"
#include "core/model/input.h"

namespace tenure::sim {

enum class OutageOf : std::uint8_t {
  elector,           // all requests of electors, which have their own connections
  scheduler,         // all requests of schedulers, likewise
  commits,           // what a leader writes: fires, the hold
  acknowledgements,  // what takes delivered events from the outbox
  reads,             // all that schedulers read: the three below, or a schedule table
  due,               // what is due
  outbox,            // the outbox
  changes,           // the change feed
};

struct StoreOutage {
  OutageOf of = OutageOf::scheduler;
  std::vector<NodeId> nodes;     // only for these
  std::int64_t ppm = 1'000'000;  // the share of requests that fails
  bool silent = false;           // neither executed nor answered; otherwise refused at once
  Rejection why = Rejection::overloaded;
};

// Whether this request is of the kind that fails.
bool fails(OutageOf of, Part part, const Request& request);

}  // namespace tenure::sim
