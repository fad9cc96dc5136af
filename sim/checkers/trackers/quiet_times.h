// Tracks quiet times: one and the same instance leads, no fault is in force, and nobody is at work. Whatever comes due
// in them is a scheduler's to do at once.
//
// Thread rule: one tracker belongs to one reader.
#pragma once

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "sim/checkers/trackers/leadership_tracker.h"
#include "sim/world/record.h"

namespace tenure::sim {

class QuietTimes {
 public:
  static constexpr std::uint32_t kReads =
      LeadershipTracker::kReads | record_mask<FaultBegan, FaultEnded, WorkLanded, WorkEnded>();

  explicit QuietTimes(const View& view) : leadership_(view) {}

  void see(TrueTime now, const Record& record) {
    const bool passes_over = leadership_.passes_over(now, record);
    if (!passes_over) leadership_.see(now, record);
    if (!passes_over)
      for (const LeadershipChange& change : leadership_.changes()) disturb(change.at);
    if (const auto* began = std::get_if<FaultBegan>(&record)) {
      disturb(now);
      if (began->duration != Duration{}) faults_.insert(began->id);
      lingers_ = std::max(lingers_, began->lingers);
      calm_ = std::max(calm_, now + began->lingers);
    } else if (const auto* ended = std::get_if<FaultEnded>(&record)) {
      disturb(now);
      faults_.erase(ended->id);
      calm_ = std::max(calm_, now + lingers_);
    } else if (const auto* landed = std::get_if<WorkLanded>(&record)) {
      if (landed->landing != DeliveryOutcome::begun) return;
      disturb(now);
      ++at_work_;
    } else if (std::holds_alternative<WorkEnded>(record)) {
      disturb(now);
      if (at_work_ > 0) --at_work_;
    } else if (passes_over) {
      return;
    }
    if (!since_ && faults_.empty() && at_work_ == 0 && leadership_.leaders() == 1)
      since_ = std::max(now, calm_);
  }
  void finish(TrueTime now) { disturb(now); }

  // Whether some quiet time has a stretch of this length within [from, to). Call it after finish().
  bool any_within(TrueTime from, TrueTime to, Duration length) const {
    auto quiet = std::partition_point(times_.begin(), times_.end(),
                                      [from](const Quiet& each) { return each.to <= from; });
    for (; quiet != times_.end() && quiet->from < to; ++quiet)
      if (std::min(quiet->to, to) - std::max(quiet->from, from) >= length) return true;
    return false;
  }

 private:
  struct Quiet {
    TrueTime from;
    TrueTime to;
  };
  void disturb(TrueTime at) {
    if (since_ && *since_ < at) times_.push_back({*since_, at});
    since_.reset();
  }

  LeadershipTracker leadership_;
  std::set<std::uint64_t> faults_;  // in force
  Duration lingers_;                // the longest of any fault so far
  TrueTime calm_;                   // what faults had delayed is over
  std::uint64_t at_work_ = 0;
  std::optional<TrueTime> since_;  // nullopt: it is not quiet now
  std::vector<Quiet> times_;       // in order
};

}  // namespace tenure::sim
