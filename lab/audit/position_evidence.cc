#include "lab/audit/position_evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "sim/checkers/trackers/applied.h"

namespace tenure::sim {
namespace {

struct Point {
  std::uint64_t position = 0;
  bool changed = false;
  StoreTime at;
};
struct PositionGap {
  std::uint64_t after = 0;
  std::uint64_t before = 0;
  std::uint64_t missing = 0;
  StoreTime from;
  StoreTime to;
};

bool lease_request(const Request& request) {
  return reference_request<reference::Acquire>(request) != nullptr ||
         reference_request<reference::Renew>(request) != nullptr ||
         reference_request<reference::Release>(request) != nullptr;
}
bool changes_something(const Request& request) {
  const auto* asked = std::get_if<reference::Request>(&request);
  return asked == nullptr || !reference::only_reads(*asked);
}

struct Gaps {
  std::vector<PositionGap> gaps;
  bool possible = true;  // no position was given to two changes
};

Gaps gaps_in(std::vector<Point> points) {
  Gaps found;
  std::stable_sort(points.begin(), points.end(), [](const Point& a, const Point& b) {
    return a.position != b.position ? a.position < b.position : a.changed > b.changed;
  });
  for (std::size_t i = 1; i < points.size(); ++i) {
    const Point& last = points[i - 1];
    const Point& next = points[i];
    if (last.position == next.position) {
      found.possible = found.possible && !(last.changed && next.changed);
      continue;
    }
    const std::uint64_t missing = next.position - last.position - (next.changed ? 1 : 0);
    if (missing > 0) found.gaps.push_back({last.position, next.position, missing, last.at, next.at});
  }
  return found;
}

std::uint64_t unexplained(std::vector<PositionGap>& gaps, std::vector<StoreTime> edits,
                          std::uint64_t elsewhere) {
  std::uint64_t left = 0;
  for (PositionGap& gap : gaps) {
    for (StoreTime& edit : edits) {
      if (gap.missing == 0) break;
      if (edit < gap.from || edit > gap.to) continue;
      edit = StoreTime::max();  // it explains one
      --gap.missing;
    }
    left += gap.missing;
  }
  return left > elsewhere ? left - elsewhere : 0;
}

void compare_resource(const JournalHistory& history, ResourceId resource, const std::vector<StoreTime>& edits,
                      AuditFindings& findings) {
  std::vector<Point> leases;
  std::vector<Point> rest;
  std::uint64_t elsewhere = 0;  // changes that may have been, and have no place
  std::set<std::uint32_t> branches;
  history.for_each_call(resource, [&](const JournalCall& call) {
    const Request& request = call.asked->submission.request;
    if (call.in_doubt() && changes_something(request)) ++elsewhere;
    if (!call.applied()) return;
    if (const auto* granted = call.answered->reply_as<reference::Granted>())
      branches.insert(granted->token.branch);
    (lease_request(request) ? leases : rest)
        .push_back({call.answered->position, call.answered->changed, call.at()});
  });
  std::set<std::pair<ScheduleId, std::uint64_t>> runs;  // that clients asked for
  for (const auto& [who, life] : history.lives)
    for (const LifeLine& line : life.lines)
      if (const auto* item = std::get_if<WorkItem>(&line.line->event);
          item != nullptr && item->once && item->resource == resource && item->event.run != 0)
        runs.emplace(item->event.schedule, item->event.run);
  elsewhere += runs.size();
  if (branches.size() > 1) {
    findings.note(
        fmt::format("{}: the store failed over, and may have given a position twice: they are not compared",
                    resource_text(resource)));
    return;
  }
  std::vector<Point> all = leases;
  all.insert(all.end(), rest.begin(), rest.end());
  Gaps together = gaps_in(std::move(all));
  Gaps apart = gaps_in(std::move(leases));
  const Gaps others = gaps_in(std::move(rest));
  apart.gaps.insert(apart.gaps.end(), others.gaps.begin(), others.gaps.end());
  const std::uint64_t by_one = unexplained(together.gaps, edits, elsewhere);
  const std::uint64_t by_two = unexplained(apart.gaps, edits, elsewhere);
  const bool one_count = together.possible && by_one <= by_two;
  const std::uint64_t left = one_count ? by_one : by_two;
  if (left == 0) return;
  const std::vector<PositionGap>& gaps = one_count ? together.gaps : apart.gaps;
  const auto first =
      std::find_if(gaps.begin(), gaps.end(), [](const PositionGap& gap) { return gap.missing > 0; });
  findings.lacks(
      fmt::format("{} of {} {} told by no journal, the first between positions {} and {} of the store: a "
                  "client's edits and runs, if "
                  "there were any, else lines that are missing or a participant's journal",
                  left == 1 ? "a change" : fmt::format("{} changes", left), resource_text(resource),
                  left == 1 ? "is" : "are", first->after, first->before));
}

}  // namespace

void compare_positions(const JournalHistory& history,
                       const std::map<ResourceId, std::vector<StoreTime>>& edits, AuditFindings& findings) {
  for (const ResourceId resource : history.resources()) {
    const auto known = edits.find(resource);
    compare_resource(history, resource, known != edits.end() ? known->second : std::vector<StoreTime>{},
                     findings);
  }
}

}  // namespace tenure::sim
