// The speed of a hunt on designs that are written in Lua and SQL, on one core, beside the same design in C++.
//
//   hunt_designs/cpp   db-lease: three instances for a minute with faults, made as by hunt_bench; items/s is the figure
//   hunt_designs/lua   the same loop in Lua, without a store: its instances send one another messages (target 3,000)
//   hunt_designs/sql   scenarios/designs/article-lease/article-lease.lua: the same loop in Lua, on SQL
//   hunt_designs/postgres  the same on a real Postgres, in real time, since the server's CPU is not ours; a case before
//                      the first one starts the server
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>

#include "adapters/lua/design.h"
#include "adapters/sql/numbered.h"
#include "adapters/sql/sql_store.h"
#include "adapters/sql_postgres/postgres_engine.h"
#include "bench/hunt_case.h"
#include "format/parse/parse.h"

namespace tenure::sim {
namespace {

// The first instance tells the others that it lives; they believe it, and do nothing.
constexpr const char* kHeartbeats = R"(
return {
  name = "heartbeats",
  node = function(t)
    if t.number ~= 1 then
      while true do t.receive() end
    end
    while true do
      t.believe{until_mono = t.mono() + "5s"}
      for other = 2, t.nodes do t.send(other, "alive") end
      t.sleep("3s")
    end
  end,
})";

class OneDesign final : public DesignFiles {
 public:
  explicit OneDesign(const std::string& text) {
    lua::Problem problem;
    design_ = lua::Design::read("bench.lua", text, sql::store_kind, problem);
    if (design_ != nullptr) return;
    fmt::print(stderr, "{}\n", problem.text);
    std::exit(1);
  }
  bool names_one(std::string_view protocol) const override { return protocol == "bench.lua"; }
  Found find(std::string_view, std::string_view) const override { return {&design_->kind()}; }

 private:
  std::unique_ptr<const lua::Design> design_;
};

std::string read(const char* path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

const OneDesign& shipped() {
  static const OneDesign design{read(TENURE_SOURCE_DIR "/scenarios/designs/article-lease/article-lease.lua")};
  return design;
}
const OneDesign& heartbeats() {
  static const OneDesign design{kHeartbeats};
  return design;
}

const StoreKind& on_postgres() {
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

void hunt_designs(benchmark::State& state, const std::string& protocol, const OneDesign& design,
                  const std::string& store = "") {
  const std::string text = fmt::format(
      "format = 1\nname = \"bench\"\n[sim]\nduration = \"1m\"\ntail = \"30s\"\n[cluster]\ninstances = 3\n"
      "protocol = \"{}\"\nscheduler = \"none\"\n[hunt]\nfaults = \"1..8\"\n{}",
      protocol, store);
  const format::ParseResult parsed =
      format::parse_scenario("bench.toml", text, {}, only_utc(), nullptr, {&on_postgres(), 1}, nullptr,
                             format::Unsafe::must_be_accepted, &design);
  lab::Hunt hunt(parsed.file(), {.first_seed = 1, .cases = 100'000'000});
  if (!store.empty()) hunt_one_case(hunt);
  for (auto _ : state) {
    hunt_one_case(hunt);
  }
  state.SetItemsProcessed(state.iterations());
  state.counters["events/case"] =
      static_cast<double>(hunt.totals().events) / static_cast<double>(hunt.cases());
}
BENCHMARK_CAPTURE(hunt_designs, cpp, "db-lease", shipped())->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(hunt_designs, lua, "bench.lua", heartbeats())->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(hunt_designs, sql, "bench.lua", shipped())->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(hunt_designs, postgres, "bench.lua", shipped(), "[store]\nengine = \"postgres\"\n")
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();

}  // namespace
}  // namespace tenure::sim
