#include "sim/tune/closed_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/base/check.h"
#include "core/base/int128.h"
#include "core/electors/fenced_lease/fenced_lease.h"
#include "sim/scenario/toml/units.h"

namespace tenure::sim {
namespace {

constexpr std::int64_t kMillion = 1'000'000;

// A round trip to the store, and the longest one without loss.
struct Latency {
  Duration mean;
  Duration longest;
};

Latency latency_of(const Scenario& scenario) {
  return {mean_of(scenario.store.latency) + mean_of(scenario.network.latency) * 2,
          scenario.store.latency.max() + scenario.network.latency.max() * 2};
}

std::int64_t standbys_of(const Scenario& scenario) {
  return std::max<std::int64_t>(static_cast<std::int64_t>(scenario.instances.size()) - 1, 1);
}

ClosedForm of_fenced_lease(const Scenario& scenario) {
  const Parameters& p = scenario.instances.front().election;
  const Duration lease = p.duration("lease_duration");
  const Duration renew = p.duration("renew_period");
  const Duration jitter = p.duration("retry_jitter");
  const Duration timeout = p.duration("request_timeout");
  const Latency d = latency_of(scenario);
  ClosedForm form;
  form.failover = {lease - renew - d.longest,
                   lease - renew / 2 + jitter / (standbys_of(scenario) + 1) + d.mean,
                   lease + jitter + d.longest * 2, "T - A + jitter + d, with A in [0, H]"};
  form.belief = fenced_lease_belief(lease, p.number("max_clock_drift_ppm"), p.duration("guard"));
  form.belief_formula = "T (1 - rho)/(1 + rho) - guard, from the send";
  form.wait = lease;
  form.theorem = "T1";
  form.rate_ppm = tolerated_rate_ppm(form.belief, form.wait, {});
  form.pause = form.belief - renew - d.longest;
  form.pause_formula = "B - H - d";
  form.renewals = renew > Duration{} ? lease / renew : 0;
  const Duration again = std::min(renew, timeout + p.duration("retry_period"));
  if (form.belief > renew) form.attempts = 1 + (form.belief - renew - Duration::nanos(1)) / again;
  form.attempts_formula = "those sent before B is over, every min(H, request_timeout + R) from H on";
  return form;
}

ClosedForm of_db_lease(const Scenario& scenario) {
  const Parameters& p = scenario.instances.front().election;
  const Latency d = latency_of(scenario);
  const Duration lock = p.duration("lock_duration");
  const Duration gap = p.duration("poll_period") + d.mean;
  ClosedForm form;
  form.failover = {lock - gap - d.longest, lock - gap / 2 + gap / (standbys_of(scenario) + 1) + d.mean,
                   lock + gap + d.longest * 2, "T - A + Res + d, with A and Res in [0, G]"};
  form.belief = lock;
  form.belief_formula = "T, by the holder's wall clock";
  form.wait = lock;
  form.theorem = "T3";
  form.behind = Duration{};
  form.pause = lock - gap - d.longest;
  form.pause_formula = "T - G - d";
  form.renewals = gap > Duration{} ? lock / gap : 0;
  form.attempts = 1;
  form.attempts_formula = "the first that fails ends it; one that hangs, when it is answered";
  return form;
}

// Polled at whole periods, on clocks that agree. What decides safety is no inequality but a pause, which nothing
// bounds.
ClosedForm of_heartbeat_lock(const Scenario& scenario) {
  const Parameters& p = scenario.instances.front().election;
  const Latency d = latency_of(scenario);
  const Duration timeout = p.duration("heartbeat_timeout");
  const Duration period = p.duration("heartbeat_period");
  const Duration request = p.duration("request_timeout");
  ClosedForm form;
  form.failover = {timeout - period - d.longest,
                   timeout - period / 2 + period / (standbys_of(scenario) + 1) + d.mean,
                   timeout + period + d.longest * 2, "T - A + Res + d, with A and Res in [0, H]"};
  form.belief = period + request;
  form.belief_formula = "H + request_timeout, when a statement hangs; else without end";
  form.wait = timeout;
  form.theorem = "T3";
  form.behind = std::max(timeout - form.belief, Duration{});
  form.pause_alone = form.failover.least;
  form.pause = timeout - period - d.longest;
  form.pause_formula = "T - H - d";
  form.renewals = timeout / period;
  form.attempts = 1;
  form.attempts_formula = "the first that fails ends it";
  return form;
}

ClosedForm of_client_go(const Scenario& scenario) {
  const Parameters& p = scenario.instances.front().election;
  const Latency d = latency_of(scenario);
  const Duration lease = Duration::seconds(p.duration("lease_duration") / Duration::seconds(1));
  const Duration deadline = p.duration("renew_deadline");
  const Duration retry = p.duration("retry_period");
  const Duration timeout = p.duration("request_timeout");
  const Duration waits =
      Duration::nanos(mul_div_floor(retry.ns(), least_double_residual_milli(standbys_of(scenario)), 1'000));
  ClosedForm form;
  form.failover = {lease - retry - d.longest * 2, lease - retry / 2 + waits + d.mean * 2,
                   lease + retry * 44 / 10 + d.longest * 4,
                   "Res1 - A + L + Res2 + d, with A in [0, R] and Res in [0, 2.2 R]"};
  form.belief = retry + deadline;
  form.belief_formula = "R + D, from the reply";
  form.wait = lease;
  form.theorem = "T2";
  form.rate_ppm = tolerated_rate_ppm(form.belief, form.wait, {});
  form.delay = lease - form.belief;
  form.pause_alone = form.failover.least;
  // One that begins within an attempt: when it is over the attempt has failed, and the next one, at a whole R, comes
  // too late. Simulation found it; counting from the renewal alone gives L - R.
  form.pause = deadline - retry - d.longest * 2;
  form.pause_formula = "D - R - d, of one that begins within an attempt";
  form.renewals = lease / retry;
  // An attempt that hangs ends by its timeout; the next one comes with the next whole period of the poll.
  const std::int64_t periods = std::max<std::int64_t>((timeout.ns() + retry.ns()) / retry.ns(), 1);
  form.attempts = 1 + (deadline - Duration::nanos(1)) / (retry * periods);
  form.attempts_formula = "those begun within D, at whole R after request_timeout";
  return form;
}

struct Row {
  std::string_view protocol;
  ClosedForm (*form)(const Scenario&);
};
constexpr Row kForms[] = {{"fenced-lease", of_fenced_lease},
                          {"db-lease", of_db_lease},
                          {"client-go", of_client_go},
                          {"heartbeat-lock", of_heartbeat_lock}};

const FaultSetting* fault_of_key(const Scenario& scenario, std::string_view key) {
  if (!key.starts_with("fault.")) return nullptr;
  const Parsed<std::int64_t> place = parse_decimal(key.substr(6, key.find('.', 6) - 6), 0);
  if (!place.value || *place.value < 1) return nullptr;
  const auto index = static_cast<std::size_t>(*place.value - 1);
  return index < scenario.faults.size() ? &scenario.faults[index] : nullptr;
}

TheoryBound rate_bound(const ClosedForm& form, Duration slack) {
  const std::optional<std::int64_t> rate = tolerated_rate_ppm(form.belief, form.wait, slack);
  return {rate.value_or(0),
          fmt::format("{}: B/(1-rho) + sigma <= W/(1+rho), with B {}, W {}, sigma {}", form.theorem,
                      print_duration(form.belief), print_duration(form.wait), print_duration(slack))};
}

}  // namespace

Duration mean_of(const Quantiles& quantiles) {
  int128 sum = 0;
  const std::vector<Quantiles::Point>& points = quantiles.points();
  for (std::size_t i = 1; i < points.size(); ++i)
    sum += int128{points[i].at - points[i - 1].at} * (points[i].value.ns() + points[i - 1].value.ns());
  return Duration::nanos(static_cast<std::int64_t>(sum / 2 / Quantiles::kOne));
}

std::optional<std::int64_t> tolerated_rate_ppm(Duration belief, Duration wait, Duration slack) {
  const auto holds = [&](std::int64_t ppm) {
    return mul_div_ceil(belief.ns(), kMillion, kMillion - ppm) + slack.ns() <=
           mul_div_floor(wait.ns(), kMillion, kMillion + ppm);
  };
  if (!holds(0)) return std::nullopt;
  std::int64_t low = 0;
  std::int64_t high = kMillion;  // a clock that stands still
  while (high - low > 1) {
    const std::int64_t middle = (low + high) / 2;
    if (holds(middle))
      low = middle;
    else
      high = middle;
  }
  return low;
}

std::int64_t least_double_residual_milli(std::int64_t standbys) {
  CHECK(standbys > 0, "somebody must take over");
  // In steps of a hundredth of R. The residual of a renewal process has the density P(G > x) / E[G]: flat up to R, then
  // falling to nothing at 2.2 R. Weights are doubled, so that a step's middle is a whole number.
  constexpr std::int64_t kSteps = 100;
  constexpr std::int64_t kEnd = 220;
  std::vector<std::int64_t> density;
  std::int64_t whole = 0;
  for (std::int64_t i = 0; i < kEnd; ++i) {
    density.push_back(i < kSteps ? 2 * (kEnd - kSteps) : 2 * (kEnd - i) - 1);
    whole += density.back();
  }
  std::vector<int128> sums(2 * kEnd);
  for (std::size_t i = 0; i < density.size(); ++i)
    for (std::size_t j = 0; j < density.size(); ++j) sums[i + j] += int128{density[i]} * density[j];
  // E[min] is the sum over x of P(each is above x).
  constexpr std::int64_t kUnit = 1'000'000'000;
  const int128 all = int128{whole} * whole;
  int128 below = 0;
  int128 mean = 0;
  for (const int128 weight : sums) {
    below += weight;
    const auto above = static_cast<std::int64_t>((all - below) * kUnit / all);
    std::int64_t every = kUnit;
    for (std::int64_t n = 0; n < standbys; ++n) every = mul_div_floor(every, above, kUnit);
    mean += every;
  }
  // Two half steps at the beginning, up to the first sum's middle, are above for sure.
  return static_cast<std::int64_t>((mean + kUnit) * 1'000 / kSteps / kUnit);
}

std::optional<ClosedForm> closed_form(const Scenario& scenario) {
  for (const Row& row : kForms)
    if (row.protocol == scenario.protocol->name) return row.form(scenario);
  return std::nullopt;
}

std::optional<TheoryBound> theory_bound(const Scenario& scenario, std::string_view key,
                                        std::string_view checker) {
  const std::optional<ClosedForm> form = closed_form(scenario);
  if (!form || (checker != "one-believer" && checker != "one-worker")) return std::nullopt;
  const Duration slack =
      checker == "one-worker" ? scenario.work.check_every + scenario.work.stop_latency : Duration{};
  if (key.ends_with("rate_ppm") && form->rate_ppm) return rate_bound(*form, slack);
  if (key.ends_with("offset")) {
    if (!form->behind) return TheoryBound{std::nullopt, "no wall clock is compared with another one"};
    return TheoryBound{form->behind->ns(),
                       fmt::format("T3: B + sigma <= T - theta, with B {}, T {}",
                                   print_duration(form->belief), print_duration(form->wait))};
  }
  const FaultSetting* fault = fault_of_key(scenario, key);
  const bool pauses = fault != nullptr && (fault->action == "pause" || fault->action == "vm-pause");
  const bool delays = key.starts_with("store.latency") || key.starts_with("network.latency");
  if (!pauses && !delays) return std::nullopt;
  if (form->theorem == "T1" && checker == "one-believer")
    return TheoryBound{std::nullopt,
                       "T1: belief ends by itself, however long the process stands still or waits"};
  // A leader in good health that stands still has renewed at most one period ago.
  const auto cuts = [](const FaultSetting& each) {
    return each.action != "pause" && each.action != "vm-pause";
  };
  const bool alone = pauses && std::none_of(scenario.faults.begin(), scenario.faults.end(), cuts);
  if (form->pause_alone && alone && checker == "one-believer")
    return TheoryBound{std::max(*form->pause_alone, Duration{}).ns(),
                       form->delay
                           ? "of a pause alone, L - R - d; after a cut of D, T2: delta + sigma <= L - (R + D)"
                           : "of a pause alone, T - H - d"};
  if (form->delay)
    return TheoryBound{std::max(*form->delay - slack, Duration{}).ns(), "T2: delta + sigma <= L - (R + D)"};
  return std::nullopt;
}

}  // namespace tenure::sim
