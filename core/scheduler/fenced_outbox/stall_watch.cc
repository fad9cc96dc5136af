#include "core/scheduler/fenced_outbox/stall_watch.h"

#include <algorithm>

namespace tenure {
namespace {

constexpr std::uint32_t kTimesMax = 2;  // beyond, the time behind the others is the bound itself

}  // namespace

void StallWatch::see(std::string_view why, MonoTime now) {
  if (why.empty()) {
    if (since_) succeeded();
    return;
  }
  why_ = why;
  failures_ = kFailures;
  fails_ = true;
  if (!since_) since_ = now;
}

void StallWatch::went_on(Duration longer, MonoTime now) {
  if (since_) since_ = std::min(*since_ + longer, now);
}

void StallWatch::failed(std::string_view why, MonoTime tried) {
  why_ = why;
  failures_ = std::min(failures_ + 1, kFailures);
  fails_ = true;
  const Duration most = bound_ / 2;
  if (!since_)
    since_ = tried;
  else if (tried - latest_ > most)
    since_ = *since_ + (tried - latest_ - most);
  latest_ = tried;
}

void StallWatch::not_wanted(MonoTime now) {
  fails_ = false;
  if (since_ && now - latest_ > bound_ / 2) reset();
}

void StallWatch::succeeded() {
  reset();
  times_ = 0;
}

void StallWatch::reset() {
  since_.reset();
  fails_ = false;
  failures_ = 0;
}

MonoTime StallWatch::deadline() const {
  const bool stuck = since_ && fails_ && failures_ == kFailures && bound_ > Duration{};
  return stuck ? *since_ + bound_ : MonoTime::max();
}

StepAside StallWatch::step_aside() {
  reset();
  const Duration behind = bound_ / (std::int64_t{1} << (kTimesMax - times_));
  times_ = std::min(times_ + 1, kTimesMax);
  return {why_, behind};
}

void StallWatch::hash(StateHasher& state) const {
  fold(state, since_, fails_, failures_, times_);
  if (since_) state.add(latest_);
}

}  // namespace tenure
