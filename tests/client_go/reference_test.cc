// The model of client-go beside numbers of the library itself, and of a second model (README.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "format/build/parse.h"
#include "sim/runner/run.h"

namespace tenure::sim {
namespace {

constexpr std::uint64_t kSeeds = 150;
const std::string kOfTheLibrary = TENURE_SOURCE_DIR "/tests/client_go/";

// Others than those that are kept can be drawn (draw.py).
std::string drawn() {
  const char* folder = std::getenv("TENURE_CLIENT_GO_DRAWN");
  return folder != nullptr ? folder + std::string("/") : kOfTheLibrary + "drawn/";
}

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

struct Numbers {
  double n = 0;
  double sum = 0;
  double squares = 0;
  void add(double x) {
    ++n;
    sum += x;
    squares += x * x;
  }
  double mean() const { return sum / n; }
  double variance() const { return std::max(squares / n - mean() * mean(), 0.0); }
};

// In standard errors of the difference.
void record_deviation(const std::string& what, double difference, double error) {
  testing::Test::RecordProperty(what, std::to_string(error > 0 ? difference / error : 0));
}

void expect_equal_means(const char* what, const nlohmann::json& real, const Numbers& model, double relative) {
  const double real_n = real["n"];
  if (real_n == 0 || model.n == 0) {
    // What happens in one run of a hundred may be missing from these few.
    EXPECT_LE(std::max(real_n * kSeeds / 500, model.n), 8) << what << ": only one of the two has any";
    return;
  }
  const double sd = real["sd"];
  const double error = std::sqrt(sd * sd / real_n + model.variance() / model.n);
  const double mean = real["mean"];
  record_deviation(what, model.mean() - mean, error);
  EXPECT_LE(std::abs(mean - model.mean()), 4 * error + relative * std::abs(mean) + 0.002)
      << what << ": expected " << mean << ", the model " << model.mean();
}

void expect_agreement(const std::string& folder, const std::string& file, const std::string& tag,
                      std::string_view release) {
  std::ifstream in(folder + "scenarios/" + file + ".toml");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::vector<Override> sets = {{"election.release", "\"" + std::string(release) + "\""}};
  const ParseResult parsed = parse_scenario(file, text, sets);
  ASSERT_TRUE(parsed.scenario) << render(parsed.diagnostics.front());
  const nlohmann::json real = nlohmann::json::parse(std::ifstream(folder + "expected.json"))[file][tag];

  std::map<std::string, Numbers> seen;
  double overlaps = 0;
  const double length = seconds(parsed.scenario->duration + parsed.scenario->tail);
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Leaderships run_seen;
    run(*parsed.scenario, seed, {.trace = &run_seen, .story = false});
    run_seen.finish(length);
    const auto [overlap, leaderless] = run_seen.overlap_and_leaderless();
    seen["losses"].add(run_seen.losses_);
    seen["leaderless"].add(leaderless);
    seen["requests"].add(run_seen.requests_ / length);
    if (run_seen.failover_) seen["failover"].add(*run_seen.failover_);
    if (run_seen.loss_after_) seen["loss_after"].add(*run_seen.loss_after_);
    if (overlap > 1e-6) {
      seen["overlap"].add(overlap);
      ++overlaps;
    }
  }
  for (const char* what : {"losses", "loss_after", "failover", "overlap", "leaderless"})
    expect_equal_means(what, real[what], seen[what], 0.01);
  expect_equal_means("requests", real["requests"], seen["requests"], 0.03);
  const double p = real["overlap_share"];
  const double q = overlaps / kSeeds;
  const double runs = real["runs"];
  const double error = std::sqrt(p * (1 - p) / runs + q * (1 - q) / kSeeds);
  record_deviation("overlap_share", q - p, error);
  EXPECT_LE(std::abs(p - q), 4 * error + 0.01) << "overlap_share: expected " << p << ", the model " << q;
}

std::vector<std::string> files_of(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder + "scenarios"))
    names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}
std::string test_name(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '-' || c == '.'; }, '_');
  return name;
}

class ClientGoReference : public testing::TestWithParam<std::string> {};

TEST_P(ClientGoReference, the_model_does_what_v0_29_0_does) {
  expect_agreement(kOfTheLibrary, GetParam(), "v0.29.0", "0.29");
}
TEST_P(ClientGoReference, the_model_does_what_v0_36_0_does) {
  expect_agreement(kOfTheLibrary, GetParam(), "v0.36.0", "0.36");
}

INSTANTIATE_TEST_SUITE_P(Scenarios, ClientGoReference, testing::ValuesIn(files_of(kOfTheLibrary)),
                         [](const auto& test) { return test_name(test.param); });

class ClientGoSecondModel : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(ClientGoSecondModel, the_two_models_agree) {
  const auto& [file, release] = GetParam();
  expect_agreement(drawn(), file, release, release);
}

INSTANTIATE_TEST_SUITE_P(Drawn, ClientGoSecondModel,
                         testing::Combine(testing::ValuesIn(files_of(drawn())),
                                          testing::Values("0.29", "0.31", "0.33", "0.36")),
                         [](const auto& test) {
                           return test_name(std::get<0>(test.param) + "_" + std::get<1>(test.param));
                         });

}  // namespace
}  // namespace tenure::sim
