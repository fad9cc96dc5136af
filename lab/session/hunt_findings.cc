#include "lab/session/hunt_findings.h"

#include <fmt/format.h>

#include <algorithm>

#include "lab/hunt/swarm.h"

namespace tenure::lab {
namespace {

bool never(const std::map<std::string, std::uint64_t>& counts, const std::string& name) {
  const auto found = counts.find(name);
  return found == counts.end() || found->second == 0;
}

// What the file or every run demands, and no case has shown.
std::vector<std::string> never_seen(const HuntTotals& totals, const format::ScenarioFile& file,
                                    const sim::Scenario& hunted) {
  std::vector<std::string> missing;
  for (const std::string& name : file.scenario.expect.sometimes)
    if (never(totals.sometimes, name)) missing.push_back(name);
  for (const auto& names : {hunted.expect.always, hunted.expect.eventually})
    for (const std::string& name : names.value_or(std::vector<std::string>{}))
      if (never(totals.examined, name)) missing.push_back(name);
  if (totals.cases == 0) return missing;
  for (const sim::CheckResult& idle : totals.struck.judge(hunted))
    missing.push_back(fmt::format("a whole strike of {}", idle.name));
  if (totals.examined.contains("one-believer") && never(totals.examined, "one-believer"))
    missing.emplace_back("a leader");
  if (totals.are_alike())
    missing.emplace_back("a difference between two cases (no fault, latency or start is drawn)");
  return missing;
}

}  // namespace

void totals_are(HuntFindings& findings, const HuntTotals& totals, const format::ScenarioFile& file) {
  findings.cases = totals.cases;
  findings.inside = totals.inside;
  findings.mutated = totals.mutated;
  findings.events = totals.events;
  findings.features = totals.first_seen.size();
  findings.last_new_seed = findings.first_seed + totals.last_new();
  findings.sometimes = totals.sometimes;
  findings.faults = totals.faults;
  findings.examined = totals.examined;
  findings.reported = totals.reported;
  const sim::Scenario hunted = as_hunted(file).scenario;
  for (const auto& [name, cases] : findings.reported)
    if (sim::is_unclaimed(name, hunted)) findings.unclaimed.push_back(name);
  findings.demanded_never = never_seen(totals, file, hunted);
}

sim::Verdict verdict_of(const HuntFindings& findings) {
  const auto any = [&](auto is) {
    return std::any_of(findings.regressions.begin(), findings.regressions.end(), is);
  };
  if (findings.failures > 0 ||
      any([](const ReplayedFile& file) { return file.replayed.failure.has_value(); }))
    return sim::Verdict::fail;
  const bool stale = any([](const ReplayedFile& f) { return f.replayed.state == Replayed::State::stale; });
  const bool unknown = stale || findings.interrupted || !findings.demanded_never.empty() ||
                       !findings.unclaimed.empty() || findings.cases == 0;
  return unknown ? sim::Verdict::inconclusive : sim::Verdict::pass;
}

}  // namespace tenure::lab
