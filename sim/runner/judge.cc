#include "sim/runner/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/model/describe.h"
#include "sim/checkers/names.h"

namespace tenure::sim {
namespace {

constexpr std::size_t kReported = 10;

bool lists(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// What a violation is judged by.
struct Ground {
  const Scenario& scenario;
  const std::vector<Broken>& broken;
  const LedTracker* led;  // null: everybody had a part in everything
};

// By default progress is demanded whatever faults break, because they are healed; what no heal mends is not.
bool progress_is_due(const CheckerKind& kind, const Ground& on, const Violation* violation) {
  if (kind.when != CheckerKind::When::eventually) return false;
  const Envelope envelope = violation != nullptr
                                ? envelope_when_healed(kind.name, on.scenario, on.broken, *violation, on.led)
                                : envelope_of(kind.name, on.scenario, broken_at_rest(on.scenario));
  return envelope.inside || !envelope.claimed;
}

// What violations of the minimum mean to a reader, besides those that are told with a number of their own.
struct News {
  std::string_view checker;
  std::string_view what;
};
constexpr News kNews[] = {
    {"no-duplicate-fire", "fires were doubled, {}"},
    {"no-lost-fire", "fires were lost, {}"},
    {"no-drift", "fires were at no slot of their schedule, {}"},
    {"never-early", "fires were before their slot, {}"},
    {"acts-within-belief", "a node acted for a leader without its belief, or under another token, {}"},
    {"one-holder-per-epoch", "a token was not its holder's, {}"},
    {"epochs-increase", "a term had no greater token than those before, {}"},
    {"fenced-writes", "what a deposed leader wrote was accepted, {}"},
    {"no-stale-act", "what a deposed leader did was taken, or a sitting one refused, {}"},
};

bool is_in_minimum(std::string_view checker) {
  return checker == "one-believer" ||
         std::any_of(std::begin(kNews), std::end(kNews),
                     [checker](const News& news) { return news.checker == checker; });
}

// In a hunt: nobody claims it, and no fault had broken anything by then that a claim could rest on.
bool is_least(const CheckerKind& kind, const Ground& on, const Violation* violation) {
  if (violation == nullptr || !is_unclaimed(kind.name, on.scenario)) return false;
  const auto by_a_fault = [violation](const Broken& broken) {
    return broken.by.starts_with("fault") && broken.since <= violation->at;
  };
  return std::none_of(on.broken.begin(), on.broken.end(), by_a_fault);
}

bool listed(const CheckerKind& kind, const Ground& on, const Violation* violation) {
  const Expectation& expect = on.scenario.expect;
  if (expect.fails && *expect.fails == kind.name) return true;
  if (is_least(kind, on, violation)) return true;
  const auto& names = kind.when == CheckerKind::When::always ? expect.always : expect.eventually;
  return names ? lists(*names, kind.name) : progress_is_due(kind, on, violation);
}

// The first that is demanded decides; nullptr: all are excused.
const Violation* unexcused(const CheckerKind& kind, const Checker& checker, const Ground& on) {
  for (const Violation& violation : checker.violations())
    if (listed(kind, on, &violation) ||
        envelope_of(kind.name, on.scenario, on.broken, violation, on.led).inside)
      return &violation;
  return nullptr;
}

// [expect] believer_overlap: overlaps up to the allowance are no violation of what was demanded.
bool overlap_allowed(const CheckerKind& kind, const Expectation& expect, const Metrics& metrics) {
  return kind.name == "one-believer" && expect.believer_overlap_max &&
         *expect.believer_overlap_max > Duration{} &&
         metrics.believer_overlap_longest <= *expect.believer_overlap_max;
}

// ---- the minimum -------------------------------------------------------------------------------------------

bool is_about_overlaps(const Threshold& threshold) {
  return threshold.metric == "believer_overlap_seconds" || threshold.metric == "acting_overlap_seconds" ||
         threshold.metric == "safety_margin_seconds";
}

// Whether [expect] says what to make of a violation of this checker.
bool is_asked_about(const CheckerKind& kind, const Scenario& scenario) {
  const Expectation& expect = scenario.expect;
  if (expect.fails) return true;
  if (kind.name == "one-believer")
    return expect.believer_overlap_said || lists(expect.sometimes, "believer-overlap") ||
           std::any_of(scenario.thresholds.begin(), scenario.thresholds.end(), is_about_overlaps);
  if (kind.name == "acts-within-belief") return expect.always && lists(*expect.always, kind.name);
  return kind.when == CheckerKind::When::always ? expect.always.has_value() : expect.eventually.has_value();
}

std::string times_text(std::uint64_t count) { return count == 1 ? "once" : fmt::format("{} times", count); }

// Empty for what is not in the minimum.
std::string news_of(const CheckerKind& kind, const Checker& checker, const Metrics& metrics,
                    bool nobody_led) {
  if (kind.name == "one-believer")
    return fmt::format("two led for {} (both acting for {})", length_text(metrics.believer_overlap),
                       length_text(metrics.acting_overlap));
  if (kind.name == "leader-elected") return nobody_led ? "nobody ever led" : "nobody led at the end";
  if (kind.name == "caught-up") return "what was due was not done by the end";
  for (const News& news : kNews)
    if (news.checker == kind.name)
      return fmt::format(fmt::runtime(news.what), times_text(checker.violation_count()));
  return {};
}

// Of a checker that nothing demands and that was violated.
std::string unasked(const CheckerKind& kind, const Checker& checker, const Scenario& scenario,
                    const Metrics& metrics) {
  const bool nobody_led = metrics.leaderless >= scenario.duration + scenario.tail;
  const bool shown_on_purpose = scenario.expect.fails && *scenario.expect.fails == kind.name;
  const bool never_a_pass = kind.name == "leader-elected" && nobody_led && !shown_on_purpose;
  if (!never_a_pass && is_asked_about(kind, scenario)) return {};
  return news_of(kind, checker, metrics, nobody_led);
}

}  // namespace

bool is_unclaimed(std::string_view checker, const Scenario& scenario) {
  return scenario.expect.minimum && is_in_minimum(checker) && !envelope_of(checker, scenario, {}).claimed;
}

std::string what_is_not_judged(const Checker& checker) {
  std::string text;
  for (const std::string& what : checker.not_judged()) text += (text.empty() ? "not judged: " : "; ") + what;
  return text;
}

CheckResult judge(const CheckerKind& kind, const Checker& checker, const Scenario& scenario,
                  const std::vector<Broken>& broken, const LedTracker* led, const Metrics& metrics) {
  const Expectation& expect = scenario.expect;
  const Ground on{scenario, broken, led};
  CheckResult result;
  result.name = kind.name;
  result.kind =
      kind.when == CheckerKind::When::always ? CheckResult::Kind::always : CheckResult::Kind::eventually;
  result.opportunities = checker.opportunities();
  result.violation_count = checker.violation_count();

  const bool overlap_demanded = kind.name == "one-believer" && expect.believer_overlap_max.has_value();
  if (checker.violation_count() > 0) {
    const Violations& violations = checker.violations();
    const Violation* decides = unexcused(kind, checker, on);
    result.demanded = decides != nullptr || overlap_demanded;
    // Whoever reads them begins with what decided.
    if (decides != nullptr) result.violations.push_back({decides->at, decides->message});
    for (const Violation& violation : violations) {
      if (result.violations.size() == kReported) break;
      if (&violation != decides) result.violations.push_back({violation.at, violation.message});
    }
    if (overlap_allowed(kind, expect, metrics)) {
      result.detail =
          "longest overlap " + describe(metrics.believer_overlap_longest) + ", within what is allowed";
      return result;
    }
    result.verdict = Verdict::fail;
    if (result.demanded) return result;
    const Envelope envelope = envelope_of(kind.name, scenario, broken, *violations.begin(), led);
    result.detail = (envelope.claimed ? "outside its claims: " : "reported only: ") + envelope.why;
    result.unasked = unasked(kind, checker, scenario, metrics);
    // [expect] leaves out violations that are excused, and of those that are not judged nobody knows whether they are.
    if (const std::uint64_t judged = violations.size();
        envelope.claimed && checker.violation_count() > judged)
      result.unasked +=
          fmt::format("{}{}: only the first {} of {} violations were judged",
                      result.unasked.empty() ? "" : "; ", kind.name, judged, checker.violation_count());
    return result;
  }
  const bool inside = envelope_of(kind.name, scenario, broken).inside;
  result.demanded = listed(kind, on, nullptr) || overlap_demanded || inside;
  if (checker.opportunities() == 0) {
    result.verdict = Verdict::inconclusive;
    result.detail = "never had an opportunity";
    result.demanded = listed(kind, on, nullptr) || overlap_demanded;
  } else if (!checker.not_judged().empty()) {
    result.verdict = Verdict::inconclusive;
    result.detail = what_is_not_judged(checker);
    if (!result.demanded && is_in_minimum(kind.name) && !is_asked_about(kind, scenario))
      result.unasked = fmt::format("{}: {}", kind.name, result.detail);
  }
  return result;
}

CheckResult judge_sometimes(std::string_view name, std::uint64_t times) {
  CheckResult result;
  result.name = name;
  result.kind = CheckResult::Kind::sometimes;
  result.opportunities = times;
  if (times == 0) {
    result.verdict = Verdict::inconclusive;
    result.detail = "did not happen";
  }
  return result;
}

void FaultTally::add(const std::vector<FaultRun>& faults) {
  for (const FaultRun& fault : faults) {
    if (fault.entry == 0) continue;
    if (!fault.skipped.empty())
      skipped.emplace(fault.entry, fault.skipped);
    else if (!fault.fell_short.empty())
      fell_short[fault.entry] = fault.fell_short;
    else
      struck.insert(fault.entry);
  }
}

void FaultTally::add(const FaultTally& runs) {
  struck.insert(runs.struck.begin(), runs.struck.end());
  skipped.insert(runs.skipped.begin(), runs.skipped.end());
  for (const auto& [entry, why] : runs.fell_short) fell_short[entry] = why;
}

std::vector<CheckResult> FaultTally::judge(const Scenario& scenario) const {
  std::vector<CheckResult> idle;
  std::set<std::uint64_t> seen;  // a literal plan has many of one entry
  for (const FaultSetting& fault : scenario.faults) {
    if (fault.entry == 0 || fault.optional || struck.contains(fault.entry)) continue;
    if (!seen.insert(fault.entry).second) continue;
    const auto skip = skipped.find(fault.entry);
    const auto short_of = fell_short.find(fault.entry);
    CheckResult result;
    result.name = fmt::format("fault {} ({})", fault.entry, fault.action);
    result.kind = CheckResult::Kind::fault;
    result.verdict = Verdict::inconclusive;
    result.detail = short_of != fell_short.end() ? "struck, and " + short_of->second
                    : skip != skipped.end()      ? "never struck: " + skip->second
                                                 : "never struck: its time never came";
    idle.push_back(std::move(result));
  }
  return idle;
}

bool is_judged_by_run(const CheckResult& check) {
  return check.kind != CheckResult::Kind::threshold && check.kind != CheckResult::Kind::fault;
}

Verdict verdict_of(const std::vector<CheckResult>& checks, const Expectation& expect) {
  const auto canary = [&](const CheckResult& check) { return expect.fails && check.name == *expect.fails; };
  Verdict verdict = Verdict::pass;
  for (const CheckResult& check : checks) {
    if (canary(check)) {
      if (check.verdict == Verdict::pass) verdict = Verdict::fail;
      if (check.verdict == Verdict::inconclusive && verdict == Verdict::pass) verdict = Verdict::inconclusive;
      continue;
    }
    if (!check.unasked.empty() && verdict == Verdict::pass) verdict = Verdict::inconclusive;
    if (!check.demanded) continue;
    if (check.verdict == Verdict::fail) verdict = Verdict::fail;
    if (check.verdict == Verdict::inconclusive && verdict == Verdict::pass) verdict = Verdict::inconclusive;
  }
  return verdict;
}

}  // namespace tenure::sim
