// What theory says of a setting, from formulas that owe nothing to the simulator.
//
// Notation: T lease, H renewal period, A the age of the last renewal at a crash, G poll gap, R retry period, N
// standbys, d the round trip to the store, B how long a holder believes, W how long others wait, rho the rate error
// of a clock, theta that of a wall clock, sigma how long work goes on after leadership is lost, delta the delay of an
// answer.
//
//   T1  belief counted from the send:    at most one believer iff B/(1-rho) + sigma <= W/(1+rho)
//   T2  belief counted from the reply:   B/(1-rho) + sigma + delta <= W/(1+rho)
//   T3  wall clocks against the store's: B/(1-rho) + sigma <= T - theta
//
// Failover is from a crash of the leader, and nothing else, to the next grant. Each protocol's README derives it. Where
// there is none for a protocol, that is said, and nothing is made up.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sim/scenario/scenario.h"

namespace tenure::sim {

struct FailoverForm {
  Duration least;
  Duration mean;
  Duration most;
  std::string formula;
};

struct ClosedForm {
  FailoverForm failover;
  Duration belief;
  std::string belief_formula;
  Duration wait;
  std::string_view theorem;  // "T1", "T2", "T3"
  // Of T1 and T2, with sigma and delta zero: the largest rate error of any clock, either way; none where it is another
  // thing that decides.
  std::optional<std::int64_t> rate_ppm;
  // T2: how long an answer may take, and a process stand still between its deadline and its stop, together.
  std::optional<Duration> delay;
  // T3: how far a holder's wall clock may be behind the store's.
  std::optional<Duration> behind;
  // Where belief has no end of its own: up to here, a pause with nothing else wrong never makes two lead.
  std::optional<Duration> pause_alone;
  // The longest pause that never costs the leadership, whenever it comes.
  Duration pause;
  std::string pause_formula;
  std::int64_t renewals = 0;  // within one lease
  std::int64_t attempts = 0;  // to renew, when each one hangs, before leadership is given up
  std::string attempts_formula;
};

// None for a protocol of which nothing is derived. By the settings of the first instance.
std::optional<ClosedForm> closed_form(const Scenario& scenario);

// The mean of a distribution.
Duration mean_of(const Quantiles& quantiles);

// The largest rate error, in parts per million, at which B/(1-rho) + slack <= W/(1+rho); none when there is not even
// one at zero.
std::optional<std::int64_t> tolerated_rate_ppm(Duration belief, Duration wait, Duration slack);

// The mean of the least of N sums of two residual waits, each of a poll that is drawn from [R, 2.2 R], in thousandths
// of R. REQUIRES: standbys > 0.
std::int64_t least_double_residual_milli(std::int64_t standbys);

// A bound on the strength of a fault, or on a setting, for at most one believer.
struct TheoryBound {
  std::optional<std::int64_t> value;  // ns or parts per million; none: any
  std::string text;                   // "T2: delta + sigma <= L - (R + D) = 3s"
};
// Of the key that a frontier searches, if there is one for it. `checker` as its own work extends what is believed.
std::optional<TheoryBound> theory_bound(const Scenario& scenario, std::string_view key,
                                        std::string_view checker);

}  // namespace tenure::sim
