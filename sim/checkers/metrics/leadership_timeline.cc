#include "sim/checkers/metrics/leadership_timeline.h"

#include <algorithm>
#include <optional>

#include "core/model/describe.h"

namespace tenure::sim {

using Cell = LeadershipTimeline::Cell;

LeadershipTimelineTracker::LeadershipTimelineTracker(const Scenario& scenario) {
  const Duration whole = scenario.duration + scenario.tail;
  width_ = std::max(Duration::nanos((whole.ns() + kColumns - 1) / kColumns), Duration::nanos(1));
  rows_.resize(scenario.instances.size());
  for (Track& row : rows_) {
    row.columns.resize(static_cast<std::size_t>(kColumns));
    row.lost.resize(static_cast<std::size_t>(kColumns));
  }
}

void LeadershipTimelineTracker::see(TrueTime now, const Record& record, const LeadershipTracker& tracker) {
  follow(tracker);
  if (const auto* started = std::get_if<NodeStarted>(&record)) {
    set(started->who.node, now, Cell::standby);
  } else if (const auto* died = std::get_if<NodeDied>(&record)) {
    set(died->who.node, now, Cell::down);
  } else if (const auto* paused = std::get_if<NodePaused>(&record)) {
    const NodeId node = paused->who.node;
    if (node.value < rows_.size() && rows_[node.value].now == Cell::leads) set(node, now, Cell::stalled);
  } else if (const auto* resumed = std::get_if<NodeResumed>(&record)) {
    set(resumed->who.node, now, tracker.leads(resumed->who) ? Cell::leads : Cell::standby);
  }
}

void LeadershipTimelineTracker::finish(TrueTime now, const LeadershipTracker& tracker) {
  follow(tracker);
  for (Track& row : rows_) spend(row, now, width_);
}

std::vector<LeadershipTimeline> LeadershipTimelineTracker::strips() const {
  std::vector<LeadershipTimeline> result;
  for (std::size_t node = 0; node < rows_.size(); ++node) {
    LeadershipTimeline strip{describe(NodeId{static_cast<std::uint32_t>(node)}), {}, rows_[node].lost};
    for (const auto& column : rows_[node].columns) {
      const auto most = std::max_element(column.begin(), column.end());
      strip.cells.push_back(static_cast<Cell>(most - column.begin()));
    }
    result.push_back(std::move(strip));
  }
  for (std::size_t column = 0; column < static_cast<std::size_t>(kColumns); ++column)
    show_a_leader(column, result);
  return result;
}

void LeadershipTimelineTracker::show_a_leader(std::size_t column,
                                              std::vector<LeadershipTimeline>& strips) const {
  constexpr auto kLeads = static_cast<std::size_t>(Cell::leads);
  std::optional<std::size_t> longest;
  for (std::size_t node = 0; node < rows_.size(); ++node) {
    if (strips[node].cells[column] == Cell::leads || strips[node].cells[column] == Cell::stalled) return;
    const Duration led = rows_[node].columns[column][kLeads];
    if (led > Duration{} && (!longest || led > rows_[*longest].columns[column][kLeads])) longest = node;
  }
  if (longest) strips[*longest].cells[column] = Cell::leads;
}

void LeadershipTimelineTracker::follow(const LeadershipTracker& tracker) {
  for (const BeliefChange& change : tracker.beliefs().changes()) {
    const NodeId node = change.belief.who.node;
    if (change.what == BeliefChange::What::extended) continue;
    const bool believes = change.what == BeliefChange::What::began;
    if (!believes && node.value < rows_.size()) ++rows_[node.value].lost[column_of(change.at)];
    set(node, change.at, !believes ? Cell::standby : tracker.paused(node) ? Cell::stalled : Cell::leads);
  }
}

void LeadershipTimelineTracker::set(NodeId node, TrueTime at, Cell cell) {
  if (node.value >= rows_.size()) return;
  Track& row = rows_[node.value];
  spend(row, at, width_);
  row.now = cell;
}

std::size_t LeadershipTimelineTracker::column_of(TrueTime at) const {
  return static_cast<std::size_t>(std::min(at.ns() / width_.ns(), kColumns - 1));
}

void LeadershipTimelineTracker::spend(Track& row, TrueTime until, Duration width) {
  const auto columns = static_cast<std::int64_t>(row.columns.size());
  while (row.since < until) {
    const std::int64_t column = std::min(row.since.ns() / width.ns(), columns - 1);
    const TrueTime edge = column + 1 < columns ? TrueTime{} + width * (column + 1) : until;
    const TrueTime to = std::min(edge, until);
    row.columns[static_cast<std::size_t>(column)][static_cast<std::size_t>(row.now)] += to - row.since;
    row.since = to;
  }
}

}  // namespace tenure::sim
