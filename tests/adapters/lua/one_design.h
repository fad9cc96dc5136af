// A design of which a test gives the process, in a minute of three instances.
//
// Thread rule: for tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "adapters/lua/design.h"
#include "format/parse/parse.h"
#include "sim/runner/run.h"

namespace tenure::sim {

class OneDesign final : public DesignFiles {
 public:
  explicit OneDesign(const std::string& node, const std::string& more = "") {
    lua::Problem problem;
    const std::string text =
        "return { name = 'mine', " + more + "\nnode = function(t)\n" + node + "\nend }\n";
    design_ = lua::Design::read("my.lua", text, nullptr, problem);
    EXPECT_NE(design_, nullptr) << problem.text;
  }
  bool names_one(std::string_view protocol) const override { return protocol == "my.lua"; }
  Found find(std::string_view, std::string_view) const override { return {&design_->kind()}; }

 private:
  std::unique_ptr<const lua::Design> design_;
};

inline Scenario scenario_of(const OneDesign& design, const std::string& more = "") {
  const std::string text =
      "format = 1\nname = \"x\"\n[sim]\nduration = \"1m\"\ntail = \"30s\"\n[cluster]\ninstances = 3\n"
      "protocol = \"my.lua\"\n" +
      more;
  format::ParseResult parsed = format::parse_scenario("x.toml", text, {}, only_utc(), nullptr, {}, nullptr,
                                                      format::Unsafe::must_be_accepted, &design);
  for (const format::Diagnostic& each : parsed.diagnostics) ADD_FAILURE() << each.message;
  return parsed.scenario.value();
}

inline const CheckResult& check_of(const RunResult& result, std::string_view name) {
  const auto found = std::find_if(result.checks.begin(), result.checks.end(),
                                  [&](const CheckResult& check) { return check.name == name; });
  EXPECT_NE(found, result.checks.end()) << name;
  return *found;
}

// No error: every assert of the process held.
inline std::string error_of(const std::string& node) {
  const RunResult result = run(scenario_of(OneDesign(node)), 1);
  const CheckResult& check = check_of(result, "design-error");
  return check.violations.empty() ? "" : check.violations.front().message;
}

}  // namespace tenure::sim
