#include "lab/session/hunted_cases.h"

#include <algorithm>

namespace tenure::lab {

HuntedCases hunted_cases(const HuntFindings& findings, const HuntTotals& totals) {
  HuntedCases cases;
  cases.totals = totals;
  for (const Finding& finding : findings.findings)
    cases.kept.push_back({finding.seed, finding.times, finding.saved.failure, finding.saved.path});
  cases.failures = findings.failures;
  cases.compared = findings.compared;
  cases.difference = findings.difference;
  cases.difference_seed = findings.difference_seed;
  return cases;
}

void HuntedCases::append(const HuntedCases& later) {
  totals.append(later.totals);
  for (const KeptFailure& each : later.kept) {
    const auto known = std::find_if(
        kept.begin(), kept.end(), [&](const KeptFailure& one) { return one.failure.same_as(each.failure); });
    if (known == kept.end())
      kept.push_back(each);
    else
      known->times += each.times;
  }
  failures += later.failures;
  compared += later.compared;
  if (difference.empty()) {
    difference = later.difference;
    difference_seed = later.difference_seed;
  }
}

}  // namespace tenure::lab
