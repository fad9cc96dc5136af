#include "lab/session/hunt_file.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tenure::lab {

// Found by the library, as those below.
static void to_json(nlohmann::json& json, const HuntTotals::FirstSeen& seen) {
  json = {seen.feature, seen.index};
}
static void from_json(const nlohmann::json& json, HuntTotals::FirstSeen& seen) {
  json.at(0).get_to(seen.feature);
  json.at(1).get_to(seen.index);
  if (seen.feature >= kFeatures) throw nlohmann::json::out_of_range::create(401, "no feature", nullptr);
}
static void to_json(nlohmann::json& json, const HuntedCases::KeptFailure& kept) {
  json = {kept.seed, kept.times, kept.failure.checker, kept.failure.message, kept.failure.at.ns(), kept.path};
}
static void from_json(const nlohmann::json& json, HuntedCases::KeptFailure& kept) {
  json.at(0).get_to(kept.seed);
  json.at(1).get_to(kept.times);
  json.at(2).get_to(kept.failure.checker);
  json.at(3).get_to(kept.failure.message);
  kept.failure.at = sim::TrueTime::from_ns(json.at(4).get<std::int64_t>());
  json.at(5).get_to(kept.path);
}

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

std::string text_of(const HuntedCases& cases) {
  const HuntTotals& totals = cases.totals;
  const nlohmann::json json = {
      {"cases", totals.cases},
      {"inside", totals.inside},
      {"mutated", totals.mutated},
      {"events", totals.events},
      {"differ", totals.differ},
      {"first_seen", totals.first_seen},
      {"sometimes", totals.sometimes},
      {"faults", totals.faults},
      {"struck", totals.struck.struck},
      {"skipped", totals.struck.skipped},
      {"fell_short", totals.struck.fell_short},
      {"examined", totals.examined},
      {"reported", totals.reported},
      {"kept", cases.kept},
      {"failures", cases.failures},
      {"compared", cases.compared},
      {"difference", cases.difference},
      {"difference_seed", cases.difference_seed},
  };
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::optional<HuntedCases> read_hunted(std::string_view text) {
  HuntedCases cases;
  HuntTotals& totals = cases.totals;
  try {
    const nlohmann::json json = nlohmann::json::parse(text);
    json.at("cases").get_to(totals.cases);
    json.at("inside").get_to(totals.inside);
    json.at("mutated").get_to(totals.mutated);
    json.at("events").get_to(totals.events);
    json.at("differ").get_to(totals.differ);
    json.at("first_seen").get_to(totals.first_seen);
    json.at("sometimes").get_to(totals.sometimes);
    json.at("faults").get_to(totals.faults);
    json.at("struck").get_to(totals.struck.struck);
    json.at("skipped").get_to(totals.struck.skipped);
    json.at("fell_short").get_to(totals.struck.fell_short);
    json.at("examined").get_to(totals.examined);
    json.at("reported").get_to(totals.reported);
    json.at("kept").get_to(cases.kept);
    json.at("failures").get_to(cases.failures);
    json.at("compared").get_to(cases.compared);
    json.at("difference").get_to(cases.difference);
    json.at("difference_seed").get_to(cases.difference_seed);
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
  return cases;
}

}  // namespace tenure::lab
