#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/journal/kinds.h"
#include "lab/audit/evidence.h"
#include "lab/audit/manual_runs.h"
#include "sim/checkers/names.h"

namespace tenure::lab {
namespace {

constexpr std::string_view kPositionsOnce = "positions-once";

// Postgres counts changes of the lease and all others apart (1_tables.sql); SQLite counts them together.
enum class Count : std::uint8_t { lease, rest };

struct Point {
  std::uint64_t position = 0;
  bool changed = false;
  StoreTime at;
  Count count = Count::rest;
  // Its position follows the greater of both counts even where they are apart.
  bool joins = false;
  // Who tells of it: one of these two.
  const JournalCall* call = nullptr;
  const JournalClientChange* of_client = nullptr;
  // When the last change of each count was, up to this position.
  StoreTime last_of_rest = StoreTime::min();
  StoreTime last_of_lease = StoreTime::min();

  sim::TrueTime told() const { return call != nullptr ? call->heard : of_client->told; }
};
struct PositionGap {
  std::uint64_t after = 0;
  std::uint64_t before = 0;
  std::uint64_t missing = 0;
  // Nothing that is missing was before, of either count, or after.
  StoreTime from_of_rest;
  StoreTime from_of_lease;
  StoreTime to;

  StoreTime from(Count count) const { return count == Count::lease ? from_of_lease : from_of_rest; }
};

// An acquire and a release come after all that was written under the lease before, and what is written under a token
// after its acquire. A renewal and a write without a token have only their own count.
bool joins_counts(const Request& request) {
  return is_about_the_lease(request) ? sim::reference_request<reference::Renew>(request) == nullptr
                                     : sim::token_shown(request).has_value();
}
bool changes_something(const Request& request) {
  const auto* asked = std::get_if<reference::Request>(&request);
  return asked == nullptr || !reference::only_reads(*asked);
}

// Of requests without an answer, those that may have moved a count on to the other.
using MayHaveJoined = std::set<Count>;

struct Gaps {
  std::vector<PositionGap> gaps;
  bool possible = true;  // no position is of both counts
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
        found.possible = found.possible && !(last.changed && next.changed && last.count != next.count);
      else
        add(last, next, before(next) - last.position, found);
    }
    return found;
  }

  Gaps in_two_counts(const MayHaveJoined& open) const {
    Gaps found;
    std::map<Count, const Point*> last;
    std::map<Count, std::vector<Missing>> seen;  // as points that join have shown: of either count
    for (const Point& next : points_) {
      const Point* own = std::exchange(last[next.count], &next);
      if (own != nullptr && own->position == next.position) continue;
      const std::vector<Missing> seen_before = std::exchange(seen[next.count], {});
      const Point* joined = greatest_upto(before(next));
      if (next.joins) own = joined;
      if (own == nullptr) continue;
      std::uint64_t after = own->position;
      std::uint64_t missing = before(next) - after;
      if (next.joins) seen[other_than(next.count)].push_back({after, before(next)});
      // A change of which nothing is known, and which joined the other count.
      const Point* other =
          open.contains(next.count) && missing > 0 ? greatest_upto(before(next) - 1) : nullptr;
      if (other != nullptr && other->position > after) {
        after = other->position;
        missing = before(next) - after;
      }
      if (!next.joins) missing -= std::min(missing, seen_within(seen_before, after, before(next)));
      add(*own, next, missing, found);
    }
    return found;
  }

 private:
  // Positions in (after, upto].
  struct Missing {
    std::uint64_t after = 0;
    std::uint64_t upto = 0;
  };
  static std::uint64_t seen_within(const std::vector<Missing>& seen, std::uint64_t after,
                                   std::uint64_t upto) {
    std::uint64_t count = 0;
    for (const Missing& one : seen) {
      const std::uint64_t from = std::max(one.after, after);
      const std::uint64_t to = std::min(one.upto, upto);
      if (from < to) count += to - from;
    }
    return count;
  }
  static Count other_than(Count count) { return count == Count::lease ? Count::rest : Count::lease; }
  // The position before the point's own change.
  static std::uint64_t before(const Point& point) { return point.position - (point.changed ? 1 : 0); }
  // Of both counts; nullptr: none.
  const Point* greatest_upto(std::uint64_t position) const {
    const auto after = std::partition_point(points_.begin(), points_.end(),
                                            [&](const Point& point) { return point.position <= position; });
    return after != points_.begin() ? &*(after - 1) : nullptr;
  }
  static void add(const Point& last, const Point& next, std::uint64_t missing, Gaps& found) {
    if (missing > 0)
      found.gaps.push_back(
          {last.position, next.position, missing, last.last_of_rest, last.last_of_lease, next.at});
  }

  const std::vector<Point>& points_;
};

// Changes that may have been and have no position.
struct CallInDoubt {
  StoreTime not_before;
  StoreTime not_after = StoreTime::max();
  Count count = Count::rest;
};
struct MayHaveChanged {
  std::vector<StoreTime> edits;               // of clients, when they were made
  std::vector<CallInDoubt> calls;             // without an answer
  std::set<journal::ClientChange::Run> runs;  // that clients asked for, at any time
};

// Each explains one change that is missing.
std::uint64_t unexplained(std::vector<PositionGap>& gaps, MayHaveChanged others) {
  std::uint64_t left = 0;
  std::stable_sort(others.calls.begin(), others.calls.end(), [](const CallInDoubt& a, const CallInDoubt& b) {
    return a.not_after < b.not_after;  // those that explain no later one come first
  });
  std::sort(gaps.begin(), gaps.end(), [](const PositionGap& a, const PositionGap& b) { return a.to < b.to; });
  for (PositionGap& gap : gaps) {
    for (StoreTime& edit : others.edits) {
      if (gap.missing == 0) break;
      if (edit < gap.from(Count::rest) || edit > gap.to) continue;
      edit = StoreTime::max();  // it explains one
      --gap.missing;
    }
    std::erase_if(others.calls, [&](const CallInDoubt& call) {
      const bool explains =
          gap.missing > 0 && call.not_before <= gap.to && call.not_after >= gap.from(call.count);
      if (explains) --gap.missing;
      return explains;
    });
    left += gap.missing;
  }
  return left > others.runs.size() ? left - others.runs.size() : 0;
}

bool is_edit(const journal::ClientChange& change) {
  const std::string_view kind = journal::kRequestKinds.at(change.kind);
  return kind == "put-schedule" || kind == "delete-schedule" || kind == "put-named" ||
         kind == "delete-named" || kind == "pause-named";
}

// An edit that is not known to have been made was, if the change feed tells of one since: then that is the same one.
// REQUIRES: in order.
void pair_with_edits(const std::vector<StoreTime>& in_doubt, MayHaveChanged& others) {
  auto next = others.edits.begin();
  for (const StoreTime not_before : in_doubt) {
    next = std::lower_bound(next, others.edits.end(), not_before);
    if (next == others.edits.end())
      others.calls.push_back({not_before});
    else
      ++next;
  }
}

// Takes what clients' lines tell. What others tell of the same change explains nothing any more: the change feed of an
// edit, and a life that began it of a manual run.
void take_client_changes(const JournalHistory& history, ResourceId resource, std::vector<Point>& points,
                         MayHaveChanged& others) {
  std::set<journal::ClientChange::Run> run_once;  // asked for again, they change nothing
  history.for_each_client_change(resource, [&](const JournalClientChange& one) {
    const journal::ClientChange& change = *one.change;
    if (change.run) others.runs.erase(*change.run);
    if (!change.done) return;
    if (change.run) run_once.insert(*change.run);
    points.push_back({.position = change.done->position,
                      .changed = true,
                      .at = change.done->store_time,
                      .of_client = &one});
  });
  std::vector<StoreTime> edits;
  std::map<journal::ClientChange::Run, StoreTime> runs;  // perhaps asked for several times: one is the first
  history.for_each_client_change(resource, [&](const JournalClientChange& one) {
    const journal::ClientChange& change = *one.change;
    if (change.done || (change.run && run_once.contains(*change.run))) return;
    if (change.run) {
      const auto [known, fresh] = runs.try_emplace(*change.run, one.not_before);
      if (!fresh) known->second = std::min(known->second, one.not_before);
      return;
    }
    if (is_edit(change))
      edits.push_back(one.not_before);
    else
      others.calls.push_back({one.not_before});
  });
  for (const auto& [run, not_before] : runs) others.calls.push_back({not_before});
  std::sort(edits.begin(), edits.end());
  std::sort(others.edits.begin(), others.edits.end());
  pair_with_edits(edits, others);
}

// A read tells no such time: it sees the store as it was at its begin, and takes its own time at its end.
// REQUIRES: in the order of their positions.
void date_last_changes(std::vector<Point>& points) {
  StoreTime rest = StoreTime::min();
  StoreTime lease = StoreTime::min();
  for (Point& point : points) {
    if (point.changed) (point.count == Count::rest ? rest : lease) = point.at;
    point.last_of_rest = rest;
    point.last_of_lease = lease;
  }
}

std::string text_of(const Point& change) {
  if (change.of_client != nullptr)
    return fmt::format("{} of a client of {}", journal::kRequestKinds.at(change.of_client->change->kind),
                       sim::who_text(change.of_client->who, NodeNames::by_id));
  const auto& request = std::get<reference::Request>(change.call->asked->submission.request);
  return fmt::format("{} of {}", journal::kRequestKinds.at(request.index()),
                     sim::who_text(change.call->who(), NodeNames::by_id));
}

// No count gives a position to two changes. After the last grant that is known, the store may have failed over, and
// give those anew that were lost. REQUIRES: in the order of their positions.
void find_doubles(const std::vector<Point>& points, sim::TrueTime last_grant, ResourceId resource,
                  AuditFindings& findings) {
  std::map<Count, const Point*> last;
  for (const Point& next : points) {
    if (!next.changed) continue;
    findings.examined(kPositionsOnce);
    const Point* before = std::exchange(last[next.count], &next);
    if (before == nullptr || before->position != next.position) continue;
    const sim::TrueTime told = std::max(before->told(), next.told());
    std::string what = fmt::format("position {} of {} was given twice: to {}, and to {}", next.position,
                                   resource_text(resource), text_of(*before), text_of(next));
    if (told <= last_grant)
      findings.violate(kPositionsOnce, told, std::move(what));
    else
      findings.lacks(what + "; one of them is not true, or the store lost the other in a failover");
  }
}

// Who asks after an answer is told no earlier position of the same count. What a token was refused tells that of the
// lease.
void find_positions_gone_back(const Evidence& evidence, ResourceId resource) {
  for (const auto& [who, life] : evidence.history_.lives) {
    std::map<Count, const JournalCall*> last;  // of those that were answered
    for (const JournalCall& call : life.calls) {
      const Request& request = call.asked->submission.request;
      const bool tells = call.applied() && call.resource() == resource &&
                         (call.answered->changed || !sim::token_shown(request).has_value());
      if (!tells) continue;
      const JournalCall*& before = last[is_about_the_lease(request) ? Count::lease : Count::rest];
      if (before != nullptr && before->answered_line < call.line &&
          before->answered->position > call.answered->position)
        return evidence.findings_.violate(
            kPositionsOnce, call.heard,
            fmt::format("{} was told position {} of {} at {}, and had been told {} before",
                        evidence.names_.who(who), call.answered->position, resource_text(resource),
                        sim::time_text(call.heard), before->answered->position));
      if (before == nullptr || before->answered->position <= call.answered->position) before = &call;
    }
  }
}

std::uint64_t missing_in(const Gaps& found) {
  std::uint64_t missing = 0;
  for (const PositionGap& gap : found.gaps) missing += gap.missing;
  return missing;
}

void compare_resource(const Evidence& evidence, ResourceId resource, const std::vector<StoreTime>& edits) {
  const JournalHistory& history = evidence.history_;
  AuditFindings& findings = evidence.findings_;
  const std::vector<ResourceId>& went_back = evidence.clock_went_back_;
  const bool no_order = std::find(went_back.begin(), went_back.end(), resource) != went_back.end();
  std::vector<Point> points;
  MayHaveJoined open;
  MayHaveChanged others{edits, {}, manual_runs_begun(history, resource)};
  std::set<std::uint32_t> branches;
  sim::TrueTime last_grant;  // when it was asked for
  history.for_each_call(resource, [&](const JournalCall& call) {
    const Request& request = call.asked->submission.request;
    const Count count = is_about_the_lease(request) ? Count::lease : Count::rest;
    if (call.in_doubt() && changes_something(request)) {
      others.calls.push_back({call.not_before, no_order ? StoreTime::max() : call.not_after, count});
      if (joins_counts(request)) open.insert(count);
    }
    if (!call.applied()) return;
    if (const auto* granted = call.reply<reference::Granted>()) {
      branches.insert(granted->token.branch);
      last_grant = std::max(last_grant, call.sent);
    }
    // A refused write under a token tells the lease's position, if that is further on.
    const bool changed = call.answered->changed;
    const bool joins = joins_counts(request) && (changed || count == Count::rest);
    points.push_back({call.answered->position, changed, call.at(), count, joins, &call});
  });
  take_client_changes(history, resource, points, others);
  if (branches.size() > 1) {
    findings.note(
        fmt::format("{}: the store failed over, and may have given a position twice: they are not compared",
                    resource_text(resource)));
    return;
  }
  std::stable_sort(points.begin(), points.end(), [](const Point& a, const Point& b) {
    return a.position != b.position ? a.position < b.position : a.changed > b.changed;
  });
  date_last_changes(points);
  find_doubles(points, last_grant, resource, findings);
  find_positions_gone_back(evidence, resource);
  const PositionLine line(points);
  Gaps together = line.in_one_count();
  Gaps apart = line.in_two_counts(open);
  const bool is_one_count = together.possible && missing_in(together) < missing_in(apart);
  std::vector<std::uint64_t> told;  // of the count that runs are in
  for (const Point& point : points)
    if (point.changed && (is_one_count || point.count == Count::rest)) told.push_back(point.position);
  judge_manual_runs(evidence, resource, others.runs, told);
  const std::uint64_t by_one = unexplained(together.gaps, others);
  const std::uint64_t by_two = unexplained(apart.gaps, others);
  const bool one_count = together.possible && by_one <= by_two;
  const std::uint64_t left = one_count ? by_one : by_two;
  if (left == 0) return;
  const std::vector<PositionGap>& gaps = one_count ? together.gaps : apart.gaps;
  const auto first =
      std::find_if(gaps.begin(), gaps.end(), [](const PositionGap& gap) { return gap.missing > 0; });
  findings.lacks(fmt::format(
      "{} of {} {} told by no journal, the first between positions {} and {} of the store: lines "
      "that are missing, "
      "a participant's journal, or what was done by somebody who writes none{}",
      counted(left, "a change", "changes"), resource_text(resource), left == 1 ? "is" : "are", first->after,
      first->before, history.tells_of_clients() ? "" : ", as clients do in journals of before version 5"));
}

}  // namespace

void compare_positions(const Evidence& evidence) {
  const JournalHistory& history = evidence.history_;
  const auto edits = edits_of(history);
  std::set<ResourceId> resources = history.resources();
  for (const auto& [who, life] : history.lives)
    for (const JournalClientChange& one : life.client_changes) resources.insert(one.change->resource);
  for (const ResourceId resource : resources) {
    const auto known = edits.find(resource);
    compare_resource(evidence, resource, known != edits.end() ? known->second : std::vector<StoreTime>{});
  }
}

}  // namespace tenure::lab
