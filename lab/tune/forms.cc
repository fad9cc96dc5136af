#include "lab/tune/forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/lease/fenced_lease/fenced_lease.h"
#include "format/syntax/units.h"
#include "lab/tune/poll_wait.h"
#include "sim/protocols/client_go/client_go_kind.h"

namespace tenure::lab {
namespace {

constexpr std::string_view kLosesByItself = "a leader in good health loses its lease, at these latencies: ";

// How many moments that are a cycle apart fall into a window that begins anywhere; the latency of each is its own.
sim::Range<std::int64_t> moments_within(Duration window, const Spread& cycle, Duration own) {
  return {std::max<std::int64_t>((window - own) / cycle.most, 0),
          (window + own + cycle.least - Duration::nanos(1)) / cycle.least};
}

// What is left of a deadline after which a request that was caught by a pause counts as unknown: on waking, its
// answer and its deadline come in either order.
Duration until_unknown(Duration timeout, const Spread& trip) { return timeout - trip.most; }

std::string too_slow(Duration timeout, const Spread& trip) {
  if (trip.most < timeout) return {};
  return fmt::format(
      "a round trip takes up to {}, no less than request_timeout ({}): requests fail without any fault",
      print_duration(trip.most), print_duration(timeout));
}

}  // namespace

// A renewal leaves every H, at s; it is committed at c, and the lease ends at E = c + T. A standby is told at c' what
// is left, E - c', hears it v later, and asks again after that and a jitter J: its request is committed d + J after
// E. If the leader has renewed meanwhile it is told the new end, and so on. So once the leader is dead
//   D = (E - crash) + J + d + v = T - A + J + 2 d,  A in [0, H]
// One d is of the last renewal's way there and the refusal's back, the other of the request that is granted.
// That takes d + J <= H: otherwise a standby can be told of a renewal, and ask next after the end of the one that
// followed it. Then it is somewhere in between: no earlier than E and v, no later than the same.
//
// A pause. Until s + B belongs to the last renewal that was answered, s; the next one is sent at s + H. A pause that
// begins as its answer arrives, at s + H + d, must be over by s + B: B - H - d. But if it outlasts the request's
// timeout, the deadline may be heard of before the answer; then the renewal is sent anew, at its next turn (s + 2 H
// or at once), or a retry later, and takes d more.
ClosedForm form_of_fenced_lease(const Parameters& p, const FailoverTerms& around) {
  const Duration lease = p.duration("lease_duration");
  const Duration renew = p.duration("renew_period");
  const Duration jitter = p.duration("retry_jitter");
  const Duration timeout = p.duration("request_timeout");
  const Duration retry = p.duration("retry_period");
  const Spread& d = around.trip;
  ClosedForm form;
  form.belief = fenced_lease_belief(lease, p.number("max_clock_drift_ppm"), p.duration("guard"));
  form.belief_formula = "T (1 - rho)/(1 + rho) - guard, from the send";
  form.wait = lease;
  form.theorem = "T1";
  form.rate_ppm = tolerated_rate_ppm(form.belief, form.wait, {});

  const bool told_in_time = jitter + d.most + d.width() <= renew;
  form.failover = {.least = lease - renew - around.departure + d.least * (told_in_time ? 2 : 1),
                   .mean = std::nullopt,
                   .most = lease + jitter + d.most * 2,
                   .formula = "T - A + J + 2 d, with A in [0, H], J the least jitter"};
  if (told_in_time)
    form.failover->mean = lease - renew / 2 + jitter / (around.standbys + 1) + d.mean * 2;
  else
    form.failover->formula = "from T - H + d to T + J + 2 d; no mean, as J + d may exceed H";
  form.trips = d.least * (told_in_time ? 2 : 1);
  form.trips_formula = told_in_time ? "2 d" : "d";

  const Duration slack = form.belief >= renew * 2 + d.most ? Duration{} : retry + jitter;
  form.pause.longest =
      std::min(form.belief - renew - d.most,
               std::max(until_unknown(timeout, d), form.belief - renew - d.most * 2 - slack));
  form.pause.formula = fmt::format("min(B - H - d, max(request_timeout - d, B - H - 2 d{}))",
                                   slack > Duration{} ? " - R - J" : "");
  form.cycle = renew;
  form.first_attempt = {renew - d.most, renew - d.least + d.most};
  form.renewals = moments_within(lease, {renew, renew, renew}, d.width());
  // A renewal that is due leaves when the one before is given up.
  const auto begun = [&](Duration gap) { return 1 + (form.belief - renew - Duration::nanos(1)) / gap; };
  const bool one_by_one = timeout >= renew;
  form.attempts = {begun(one_by_one ? timeout : std::min(renew, timeout + retry + jitter)),
                   begun(one_by_one ? timeout : std::min(renew, timeout + retry))};
  form.attempts_formula = one_by_one
                              ? "those sent before B is over, every request_timeout from H on"
                              : "those sent before B is over, every min(H, request_timeout + R) from H on";
  form.not_for = too_slow(timeout, d);
  if (form.not_for.empty() && d.most >= renew)
    form.not_for = fmt::format(
        "a round trip takes up to {}, no less than renew_period ({}): renewals wait for one another",
        print_duration(d.most), print_duration(renew));
  if (form.not_for.empty() && form.belief <= renew + d.most)
    form.not_for =
        fmt::format("{}H + d is not less than B ({})", kLosesByItself, print_duration(form.belief));
  return form;
}

// Everybody asks G = P + d after the last time, and is on its own phase. The row is taken until c + T. So
//   D = T - A + Res + d,  A and the least Res of N in [0, G].
// A pause: the leader's flag stands until c + T, and the next answer comes G + d - (c - s) = G + v later: T - G - v.
// If the pause outlasts the statement's timeout, it counts as failed, and the flag falls.
ClosedForm form_of_db_lease(const Parameters& p, const FailoverTerms& around) {
  const Duration lock = p.duration("lock_duration");
  const Duration poll = p.duration("poll_period");
  const Duration timeout = p.duration("request_timeout");
  const Spread& d = around.trip;
  const Spread& v = around.back;
  const Duration gap = poll + d.mean;
  ClosedForm form;
  form.failover = {.least = lock - poll - v.width() - around.departure,
                   .mean = lock - gap / 2 + gap / (around.standbys + 1) + d.mean,
                   .most = lock + poll + d.most * 2,
                   .formula = "T - A + Res + d, with A and Res in [0, G], G = P + d"};
  form.wait = lock;
  form.theorem = "T3";
  if (v.most + poll + timeout <= lock) {
    form.belief = poll + timeout;
    form.from = BeliefFrom::reply;
    form.belief_formula = "P + request_timeout, from the reply, as the next one hangs";
  } else {
    form.belief = lock;
    form.from = BeliefFrom::commit;
    form.belief_formula = "T, by the holder's wall clock, from the commit";
    form.behind = Duration{};
  }
  form.trips = v.least;
  form.trips_formula = "v";
  form.pause.longest = std::min(lock - poll - d.most - v.most, until_unknown(timeout, d));
  form.pause.formula = "min(T - G - v, request_timeout - d)";
  form.cycle = gap;
  form.first_attempt = {poll, poll + d.most};
  form.renewals = moments_within(lock, {poll + d.least, gap, poll + d.most}, d.width());
  form.attempts = {1, 1};
  form.attempts_formula = "the first that fails ends it; one that hangs, when it is answered";
  form.not_for = too_slow(timeout, d);
  if (form.not_for.empty() && lock <= poll + d.most + v.most)
    form.not_for = fmt::format("{}P + d + v is not less than T ({})", kLosesByItself, print_duration(lock));
  return form;
}

// Beats at whole periods, each writing its own wall clock's time as it leaves: a row of age T is taken by the first
// beat after s + T, and its answer takes d:  D = T - A + Res + d,  A and the least Res of N in [0, H].
//
// A pause that begins just before a beat must be over before others may take the row, T after the beat before: T - H.
// One that catches a beat under way must be over in its request_timeout, or the beat counts as failed; and the next
// beat, at a whole period, must not come later than T after it.
ClosedForm form_of_heartbeat_lock(const Parameters& p, const FailoverTerms& around) {
  const Duration timeout = p.duration("heartbeat_timeout");
  const Duration period = p.duration("heartbeat_period");
  const Duration request = p.duration("request_timeout");
  const Spread& d = around.trip;
  ClosedForm form;
  form.failover = {.least = timeout - period - around.departure + d.least,
                   .mean = timeout - period / 2 + period / (around.standbys + 1) + d.mean,
                   .most = timeout + period + d.most,
                   .formula = "T - A + Res + d, with A and Res in [0, H]"};
  form.belief = period + request;
  form.belief_formula = "H + request_timeout, from the send, as the statement hangs";
  form.wait = timeout;
  form.theorem = "T3";
  form.behind = timeout - form.belief;
  form.trips = d.least;
  form.trips_formula = "d";
  const Duration taken =
      std::min(timeout - period - d.width(), period * ((timeout - d.width()) / period) - d.most);
  form.pause_alone = taken;
  form.pause.longest = until_unknown(request, d);
  form.pause.formula = "request_timeout - d";
  if (around.standbys > 0) {
    form.pause.longest = std::min(form.pause.longest, taken);
    form.pause.formula = "min(T - H, k H - d, request_timeout - d), k H <= T";
  }
  form.cycle = period;
  form.first_attempt = {period - d.most, period - d.least + d.most};
  form.renewals = moments_within(timeout, {period, period, period}, d.width());
  form.attempts = {1, 1};
  form.attempts_formula = "the first that fails ends it";
  form.not_for = too_slow(request, d);
  if (form.not_for.empty() && d.most >= period)
    form.not_for =
        fmt::format("a round trip takes up to {}, no less than heartbeat_period ({}): beats are left out",
                    print_duration(d.most), print_duration(period));
  if (form.not_for.empty() && taken <= Duration{})
    form.not_for = fmt::format("{}H is not less than T ({})", kLosesByItself, print_duration(timeout));
  return form;
}

namespace {

// The attempts of one poll of client-go that begin within `deadline`, if each lasts `length` and fails: ticks every R,
// from the end of the first attempt and lost if they fall into another; or from the start of the poll, one of them
// kept.
std::int64_t attempts_of_poll(Duration deadline, Duration retry, Duration length, bool keeps_a_tick) {
  const Duration origin = keeps_a_tick ? Duration{} : length;
  std::int64_t attempts = 0;
  std::int64_t taken = 0;  // ticks
  for (Duration begins; begins < deadline;) {
    ++attempts;
    const Duration ends = begins + length;
    const std::int64_t ticked = (ends - origin) / retry;
    const bool one_waits = keeps_a_tick && ticked > taken;
    taken = one_waits ? ticked : ticked + 1;
    begins = one_waits ? ends : origin + retry * taken;
  }
  return attempts;
}

}  // namespace

// A leader renews R after the answer to the renewal before, with `own` round trips: an update, C = R + d; up to
// v0.29 a get and an update, C = R + 2 d. The update that left A before the crash is committed d - v later; a standby's
// first get after that is committed Res1 later, and heard of v later, which is when its clock starts. It takes the
// record with the first poll that begins L after that, Res2 later, with a get and an update of its own:
//   D = -A + (d - v) + Res1 + v + L + Res2 + 2 d = L - A + Res1 + Res2 + 3 d,  A in [0, C], gaps U[R, 2.2 R] + d.
// The first renewal comes at once: cut off at that moment a leader leads for D, and later for R + D. With
// release_on_cancel it leads on until its release has returned, or timed out.
//
// A pause (b: the poll begins; requests under way until b + own d):
//   - Begun in an attempt, it must be over before the poll's deadline, b + D: D - own d.
//   - If it outlasts request_timeout, the request may fail. Then an update is followed by a get and an update at once:
//     D - 3 d. Up to v0.29 the attempt fails, the ticker begins, and the next one comes R later: D - R - 4 d.
//   - Begun just before b, it must be over before a standby's update that comes L after the first sight of the record:
//     L - R, and d more where the leader's is not preceded by a get.
ClosedForm form_of_client_go(const Parameters& p, const FailoverTerms& around) {
  const Duration lease = client_go::whole_seconds(p.duration("lease_duration"));
  const Duration deadline = p.duration("renew_deadline");
  const Duration retry = p.duration("retry_period");
  const Duration timeout = p.duration("request_timeout");
  const std::string_view release = p.choice("release");
  const bool updates = release != client_go::kOldest;
  const std::int64_t own = updates ? 1 : 2;
  const Duration hang = client_go::longest_release(p);
  const Spread& d = around.trip;
  const Spread& v = around.back;
  const Duration longest_gap = retry * 22 / 10 + d.most;
  const Duration wait = mean_poll_wait(retry, d.mean, lease, std::max<std::int64_t>(around.standbys, 1));
  const std::string cycle = updates ? "R + d" : "R + 2 d";
  ClosedForm form;
  form.failover = {
      .least = lease - retry - d.most * own + d.least * 3 - d.width() - v.width() - around.departure,
      .mean = lease - (retry + d.mean * own) / 2 + wait + d.mean * 3,
      .most = lease + longest_gap * 2 + d.most * 3,
      .formula = fmt::format("L - A + Res1 + Res2 + 3 d, with A in [0, {}], Res in [0, 2.2 R + d]", cycle)};
  form.belief = retry + deadline + hang;
  form.belief_formula = hang > Duration{} ? "R + D + the release, from the reply" : "R + D, from the reply";
  form.belief_formula += "; without R, cut off as it begins to lead";
  form.first_belief = deadline + hang;
  form.first_answer = d.least;
  form.from = BeliefFrom::reply;
  form.wait = lease;
  form.theorem = "T2";
  form.rate_ppm = tolerated_rate_ppm(form.belief, form.wait, {});
  form.delay = lease - form.belief;
  form.latest_answer = std::min(timeout, deadline / own) - d.most;
  form.trips = d.least * 2 - v.width();
  form.trips_formula = "2 d";

  // By those who would take the record.
  const Duration unseen = lease - retry - d.width() * 2 + (updates ? d.least : Duration{});
  const Duration second_try = updates ? deadline - d.most * 3 : deadline - retry - d.most * 4;
  form.pause.longest = std::min(deadline - d.most * own, std::max(until_unknown(timeout, d), second_try));
  form.pause.formula = updates ? "min(D - d, max(request_timeout - d, D - 3 d))"
                               : "min(D - 2 d, max(request_timeout - d, D - R - 4 d))";
  if (around.standbys > 0) {
    form.pause.longest = std::min(form.pause.longest, unseen);
    form.pause.formula = updates ? "min(L - R + d, D - d, max(request_timeout - d, D - 3 d))"
                                 : "min(L - R, D - 2 d, max(request_timeout - d, D - R - 4 d))";
  }
  // It gives up by itself before anybody else may lead, unless it may poll for longer than that.
  form.pause_alone = form.belief <= lease ? unseen : std::min(unseen, second_try);
  form.cycle = retry + d.mean * own;
  form.first_attempt = {{}, d.most * own};
  form.renewals = moments_within(lease, {retry + d.least * own, form.cycle, retry + d.most * own}, d.width());
  const bool keeps_a_tick = release != "0.29" && release != "0.31";
  const std::int64_t attempts = attempts_of_poll(deadline, retry, timeout * (updates ? 2 : 1), keeps_a_tick);
  form.attempts = {attempts, attempts};
  form.attempts_formula = updates ? "those begun within D, an update and a get that hang each"
                                  : "those begun within D, a get that hangs each";
  form.reads_first = !updates;
  form.not_for = too_slow(timeout, d);
  if (form.not_for.empty() && retry + d.least * own < Duration::seconds(1))
    form.not_for =
        fmt::format("{} ({}) is less than 1s: renewals within one second look alike, and are not seen", cycle,
                    print_duration(retry + d.least * own));
  if (form.not_for.empty() && unseen <= Duration{})
    form.not_for =
        fmt::format("{}R is not less than L in whole seconds ({})", kLosesByItself, print_duration(lease));
  if (form.not_for.empty() && d.most * own >= deadline)
    form.not_for = fmt::format("{}{} is not less than D ({})", kLosesByItself, updates ? "d" : "2 d",
                               print_duration(deadline));
  return form;
}

}  // namespace tenure::lab
