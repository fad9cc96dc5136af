#include "daemon/api/schedule_names.h"

#include <algorithm>
#include <utility>

#include "daemon/api/problem.h"

namespace tenure::daemon {
namespace {

constexpr std::uint32_t kNamesAtATime = 1'000;

std::map<ScheduleId, std::string> all_names(PooledStore& store, ResourceId resource) {
  std::map<ScheduleId, std::string> names;
  std::string after;
  for (bool more = true; more;) {
    const Answer answer = store.ask(reference::ListNamed{resource, after, kNamesAtATime});
    const auto& list = expect<reference::NamedSchedules>(answer);
    for (const reference::NamedSchedule& schedule : list.schedules)
      names[schedule.edition.schedule] = schedule.name;
    more = list.more && !list.schedules.empty();
    if (more) after = list.schedules.back().name;
  }
  return names;
}

}  // namespace

std::map<ScheduleId, std::string> ScheduleNames::names_of(const std::set<ScheduleId>& numbers,
                                                          std::uint32_t branch, PooledStore& store,
                                                          ResourceId resource) {
  std::unique_lock lock(mutex_);
  if (branch != branch_) known_.clear();
  branch_ = branch;
  const auto is_known = [&](ScheduleId number) { return known_.contains(number); };
  if (!std::all_of(numbers.begin(), numbers.end(), is_known)) {
    lock.unlock();
    std::map<ScheduleId, std::string> all = all_names(store, resource);
    lock.lock();
    known_.merge(std::move(all));
    // Its fires were read before the names, so it is no more.
    for (const ScheduleId number : numbers) known_.try_emplace(number);
  }
  std::map<ScheduleId, std::string> names;
  for (const ScheduleId number : numbers) names[number] = known_[number];
  return names;
}

}  // namespace tenure::daemon
