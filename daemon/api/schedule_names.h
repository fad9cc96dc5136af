// The names of schedules by their numbers, as far as they are needed; internal to this room.
//
// A number has one name for ever. So what was learned stays, until the store is of another branch.
//
// Thread rule: any thread.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "daemon/service/store_pool.h"

namespace tenure::daemon {

class ScheduleNames {
 public:
  // Those of the numbers; of a schedule that was deleted before its name was learned: none. `branch`: the store's when
  // the numbers were read. Throws HttpProblem.
  std::map<ScheduleId, std::string> names_of(const std::set<ScheduleId>& numbers, std::uint32_t branch,
                                             PooledStore& store, ResourceId resource);

 private:
  std::mutex mutex_;
  std::uint32_t branch_ = 0;
  std::map<ScheduleId, std::string> known_;  // empty: it is deleted
};

}  // namespace tenure::daemon
