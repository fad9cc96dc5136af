#include "lab/tune/closed_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "core/base/int128.h"
#include "format/syntax/units.h"
#include "lab/tune/forms.h"

namespace tenure::sim {
namespace {

constexpr std::int64_t kMillion = 1'000'000;

Spread spread_of(const Quantiles& quantiles) {
  return {quantiles.min(), mean_of(quantiles), quantiles.max()};
}

Spread sum_of(const Spread& a, const Spread& b) {
  return {a.least + b.least, a.mean + b.mean, a.most + b.most};
}

FailoverTerms terms_of(const Scenario& scenario) {
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

bool all_alike(const std::vector<InstanceSetting>& instances) {
  return std::all_of(instances.begin(), instances.end(), [&](const InstanceSetting& instance) {
    return alike(instance.election, instances.front().election);
  });
}

// What no formula knows of.
std::string outside_of_all_forms(const Scenario& scenario) {
  const std::vector<InstanceSetting>& instances = scenario.instances;
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

namespace {

// What a design says of itself, of its failover alone.
std::optional<ClosedForm> said_form(const Scenario& scenario, const FailoverTerms& around) {
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

std::optional<ClosedForm> known_form(const Scenario& scenario, const FailoverTerms& around) {
  const auto row = std::find_if(std::begin(kForms), std::end(kForms), [&](const FormRow& each) {
    return each.protocol == scenario.protocol->name;
  });
  if (row == std::end(kForms)) return said_form(scenario, around);
  return row->form(scenario.instances.front().election, around);
}

}  // namespace

std::optional<ClosedForm> closed_form(const Scenario& scenario) {
  const FailoverTerms around = terms_of(scenario);
  std::optional<ClosedForm> form = known_form(scenario, around);
  if (!form) return std::nullopt;
  const std::string outside = outside_of_all_forms(scenario);
  if (!outside.empty()) form->not_for = outside;
  if (around.standbys == 0) form->failover.reset();
  return form;
}

std::optional<TheoryBound> theory_bound(const Scenario& scenario, std::string_view key,
                                        std::string_view checker) {
  const std::optional<ClosedForm> form = closed_form(scenario);
  if (!form || form->failover_alone || !all_alike(scenario.instances) ||
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
  if (form->pause_alone && form->not_for.empty() && alone && checker == "one-believer")
    return TheoryBound{std::max(*form->pause_alone, Duration{}).ns(),
                       form->delay
                           ? "of a pause alone, L - R; after a cut of D, T2: delta + sigma <= L - (R + D)"
                           : "of a pause alone, T - H"};
  if (form->delay)
    return TheoryBound{std::max(*form->delay - slack, Duration{}).ns(), "T2: delta + sigma <= L - (R + D)"};
  return std::nullopt;
}

}  // namespace tenure::sim
