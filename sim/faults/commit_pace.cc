#include "sim/faults/commit_pace.h"

#include <algorithm>

#include "core/base/int128.h"
#include "core/scheduler/fenced_outbox/destination_queue.h"
#include "core/scheduler/fenced_outbox/settings.h"

namespace tenure::sim {

CommitPace commit_pace(const Parameters& values, const CommitLoad& load) {
  const FencedOutboxSettings settings(values);
  // How much of `length` something takes that takes `once`, `often` times in `period`; at most one turn of its own.
  const auto share = [](Duration once, Duration length, Duration period, std::int64_t often = 1) {
    return length * often < period
               ? Duration::nanos(mul_div_floor(once.ns(), (length * often).ns(), period.ns()))
               : once;
  };
  constexpr int kRounds = 64;  // the longer a turn is, the more of the others come in it
  Duration turn = std::max(load.way + load.request, Duration::nanos(1));
  for (int i = 0; i < kRounds; ++i)
    turn = std::max(load.way + load.request + share(load.request, turn, settings.poll_period) +
                        share(load.request, turn, settings.ack_delay),
                    Duration::nanos(1));
  const auto workers = static_cast<std::int64_t>(settings.max_running);
  // As a commit is sent, the fires of the one before it have just begun: the two share the workers.
  const std::int64_t rows = std::min(static_cast<std::int64_t>(settings.batch), (workers + 1) / 2);
  // When a quarter is left of what was read, the rest is read.
  const Duration ahead = settings.look_ahead() * 3 / 4;
  const std::int64_t segments = load.due_within != nullptr ? load.due_within(ahead) : 0;
  const std::int64_t pages = std::max<std::int64_t>((segments + kPage - 1) / std::int64_t{kPage}, 1);
  // A commit takes turns with looks through the outbox, with reading ahead, and with what is forgotten. A look's period
  // counts from the end of the one before, and then it waits for its turn.
  Duration apart = turn;
  for (int i = 0; i < kRounds; ++i)
    apart = turn + share(turn, apart, settings.poll_period + turn * 2) + share(turn, apart, ahead, pages) +
            (settings.retention > Duration{} ? share(turn, apart, settings.prune_period) : Duration{});
  return {apart, rows, workers};
}

// What the outbox shows to a new leader may be more; but that began once.
BegunTogether most_begun_together(const Parameters& values) {
  const std::int64_t workers = values.number("max_running");
  return {std::min(values.number("batch"), workers),
          std::min(static_cast<std::int64_t>(DestinationQueue::kMost), workers)};
}

}  // namespace tenure::sim
