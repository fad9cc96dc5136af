#include "lab/compare/cell.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/base/int128.h"
#include "lab/tune/profile.h"
#include "sim/checkers/checker.h"
#include "sim/faults/registry.h"
#include "sim/runner/claims.h"

namespace tenure::lab {
namespace {

constexpr std::int64_t kBillion = 1'000'000'000;

constexpr std::size_t place_of(sim::Damage damage) { return static_cast<std::size_t>(damage); }

// Who believed beside whom is measured: a leader that stands still while another one leads does nothing.
bool is_measured(const sim::CheckerKind& kind) { return kind.damage == sim::Damage::two_lead; }

// The fault, if all that have to strike move clocks alone that nobody has read.
std::string moved_unread_clock(const sim::Scenario& scenario, const sim::RunResult& result) {
  if (result.wall_clock_read) return {};
  std::string action;
  for (const sim::FaultSetting& fault : scenario.faults) {
    if (fault.optional) continue;
    if (!sim::find_fault_kind(fault.action)->moves_wall_clock_alone) return {};
    action = fault.action;
  }
  return action;
}

// Why settings alone take the claim of one leader out of force; empty: they do not.
std::string beside_claim(const sim::Scenario& scenario) {
  const sim::Envelope envelope = sim::envelope_of(kOneLeader, scenario, sim::broken_at_rest(scenario));
  return envelope.claimed && !envelope.inside ? envelope.why : std::string{};
}

void count_strikes(const sim::Scenario& scenario, const sim::RunResult& result, CaseNumbers& numbers) {
  std::set<std::uint64_t> struck;
  for (const sim::FaultRun& fault : result.faults) {
    if (!fault.took_effect()) continue;
    ++numbers.strikes;
    struck.insert(fault.entry);
  }
  for (std::size_t i = 0; i < scenario.faults.size(); ++i) {
    if (scenario.faults[i].optional || struck.contains(i + 1)) continue;
    numbers.all_struck = false;
    if (!numbers.not_struck.empty()) continue;
    const auto skipped = std::find_if(
        result.faults.begin(), result.faults.end(),
        [i](const sim::FaultRun& fault) { return fault.entry == i + 1 && !fault.took_effect(); });
    numbers.not_struck = scenario.faults[i].action + ": " +
                         (skipped == result.faults.end() ? "its moment never came"
                          : skipped->skipped.empty()     ? skipped->fell_short
                                                         : skipped->skipped);
  }
}

}  // namespace

CaseNumbers numbers_of_case(const sim::Scenario& scenario, const sim::RunResult& result) {
  CaseNumbers numbers;
  numbers.seed = result.seed;
  const sim::Metrics& metrics = result.metrics;
  const auto add = [&](sim::Damage damage, std::int64_t much) { numbers.damages[place_of(damage)] += much; };
  const auto name = [&](sim::Damage damage, std::string_view checker) {
    std::string& first = numbers.checkers[place_of(damage)];
    if (first.empty()) first = checker;
  };
  name(sim::Damage::two_lead, kOneLeader);
  name(sim::Damage::never_led, "leader-elected");
  add(sim::Damage::two_lead, metrics.acting_overlap_longest.ns());
  const bool never_led = metrics.leaderless >= scenario.duration + scenario.tail;
  add(sim::Damage::never_led, never_led ? 1 : 0);
  for (const sim::CheckResult& check : result.checks) {
    const bool is_checker =
        check.kind == sim::CheckResult::Kind::always || check.kind == sim::CheckResult::Kind::eventually;
    if (is_checker && check.name == kOneLeader) numbers.promised = check.demanded && check.opportunities > 0;
    if (!is_checker) continue;
    const sim::CheckerKind& kind = *sim::find_checker_kind(check.name);
    if (kind.damage == sim::Damage::stale_writes && check.opportunities > 0) numbers.tokens_examined = true;
    if (check.violation_count == 0) continue;
    // The others are demanded of everybody. That a program works is no claim.
    const bool claimed =
        kind.when == sim::CheckerKind::When::always && kind.damage != sim::Damage::design_error;
    if (claimed && check.verdict == sim::Verdict::fail && check.demanded)
      numbers.broken.push_back(check.name);
    if (is_measured(kind)) continue;
    const sim::Damage damage = kind.damage;
    // That nobody led at the end either is no news.
    if (never_led && (damage == sim::Damage::nobody_at_end || damage == sim::Damage::behind_at_end)) continue;
    name(damage, check.name);
    if (damage == sim::Damage::design_error && numbers.error.empty() && !check.violations.empty())
      numbers.error = check.violations.front().message;
    add(damage, static_cast<std::int64_t>(check.violation_count));
  }
  count_strikes(scenario, result, numbers);
  numbers.moved_unread_clock = moved_unread_clock(scenario, result);
  numbers.beside_claim = beside_claim(scenario);
  numbers.failovers = metrics.failover.values();
  numbers.leaderless = metrics.leaderless;
  // Until the first leader there was no leadership to lose; and some designs have gaps when nothing happens.
  for (const auto& [cause, length] : metrics.leaderless_by_cause)
    if (cause == "start" || cause == "other") numbers.leaderless -= length;
  numbers.warmup = scenario.work.program.warmup;
  // The first leader of all warms up as well; that is its start.
  numbers.warming = std::max(Duration{}, metrics.useless - metrics.leaderless - numbers.warmup);
  numbers.false_failovers = metrics.false_failovers;
  numbers.simulated = result.simulated;
  numbers.store_requests = metrics.store_requests;
  return numbers;
}

void Cell::add(const CaseNumbers& run) {
  ++runs_;
  for (const Duration each : run.failovers) failovers_.add(each);
  gap_.add({(run.leaderless + run.warming).ns()});
  warmup_ = run.warmup;
  false_failovers_ += run.false_failovers;
  simulated_ += run.simulated;
  if (run.simulated > Duration{}) {
    const auto rate = [&run](std::uint64_t events, Duration time) {
      return detail::narrow(int128{events} * kBillion * time.ns() / run.simulated.ns());
    };
    requests_per_hour_.add({rate(run.store_requests, Duration::hours(1))});
    false_failovers_per_month_.add({rate(run.false_failovers, kMonth)});
  }
  promised_ += run.promised ? 1 : 0;
  if (!run.error.empty() && !error_) error_ = ProgramError{run.error, run.seed};
  if (!run.not_struck.empty() && not_struck_.empty()) not_struck_ = run.not_struck;
  if (!run.moved_unread_clock.empty()) {
    ++moved_unread_clock_;
    moving_fault_ = run.moved_unread_clock;
  }
  if (beside_claim_.empty()) beside_claim_ = run.beside_claim;
  tokens_examined_ = tokens_examined_ || run.tokens_examined;
  for (const std::string& checker : run.broken) {
    auto known = std::find_if(broken_.begin(), broken_.end(),
                              [&checker](const BrokenClaim& each) { return each.checker == checker; });
    if (known == broken_.end()) known = broken_.insert(broken_.end(), {checker, 0, run.seed});
    ++known->runs;
  }
  // Without its faults the run has not tested what the situation is about. What goes wrong all the same is as wrong.
  const bool unharmed = std::all_of(std::begin(run.damages), std::end(run.damages),
                                    [](std::int64_t much) { return much == 0; });
  if (has_faults_ && (run.strikes == 0 || !run.all_struck) && unharmed) return;
  ++tested_;
  for (std::size_t i = 0; i < sim::kDamages; ++i) {
    if (run.damages[i] == 0) continue;
    Seen& seen = seen_[i];
    if (seen.runs++ == 0 || run.damages[i] > seen.most) {
      seen.most = run.damages[i];
      seen.seed = run.seed;
      seen.checker = run.checkers[i];
    }
  }
}

std::string Cell::moved_unread_clock() const {
  return runs_ > 0 && moved_unread_clock_ == runs_ ? moving_fault_ : std::string{};
}

bool shows_as_much(const CaseNumbers& run, const Cell::Seen& worst) {
  return run.damages[place_of(worst.damage)] >= worst.most - worst.most / 2;
}

std::optional<Cell::Seen> Cell::seen(sim::Damage damage) const {
  Seen seen = seen_[place_of(damage)];
  if (seen.runs == 0) return std::nullopt;
  seen.damage = damage;
  return seen;
}

std::vector<Cell::Seen> Cell::damages() const {
  std::vector<Seen> all;
  for (std::size_t i = 0; i < sim::kDamages; ++i)
    if (std::optional<Seen> one = seen(static_cast<sim::Damage>(i))) all.push_back(*std::move(one));
  return all;
}

Estimate Cell::false_failovers_per_month() const {
  if (simulated_ <= Duration{}) return {};
  return false_failovers_per_month_.mean(
      RunSamples::EventScale{int128{kBillion / 100} * kMonth.ns(), simulated_.ns()});
}

}  // namespace tenure::lab
