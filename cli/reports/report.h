// Who is told what a command finds, while it finds it: one reporter for each format and each file.
//
// A command tells its reporters each thing as it comes, in an order that does not depend on -j, and in the end that it
// is over, interrupted or not. A reporter prints what is for it, and lets the rest go by; it decides nothing.
//
// Thread rule: main thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/exit_code.h"
#include "cli/reports/json/hunt_json.h"
#include "cli/reports/json/json_run.h"
#include "cli/reports/suite.h"
#include "cli/trend/trend.h"
#include "lab/session/batch.h"
#include "lab/session/hunt_findings.h"
#include "sim/runner/recording.h"

namespace tenure::cli {

// What there was to do, and what was done.
struct Totals {
  std::string_view unit = {};  // "run", "scenario", "regression"
  std::uint64_t planned = 0;
  std::uint64_t done = 0;
  bool interrupted = false;
  bool compared = false;  // each was made twice,
  std::uint64_t differed = 0;
  ExitCode code = ExitCode::pass;
};

class Reporter {
 public:
  Reporter() = default;
  Reporter(const Reporter&) = delete;
  Reporter& operator=(const Reporter&) = delete;
  virtual ~Reporter() = default;

  // `tenure run`. The run has been added to `batch`, which is null for a run that stands alone.
  virtual void run(const sim::RunResult&, const sim::Scenario&, const lab::Batch* /*batch*/) {}
  // What happened in the run that was told of last, if it was recorded.
  virtual void recorded(const sim::Recording&, const sim::RunResult&, const sim::Scenario&) {}
  virtual void batch(const lab::Batch&, const std::string& /*reproduce_prefix*/) {}

  // `tenure hunt` and `tenure replay`. `in_hunt`: before a hunt, as opposed to by itself.
  virtual void replayed(const lab::ReplayedFile&, bool /*in_hunt*/) {}
  virtual void found(const lab::HuntFindings& /*so_far*/, const lab::Finding&) {}
  // `command`: as it was given.
  virtual void hunted(const lab::HuntFindings&, const sim::Scenario&, const std::string& /*command*/) {}
  // A scenario whose turn did not come, and why.
  virtual void left_out(const std::string& /*title*/, const std::string& /*why*/) {}

  // With --baseline, after the batch or the hunt that is compared with an earlier one.
  virtual void trend(const Trend&) {}
  // Every command, when a scenario is over, after all of the above about it.
  virtual void suite(const Suite&) {}
  // Nothing comes after this. Anything but a pass: it could not write, and has said so.
  virtual ExitCode end(const Totals&) { return ExitCode::pass; }
};

// All of them as one. It knows the baseline, if there is one, and tells them what changed.
class Reporters final : public Reporter {
 public:
  explicit Reporters(std::optional<Baseline> baseline = {}) : baseline_(std::move(baseline)) {}
  void add(std::unique_ptr<Reporter> reporter) { all_.push_back(std::move(reporter)); }

  void run(const sim::RunResult& result, const sim::Scenario& scenario, const lab::Batch* batch) override {
    for (const auto& each : all_) each->run(result, scenario, batch);
  }
  void recorded(const sim::Recording& recording, const sim::RunResult& result,
                const sim::Scenario& scenario) override {
    for (const auto& each : all_) each->recorded(recording, result, scenario);
  }
  void batch(const lab::Batch& batch, const std::string& reproduce_prefix) override {
    for (const auto& each : all_) each->batch(batch, reproduce_prefix);
    if (baseline_) trend(baseline_->compare(json_of_batch(batch, reproduce_prefix, "batch")));
  }
  void replayed(const lab::ReplayedFile& file, bool in_hunt) override {
    for (const auto& each : all_) each->replayed(file, in_hunt);
  }
  void found(const lab::HuntFindings& so_far, const lab::Finding& finding) override {
    for (const auto& each : all_) each->found(so_far, finding);
  }
  void hunted(const lab::HuntFindings& findings, const sim::Scenario& scenario,
              const std::string& command) override {
    for (const auto& each : all_) each->hunted(findings, scenario, command);
    if (baseline_) trend(baseline_->compare(json_of_hunt(findings, "hunt")));
  }
  void trend(const Trend& trend) override {
    for (const auto& each : all_) each->trend(trend);
    code_ = worse(code_, exit_code_of(trend));
  }
  void left_out(const std::string& title, const std::string& why) override {
    for (const auto& each : all_) each->left_out(title, why);
  }
  void suite(const Suite& suite) override {
    for (const auto& each : all_) each->suite(suite);
  }
  ExitCode end(const Totals& totals) override {
    Totals judged = totals;
    judged.code = worse(judged.code, code_);
    ExitCode code = code_;
    for (const auto& each : all_) code = worse(code, each->end(judged));
    return code;
  }

 private:
  std::vector<std::unique_ptr<Reporter>> all_;
  const std::optional<Baseline> baseline_;
  ExitCode code_ = ExitCode::pass;  // of the trends
};

}  // namespace tenure::cli
