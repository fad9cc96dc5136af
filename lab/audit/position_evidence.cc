#include "lab/audit/position_evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "sim/checkers/trackers/applied.h"

namespace tenure::sim {
namespace {

// Postgres counts changes of the lease and all others apart (1_tables.sql); SQLite counts them together.
enum class Count : std::uint8_t { lease, rest };

struct Point {
  std::uint64_t position = 0;
  bool changed = false;
  StoreTime at;
  Count count = Count::rest;
  // Its position follows the greater of both counts even where they are apart.
  bool joins = false;
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
// An acquire and a release come after all that was written under the lease before, and what is written under a token
// after its acquire. A renewal and a write without a token have only their own count.
bool joins_counts(const Request& request) {
  return lease_request(request) ? reference_request<reference::Renew>(request) == nullptr
                                : token_shown(request).has_value();
}
bool changes_something(const Request& request) {
  const auto* asked = std::get_if<reference::Request>(&request);
  return asked == nullptr || !reference::only_reads(*asked);
}

// Of requests without an answer, those that may have moved a count on to the other.
using MayHaveJoined = std::set<Count>;

struct Gaps {
  std::vector<PositionGap> gaps;
  bool possible = true;  // no position was given to two changes
};

// REQUIRES: in the order of their positions, changes first.
class PositionLine {
 public:
  explicit PositionLine(const std::vector<Point>& points) : points_(points) {}

  Gaps in_one_count() const {
    Gaps found;
    for (std::size_t i = 1; i < points_.size(); ++i) {
      const Point& last = points_[i - 1];
      const Point& next = points_[i];
      if (last.position == next.position)
        found.possible = found.possible && !(last.changed && next.changed);
      else
        add(last, next, before(next) - last.position, found);
    }
    return found;
  }

  Gaps in_two_counts(const MayHaveJoined& open) const {
    Gaps found;
    std::map<Count, const Point*> last;
    for (const Point& next : points_) {
      const Point* own = std::exchange(last[next.count], &next);
      if (own != nullptr && own->position == next.position) continue;
      const Point* joined = greatest_upto(before(next));
      if (next.joins) own = joined;
      if (own == nullptr) continue;
      std::uint64_t missing = before(next) - own->position;
      // A change of which nothing is known, and which joined the other count.
      const Point* other =
          open.contains(next.count) && missing > 0 ? greatest_upto(before(next) - 1) : nullptr;
      if (other != nullptr && other->position > own->position) missing = before(next) - other->position;
      add(*own, next, missing, found);
    }
    return found;
  }

 private:
  // The position before the point's own change.
  static std::uint64_t before(const Point& point) { return point.position - (point.changed ? 1 : 0); }
  // Of both counts; nullptr: none.
  const Point* greatest_upto(std::uint64_t position) const {
    const auto after = std::partition_point(points_.begin(), points_.end(),
                                            [&](const Point& point) { return point.position <= position; });
    return after != points_.begin() ? &*(after - 1) : nullptr;
  }
  static void add(const Point& last, const Point& next, std::uint64_t missing, Gaps& found) {
    if (missing > 0) found.gaps.push_back({last.position, next.position, missing, last.at, next.at});
  }

  const std::vector<Point>& points_;
};

// Changes that may have been and have no position.
struct MayHaveChanged {
  std::vector<StoreTime> edits;  // of clients, when they were made
  std::vector<StoreTime> calls;  // without an answer, the earliest time of each
  std::uint64_t runs = 0;        // that clients asked for, at any time
};

// Each explains one change that is missing.
std::uint64_t unexplained(std::vector<PositionGap>& gaps, MayHaveChanged others) {
  std::uint64_t left = 0;
  std::sort(others.calls.begin(), others.calls.end());
  std::sort(gaps.begin(), gaps.end(), [](const PositionGap& a, const PositionGap& b) { return a.to < b.to; });
  std::size_t used = 0;
  for (PositionGap& gap : gaps) {
    for (StoreTime& edit : others.edits) {
      if (gap.missing == 0) break;
      if (edit < gap.from || edit > gap.to) continue;
      edit = StoreTime::max();  // it explains one
      --gap.missing;
    }
    for (; gap.missing > 0 && used < others.calls.size() && others.calls[used] <= gap.to; ++used)
      --gap.missing;
    left += gap.missing;
  }
  return left > others.runs ? left - others.runs : 0;
}

void compare_resource(const JournalHistory& history, ResourceId resource, const std::vector<StoreTime>& edits,
                      AuditFindings& findings) {
  std::vector<Point> points;
  MayHaveJoined open;
  MayHaveChanged others{edits, {}, 0};
  std::set<std::uint32_t> branches;
  history.for_each_call(resource, [&](const JournalCall& call) {
    const Request& request = call.asked->submission.request;
    const Count count = lease_request(request) ? Count::lease : Count::rest;
    if (call.in_doubt() && changes_something(request)) {
      others.calls.push_back(call.not_before);
      if (joins_counts(request)) open.insert(count);
    }
    if (!call.applied()) return;
    if (const auto* granted = call.answered->reply_as<reference::Granted>())
      branches.insert(granted->token.branch);
    // A refused write tells the lease's position.
    const bool changed = call.answered->changed;
    const bool joins = changed ? joins_counts(request) : count == Count::rest;
    points.push_back({call.answered->position, changed, call.at(), count, joins});
  });
  std::set<std::pair<ScheduleId, std::uint64_t>> runs;  // that clients asked for
  for (const auto& [who, life] : history.lives)
    for (const LifeLine& line : life.lines)
      if (const auto* item = std::get_if<WorkItem>(&line.line->event);
          item != nullptr && item->once && item->resource == resource && item->event.run != 0)
        runs.emplace(item->event.schedule, item->event.run);
  others.runs = runs.size();
  if (branches.size() > 1) {
    findings.note(
        fmt::format("{}: the store failed over, and may have given a position twice: they are not compared",
                    resource_text(resource)));
    return;
  }
  std::stable_sort(points.begin(), points.end(), [](const Point& a, const Point& b) {
    return a.position != b.position ? a.position < b.position : a.changed > b.changed;
  });
  const PositionLine line(points);
  Gaps together = line.in_one_count();
  Gaps apart = line.in_two_counts(open);
  const std::uint64_t by_one = unexplained(together.gaps, others);
  const std::uint64_t by_two = unexplained(apart.gaps, others);
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
