#include "core/scheduler/fenced_outbox/stall_watch.h"

#include <algorithm>
#include <utility>

namespace tenure {
namespace {

constexpr std::uint32_t kTimesMax = 2;  // beyond, the time behind the others is the bound itself

}  // namespace

void StallWatch::see(std::string_view why, MonoTime now) {
  if (why.empty()) return reset();
  why_ = why;
  if (!since_) since_ = now;
  if (waits_since_) *since_ += now - *waits_since_;
  waits_since_.reset();
}

void StallWatch::wait(MonoTime now) {
  if (since_ && !waits_since_) waits_since_ = now;
}

void StallWatch::went_on(MonoTime now) {
  if (!since_) return;
  since_ = now;
  if (waits_since_) waits_since_ = now;
}

void StallWatch::failed(std::string_view why, MonoTime now) {
  failures_ = std::min(failures_ + 1, kFailures);
  if (!failing_since_) failing_since_ = now;
  if (failures_ < kFailures || now - *failing_since_ < bound_) return;
  fails_too_long_ = bound_ > Duration{};
  why_ = why;
}

void StallWatch::covered(MonoTime now) {
  const bool stuck = since_.has_value();
  reset();
  if (stuck) since_ = now;
  times_ = 0;
}

void StallWatch::reset() {
  since_.reset();
  waits_since_.reset();
  failures_ = 0;
  failing_since_.reset();
  fails_too_long_ = false;
}

MonoTime StallWatch::deadline() const {
  if (fails_too_long_) return *failing_since_ + bound_;
  return since_ && !waits_since_ && bound_ > Duration{} ? *since_ + bound_ : MonoTime::max();
}

StepAside StallWatch::step_aside() {
  reset();
  const Duration behind = bound_ / (std::int64_t{1} << (kTimesMax - times_));
  times_ = std::min(times_ + 1, kTimesMax);
  return {why_, behind};
}

void StallWatch::hash(Hasher& hasher, const Canon& canon) const {
  for (const std::optional<MonoTime>& time : {since_, waits_since_, failing_since_})
    hasher.add(time.has_value()).add(time ? canon.offset(*time) : 0);
  hasher.add(failures_).add(fails_too_long_).add(times_);
}

}  // namespace tenure
