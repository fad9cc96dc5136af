#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/journal/kinds.h"
#include "lab/audit/evidence.h"
#include "sim/checkers/names.h"

namespace tenure::lab {
namespace {

constexpr std::string_view kPositionsOnce = "positions-once";
constexpr std::string_view kRunsWereAskedFor = "runs-were-asked-for";

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

bool lease_request(const Request& request) {
  return sim::reference_request<reference::Acquire>(request) != nullptr ||
         sim::reference_request<reference::Renew>(request) != nullptr ||
         sim::reference_request<reference::Release>(request) != nullptr;
}
// An acquire and a release come after all that was written under the lease before, and what is written under a token
// after its acquire. A renewal and a write without a token have only their own count.
bool joins_counts(const Request& request) {
  return lease_request(request) ? sim::reference_request<reference::Renew>(request) == nullptr
                                : sim::token_shown(request).has_value();
}
bool changes_something(const Request& request) {
  const auto* asked = std::get_if<reference::Request>(&request);
  return asked == nullptr || !reference::only_reads(*asked);
}

bool reads_what_waits(const JournalCall& call) {
  return call.reply<reference::Outbox>() != nullptr || call.reply<reference::WaitingEvents>() != nullptr;
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

// Manual runs that some life began: somebody asked for them.
struct BegunRun {
  std::uint64_t upto = UINT64_MAX;  // the store had been asked for it by this position
  sim::TrueTime at = sim::TrueTime::max();
};
using BegunRuns = std::map<journal::ClientChange::Run, BegunRun>;

// A leader finds a run when it reads what waits: the store had been asked for it by the last such answer before the run
// began. These reads tell the position of the rest, also where the counts are apart.
BegunRuns runs_begun(const JournalHistory& history, ResourceId resource) {
  BegunRuns runs;
  for (const auto& [who, life] : history.lives)
    for (const JournalWork& work : life.works) {
      if (!work.item->once || work.item->resource != resource || work.item->event.run == 0) continue;
      std::uint64_t upto = life.begins() ? 0 : UINT64_MAX;
      for (const JournalCall& call : life.calls)
        if (call.resource() == resource && reads_what_waits(call) && call.answered_line < work.line)
          upto = std::max(upto, call.answered->position);
      BegunRun& run = runs[{work.item->event.schedule, work.item->event.run}];
      run.upto = std::min(run.upto, upto);
      run.at = std::min(run.at, life.lines[work.line].at);
    }
  return runs;
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

std::uint64_t missing_in(const Gaps& found) {
  std::uint64_t missing = 0;
  for (const PositionGap& gap : found.gaps) missing += gap.missing;
  return missing;
}

// A run is asked for once: whoever repeats the request changes nothing, until the run is pruned.
void find_runs_asked_for_twice(const Evidence& evidence, ResourceId resource) {
  std::set<std::uint64_t> pruned;
  evidence.history_.for_each_call(resource, [&](const JournalCall& call) {
    if (call.request<reference::Prune>() != nullptr && call.applied()) pruned.insert(call.answered->position);
  });
  std::map<std::uint64_t, const JournalClientChange*> in_order;
  evidence.history_.for_each_client_change(resource, [&](const JournalClientChange& one) {
    if (one.change->run && one.change->done) in_order.emplace(one.change->done->position, &one);
  });
  std::map<journal::ClientChange::Run, std::uint64_t> asked;
  for (const auto& [position, one] : in_order) {
    const auto [first, fresh] = asked.try_emplace(*one->change->run, position);
    const auto prune = pruned.upper_bound(first->second);
    if (fresh || (prune != pruned.end() && *prune < position)) continue;
    evidence.findings_.violate(
        kRunsWereAskedFor, one->told,
        fmt::format("run {} of {} was made at position {}, and again at position {}",
                    one->change->run->number, evidence.names_.schedule(one->change->run->schedule),
                    first->second, position));
  }
}

// Somebody asked for each run that began, and changed the store with it: each that no client's line tells has a position
// that no line tells. `points`: of the count that runs are in.
void judge_runs(const Evidence& evidence, ResourceId resource, const BegunRuns& begun,
                const std::set<journal::ClientChange::Run>& untold, const std::vector<Point>& points) {
  if (!begun.empty()) evidence.findings_.examined(kRunsWereAskedFor, begun.size());
  find_runs_asked_for_twice(evidence, resource);
  std::vector<BegunRun> runs;
  for (const journal::ClientChange::Run& run : untold) runs.push_back(begun.at(run));
  std::sort(runs.begin(), runs.end(), [](const BegunRun& a, const BegunRun& b) { return a.upto < b.upto; });
  auto told = points.begin();
  std::uint64_t count_told = 0;
  sim::TrueTime first = sim::TrueTime::max();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    first = std::min(first, runs[i].at);
    for (; told != points.end() && told->position <= runs[i].upto; ++told)
      count_told += told->changed ? 1 : 0;
    const std::uint64_t unseen = runs[i].upto - std::min(runs[i].upto, count_told);
    if (i < unseen) continue;
    return evidence.findings_.violate(
        kRunsWereAskedFor, first,
        fmt::format(
            "{} of {} began, the first at {}, and by its positions the store was asked for {} of them",
            counted(i + 1, "a manual run", "manual runs"), resource_text(resource), sim::time_text(first),
            unseen == 0 ? "none" : fmt::format("at most {}", unseen)));
  }
}

void compare_resource(const Evidence& evidence, ResourceId resource, const std::vector<StoreTime>& edits) {
  const JournalHistory& history = evidence.history_;
  AuditFindings& findings = evidence.findings_;
  const std::vector<ResourceId>& went_back = evidence.clock_went_back_;
  const bool no_order = std::find(went_back.begin(), went_back.end(), resource) != went_back.end();
  std::vector<Point> points;
  MayHaveJoined open;
  const BegunRuns begun = runs_begun(history, resource);
  MayHaveChanged others{edits, {}, {}};
  for (const auto& [run, when] : begun) others.runs.insert(run);
  std::set<std::uint32_t> branches;
  sim::TrueTime last_grant;  // when it was asked for
  history.for_each_call(resource, [&](const JournalCall& call) {
    const Request& request = call.asked->submission.request;
    const Count count = lease_request(request) ? Count::lease : Count::rest;
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
  const PositionLine line(points);
  Gaps together = line.in_one_count();
  Gaps apart = line.in_two_counts(open);
  const bool is_one_count = together.possible && missing_in(together) < missing_in(apart);
  std::vector<Point> of_runs = points;
  if (!is_one_count) std::erase_if(of_runs, [](const Point& point) { return point.count != Count::rest; });
  judge_runs(evidence, resource, begun, others.runs, of_runs);
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
