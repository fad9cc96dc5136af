#include "sim/runner/recording.h"

#include <algorithm>

#include "core/base/check.h"

namespace tenure::sim {
namespace {

bool covers(const Span& span, TrueTime at) { return span.from <= at && at < span.to; }

bool is_paused(const Recording& recording, NodeId node, TrueTime at) {
  return std::any_of(recording.pauses.begin(), recording.pauses.end(),
                     [&](const PauseSpan& pause) { return pause.node == node && covers(pause.span, at); });
}

// Every moment at which somebody begins or ceases to believe, or to stand still.
std::vector<TrueTime> turning_points(const Recording& recording) {
  std::vector<TrueTime> points;
  const auto add = [&](const Span& span) {
    points.push_back(span.from);
    points.push_back(std::min(span.to, recording.end));
  };
  for (const BeliefSpan& belief : recording.beliefs) add(belief.span);
  for (const PauseSpan& pause : recording.pauses) add(pause.span);
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  return points;
}

}  // namespace

std::vector<OverlapSpan> overlaps(const Recording& recording) {
  std::vector<OverlapSpan> result;
  const std::vector<TrueTime> points = turning_points(recording);
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    OverlapSpan here{{points[i], points[i + 1]}, {}, false};
    std::size_t acting = 0;
    for (const BeliefSpan& belief : recording.beliefs) {
      if (!covers(belief.span, here.span.from)) continue;
      here.nodes.push_back(belief.who.node);
      if (!is_paused(recording, belief.who.node, here.span.from)) ++acting;
    }
    if (here.nodes.size() < 2) continue;
    here.acting = recording.pauses_known && acting >= 2;
    const bool goes_on = !result.empty() && result.back().span.to == here.span.from &&
                         result.back().nodes == here.nodes && result.back().acting == here.acting;
    if (goes_on)
      result.back().span.to = here.span.to;
    else
      result.push_back(std::move(here));
  }
  return result;
}

Span warmup_of(const BeliefSpan& belief, const Recording& recording) {
  const TrueTime end = std::min(belief.span.to, recording.end);
  return {belief.span.from, std::min(belief.span.from + recording.warmup, end)};
}

std::string_view name_of(LateBecause why) {
  switch (why) {
    case LateBecause::nobody_led: return "nobody led";
    case LateBecause::not_committed: return "not committed";
    case LateBecause::not_begun: return "not begun";
  }
  CHECK(false, "every cause has a name");
}

RequestFate fate_of(const RequestTrip& trip) {
  if (!trip.heard) return RequestFate::open;
  if (trip.outcome == RequestOutcome::applied) return RequestFate::answered;
  if (trip.outcome == RequestOutcome::rejected) return RequestFate::rejected;
  if (!trip.followed) return RequestFate::in_doubt;
  if (!trip.applied) return RequestFate::never_applied;
  return trip.returned ? RequestFate::too_late : RequestFate::not_known;
}

std::string_view name_of(RequestFate fate) {
  switch (fate) {
    case RequestFate::answered: return "answered";
    case RequestFate::rejected: return "rejected";
    case RequestFate::never_applied: return "never applied";
    case RequestFate::not_known: return "applied, and the node does not know";
    case RequestFate::too_late: return "answered too late";
    case RequestFate::open: return "no answer";
    case RequestFate::in_doubt: return "given up; the store may have applied it";
  }
  CHECK(false, "every fate has a name");
}

}  // namespace tenure::sim
