// When nothing is in a scheduler's way: one and the same instance leads, no fault is in force, and nobody is at work.
// Work of others takes its own time away, and no more.
//
// Thread rule: pure functions.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "tests/judge/beliefs.h"

namespace tenure::judging {

struct Span {
  sim::TrueTime from;
  sim::TrueTime to;
};
struct QuietTimes {
  std::vector<Span> steady;  // one leads, and no fault is in force, nor what it had delayed
  std::vector<Span> busy;    // somebody is at work
};

inline QuietTimes quiet_times(const History& history) {
  struct Change {
    int leaders = 0;
    int faults = 0;
    int at_work = 0;
    bool turns = false;  // somebody begins to lead, or does no more
  };
  std::map<sim::TrueTime, Change> changes;
  for (const Leadership& led : leaderships(history)) {
    Change& begins = changes[led.from];
    ++begins.leaders;
    begins.turns = true;
    Change& ends = changes[std::min(led.to, history.end)];
    --ends.leaders;
    ends.turns = true;
  }
  std::set<std::uint64_t> faults;
  Duration lingers;
  int at_work = 0;
  for (const Kept& kept : history.facts) {
    if (const auto* fault = std::get_if<KeptFault>(&kept.fact)) {
      lingers = std::max(lingers, fault->lingers);
      ++changes[kept.at].faults;
      if (fault->begins && !fault->lasts) --changes[kept.at + fault->lingers].faults;
      if (fault->begins && fault->lasts && !faults.insert(fault->id).second) --changes[kept.at].faults;
      if (!fault->begins) {
        --changes[kept.at + lingers].faults;
        if (faults.erase(fault->id) > 0) --changes[kept.at].faults;
      }
    } else if (const auto* landed = std::get_if<KeptLanding>(&kept.fact)) {
      if (landed->landing != sim::DeliveryOutcome::begun) continue;
      ++changes[kept.at].at_work;
      ++at_work;
    } else if (std::holds_alternative<KeptEnding>(kept.fact) && at_work > 0) {
      --changes[kept.at].at_work;
      --at_work;
    }
  }
  changes[history.end];
  QuietTimes quiet;
  Change now;
  sim::TrueTime since;
  for (const auto& [at, change] : changes) {
    if (at > history.end) break;
    if (now.leaders == 1 && now.faults == 0) {
      const bool goes_on = !quiet.steady.empty() && quiet.steady.back().to == since && !now.turns;
      if (goes_on)
        quiet.steady.back().to = at;
      else
        quiet.steady.push_back({since, at});
    }
    if (now.at_work > 0) quiet.busy.push_back({since, at});
    now.leaders += change.leaders;
    now.faults += change.faults;
    now.at_work += change.at_work;
    now.turns = change.turns;
    since = at;
  }
  return quiet;
}

// Had one leader so much quiet time within [from, to)?
inline bool any_within(const QuietTimes& quiet, sim::TrueTime from, sim::TrueTime to, Duration length) {
  return std::any_of(quiet.steady.begin(), quiet.steady.end(), [&](const Span& one) {
    const Span span{std::max(one.from, from), std::min(one.to, to)};
    if (span.from >= span.to) return false;
    Duration left = span.to - span.from;
    for (const Span& busy : quiet.busy)
      if (busy.from < span.to && busy.to > span.from)
        left = left - (std::min(busy.to, span.to) - std::max(busy.from, span.from));
    return left >= length;
  });
}

}  // namespace tenure::judging
