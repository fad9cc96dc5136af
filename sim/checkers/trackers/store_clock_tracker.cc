#include "sim/checkers/trackers/store_clock_tracker.h"

#include <algorithm>

#include "core/base/int128.h"

namespace tenure::sim {

void StoreClockTracker::take(const Record& record) {
  const StoreTime after = view_.store_now(StoreId{});
  const auto* stepped = std::get_if<StoreClockStepped>(&record);
  const Knot knot{now_, stepped != nullptr ? after - stepped->by : after, after};
  if (!knots_.empty()) {
    knots_.push_back({now_, knot.before, knot.before});  // as firm() is to see it: before the step
    firmest_ = std::max(firmest_, firm());
    greatest_ = std::max(greatest_, knot.before);
    knots_.pop_back();
  }
  knots_.push_back(knot);
}

StoreTime StoreClockTracker::firm() const {
  if (knots_.empty() || now_ - knots_.front().at < patience_) return StoreTime::min();
  StoreTime least = shown_at(now_ - patience_);
  for (auto knot = knots_.rbegin(); knot != knots_.rend() && knot->at > now_ - patience_; ++knot)
    least = std::min(least, knot->after);
  return least;
}

TrueTime StoreClockTracker::first_shown(StoreTime time) const {
  for (std::size_t i = 0; i + 1 < knots_.size(); ++i)
    if (time <= std::max(knots_[i].after, knots_[i + 1].before)) return reaches(i, time);
  return knots_.empty() ? TrueTime{} : reaches(knots_.size() - 1, time);
}

TrueTime StoreClockTracker::due_since(StoreTime time) const {
  for (std::size_t i = 0; i + 1 < knots_.size(); ++i) {
    if (time > std::max(knots_[i].after, knots_[i + 1].before)) continue;
    const TrueTime since = reaches(i, time);
    const bool jumped = i > 0 && time <= knots_[i].after;
    const auto back = std::find_if(knots_.begin() + static_cast<std::ptrdiff_t>(i) + 1, knots_.end(),
                                   [time](const Knot& knot) { return knot.after < time; });
    if (!jumped || back == knots_.end() || back->at - since >= patience_) return since;
  }
  return knots_.empty() ? TrueTime{} : reaches(knots_.size() - 1, time);
}

TrueTime StoreClockTracker::showing_since(StoreTime time) const {
  std::size_t i = knots_.size() - 1;
  while (i > 0 && time <= knots_[i].after && time <= knots_[i].before) --i;
  return reaches(i, time);
}

Duration StoreClockTracker::reader_ahead(Duration age) const {
  Duration most;
  Duration since;  // all steps since then together
  for (auto knot = knots_.rbegin(); knot != knots_.rend() && knot->at >= now_ - age; ++knot) {
    since += knot->after - knot->before;
    most = std::max(most, -since);
  }
  return most;
}

Duration StoreClockTracker::reader_behind(Duration age) const {
  Duration most;
  Duration since;
  for (auto knot = knots_.rbegin(); knot != knots_.rend() && knot->at >= now_ - age; ++knot) {
    since += knot->after - knot->before;
    most = std::max(most, since);
  }
  return most;
}

StoreTime StoreClockTracker::shown_at(TrueTime time) const {
  for (std::size_t i = knots_.size(); i-- > 0;) {
    const Knot& knot = knots_[i];
    if (knot.at > time) continue;
    const Knot end = end_of(i);
    if (time >= end.at) return end.before + (time - end.at);
    return knot.after + Duration::nanos(mul_div_floor((end.before - knot.after).ns(), (time - knot.at).ns(),
                                                      (end.at - knot.at).ns()));
  }
  return StoreTime::min();
}

TrueTime StoreClockTracker::reaches(std::size_t i, StoreTime time) const {
  const Knot& knot = knots_[i];
  if (time <= knot.after) return knot.at;
  const Knot end = end_of(i);
  if (time >= end.before) return end.at + (time - end.before);
  return knot.at + Duration::nanos(mul_div_floor((time - knot.after).ns(), (end.at - knot.at).ns(),
                                                 (end.before - knot.after).ns()));
}

StoreClockTracker::Knot StoreClockTracker::end_of(std::size_t i) const {
  if (i + 1 < knots_.size()) return knots_[i + 1];
  const StoreTime shown = view_.store_now(StoreId{});
  return {now_, shown, shown};
}

}  // namespace tenure::sim
