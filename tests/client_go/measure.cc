#include "tests/client_go/measure.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "sim/runner/run.h"
#include "tests/support/blocks.h"

namespace tenure::sim {
namespace {

double seconds(Duration d) { return static_cast<double>(d.ns()) / 1e9; }

// Who led when, in one run.
class Leaderships final : public Observer {
 public:
  void see(TrueTime now, const Record& record) override {
    const double at = seconds(now - TrueTime{});
    if (std::holds_alternative<FaultBegan>(record)) {
      if (!fault_) fault_ = at;
    } else if (std::holds_alternative<Applied>(record)) {
      ++requests_;
    } else if (const auto* noted = std::get_if<Noted>(&record)) {
      if (std::holds_alternative<Believes>(noted->note)) begin(noted->who, at);
      if (std::holds_alternative<StepsDown>(noted->note) && end(noted->who, at)) lose(at);
    } else if (const auto* died = std::get_if<NodeDied>(&record)) {
      end(died->who, at);
    }
  }

  void finish(double at) {
    end_ = at;
    for (const auto& [who, since] : std::map(leading_)) terms_.emplace_back(since, at);
  }

  // Time with more than one of the terms, and without any after the first has begun.
  std::pair<double, double> overlap_and_leaderless() const {
    std::vector<std::pair<double, int>> edges;
    for (const auto& [from, to] : terms_) {
      edges.emplace_back(from, 1);
      edges.emplace_back(to, -1);
    }
    std::sort(edges.begin(), edges.end());
    double overlap = 0;
    double leaderless = 0;
    double last = edges.empty() ? end_ : edges.front().first;
    int depth = 0;
    for (const auto& [at, change] : edges) {
      if (depth >= 2) overlap += at - last;
      if (depth == 0) leaderless += at - last;
      depth += change;
      last = at;
    }
    if (depth == 0) leaderless += end_ - last;
    return {overlap, leaderless};
  }

  std::optional<double> failover_;
  std::optional<double> loss_after_;
  double losses_ = 0;
  double requests_ = 0;

 private:
  void begin(Incarnation who, double at) {
    leading_[who] = at;
    if (fault_ && at > *fault_ && !failover_) failover_ = at - *fault_;
  }
  bool end(Incarnation who, double at) {
    const auto found = leading_.find(who);
    if (found == leading_.end()) return false;
    terms_.emplace_back(found->second, at);
    leading_.erase(found);
    return true;
  }
  void lose(double at) {
    ++losses_;
    if (fault_ && !loss_after_) loss_after_ = at - *fault_;
  }

  std::optional<double> fault_;
  std::map<Incarnation, double> leading_;
  std::vector<std::pair<double, double>> terms_;
  double end_ = 0;
};

// In standard errors of the difference.
void record_deviation(const std::string& what, double difference, double error) {
  ::testing::Test::RecordProperty(what, std::to_string(error > 0 ? difference / error : 0));
}

}  // namespace

std::vector<MeasuredScenario> measured_scenarios() {
  std::vector<tenure::testing::Block> blocks = tenure::testing::blocks_of("tests/client_go/scenarios.txt");
  std::vector<MeasuredScenario> all;
  for (std::size_t i = 1; i < blocks.size(); ++i) {
    MeasuredScenario one{.name = blocks[i].name, .text = blocks[0].text, .sets = {}};
    std::istringstream lines(blocks[i].text);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with(' '))
        one.sets.back().value += line;
      else if (const std::size_t equals = line.find(" = "); equals != std::string::npos)
        one.sets.push_back({line.substr(0, equals), line.substr(equals + 3)});
    }
    all.push_back(std::move(one));
  }
  return all;
}

MeasuredScenario measured_scenario(const std::string& name) {
  for (const MeasuredScenario& one : measured_scenarios())
    if (one.name == name) return one;
  throw std::runtime_error("no such scenario: " + name);
}

ManyRuns measure(const Scenario& scenario, std::uint64_t seeds) {
  ManyRuns all;
  all.runs = static_cast<double>(seeds);
  double overlaps = 0;
  const double length = seconds(scenario.duration + scenario.tail);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Leaderships seen;
    run(scenario, seed, {.trace = &seen, .story = false});
    seen.finish(length);
    const auto [overlap, leaderless] = seen.overlap_and_leaderless();
    all.numbers["losses"].add(seen.losses_);
    all.numbers["leaderless"].add(leaderless);
    all.numbers["requests"].add(seen.requests_ / length);
    if (seen.failover_) all.numbers["failover"].add(*seen.failover_);
    if (seen.loss_after_) all.numbers["loss_after"].add(*seen.loss_after_);
    if (overlap > 1e-6) {
      all.numbers["overlap"].add(overlap);
      ++overlaps;
    }
  }
  all.overlap_share = overlaps / all.runs;
  return all;
}

namespace {

void expect_equal_means(const std::string& what, const ManyRuns& all_real, const ManyRuns& all_model,
                        double relative) {
  const auto numbers = [&what](const ManyRuns& of) {
    const auto found = of.numbers.find(what);
    return found == of.numbers.end() ? Numbers{} : found->second;
  };
  const Numbers real = numbers(all_real);
  const Numbers model = numbers(all_model);
  if (real.n == 0 || model.n == 0) {
    // What happens in one run of a hundred may be missing from these few.
    EXPECT_LE(std::max(real.n * all_model.runs / all_real.runs, model.n), 8)
        << what << ": only one of the two has any";
    return;
  }
  const double error = std::sqrt(real.variance() / real.n + model.variance() / model.n);
  record_deviation(what, model.mean() - real.mean(), error);
  EXPECT_LE(std::abs(real.mean() - model.mean()), 4 * error + relative * std::abs(real.mean()) + 0.002)
      << what << ": expected " << real.mean() << ", the model " << model.mean();
}

}  // namespace

void expect_agreement(const ManyRuns& real, const ManyRuns& model) {
  for (const char* what : {"losses", "loss_after", "failover", "overlap", "leaderless"})
    expect_equal_means(what, real, model, 0.01);
  expect_equal_means("requests", real, model, 0.03);
  const double p = real.overlap_share;
  const double q = model.overlap_share;
  const double error = std::sqrt(p * (1 - p) / real.runs + q * (1 - q) / model.runs);
  record_deviation("overlap_share", q - p, error);
  EXPECT_LE(std::abs(p - q), 4 * error + 0.01) << "overlap_share: expected " << p << ", the model " << q;
}

}  // namespace tenure::sim
