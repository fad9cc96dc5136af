#include "sim/checkers/pending_fires.h"

#include <algorithm>

namespace tenure::sim {

void PendingFires::add(const PendingFire& fire) {
  Row& row = row_of(fire.event.schedule);
  if (row.early.empty()) {
    row.pending.push_back(fire);
    return;
  }
  const auto early = std::find(row.early.begin(), row.early.end(), fire.event);
  if (early != row.early.end()) {
    row.early.erase(early);
    return;
  }
  row.pending.push_back(fire);
}

bool PendingFires::accept(ScheduleId schedule, std::uint64_t run) {
  std::vector<std::uint64_t>& runs = row_of(schedule).manual_runs;
  if (std::find(runs.begin(), runs.end(), run) != runs.end()) return false;
  runs.push_back(run);
  return true;
}

void PendingFires::begun(const house::EventId& event) {
  if (notes_beginnings_) begun_since_.push_back(event);
  Row& row = row_of(event.schedule);
  if (row.pending.size() == 1 && row.pending.front().event == event) {
    row.pending.clear();
    return;
  }
  const auto it = std::find_if(row.pending.begin(), row.pending.end(),
                               [&event](const PendingFire& fire) { return fire.event == event; });
  if (it != row.pending.end()) {
    row.pending.erase(it);
    return;
  }
  if (row.early.size() >= kEarly && !forgets_none_) row.early.erase(row.early.begin());
  row.early.push_back(event);
}

void PendingFires::went_back(const PendingFires& lost) {
  forgets_none_ = true;
  for (const house::EventId& event : lost.begun_since_) begun(event);
}

std::size_t PendingFires::size() const {
  std::size_t all = 0;
  for (const Row& row : rows_) all += row.pending.size();
  return all;
}

PendingFires::Row& PendingFires::row_of(ScheduleId schedule) {
  if (rows_.size() <= schedule.value) rows_.resize(schedule.value + 1);
  return rows_[schedule.value];
}

}  // namespace tenure::sim
