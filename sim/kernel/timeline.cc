#include "sim/kernel/timeline.h"

#include "core/base/check.h"

namespace tenure::sim {

std::uint16_t Timeline::add_handler(EventHandler& handler) {
  CHECK(handlers_.size() < UINT16_MAX);
  handlers_.push_back(&handler);
  return static_cast<std::uint16_t>(handlers_.size() - 1);
}

bool Timeline::run_next(TrueTime limit) {
  if (queue_.empty() || queue_.next_time() > limit) {
    if (now_ < limit) now_ = limit;
    return false;
  }
  same_time_ = queue_.next_time() == now_ ? same_time_ + 1 : 0;
  CHECK(same_time_ < kSameTimeMax, "time stands still: a node or a fault keeps acting at one instant");
  now_ = queue_.next_time();
  const Event event = queue_.pop();
  ++events_;
  const std::uint64_t who =
      (std::uint64_t{event.handler} << 40) | (std::uint64_t{event.kind} << 32) | std::uint64_t{event.subject};
  hasher_.add(mix64(mix64(static_cast<std::uint64_t>(now_.ns()), who), event.payload));
  handlers_[event.handler]->on_event(event);
  return true;
}

}  // namespace tenure::sim
