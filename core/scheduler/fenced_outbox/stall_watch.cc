#include "core/scheduler/fenced_outbox/stall_watch.h"

#include <algorithm>

namespace tenure {
namespace {

constexpr std::uint32_t kTimesMax = 2;  // beyond, the time behind the others is the bound itself

}  // namespace

void StallWatch::see(std::string_view why, MonoTime now) {
  why_ = why;
  if (why.empty()) {
    since_.reset();
  } else if (!since_) {
    since_ = now;
  }
}

StepAside StallWatch::step_aside() {
  since_.reset();
  const Duration behind = bound_ / (std::int64_t{1} << (kTimesMax - times_));
  times_ = std::min(times_ + 1, kTimesMax);
  return {why_, behind};
}

void StallWatch::hash(Hasher& hasher, const Canon& canon) const {
  hasher.add(since_.has_value()).add(since_ ? canon.offset(*since_) : 0).add(times_);
}

}  // namespace tenure
