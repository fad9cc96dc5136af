// A minute of programs in Lua whose statements run on a real Postgres, and what they remark, with the times.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "adapters/lua/design.h"
#include "adapters/sql/numbered.h"
#include "adapters/sql/sql_store.h"
#include "adapters/sql_postgres/postgres_engine.h"
#include "format/parse/parse.h"
#include "sim/runner/run.h"

namespace tenure::sim {

inline const StoreKind& on_postgres() {
  static const StoreKind kind = [] {
    StoreKind made;
    made.name = "postgres";
    made.with_schema = [](std::string_view schema) {
      return sql_postgres::store_kind(schema, sql::numbered);
    };
    made.has_sessions = true;
    return made;
  }();
  return kind;
}

inline constexpr const char* kTwoRows =
    "CREATE TABLE m (id int PRIMARY KEY, n int NOT NULL); INSERT INTO m VALUES (1, 0), (2, 0)";

class Remarks final : public Observer {
 public:
  void see(TrueTime now, const Record& record) override {
    const auto* noted = std::get_if<Noted>(&record);
    const auto* remark = noted == nullptr ? nullptr : std::get_if<Annotation>(&noted->note);
    if (remark != nullptr)
      lines.push_back(fmt::format("{}.{:03} n{} {}", now.ns() / 1'000'000'000, now.ns() / 1'000'000 % 1'000,
                                  noted->who.node.value + 1, remark->text));
  }
  std::vector<std::string> lines;
};

struct Ran {
  std::vector<std::string> remarks;
  std::string error;  // of the design; empty: none
  std::uint64_t trace_hash = 0;
};

// The process of each instance is `node`; `more` is the rest of the scenario. Messages and statements take no time, so
// that what is remarked has the times at which it was asked for.
class Sessions {
 public:
  Sessions(const std::string& node, int instances, const std::string& more = "",
           const char* schema = kTwoRows) {
    lua::Problem problem;
    const std::string text =
        fmt::format("return {{ name = 'mine', schema = [[{}]], node = function(t)\n{}\nend }}", schema, node);
    design_ = lua::Design::read("my.lua", text, sql::store_kind, problem);
    EXPECT_NE(design_, nullptr) << problem.text;
    const OnlyOne files(design_->kind());
    format::ParseResult parsed = format::parse_scenario(
        "x.toml",
        fmt::format(
            "format = 1\nname = \"x\"\n[sim]\nduration = \"1m\"\ntail = \"30s\"\n[cluster]\ninstances = {}\n"
            "protocol = \"my.lua\"\n[store]\nengine = \"postgres\"\nlatency = \"0s\"\n[network]\n"
            "latency = \"0s\"\n{}",
            instances, more),
        {}, only_utc(), nullptr, {&on_postgres(), 1}, nullptr, format::Unsafe::must_be_accepted, &files);
    for (const format::Diagnostic& each : parsed.diagnostics) ADD_FAILURE() << each.message;
    scenario_ = std::move(parsed.scenario);
  }

  // Made twice: what Postgres does is the same each time.
  Ran run() const {
    const Ran first = run_once();
    const Ran second = run_once();
    EXPECT_EQ(first.remarks, second.remarks);
    EXPECT_EQ(first.trace_hash, second.trace_hash);
    return first;
  }

 private:
  class OnlyOne final : public DesignFiles {
   public:
    explicit OnlyOne(const ElectorKind& kind) : kind_(kind) {}
    bool names_one(std::string_view) const override { return true; }
    Found find(std::string_view, std::string_view) const override { return {&kind_}; }

   private:
    const ElectorKind& kind_;
  };

  Ran run_once() const {
    Remarks remarks;
    const RunResult result = sim::run(scenario_.value(), 1, {.trace = &remarks, .story = false});
    Ran ran{std::move(remarks.lines), {}, result.trace_hash};
    for (const CheckResult& check : result.checks)
      if (check.name == "design-error" && !check.violations.empty())
        ran.error = check.violations.front().message;
    return ran;
  }

  std::unique_ptr<const lua::Design> design_;
  std::optional<Scenario> scenario_;
};

}  // namespace tenure::sim
