#include "sim/runner/judge.h"

#include <algorithm>

#include "core/model/describe.h"

namespace tenure::sim {
namespace {

bool lists(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// By default progress is demanded whatever faults break, because they are healed; what settings break is not.
bool progress_is_due(const CheckerKind& kind, const Scenario& scenario) {
  if (kind.when != CheckerKind::When::eventually) return false;
  const Envelope envelope = envelope_of(kind.name, scenario, broken_at_rest(scenario), TrueTime::max());
  return envelope.inside || !envelope.claimed;
}

bool listed(const CheckerKind& kind, const Scenario& scenario) {
  const Expectation& expect = scenario.expect;
  if (expect.fails && *expect.fails == kind.name) return true;
  const auto& names = kind.when == CheckerKind::When::always ? expect.always : expect.eventually;
  return names ? lists(*names, kind.name) : progress_is_due(kind, scenario);
}

// [expect] believer_overlap: overlaps up to the allowance are no violation of what was demanded.
bool overlap_allowed(const CheckerKind& kind, const Expectation& expect, const Metrics& metrics) {
  return kind.name == "one-believer" && expect.believer_overlap_max &&
         *expect.believer_overlap_max > Duration{} &&
         metrics.believer_overlap_longest <= *expect.believer_overlap_max;
}

}  // namespace

std::string what_is_not_judged(const Checker& checker) {
  std::string text;
  for (const std::string& what : checker.not_judged()) text += (text.empty() ? "not judged: " : "; ") + what;
  return text;
}

CheckResult judge(const CheckerKind& kind, const Checker& checker, const Scenario& scenario,
                  const std::vector<Broken>& broken, const Metrics& metrics) {
  const Expectation& expect = scenario.expect;
  CheckResult result;
  result.name = kind.name;
  result.kind =
      kind.when == CheckerKind::When::always ? CheckResult::Kind::always : CheckResult::Kind::eventually;
  result.opportunities = checker.opportunities();
  result.violation_count = checker.violation_count();
  for (const Violation& violation : checker.violations())
    result.violations.push_back({violation.at, violation.message});

  // The first violation decides: what was broken only later had no part in it.
  const TrueTime first = checker.violations().empty() ? TrueTime::max() : checker.violations().front().at;
  const Envelope envelope = envelope_of(kind.name, scenario, broken, first);
  const bool overlap_demanded = kind.name == "one-believer" && expect.believer_overlap_max.has_value();
  result.demanded = listed(kind, scenario) || overlap_demanded || envelope.inside;
  if (checker.violation_count() > 0) {
    if (overlap_allowed(kind, expect, metrics)) {
      result.detail =
          "longest overlap " + describe(metrics.believer_overlap_longest) + ", within what is allowed";
      return result;
    }
    result.verdict = Verdict::fail;
    if (!result.demanded)
      result.detail = (envelope.claimed ? "outside its claims: " : "reported only: ") + envelope.why;
  } else if (checker.opportunities() == 0) {
    result.verdict = Verdict::inconclusive;
    result.detail = "never had anything to look at";
    result.demanded = listed(kind, scenario) || overlap_demanded;
  } else if (!checker.not_judged().empty()) {
    result.verdict = Verdict::inconclusive;
    result.detail = what_is_not_judged(checker);
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

Verdict verdict_of(const std::vector<CheckResult>& checks, const Expectation& expect) {
  const auto canary = [&](const CheckResult& check) { return expect.fails && check.name == *expect.fails; };
  Verdict verdict = Verdict::pass;
  for (const CheckResult& check : checks) {
    if (canary(check)) {
      if (check.verdict == Verdict::pass) verdict = Verdict::fail;
      if (check.verdict == Verdict::inconclusive && verdict == Verdict::pass) verdict = Verdict::inconclusive;
      continue;
    }
    if (!check.demanded) continue;
    if (check.verdict == Verdict::fail) verdict = Verdict::fail;
    if (check.verdict == Verdict::inconclusive && verdict == Verdict::pass) verdict = Verdict::inconclusive;
  }
  return verdict;
}

}  // namespace tenure::sim
