#include "lab/compare/cell.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/base/int128.h"

namespace tenure::sim {
namespace {

constexpr std::size_t place_of_trouble(Trouble trouble) { return static_cast<std::size_t>(trouble); }

// Who believed beside whom is measured: a leader that stands still while another one leads does nothing.
constexpr std::string_view kMeasured[] = {kOneLeader, "one-worker"};

constexpr std::string_view kDesignError = "design-error";

struct NamedTrouble {
  std::string_view checker;
  Trouble trouble;
};
constexpr NamedTrouble kNamed[] = {
    {kDesignError, Trouble::design_error},           {"fenced-writes", Trouble::stale_writes},
    {"one-holder-per-epoch", Trouble::stale_writes}, {"epochs-increase", Trouble::stale_writes},
    {"no-duplicate-fire", Trouble::double_fires},    {"no-lost-fire", Trouble::lost_fires},
    {"never-early", Trouble::early_fires},           {"no-drift", Trouble::early_fires},
    {"no-stale-assignment", Trouble::stale_writes},  {"leader-elected", Trouble::nobody_at_end},
    {"caught-up", Trouble::behind_at_end},           {"items-placed", Trouble::behind_at_end}};

Trouble trouble_of(std::string_view checker) {
  const auto* const named =
      std::find_if(std::begin(kNamed), std::end(kNamed),
                   [checker](const NamedTrouble& each) { return each.checker == checker; });
  return named == std::end(kNamed) ? Trouble::other : named->trouble;
}

bool is_measured(std::string_view checker) {
  return std::find(std::begin(kMeasured), std::end(kMeasured), checker) != std::end(kMeasured);
}

// Whether somebody led in the second half of the tail: of a design that hands leadership round with gaps, the end may
// fall into one.
bool led_in_the_end(const Scenario& scenario, const RunResult& result) {
  const std::int64_t half = (scenario.duration + scenario.tail / 2).ns();
  const std::int64_t whole = (scenario.duration + scenario.tail).ns();
  return std::any_of(result.strips.begin(), result.strips.end(), [&](const LeadershipTimeline& strip) {
    const auto columns = static_cast<std::int64_t>(strip.cells.size());
    const auto from = strip.cells.begin() + mul_div_ceil(columns, half, whole);
    return std::find(from, strip.cells.end(), LeadershipTimeline::Cell::leads) != strip.cells.end();
  });
}

void count_strikes(const Scenario& scenario, const RunResult& result, CaseNumbers& numbers) {
  std::set<std::uint64_t> struck;
  for (const FaultRun& fault : result.faults) {
    if (!fault.skipped.empty()) continue;
    ++numbers.strikes;
    struck.insert(fault.entry);
  }
  for (std::size_t i = 0; i < scenario.faults.size(); ++i) {
    if (scenario.faults[i].optional || struck.contains(i + 1)) continue;
    numbers.all_struck = false;
    if (!numbers.not_struck.empty()) continue;
    const auto skipped = std::find_if(result.faults.begin(), result.faults.end(), [i](const FaultRun& fault) {
      return fault.entry == i + 1 && !fault.skipped.empty();
    });
    numbers.not_struck = scenario.faults[i].action + ": " +
                         (skipped == result.faults.end() ? "its moment never came" : skipped->skipped);
  }
}

}  // namespace

CaseNumbers numbers_of_case(const Scenario& scenario, const RunResult& result) {
  CaseNumbers numbers;
  numbers.seed = result.seed;
  const Metrics& metrics = result.metrics;
  const auto add = [&](Trouble trouble, std::int64_t much) {
    numbers.troubles[place_of_trouble(trouble)] += much;
  };
  const auto name = [&](Trouble trouble, std::string_view checker) {
    std::string& first = numbers.checkers[place_of_trouble(trouble)];
    if (first.empty()) first = checker;
  };
  name(Trouble::two_lead, kOneLeader);
  name(Trouble::never_led, "leader-elected");
  add(Trouble::two_lead, metrics.acting_overlap_longest.ns());
  const bool never_led = metrics.leaderless >= scenario.duration + scenario.tail;
  add(Trouble::never_led, never_led ? 1 : 0);
  for (const CheckResult& check : result.checks) {
    const bool is_checker =
        check.kind == CheckResult::Kind::always || check.kind == CheckResult::Kind::eventually;
    if (is_checker && check.name == kOneLeader) numbers.promised = check.demanded && check.opportunities > 0;
    if (!is_checker || check.violation_count == 0) continue;
    // The others are demanded of everybody. That a program works is no claim.
    const bool claimed = check.kind == CheckResult::Kind::always && check.name != kDesignError;
    if (claimed && check.verdict == Verdict::fail && check.demanded) numbers.broken.push_back(check.name);
    if (is_measured(check.name)) continue;
    const Trouble trouble = trouble_of(check.name);
    // That nobody led at the end either is no news.
    if (never_led && (trouble == Trouble::nobody_at_end || trouble == Trouble::behind_at_end)) continue;
    if (trouble == Trouble::nobody_at_end && led_in_the_end(scenario, result)) continue;
    name(trouble, check.name);
    if (trouble == Trouble::design_error && numbers.error.empty() && !check.violations.empty())
      numbers.error = check.violations.front().message;
    add(trouble, static_cast<std::int64_t>(check.violation_count));
  }
  count_strikes(scenario, result, numbers);
  numbers.failovers = metrics.failover.values();
  numbers.leaderless = metrics.leaderless;
  // Until the first leader there was no leadership to lose; and some designs have gaps when nothing happens.
  for (const auto& [cause, length] : metrics.leaderless_by_cause)
    if (cause == "start" || cause == "other") numbers.leaderless -= length;
  numbers.false_failovers = metrics.false_failovers;
  numbers.simulated = result.simulated;
  numbers.store_requests = metrics.store_requests;
  return numbers;
}

void Cell::add(const CaseNumbers& run) {
  ++runs_;
  for (const Duration each : run.failovers) failovers_.add(each);
  leaderless_ += run.leaderless;
  false_failovers_ += run.false_failovers;
  simulated_ += run.simulated;
  store_requests_ += run.store_requests;
  promised_ += run.promised ? 1 : 0;
  if (!run.error.empty() && !error_) error_ = ProgramError{run.error, run.seed};
  if (!run.not_struck.empty() && not_struck_.empty()) not_struck_ = run.not_struck;
  for (const std::string& checker : run.broken) {
    auto known = std::find_if(broken_.begin(), broken_.end(),
                              [&checker](const BrokenClaim& each) { return each.checker == checker; });
    if (known == broken_.end()) known = broken_.insert(broken_.end(), {checker, 0, run.seed});
    ++known->runs;
  }
  // Without its faults the run has not tested what the situation is about. A design that fails by itself needs none.
  const bool by_itself = run.troubles[place_of_trouble(Trouble::design_error)] > 0 ||
                         run.troubles[place_of_trouble(Trouble::never_led)] > 0;
  if (has_faults_ && (run.strikes == 0 || !run.all_struck) && !by_itself) return;
  ++tested_;
  for (std::size_t i = 0; i < kTroubles; ++i) {
    if (run.troubles[i] == 0) continue;
    Seen& seen = seen_[i];
    if (seen.runs++ == 0 || run.troubles[i] > seen.most) {
      seen.most = run.troubles[i];
      seen.seed = run.seed;
      seen.checker = run.checkers[i];
    }
  }
}

bool shows_as_much(const CaseNumbers& run, const Cell::Seen& worst) {
  return run.troubles[place_of_trouble(worst.trouble)] >= worst.most - worst.most / 2;
}

std::optional<Cell::Seen> Cell::seen(Trouble trouble) const {
  Seen seen = seen_[place_of_trouble(trouble)];
  if (seen.runs == 0) return std::nullopt;
  seen.trouble = trouble;
  return seen;
}

std::vector<Cell::Seen> Cell::troubles() const {
  std::vector<Seen> all;
  for (std::size_t i = 0; i < kTroubles; ++i)
    if (std::optional<Seen> one = seen(static_cast<Trouble>(i))) all.push_back(*std::move(one));
  return all;
}

std::int64_t Cell::requests_per_hour() const {
  if (simulated_ <= Duration{}) return 0;
  const int128 hour = int128{3'600} * 1'000'000'000;
  return static_cast<std::int64_t>(
      (int128{static_cast<std::int64_t>(store_requests_)} * hour + simulated_.ns() / 2) / simulated_.ns());
}

}  // namespace tenure::sim
