#include "lab/compare/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "core/base/check.h"
#include "core/base/int128.h"
#include "format/syntax/units.h"
#include "lab/tune/closed_form.h"
#include "lab/tune/outcome.h"
#include "lab/tune/profile.h"

namespace tenure::lab {
namespace {

constexpr std::int64_t kMedian = 500'000;
constexpr std::int64_t k99 = 990'000;

std::optional<std::vector<std::string_view>> assumed(const ElectorKind& kind) {
  for (const Claim& claim : kind.claims()) {
    if (claim.invariant != kOneLeader) continue;
    std::vector<std::string_view> names;
    for (const Assumption each : claim.assumptions) names.push_back(name_of(each));
    return names;
  }
  return std::nullopt;
}

Comparison::Summary::FalseFailovers a_month(const Cell& cell) {
  constexpr std::int64_t kMicro = 1'000'000;
  const std::uint64_t seen = cell.false_failovers();
  const std::int64_t most = seen > 0 ? static_cast<std::int64_t>(seen) : kMostOfNone;
  return {mul_div_ceil(most * kMicro, kMonth.ns(), cell.simulated().ns()), seen == 0,
          cell.false_failovers_per_month()};
}

// REQUIRES: there was a failover.
Estimate failover_of(const Cell& cell, std::int64_t ppm) {
  Estimate estimate = estimate_of_percentile(cell.failovers(), ppm);
  const std::int64_t warmup = cell.warmup().ns();
  estimate.value += warmup;
  if (estimate.low) *estimate.low += warmup;
  if (estimate.high) *estimate.high += warmup;
  return estimate;
}

// A bound in whole milliseconds, so that people can read it.
std::string up_to(Duration bound) {
  constexpr std::int64_t kMilli = 1'000'000;
  return print_duration(Duration::nanos(bound.ns() / kMilli * kMilli));
}

}  // namespace

std::string why_two_never_lead(const sim::Scenario& scenario) {
  std::string why;
  const auto is_exact = [](const sim::InstanceSetting& instance) {
    return instance.clock == sim::ClockSetting{};
  };
  if (!(scenario.store.clock == sim::ClockSetting{}) ||
      !std::all_of(scenario.instances.begin(), scenario.instances.end(), is_exact))
    return {};
  // Pauses may overlap, or follow one another with no renewal between them: at worst they are one of all their lengths.
  Duration longest;
  for (const sim::FaultSetting& fault : scenario.faults) {
    if (fault.action != "pause" || !fault.duration) return {};
    longest += sim::strikes_once(fault) ? fault.duration->high : Duration::max();
  }
  for (std::size_t i = 0; i < scenario.faults.size(); ++i) {
    const std::string key = "fault." + std::to_string(i + 1) + ".duration";
    const std::optional<TheoryBound> bound = theory_bound(scenario, key, kOneLeader);
    if (!bound || (bound->value && *bound->value < longest.ns())) return {};
    why = bound->value
              ? fmt::format("pauses of up to {}; {}", up_to(Duration::nanos(*bound->value)), bound->text)
              : bound->text;
  }
  return why;
}

std::vector<std::string> bounds_by_theory(const sim::Scenario& scenario) {
  const std::optional<ClosedForm> form = closed_form(scenario);
  if (!form || form->failover_alone || !form->not_for.empty()) return {};
  std::vector<std::string> bounds;
  if (form->theorem == "T1")
    bounds.push_back("any pause");
  else if (form->pause_alone && *form->pause_alone > Duration{})
    bounds.push_back(fmt::format("pauses of up to {}", up_to(*form->pause_alone)));
  if (form->rate_ppm && *form->rate_ppm > 0)
    bounds.push_back(fmt::format("clock rates off by up to {} ppm",
                                 format::print_thousands(static_cast<std::uint64_t>(*form->rate_ppm))));
  if (form->behind && *form->behind > Duration{})
    bounds.push_back(fmt::format("a wall clock that is behind by up to {}", up_to(*form->behind)));
  return bounds;
}

Comparison::Comparison(std::vector<Candidate> candidates, std::vector<Situation> situations,
                       std::vector<Column> columns, SummarySituations measured)
    : candidates_(std::move(candidates)),
      situations_(std::move(situations)),
      columns_(std::move(columns)),
      measured_(measured),
      cells_(candidates_.size() * columns_.size()) {}

std::string Comparison::name_of_column(std::size_t column) const {
  const Column& of = columns_[column];
  return situations_[of.situation].name + (of.stretched ? ", stretched" : "") +
         (of.crowded ? ", 10 standbys" : "");
}

std::size_t Comparison::column_of(std::size_t situation, bool crowded) const {
  const auto found = std::find_if(columns_.begin(), columns_.end(), [&](const Column& each) {
    return each.situation == situation && !each.stretched && each.crowded == crowded;
  });
  CHECK(found != columns_.end(), "the summary's situations are among the columns");
  return static_cast<std::size_t>(found - columns_.begin());
}

MadeCase Comparison::make_case_of(std::size_t candidate, std::size_t column) const {
  const Column& of = columns_[column];
  CaseOptions options{.own_time = own_time(candidate), .stretched = of.stretched};
  if (of.crowded) options.instances = kCrowd;
  return make_case(situations_[of.situation], candidates_[candidate], options);
}

std::optional<Duration> Comparison::own_time(std::size_t candidate) const {
  const std::optional<Cell>& crash = at(candidate, column_of_crash()).cell;
  if (!crash || crash->failovers().empty()) return std::nullopt;
  return crash->failovers().percentile(kMedian);
}

Comparison::Summary Comparison::summary(std::size_t candidate) const {
  Summary summary;
  summary.assumes = assumed(*candidates_[candidate].kind);
  if (const MadeCase quiet = make_case_of(candidate, column_of(measured_.quiet, false)); quiet.scenario)
    summary.bounds = bounds_by_theory(*quiet.scenario);
  bool stale_writes = false;
  bool tokens_examined = false;
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    const std::optional<Cell>& cell = at(candidate, column).cell;
    if (!cell) continue;
    summary.promised += cell->promised();
    for (const Cell::BrokenClaim& claim : cell->broken()) {
      const auto same = [&claim](const Summary::BrokenClaim& each) { return each.checker == claim.checker; };
      if (std::none_of(summary.broken.begin(), summary.broken.end(), same))
        summary.broken.push_back({claim.checker, column, claim.seed});
    }
    if (const auto two = cell->seen(sim::Damage::two_lead);
        two && Duration::nanos(two->most) > summary.two_lead) {
      summary.two_lead = Duration::nanos(two->most);
      summary.two_lead_in = column;
    }
    stale_writes = stale_writes || cell->seen(sim::Damage::stale_writes);
    tokens_examined = tokens_examined || cell->tokens_examined();
    if (cell->seen(sim::Damage::never_led) || cell->seen(sim::Damage::nobody_at_end))
      summary.stuck_after.push_back(column);
  }
  std::stable_partition(summary.broken.begin(), summary.broken.end(),
                        [](const Summary::BrokenClaim& each) { return each.checker == kOneLeader; });
  const bool fenced = candidates_[candidate].kind->has_tokens && tokens_examined && !stale_writes;
  summary.two_lead_fenced = fenced ? Duration{} : summary.two_lead;

  if (const auto& crash = at(candidate, column_of_crash()).cell; crash && !crash->failovers().empty()) {
    summary.failover_p50 = failover_of(*crash, kMedian);
    if (const Estimate p99 = failover_of(*crash, k99); p99.known) summary.failover_p99 = p99;
  }
  if (const auto& deploy = at(candidate, column_of(measured_.deploy, false)).cell;
      deploy && deploy->runs() > 0 && !deploy->seen(sim::Damage::never_led))
    summary.deploy = deploy->gap();
  if (candidates_[candidate].kind->store != nullptr) {
    if (const auto& quiet = at(candidate, column_of(measured_.quiet, false)).cell)
      summary.requests = quiet->requests_per_hour();
    if (const auto& crowded = at(candidate, column_of(measured_.quiet, true)).cell)
      summary.requests_crowded = crowded->requests_per_hour();
  }
  if (const auto& calm = at(candidate, column_of(measured_.calm, false)).cell;
      calm && calm->simulated() > Duration{} && !calm->seen(sim::Damage::never_led))
    summary.false_failovers = a_month(*calm);
  return summary;
}

std::vector<std::size_t> Comparison::order() const {
  std::vector<Summary> summaries;
  for (std::size_t i = 0; i < candidates_.size(); ++i) summaries.push_back(summary(i));
  const auto cost = [&summaries](std::size_t i) {
    const Summary& it = summaries[i];
    return std::tuple(it.two_lead_fenced, !it.stuck_after.empty(), it.two_lead,
                      it.failover_p50 ? it.failover_p50->value : Duration::max().ns());
  };
  std::vector<std::size_t> order(candidates_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&cost](std::size_t a, std::size_t b) { return cost(a) < cost(b); });
  return order;
}

}  // namespace tenure::lab
