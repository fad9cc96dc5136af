// What tests of client-go compare: how a cluster led in many runs of a scenario (README.md has each number).
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "format/parse/parse.h"
#include "sim/scenario/scenario.h"

namespace tenure::sim {

// A number's values in many runs, kept as their sums.
struct Numbers {
  double n = 0;
  double sum = 0;
  double squares = 0;

  static Numbers of(double n, double mean, double deviation) {
    return {n, n * mean, n * (deviation * deviation + mean * mean)};
  }
  void add(double x) {
    ++n;
    sum += x;
    squares += x * x;
  }
  double mean() const { return sum / n; }
  double variance() const { return std::max(squares / n - mean() * mean(), 0.0); }
};

struct ManyRuns {
  double runs = 0;
  double overlap_share = 0;  // of the runs, those in which two led at once
  std::map<std::string, Numbers> numbers;
};

// A scenario of scenarios.txt.
struct MeasuredScenario {
  std::string name, text;
  std::vector<format::Override> sets;
};
std::vector<MeasuredScenario> measured_scenarios();
MeasuredScenario measured_scenario(const std::string& name);

// The scenario with the seeds from 1 on.
ManyRuns measure(const Scenario& scenario, std::uint64_t seeds);

// Means agree within four standard errors of the difference and 1 % (requests: 3 %), shares within four and 0.01.
void expect_agreement(const ManyRuns& real, const ManyRuns& model);

}  // namespace tenure::sim
