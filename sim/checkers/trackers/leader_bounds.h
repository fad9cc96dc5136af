// How long a leader may take for each of its duties, by the settings of its scheduler
// (docs/adr/0016-a-leader-that-cannot-fire-steps-aside.md).
//
// Thread rule: immutable.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "sim/scenario/latencies.h"

namespace tenure::sim {

struct LeaderBounds {
  // For rates within their bounds, and for what is on its way.
  static constexpr Duration kSlack = Duration::seconds(1);
  // Schedules, or events: whoever has many has many pages to read.
  static constexpr std::int64_t kPage = 1000;
  // A leader's requests take turns: what is wanted waits for the one under way or three others, and takes one.
  static constexpr std::int64_t kTurns = 4;

  explicit LeaderBounds(const Scenario& scenario)
      : stall(scenario.scheduling.duration("stall_timeout")),
        timeout(scenario.scheduling.duration("request_timeout")),
        stuck(stall + scenario.scheduling.duration("poll_period") +
              std::max(timeout * 2, slowest_answer(scenario, kOthersOfScheduler) * kTurns * 2) +
              timeout * kTurns * (static_cast<std::int64_t>(scenario.schedules.size()) / kPage) + kSlack),
        lifts(scenario.scheduling.duration("clock_hold") * 101 / 100 +
              scenario.scheduling.duration("poll_period") + timeout + kSlack),
        way(scenario.network.latency.max()),
        again(timeout + scenario.scheduling.duration("retry_period") + kSlack),
        workers(scenario.scheduling.number("max_running")),
        others(static_cast<std::size_t>(2 * workers + 10)) {}

  // To look through the outbox, of which it has read so many pages: to begin, an attempt may fail; and each page may
  // wait for one of manual runs that were left out.
  Duration sweep(std::int64_t pages) const { return stuck + timeout * kTurns * (2 + pages * 2); }
  // To begin work beside so many pieces, all of which the outbox has to show once more.
  Duration begin_work(std::size_t waiting) const {
    return stuck + timeout * (1 + kTurns * 2 * (static_cast<std::int64_t>(waiting) / kPage));
  }

  Duration stall;
  Duration timeout;  // of a request
  // What is due must have got further by then: its first commit waits for its turn, and so does the last.
  Duration stuck;
  Duration lifts;  // a hold is lifted so long after the store's clock was as it is now
  Duration way;    // the result of work is on its way back for so long at most
  Duration again;  // within that time a hold is asked for once more, while one is wanted
  std::int64_t workers;
  // So often at most workers are given to manual runs and failed work while something is due: both have one turn before
  // the fires have theirs, of up to half the workers each; and some pieces are on their way.
  std::size_t others;
};

}  // namespace tenure::sim
