// The strip that shows who led when: one line for each instance, in equal columns.
//
// A column shows what the instance did for most of the column's time. If this showed no leader although somebody led
// for a part of it, the instance that led longest is shown. So a column of only dots means that nobody led.
//
// Thread rule: one tracker belongs to one run.
#pragma once

#include <array>
#include <vector>

#include "sim/checkers/metrics/measures.h"
#include "sim/checkers/trackers/leadership_tracker.h"
#include "sim/scenario/scenario.h"
#include "sim/world/record.h"

namespace tenure::sim {

class LeadershipTimelineTracker {
 public:
  static constexpr std::int64_t kColumns = 60;

  explicit LeadershipTimelineTracker(const Scenario& scenario);
  // `tracker` has seen the record already.
  void see(TrueTime now, const Record& record, const LeadershipTracker& tracker);
  void finish(TrueTime now, const LeadershipTracker& tracker);
  std::vector<LeadershipTimeline> strips() const;

 private:
  static constexpr std::size_t kCells = 4;
  struct Track {
    LeadershipTimeline::Cell now = LeadershipTimeline::Cell::down;
    TrueTime since;
    std::vector<std::array<Duration, kCells>> columns;
    std::vector<std::uint32_t> lost;  // by column
  };
  // Does nothing if the column already shows a leader, or nobody led in it.
  void show_a_leader(std::size_t column, std::vector<LeadershipTimeline>& strips) const;
  void follow(const LeadershipTracker& tracker);
  void set(NodeId node, TrueTime at, LeadershipTimeline::Cell cell);
  static void spend(Track& row, TrueTime until, Duration width);
  std::size_t column_of(TrueTime at) const;

  Duration width_;
  std::vector<Track> rows_;  // by node
};

}  // namespace tenure::sim
