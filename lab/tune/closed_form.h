// What theory says of a setting, from formulas that owe nothing to the simulator.
//
// Notation: T lease, H renewal period, A the age of the last renewal at a crash, G poll gap, R retry period, N
// standbys, d a round trip to the store, v its way back, B how long a holder believes, W how long others wait, rho the
// rate error of a clock, theta that of a wall clock, sigma how long work goes on after leadership is lost, delta the
// delay of an answer.
//
//   T1  belief counted from the send:    at most one believer iff B/(1-rho) + sigma <= W/(1+rho)
//   T2  belief counted from the reply:   B/(1-rho) + sigma + delta <= W/(1+rho)
//   T3  wall clocks against the store's: B/(1-rho) + sigma <= T - theta
//
// Those bounds hold whatever the store's latency is. With it a little more is tolerated, since who comes next asks
// after W and is answered later: the forms say both. forms.cc derives each of them, where it is computed.
//
// They are of a quiet cluster, whose instances are configured alike and whose clocks agree; where a setting is
// something else, `not_for` says what, and the numbers are not to be shown. Where there is no form for a protocol, that
// is said, and nothing is made up.
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/tune/lease_watch.h"
#include "sim/protocols/failover_form.h"
#include "sim/scenario/scenario.h"

namespace tenure::lab {

// A pause of the leader that never costs it its leadership, whenever it begins: a bound, which some moment comes up to.
struct PauseForm {
  Duration longest;  // zero or less: none
  std::string formula;
};

struct ClosedForm {
  std::string not_for;  // why nothing is predicted for this setting; empty: it is what the formulas are for
  std::optional<FailoverForm> failover;  // none: there is nobody to take over
  bool failover_alone = false;           // of what follows, only `cycle` means something
  Duration belief;                       // of a leader that is cut off
  std::optional<Duration> first_belief;  // of one that is cut off as it begins to lead; none: the same
  Duration
      first_answer;  // with first_belief: the first renewal is answered no earlier after it begins to lead
  BeliefFrom from = BeliefFrom::send;
  std::string belief_formula;
  Duration wait;
  std::string_view theorem;  // "T1", "T2", "T3"
  // T1 and T2, with sigma and delta zero: the largest rate error of any clock, either way; none: not even zero, or it
  // is another thing that decides.
  std::optional<std::int64_t> rate_ppm;
  // T2: how long an answer may take, and a process stand still between its deadline and its stop, together.
  std::optional<Duration> delay;
  Duration
      latest_answer;  // T2: an answer that is later than this comes too late to count, and so does no harm
  // T3: how far a holder's wall clock may be behind the store's; none: any, since belief ends without it.
  std::optional<Duration> behind;
  // What latency adds to W at the least, beyond what it adds to B at the most: by so much each bound is too strict.
  Duration trips;
  std::string trips_formula;
  // Where belief has no end of its own: up to here, a pause with nothing else wrong never makes two lead.
  std::optional<Duration> pause_alone;
  PauseForm pause;
  Duration cycle;  // from one renewal to the next; with failover_alone: by how much failovers differ
  sim::Range<Duration> first_attempt;  // from leading to the beginning of the first renewal, and to its end
  sim::Range<std::int64_t> renewals;   // committed within the last W before a crash
  std::optional<sim::Range<std::int64_t>>
      attempts;  // to renew, when none is answered any more, before leadership ends
  std::string attempts_formula;
  bool reads_first = true;  // whether an attempt on a record begins with a get
};

// None for a protocol of which nothing is derived.
std::optional<ClosedForm> closed_form(const sim::Scenario& scenario);

// The mean of a distribution.
Duration mean_of(const sim::Quantiles& quantiles);

// The largest rate error, in parts per million, at which B/(1-rho) + slack <= W/(1+rho); none when there is not even
// one at zero.
std::optional<std::int64_t> tolerated_rate_ppm(Duration belief, Duration wait, Duration slack);

// A bound on the strength of a fault, or on a setting, for at most one believer.
struct TheoryBound {
  std::optional<std::int64_t> value;  // ns or parts per million; none: any
  std::string text;                   // "T2: delta + sigma <= L - (R + D) = 3s"
};
// Of the key that a frontier searches, if there is one for it. `checker` as its own work extends what is believed.
std::optional<TheoryBound> theory_bound(const sim::Scenario& scenario, std::string_view key,
                                        std::string_view checker);
// The place of the fault that such a key is of.
std::optional<std::size_t> fault_of_key(const sim::Scenario& scenario, std::string_view key);

// For how long this fault of the scenario may last, if nothing else strikes.
std::optional<TheoryBound> bound_of_fault(const sim::Scenario& scenario, std::size_t place);
// What theory has against the scenario's faults: pauses that last too long, and clocks that run too far apart while
// something keeps a leader from renewing.
std::vector<sim::UnsafeNote> faults_beyond_theory(const sim::Scenario& scenario);

}  // namespace tenure::lab
