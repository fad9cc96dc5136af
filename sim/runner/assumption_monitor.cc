#include "sim/runner/assumption_monitor.h"

#include <algorithm>
#include <utility>

#include "core/base/int128.h"
#include "sim/faults/settings.h"

namespace tenure::sim {
namespace {

using enum Assumption;

constexpr std::array<Part, 2> kParts = {Part::elector, Part::scheduler};

Duration magnitude(Duration length) { return std::max(length, Duration{} - length); }
std::size_t place_of(Part part) { return static_cast<std::size_t>(part); }

}  // namespace

AssumptionMonitor::AssumptionMonitor(const World& world) : world_(world), nodes_(world.node_count()) {
  for (const Part part : kParts) {
    limits_[place_of(part)] = answer_limits(world.scenario(), part);
    drift_bounds_ppm_[place_of(part)] = bounds_of(world.scenario(), part).max_clock_drift_ppm;
  }
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    nodes_[i].mono = world.process(NodeId{i}).clock().mono({});
    read_clocks(NodeId{i}, {});
  }
}

void AssumptionMonitor::see(TrueTime now, const Record& record) {
  if (const auto* submitted = std::get_if<Submitted>(&record)) {
    if (is_instance(submitted->who.node))
      nodes_[submitted->who.node.value].pending.push_back({submitted->id, submitted->submission.part, now});
  } else if (const auto* answer = std::get_if<RequestAnswered>(&record)) {
    if (is_instance(answer->id.incarnation.node)) answered(*answer, now);
  } else if (const auto* changed = std::get_if<ClockChanged>(&record)) {
    read_clocks(changed->node, now);
  } else if (const auto* paused = std::get_if<NodePaused>(&record)) {
    nodes_[paused->who.node.value].paused = now;
  } else if (const auto* resume = std::get_if<NodeResumed>(&record)) {
    resumed(resume->who.node, now);
  } else if (const auto* died = std::get_if<NodeDied>(&record)) {
    resumed(died->who.node, now);
    OfNode& node = nodes_[died->who.node.value];
    for (const OpenRequest& request : node.pending) judge(request, false, now);
    node.pending.clear();
    node.died = now;
  } else if (const auto* start = std::get_if<NodeStarted>(&record)) {
    started(start->who.node, now);
  } else if (const auto* stepped = std::get_if<StoreClockStepped>(&record)) {
    stepped_ += magnitude(stepped->by);
    if (stepped_ < kLeastMove) return;
    note({no_store_step, now, now});
    note({wall_in_step, now});
  } else if (const auto* began = std::get_if<FaultBegan>(&record)) {
    faults_[began->id] = began->lingers;
    if (began->duration == Duration{}) at_rest_from_ = std::max(at_rest_from_, now + began->lingers);
    if (began->duration == Duration{}) faults_.erase(began->id);
  } else if (const auto* ended = std::get_if<FaultEnded>(&record)) {
    const auto fault = faults_.find(ended->id);
    if (fault == faults_.end()) return;
    at_rest_from_ = std::max(at_rest_from_, now + fault->second);
    faults_.erase(fault);
  }
}

void AssumptionMonitor::finish(TrueTime now) {
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    for (const OpenRequest& request : nodes_[i].pending) judge(request, false, now);
    read_clocks(NodeId{i}, now);
    resumed(NodeId{i}, now);
    started(NodeId{i}, now);
  }
}

// Breaches that follow each other without a gap are one, so that memory grows with what changes.
void AssumptionMonitor::note(const Seen& one) {
  constexpr std::ptrdiff_t kLast = 16;  // any of these may be the one before
  const auto first = seen_.rbegin();
  const auto before = std::find_if(first, first + std::min(kLast, std::ssize(seen_)), [&](const Seen& other) {
    return other.assumption == one.assumption && other.node == one.node && other.part == one.part &&
           other.until >= one.since;
  });
  if (before == first + std::min(kLast, std::ssize(seen_))) return seen_.push_back(one);
  before->since = std::min(before->since, one.since);
  before->until = std::max(before->until, one.until);
}

// ---- clocks ------------------------------------------------------------------------------------------------

void AssumptionMonitor::read_clocks(NodeId node, TrueTime now) {
  OfNode& was = nodes_[node.value];
  const NodeClock& clock = world_.process(node).clock();
  const Duration passed = now - was.read;
  const Duration gained = (clock.mono(now) - was.mono) - passed;
  const auto add = [&](Assumption assumption, TrueTime until, std::optional<Part> part = {}) {
    note({assumption, was.read, until, node, part});
  };
  if (was.suspended && passed > Duration{}) {
    add(no_mono_freeze, now);
    add(rates_equal, now);
  } else if (gained != Duration{}) {
    was.off += magnitude(gained);
    if (was.off >= kLeastMove) add(rates_equal, now);
    for (const Part part : kParts) {
      const std::int64_t bound = drift_bounds_ppm_[place_of(part)].value_or(0);
      const Duration may = Duration::nanos(mul_div_floor(passed.ns(), bound, 1'000'000));
      Duration& beyond = was.beyond[place_of(part)];
      if (magnitude(gained) <= may) continue;
      beyond += magnitude(gained) - may;
      if (beyond >= kLeastMove) add(rate_bound, now, part);
    }
  }
  const Duration ahead =
      clock.wall(now) - (WallTime::from_ns(world_.scenario().start_ns) + (now - TrueTime{}));
  if (magnitude(ahead) >= kLeastMove) add(wall_in_step, TrueTime::max());
  was.read = now;
  was.mono = clock.mono(now);
  was.suspended = clock.suspended();
}

// ---- processes ---------------------------------------------------------------------------------------------

void AssumptionMonitor::resumed(NodeId node, TrueTime now) {
  const auto since = std::exchange(nodes_[node.value].paused, std::nullopt);
  if (since && now - *since > world_.scenario().departure.max()) note({no_pause, *since, now, node});
}

void AssumptionMonitor::started(NodeId node, TrueTime now) {
  const auto since = std::exchange(nodes_[node.value].died, std::nullopt);
  if (since) note({no_crash, *since, now, node});
}

// ---- answers -----------------------------------------------------------------------------------------------

void AssumptionMonitor::answered(const RequestAnswered& answer, TrueTime now) {
  std::vector<OpenRequest>& pending = nodes_[answer.id.incarnation.node.value].pending;
  const auto asked = std::find_if(pending.begin(), pending.end(),
                                  [&](const OpenRequest& request) { return request.id == answer.id; });
  if (asked == pending.end()) return;
  judge(*asked, answer.outcome != RequestOutcome::applied, now);
  pending.erase(asked);
}

void AssumptionMonitor::judge(const OpenRequest& request, bool refused, TrueTime now) {
  const AnswerLimits& limits = limits_[place_of(request.part)];
  const Duration took = now - request.since;
  const auto add = [&](Assumption assumption) {
    note({assumption, request.since, now, request.id.incarnation.node, request.part});
  };
  if (refused || took >= limits.timeout) add(prompt_store);
  const bool at_rest = faults_.empty() && request.since >= at_rest_from_;
  if (at_rest && (refused || took >= limits.at_rest)) add(prompt_at_rest);
}

// ---- what was foreseen, and has come about -----------------------------------------------------------------

namespace {

bool is_of(const Broken& broken, const Seen& seen, Duration slack) {
  const bool in_time =
      seen.until >= broken.since && (broken.until == TrueTime::max() || seen.since <= broken.until + slack);
  const bool part = !broken.part || !seen.part || *broken.part == *seen.part;
  const bool node = broken.nodes.empty() || !seen.node ||
                    std::find(broken.nodes.begin(), broken.nodes.end(), *seen.node) != broken.nodes.end();
  return broken.assumption == seen.assumption && in_time && part && node;
}

}  // namespace

std::vector<Broken> confirmed(std::vector<Broken> foreseen, const std::vector<Seen>& seen, Duration slack) {
  std::erase_if(foreseen, [&](Broken& broken) {
    if (broken.unseen) return false;
    TrueTime since = TrueTime::max();
    TrueTime until;
    std::vector<NodeId> nodes;
    bool any = false;
    bool everybodys = false;
    for (const Seen& one : seen) {
      if (!is_of(broken, one, slack)) continue;
      any = true;
      since = std::min(since, one.since);
      until = std::max(until, one.until);
      everybodys = everybodys || !one.node;
      if (one.node && std::find(nodes.begin(), nodes.end(), *one.node) == nodes.end())
        nodes.push_back(*one.node);
    }
    broken.since = std::max(broken.since, since);
    if (broken.until != TrueTime::max()) broken.until = std::min(broken.until, until);
    if (!everybodys) broken.nodes = std::move(nodes);
    return !any;
  });
  return foreseen;
}

}  // namespace tenure::sim
