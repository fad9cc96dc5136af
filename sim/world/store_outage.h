// A part of what a store does that fails while the rest works: for some of those who ask, or for some kinds of request.
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
  elector,           // all that electors ask, on connections of their own
  scheduler,         // all that schedulers ask, likewise
  commits,           // what a leader writes: fires, the hold
  acknowledgements,  // what takes delivered events from the outbox
  reads,             // all that schedulers read: the three below, or a schedule table
  due,               // what is due
  outbox,            // the outbox
  changes,           // the change feed
};

struct StoreOutage {
  OutageOf of = OutageOf::scheduler;
  std::vector<NodeId> nodes;     // of these alone
  std::int64_t ppm = 1'000'000;  // the share that it hits
  bool silent = false;           // neither executed nor answered; otherwise refused at once
  Rejection why = Rejection::overloaded;
};

// Is this request of the kind that fails?
bool fails(OutageOf of, Part part, const Request& request);

}  // namespace tenure::sim
