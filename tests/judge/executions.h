// What becomes of attempts that workers make, for the invariants of other files.
//
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/judge/invariants.h"
#include "tests/judge/outbox.h"

namespace tenure::judging {

// How long an event waits after so many failures.
Duration wait_after(const Delivery& delivery, std::uint32_t failures);

// Of what workers say in this request is over, or given back: the attempts, and the answers.
std::vector<std::pair<reference::ExecutionToken, reference::Standing>> ends_in(const KeptApplied& applied);

// Events that a worker was told are dead after fewer attempts than their versions allow, by the place of the answer.
// What was given back does not count.
std::map<std::size_t, std::vector<reference::EventId>> dead_too_early(const Case& run);

// Events of a schedule that are delivered in the same way: to workers, or to one destination.
using Queue = std::tuple<ScheduleId, Delivery::Kind, std::string>;
Queue queue_of(ScheduleId schedule, const Rules& rules);

// What is there at the end of the run; and of each queue, when the first of those that were there has left last.
struct Remains {
  std::set<reference::EventId> there;
  std::map<Queue, sim::TrueTime> first_left;
};
Remains remains(const Case& run);

// Slots that were recorded as overlapped by the store, or fired, and should not have been: of versions whose events
// others deliver.
std::vector<Wrong> wrong_overlaps(const Case& run);

}  // namespace tenure::judging
