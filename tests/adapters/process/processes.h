// Designs that are programs, in tests: this folder's node.py, and what runs of it give.
//
// Thread rule: tests.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/process/program.h"
#include "format/parse/parse.h"
#include "sim/runner/run.h"

namespace tenure::sim {

inline std::vector<std::string> node_py(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"python3", "node.py"});
  return arguments;
}

// Any file's only design: this program.
class OneProgram final : public DesignFiles {
 public:
  explicit OneProgram(std::vector<std::string> command,
                      std::chrono::milliseconds patience = std::chrono::seconds(20),
                      design::MakeStore make_store = nullptr) {
    program_ = process::Program::read({std::move(command), TENURE_SOURCE_DIR "/tests/adapters/process"},
                                      make_store, patience, problem_);
  }
  bool names_one(std::string_view) const override { return false; }
  Found find(std::string_view, std::string_view) const override { return {}; }
  Found find_program(const std::vector<std::string>&, std::string_view, std::string_view) const override {
    return {program_->elects() ? &program_->kind() : nullptr,
            {},
            {},
            program_->schedules() ? &program_->scheduler() : nullptr};
  }
  const process::Program* program() const { return program_.get(); }
  const std::string& problem() const { return problem_; }

 private:
  std::unique_ptr<const process::Program> program_;
  std::string problem_;
};

inline Scenario scenario_of(const OneProgram& design, const std::string& more = "", int instances = 3) {
  EXPECT_NE(design.program(), nullptr) << design.problem();
  format::ParseResult parsed = format::parse_scenario(
      "x.toml",
      fmt::format(
          "format = 1\nname = \"x\"\n[sim]\nduration = \"1m\"\ntail = \"30s\"\n[cluster]\ninstances = {}\n"
          "node = {{ command = [\"x\"] }}\n{}",
          instances, more),
      {}, only_utc(), nullptr, {}, nullptr, format::Unsafe::must_be_accepted, &design);
  for (const format::Diagnostic& each : parsed.diagnostics) ADD_FAILURE() << each.message;
  return parsed.scenario.value();
}

inline const CheckResult& design_errors(const RunResult& result) {
  return *std::find_if(result.checks.begin(), result.checks.end(),
                       [](const CheckResult& check) { return check.name == "design-error"; });
}
// What programs log, with the value, and who logged it.
class Remarks final : public Observer {
 public:
  void see(TrueTime, const Record& record) override {
    const auto* noted = std::get_if<Noted>(&record);
    if (noted == nullptr) return;
    if (const auto* remark = std::get_if<Annotation>(&noted->note)) {
      texts.emplace_back(remark->text);
      values.push_back(remark->value);
    }
  }
  std::ptrdiff_t count(std::string_view text) const { return std::count(texts.begin(), texts.end(), text); }
  std::vector<std::string> texts;
  std::vector<std::int64_t> values;
};

// The first error of the program in a run of one instance; empty: there is none.
inline std::string error_of(std::vector<std::string> command) {
  const OneProgram design(std::move(command));
  const RunResult result = run(scenario_of(design, "", 1), 1, {.story = false});
  const CheckResult& check = design_errors(result);
  if (!check.violations.empty()) {
    EXPECT_EQ(result.verdict, Verdict::fail);
  }
  return check.violations.empty() ? "" : check.violations.front().message;
}

}  // namespace tenure::sim
