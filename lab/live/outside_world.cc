#include "lab/live/outside_world.h"

#include <algorithm>

namespace tenure::lab {
std::optional<OutsideAnswer> OutsideWorld::begin(sim::TrueTime now, const OutsideWork& work) {
  const auto refused = [&](WorkResult why) { return OutsideAnswer{work.node, work.number, why}; };
  if (setting_.fenced && work.token) {
    if (newest_ && work.token->older_than(*newest_)) return refused(WorkResult::fenced);
    newest_ = work.token;
  }
  if (setting_.honours_event_id) {
    if (std::any_of(running_.begin(), running_.end(),
                    [&](const Running& each) { return each.work.event == work.event; }))
      return refused(WorkResult::running);
    if (begun_events_.contains(work.event)) return refused(WorkResult::duplicate);
  }
  if (!begun_events_.insert(work.event).second) ++doubled_;
  const sim::KeyedRng rng = rng_.of("work").of(++begun_);
  const bool fails = rng.of("fails").below(1'000'000) < static_cast<std::uint64_t>(setting_.failing_ppm);
  running_.push_back({work, now + setting_.duration.draw(rng.of("duration")), fails});
  return std::nullopt;
}

std::vector<OutsideAnswer> OutsideWorld::finished(sim::TrueTime now) {
  std::vector<OutsideAnswer> answers;
  std::erase_if(running_, [&](const Running& each) {
    if (each.until > now) return false;
    if (each.fails) begun_events_.erase(each.work.event);  // it may be tried again
    answers.push_back({each.work.node, each.work.number, each.fails ? WorkResult::failed : WorkResult::done});
    return true;
  });
  return answers;
}

std::optional<sim::TrueTime> OutsideWorld::next() const {
  std::optional<sim::TrueTime> first;
  for (const Running& each : running_)
    if (!first || each.until < *first) first = each.until;
  return first;
}

void OutsideWorld::ended(NodeId node) {
  std::erase_if(running_, [&](const Running& each) { return each.work.node == node; });
}

}  // namespace tenure::lab
