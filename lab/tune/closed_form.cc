#include "lab/tune/closed_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "core/base/int128.h"
#include "format/syntax/units.h"
#include "lab/tune/forms.h"
#include "sim/faults/registry.h"
#include "sim/faults/settings.h"

namespace tenure::lab {
namespace {

constexpr std::int64_t kMillion = 1'000'000;

Spread spread_of(const sim::Quantiles& quantiles) {
  return {quantiles.min(), mean_of(quantiles), quantiles.max()};
}

Spread sum_of(const Spread& a, const Spread& b) {
  return {a.least + b.least, a.mean + b.mean, a.most + b.most};
}

FailoverTerms terms_of(const sim::Scenario& scenario) {
  const Spread way = spread_of(scenario.network.latency);
  const Spread there = sum_of(sum_of(spread_of(scenario.departure), way), spread_of(scenario.store.latency));
  return {sum_of(there, way), way, scenario.departure.max(),
          static_cast<std::int64_t>(scenario.instances.size()) - 1};
}

bool alike(const Parameters& a, const Parameters& b) {
  for (int i = 0; i < static_cast<int>(a.specs().size()); ++i)
    if (a.value(i) != b.value(i)) return false;
  return true;
}

bool all_alike(const std::vector<sim::InstanceSetting>& instances) {
  return std::all_of(instances.begin(), instances.end(), [&](const sim::InstanceSetting& instance) {
    return alike(instance.election, instances.front().election);
  });
}

// What no formula knows of.
std::string outside_of_all_forms(const sim::Scenario& scenario) {
  const std::vector<sim::InstanceSetting>& instances = scenario.instances;
  if (!all_alike(instances))
    return "[[instance]] gives instances different [election] settings, and it is not known which one leads";
  if (scenario.network.loss_ppm > 0)
    return "network.loss: no formula knows how often a segment is sent again";
  if (scenario.store.concurrent < std::ssize(instances))
    return fmt::format(
        "store.capacity.concurrent ({}) is less than the instances ({}): requests wait for one another",
        scenario.store.concurrent, instances.size());
  return {};
}

struct FormRow {
  std::string_view protocol;
  ClosedForm (*form)(const Parameters&, const FailoverTerms&);
};
constexpr FormRow kForms[] = {{"fenced-lease", form_of_fenced_lease},
                              {"db-lease", form_of_db_lease},
                              {"client-go", form_of_client_go},
                              {"heartbeat-lock", form_of_heartbeat_lock}};

bool is_pause(const sim::FaultSetting& fault) {
  return fault.action == "pause" || fault.action == "vm-pause";
}

bool pauses_a_leader(const sim::FaultSetting& fault) {
  return is_pause(fault) && fault.target.kind != sim::Target::Kind::standby;
}

TheoryBound rate_bound(const ClosedForm& form, Duration slack) {
  const std::optional<std::int64_t> rate = tolerated_rate_ppm(form.belief, form.wait, slack);
  return {rate.value_or(0),
          fmt::format("{}: B/(1-rho) + sigma <= W/(1+rho), with B {}, W {}, sigma {}", form.theorem,
                      print_duration(form.belief), print_duration(form.wait), print_duration(slack))};
}

}  // namespace

Duration mean_of(const sim::Quantiles& quantiles) {
  int128 sum = 0;
  const std::vector<sim::Quantiles::Point>& points = quantiles.points();
  for (std::size_t i = 1; i < points.size(); ++i)
    sum += int128{points[i].at - points[i - 1].at} * (points[i].value.ns() + points[i - 1].value.ns());
  return Duration::nanos(static_cast<std::int64_t>(sum / 2 / sim::Quantiles::kOne));
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

namespace {

// What a design says of itself, of its failover alone.
std::optional<ClosedForm> said_form(const sim::Scenario& scenario, const FailoverTerms& around) {
  if (scenario.protocol->failover == nullptr) return std::nullopt;
  SaidFailover said = scenario.protocol->failover(scenario.instances.front().election, around);
  if (!said.form && said.problem.empty()) return std::nullopt;
  ClosedForm form;
  form.failover_alone = true;
  if (said.form) form.cycle = said.form->most - said.form->least;
  form.failover = std::move(said.form);
  if (!said.problem.empty()) form.not_for = "its `failover` failed: " + said.problem;
  return form;
}

std::optional<ClosedForm> known_form(const sim::Scenario& scenario, const FailoverTerms& around) {
  const auto row = std::find_if(std::begin(kForms), std::end(kForms), [&](const FormRow& each) {
    return each.protocol == scenario.protocol->name;
  });
  if (row == std::end(kForms)) return said_form(scenario, around);
  return row->form(scenario.instances.front().election, around);
}

}  // namespace

std::optional<ClosedForm> closed_form(const sim::Scenario& scenario) {
  const FailoverTerms around = terms_of(scenario);
  std::optional<ClosedForm> form = known_form(scenario, around);
  if (!form) return std::nullopt;
  const std::string outside = outside_of_all_forms(scenario);
  if (!outside.empty()) form->not_for = outside;
  if (around.standbys == 0) form->failover.reset();
  return form;
}

std::optional<std::size_t> fault_of_key(const sim::Scenario& scenario, std::string_view key) {
  if (!key.starts_with("fault.")) return std::nullopt;
  const Parsed<std::int64_t> place = format::parse_decimal(key.substr(6, key.find('.', 6) - 6), 0);
  if (!place.value || *place.value < 1) return std::nullopt;
  const auto index = static_cast<std::size_t>(*place.value - 1);
  return index < scenario.faults.size() ? std::optional(index) : std::nullopt;
}

std::optional<TheoryBound> theory_bound(const sim::Scenario& scenario, std::string_view key,
                                        std::string_view checker) {
  const std::optional<ClosedForm> form = closed_form(scenario);
  // In a cluster of one nobody leads beside it.
  if (!form || form->failover_alone || scenario.instances.size() < 2 || !all_alike(scenario.instances) ||
      (checker != "one-believer" && checker != "one-worker"))
    return std::nullopt;
  const Duration slack =
      checker == "one-worker" ? scenario.work.check_every + scenario.work.stop_latency : Duration{};
  if (key.ends_with("rate_ppm") && form->rate_ppm) return rate_bound(*form, slack);
  if (key.ends_with("offset")) {
    if (!form->behind)
      return TheoryBound{std::nullopt, form->theorem == "T3" ? "belief ends before a wall clock ends it"
                                                             : "no wall clock is compared with another one"};
    return TheoryBound{std::max(*form->behind, Duration{}).ns(),
                       fmt::format("T3: B + sigma <= T - theta, with B {}, T {}",
                                   print_duration(form->belief), print_duration(form->wait))};
  }
  const std::optional<std::size_t> place = fault_of_key(scenario, key);
  const bool pauses = place && pauses_a_leader(scenario.faults[*place]);
  const bool delays = key.starts_with("store.latency") || key.starts_with("network.latency");
  if (!pauses && !delays) return std::nullopt;
  if (form->theorem == "T1" && checker == "one-believer")
    return TheoryBound{std::nullopt,
                       "T1: belief ends by itself, however long the process stands still or waits"};
  // A leader in good health that stands still has renewed at most one period ago.
  const bool alone = pauses && std::all_of(scenario.faults.begin(), scenario.faults.end(), is_pause);
  if (form->pause_alone && form->not_for.empty() && alone && checker == "one-believer")
    return TheoryBound{std::max(*form->pause_alone, Duration{}).ns(),
                       form->delay
                           ? "of a pause alone, L - R; after a cut of D, T2: delta + sigma <= L - (R + D)"
                           : "of a pause alone, T - H"};
  if (form->delay)
    return TheoryBound{std::max(*form->delay - slack, Duration{}).ns(), "T2: delta + sigma <= L - (R + D)"};
  return std::nullopt;
}

std::optional<TheoryBound> bound_of_fault(const sim::Scenario& scenario, std::size_t place) {
  sim::Scenario alone = scenario;
  alone.faults = {scenario.faults[place]};
  return theory_bound(alone, "fault.1.duration", "one-believer");
}

namespace {

Duration longest_of(const sim::FaultSetting& fault, const sim::Scenario& scenario) {
  return fault.duration ? fault.duration->high : scenario.duration;
}

bool keeps_a_leader_from_renewing(const sim::FaultSetting& fault) {
  const sim::FaultKind& kind = *sim::find_fault_kind(fault.action);
  const bool of_workers =
      kind.acts == sim::FaultKind::Acts::on_workers || kind.acts == sim::FaultKind::Acts::on_destinations;
  const bool holds_up = kind.family == sim::FaultFamily::pause || kind.family == sim::FaultFamily::network ||
                        kind.family == sim::FaultFamily::store || kind.family == sim::FaultFamily::failover;
  return holds_up && !of_workers && fault.target.kind != sim::Target::Kind::standby;
}

// Of two that strike at a time of their own; others may come at any time.
bool may_meet(const sim::FaultSetting& a, const sim::FaultSetting& b, Duration between,
              const sim::Scenario& scenario) {
  const auto* first = std::get_if<sim::FaultSetting::At>(&a.when);
  const auto* second = std::get_if<sim::FaultSetting::At>(&b.when);
  if (first == nullptr || second == nullptr) return true;
  const auto end = [&](const sim::FaultSetting::At& at, const sim::FaultSetting& fault) {
    return at.latest.value_or(at.at) + longest_of(fault, scenario) + between;
  };
  return first->at <= end(*second, b) && second->at <= end(*first, a);
}

// How far clocks are off, in parts per million: a leader's too slow, and too fast those that its lease is judged by.
struct RateErrors {
  std::int64_t slow = 0;
  std::int64_t fast = 0;
};

RateErrors rate_errors(const sim::Scenario& scenario, const ClosedForm& form) {
  RateErrors errors{-kMillion, -kMillion};
  for (const sim::InstanceSetting& instance : scenario.instances) {
    errors.slow = std::max(errors.slow, -instance.clock.rate_ppm.low);
    errors.fast = std::max(errors.fast, instance.clock.rate_ppm.high);
  }
  if (form.theorem == "T1") errors.fast = scenario.store.clock.rate_ppm.high;
  return errors;
}

RateErrors disturbed(RateErrors errors, const sim::FaultSetting& fault, const ClosedForm& form) {
  using Kind = sim::Target::Kind;
  // All clocks that are off alike measure the same.
  if (fault.target.kind == Kind::all) return errors;
  const sim::Range<std::int64_t> rate = value_of<sim::Range<std::int64_t>>(fault, "rate_ppm");
  const bool leaders = fault.target.kind == Kind::leader || fault.target.kind == Kind::believer;
  if (fault.target.kind != Kind::standby)
    errors.slow = std::min(errors.slow + std::max<std::int64_t>(-rate.low, 0), kMillion - 1);
  if (!leaders && form.theorem != "T1") errors.fast += std::max<std::int64_t>(rate.high, 0);
  return errors;
}

// How long a leader of which nothing is heard believes, and others wait, if clocks are off like `before` and, for so
// long, like `during`.
struct Apart {
  Duration belief;
  Duration wait;
};
Apart apart(const ClosedForm& form, RateErrors before, RateErrors during, Duration lasts) {
  const Duration lag = Duration::nanos(mul_div_ceil(lasts.ns(), during.slow - before.slow, kMillion));
  const Duration lead = Duration::nanos(mul_div_ceil(lasts.ns(), during.fast - before.fast, kMillion));
  const auto slowed = [](Duration length, std::int64_t ppm) {
    return Duration::nanos(mul_div_ceil(length.ns(), kMillion, kMillion - ppm));
  };
  const auto hurried = [](Duration length, std::int64_t ppm) {
    return Duration::nanos(mul_div_floor(length.ns(), kMillion, kMillion + ppm));
  };
  return {std::min(slowed(form.belief, during.slow), slowed(form.belief + lag, before.slow)),
          std::max(hurried(form.wait, during.fast), hurried(form.wait - lead, before.fast))};
}

std::optional<sim::UnsafeNote> clocks_beyond_theory(const sim::Scenario& scenario) {
  const std::optional<ClosedForm> form = closed_form(scenario);
  if (!form || form->failover_alone || !form->rate_ppm || scenario.instances.size() < 2 ||
      !all_alike(scenario.instances))
    return std::nullopt;
  const RateErrors before = rate_errors(scenario, *form);
  for (const sim::FaultSetting& clock : scenario.faults) {
    if (clock.action != "clock-rate") continue;
    const RateErrors during = disturbed(before, clock, *form);
    const Duration lasts = longest_of(clock, scenario);
    const Apart two = apart(*form, before, during, lasts);
    const Duration cycle = Duration::nanos(mul_div_ceil(form->cycle.ns(), kMillion, kMillion - during.slow));
    const auto holds_up = [&](const sim::FaultSetting& each) {
      return keeps_a_leader_from_renewing(each) && longest_of(each, scenario) + cycle >= two.wait &&
             may_meet(clock, each, two.belief, scenario);
    };
    if (two.belief <= two.wait || std::none_of(scenario.faults.begin(), scenario.faults.end(), holds_up))
      continue;
    return sim::UnsafeNote{
        Part::elector, fmt::format("fault {} ({})", clock.entry, clock.action),
        fmt::format("{}: a leader that cannot renew believes for up to {}, and others wait for {}",
                    form->theorem, print_duration(two.belief), print_duration(two.wait))};
  }
  return std::nullopt;
}

}  // namespace

std::vector<sim::UnsafeNote> faults_beyond_theory(const sim::Scenario& scenario) {
  std::vector<sim::UnsafeNote> notes;
  for (std::size_t i = 0; i < scenario.faults.size(); ++i) {
    const sim::FaultSetting& fault = scenario.faults[i];
    const std::optional<TheoryBound> bound = bound_of_fault(scenario, i);
    const Duration longest = longest_of(fault, scenario);
    if (!bound || !bound->value || longest.ns() <= *bound->value) continue;
    notes.push_back({Part::elector, fmt::format("fault {} ({})", fault.entry, fault.action),
                     fmt::format("it lasts up to {}, where up to {} is safe", print_duration(longest),
                                 print_duration(Duration::nanos(*bound->value)))});
  }
  if (std::optional<sim::UnsafeNote> clocks = clocks_beyond_theory(scenario))
    notes.push_back(*std::move(clocks));
  return notes;
}

}  // namespace tenure::lab
