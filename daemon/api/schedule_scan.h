// Goes through the schedules in the order of their names; internal to this room.
//
// Thread rule: as a handler.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "daemon/api/call.h"

namespace tenure::daemon {

struct ScheduleFilter {
  std::string prefix;
  std::vector<reference::Label> labels;  // all must be there
  std::string state;                     // empty: any
  bool nothing = false;                  // the caller may touch none of these
};
// From the query. Throws HttpProblem.
ScheduleFilter filter_of(const Call& call);
// "team=ops". Throws HttpProblem.
reference::Label label_of(std::string_view text);

struct ScanEnd {
  StoreTime now;      // the store's, when it began
  std::string last;   // the last name that was looked at
  bool more = false;  // there may be more after it
};
// What one request looks at without asking whether it has time for more.
inline constexpr std::size_t kMostLookedAt = 50'000;
// Calls `see` for each that the filter lets through, after the name `after`, until it returns false, or `most` have been
// looked at. `now` is as in the end. Payloads have no data. Throws HttpProblem.
ScanEnd scan_schedules(Call& call, const ScheduleFilter& filter, std::string after,
                       const std::function<bool(const reference::NamedSchedule&, StoreTime now)>& see,
                       std::size_t most = kMostLookedAt);

}  // namespace tenure::daemon
