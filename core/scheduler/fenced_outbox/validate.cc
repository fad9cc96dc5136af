// What is wrong with a set of the fenced outbox's settings: inequalities that theory asks for (README, "Settings that
// go together").
#include <fmt/format.h>

#include <algorithm>

#include "core/base/int128.h"
#include "core/model/describe.h"
#include "core/scheduler/fenced_outbox/destination_queue.h"
#include "core/scheduler/fenced_outbox/settings.h"
#include "core/scheduler/fenced_outbox/store_clock_estimate.h"

namespace tenure {
namespace {

// A new leader reads what is due, reads the outbox and commits, one request after the other.
constexpr int kUntilFirstCommit = 3;

// A leader that waits for a store that works is not stuck, also if each answer takes as long as it may.
void see_stall(const FencedOutboxSettings& s, std::vector<Complaint>& complaints) {
  if (s.stall_timeout == Duration{}) {
    complaints.push_back({"stall_timeout", "never-steps-aside",
                          "stall_timeout (0s) lets a leader stay that can renew its lease and fire nothing"});
  } else if (s.stall_timeout <= s.request_timeout * kUntilFirstCommit + s.retry_period) {
    complaints.push_back(
        {"stall_timeout", "stall-within-requests",
         fmt::format(
             "stall_timeout ({}) is no longer than {} request_timeout ({}) + retry_period ({}): a new leader "
             "asks {} times until it has fired, and steps aside if the store takes that long each time",
             describe(s.stall_timeout), kUntilFirstCommit, describe(s.request_timeout),
             describe(s.retry_period), kUntilFirstCommit)});
  }
}

// An alarm needs a margin, and a jump that is to raise one has to stand out from what drift explains.
void see_alarm(const FencedOutboxSettings& s, std::vector<Complaint>& complaints) {
  const Duration drift = drift_between_clocks(s.poll_period, s.max_clock_drift_ppm);
  if (s.clock_tolerance == Duration{} && s.max_clock_drift_ppm == 0) {
    complaints.push_back(
        {"clock_tolerance", "no-clock-margin",
         fmt::format("clock_tolerance (0s) and max_clock_drift_ppm (0) leave no margin: any difference of "
                     "rates is an alarm, and each holds all fires for clock_hold ({})",
                     describe(s.clock_hold))});
  } else if (s.clock_tolerance > Duration{} && drift > s.clock_tolerance) {
    complaints.push_back(
        {"poll_period", "drift-hides-jumps",
         fmt::format(
             "2 max_clock_drift_ppm ({}) x poll_period ({}) = {} exceeds clock_tolerance ({}): a jump "
             "of the store's clock by less than that may raise no alarm",
             s.max_clock_drift_ppm, describe(s.poll_period), describe(drift), describe(s.clock_tolerance)),
         true});
  }
}

// A hold is for looking at the clock again, more than once.
void see_hold(const FencedOutboxSettings& s, std::vector<Complaint>& complaints) {
  if (s.clock_hold == Duration{}) {
    complaints.push_back(
        {"clock_hold", "no-clock-hold",
         "clock_hold (0s) fires on at once after a jump of the store's clock: slots of a false future"});
    return;
  }
  if (s.clock_hold < s.poll_period)
    complaints.push_back(
        {"clock_hold", "hold-within-a-poll",
         fmt::format(
             "clock_hold ({}) is shorter than poll_period ({}): after a jump of the store's clock, the "
             "next look at it ends the hold",
             describe(s.clock_hold), describe(s.poll_period)),
         true});
  if (s.clock_tolerance > s.clock_hold)
    complaints.push_back(
        {"clock_tolerance", "tolerance-beyond-hold",
         fmt::format("clock_tolerance ({}) exceeds clock_hold ({}): what raises no alarm moves fires further "
                     "than an alarm would hold them up",
                     describe(s.clock_tolerance), describe(s.clock_hold)),
         true});
}

// What an instance has not read yet must not be forgotten.
void see_retention(const FencedOutboxSettings& s, std::vector<Complaint>& complaints) {
  if (s.retention == Duration{} || s.retention > s.poll_period * 2 + s.request_timeout) return;
  complaints.push_back(
      {"retention", "retention-within-polls",
       fmt::format("retention ({}) is no longer than 2 poll_period ({}) + request_timeout ({}): what an "
                   "instance has not yet read of the change feed is forgotten, and it reads all of it again",
                   describe(s.retention), describe(s.poll_period), describe(s.request_timeout))});
}

}  // namespace

CommitPace fenced_outbox_pace(const Parameters& values, const CommitLoad& load) {
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
BegunTogether fenced_outbox_begun_together(const Parameters& values) {
  const std::int64_t workers = values.number("max_running");
  return {std::min(values.number("batch"), workers),
          std::min(static_cast<std::int64_t>(DestinationQueue::kMost), workers)};
}

std::vector<Complaint> validate_fenced_outbox(const Parameters& values) {
  const FencedOutboxSettings settings(values);
  std::vector<Complaint> complaints;
  see_stall(settings, complaints);
  see_alarm(settings, complaints);
  see_hold(settings, complaints);
  see_retention(settings, complaints);
  return complaints;
}

}  // namespace tenure
