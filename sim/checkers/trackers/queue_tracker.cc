#include "sim/checkers/trackers/queue_tracker.h"

#include <algorithm>

#include "sim/checkers/trackers/applied.h"
#include "sim/checkers/trackers/routed_schedules.h"

namespace tenure::sim {
namespace {

// The store did not do all that it was asked to.
bool falls_short(const Applied& applied) {
  if (reference_request<reference::CommitFires>(applied.request) == nullptr) return false;
  const auto* answer = reference_reply<reference::Committed>(applied.reply);
  return answer == nullptr ||
         std::any_of(answer->rows.begin(), answer->rows.end(),
                     [](reference::RowResult row) { return row != reference::RowResult::covered; });
}

// When everything due before has been looked at, since the row is committed.
StoreTime looked_at(const reference::CommitFires& commit, const reference::LedgerRow& row,
                    const ScheduleVersion& version) {
  for (const reference::LedgerRow& before : commit.rows) {
    const bool goes_before = before.schedule == row.schedule && before.version == row.version &&
                             before.what != reference::Disposition::fired && before.to == row.from;
    if (!goes_before) continue;
    const auto first = version.slots.at_or_after(before.from);
    return first && *first < row.slot ? version.due(*first) : version.due(row.slot);
  }
  return version.due(row.slot);
}

bool reads_anew(const Submitted& submitted) {
  const auto* read = reference_request<reference::ReadDue>(submitted.submission.request);
  return read != nullptr && !read->after;
}

}  // namespace

QueueTracker::QueueTracker(const Scenario& scenario, const EventLifecycle& work) : work_(work) {
  for_each_setting(scenario, [this](ScheduleId schedule, const auto& setting) {
    if (setting.definition.overlap == Overlap::queue_one) queueing_.insert(schedule);
  });
}

void QueueTracker::take(const Record& record) {
  if (const auto* death = std::get_if<NodeDied>(&record)) {
    std::erase_if(lines_, [death](const auto& line) { return std::get<0>(line.first) == death->who; });
  } else if (const auto* submitted = std::get_if<Submitted>(&record)) {
    if (reads_anew(*submitted)) lines_.clear();
  } else if (const auto* applied = std::get_if<Applied>(&record)) {
    if (falls_short(*applied)) lines_.clear();
  } else if (std::holds_alternative<StoreClockStepped>(record) ||
             std::holds_alternative<StoreFailedOver>(record)) {
    lines_.clear();
  }
}

std::vector<reference::EventId> QueueTracker::commits(TrueTime now, Incarnation who,
                                                      const reference::CommitFires& commit,
                                                      const ScheduleTracker& tracker) {
  std::vector<reference::EventId> beside;
  if (queueing_.empty()) return beside;
  StoreTime latest = StoreTime::min();
  std::set<std::pair<ScheduleId, std::uint32_t>> fired;
  for (const reference::LedgerRow& row : commit.rows) {
    const ScheduleVersion* version = tracker.find(row.schedule, row.version);
    if (version == nullptr || row.what != reference::Disposition::fired || row.slots != 1) continue;
    latest = std::max(latest, looked_at(commit, row, *version));
    fired.insert({row.schedule, row.version});
  }
  for (const reference::LedgerRow& row : commit.rows) {
    const ScheduleVersion* version = tracker.find(row.schedule, row.version);
    if (version == nullptr || version->overlap != Overlap::queue_one ||
        !fired.contains({row.schedule, row.version}) || row.what != reference::Disposition::fired)
      continue;
    Line& line = lines_[{who, row.schedule, row.version}];
    const StoreTime due = version->due(row.slot);
    if (due <= line.passed) beside.push_back({row.schedule, row.slot, 0});
    if (due < line.looked) {
      line.passed = std::max(line.looked, latest);
      line.passed_at = now;
    }
    line.looked = StoreTime::min();
  }
  for (const ScheduleId schedule : queueing_) {
    for (const ScheduleVersion& version : tracker.versions(schedule)) {
      if (version.overlap != Overlap::queue_one || !has_in_hand(who, version) ||
          fired.contains({version.schedule, version.number}))
        continue;
      Line& line = lines_[{who, version.schedule, version.number}];
      line.looked = std::max(line.looked, latest);
    }
  }
  return beside;
}

StoreTime QueueTracker::passed(const ScheduleVersion& version, TrueTime time) const {
  StoreTime passed = StoreTime::min();
  for (const auto& [key, line] : lines_) {
    const auto& [who, schedule, number] = key;
    if (schedule == version.schedule && number == version.number && line.passed_at <= time &&
        has_in_hand(who, version))
      passed = std::max(passed, line.passed);
  }
  return passed;
}

}  // namespace tenure::sim
