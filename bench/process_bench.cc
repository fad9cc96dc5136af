// The speed of designs that are programs, on one core.
//
//   process_line             a line to a process and one back, from a program that does nothing (cat)
//   process_steps/…          steps of a program in Python or Go that sleeps a millisecond at a time (target 30,000)
//   process_lives/copied     lives begun and ended, each a copy of a process that has imported everything
//   process_lives/started    the same, each an interpreter of its own
//   process_lives/go         the same, each a compiled program that starts
//   process_hunt/…           cases of a hunt, as in design_bench's hunt_designs/sql, with the same lease in them
//
// items/s is the figure. Two processes lead the first sixteen lives of a program, which the loops here leave behind.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "adapters/process/child.h"
#include "adapters/process/program.h"
#include "adapters/process/shared_core.h"
#include "adapters/sql/sql_store.h"
#include "format/parse/parse.h"
#include "lab/hunt/hunt.h"
#include "sim/runner/run.h"

namespace tenure::sim {
namespace {

constexpr std::chrono::seconds kPatience{20};

[[noreturn]] void stop(const std::string& why) {
  fmt::print(stderr, "{}\n", why);
  std::exit(1);
}

class OneProgram final : public DesignFiles {
 public:
  // With the shim of this language, from this folder.
  OneProgram(const std::string& language, const std::string& folder, const std::string& file) {
    const std::string shims = TENURE_SOURCE_DIR "/adapters/process/shims/";
    std::string problem;
    process::Launch launch{{"python3", shims + "python/tenure", file}, TENURE_SOURCE_DIR "/" + folder};
    if (language == "go") launch.command = {"sh", shims + "go/tenure/run.sh", file};
    program_ = process::Program::read(std::move(launch), sql::store_kind, kPatience, problem);
    if (program_ == nullptr) stop(problem);
  }
  bool names_one(std::string_view) const override { return false; }
  Found find(std::string_view, std::string_view) const override { return {}; }
  Found find_program(const std::vector<std::string>&, std::string_view, std::string_view) const override {
    return {&program_->kind()};
  }
  std::unique_ptr<process::Child> begin_life() const { return program_->begin_life(); }

 private:
  std::unique_ptr<const process::Program> program_;
};

format::ScenarioFile file_of(const OneProgram& program, const char* duration, int instances,
                             const char* more) {
  const std::string text = fmt::format(
      "format = 1\nname = \"bench\"\n[sim]\nduration = \"{}\"\ntail = \"30s\"\n[cluster]\ninstances = {}\n"
      "node = {{ command = [\"x\"] }}\n{}",
      duration, instances, more);
  format::ParseResult parsed = format::parse_scenario("bench.toml", text, {}, only_utc(), nullptr, {},
                                                      nullptr, format::Unsafe::must_be_accepted, &program);
  if (!parsed.scenario) stop(parsed.diagnostics.front().message);
  return parsed.file();
}

void process_line(benchmark::State& state) {
  const process::SharedCore core;
  std::string problem;
  const auto child = process::Child::start({{"cat"}, "."}, problem);
  if (child == nullptr) stop(problem);
  process::SharedCore::take_in(child->process());
  for (auto _ : state)
    if (child->ask("{\"wake\":{},\"mono\":1000000000,\"wall\":1767225605000000000}\n", kPatience) !=
        process::Child::Result::line)
      stop("cat does not answer");
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(process_line)->Unit(benchmark::kMicrosecond)->UseRealTime();

constexpr const char* kStart =
    "{\"tenure\":1,\"start\":{\"me\":\"n1\",\"number\":1,\"nodes\":1,\"identity\":\"n1#1\",\"parameters\":{},"
    "\"seed\":1},"
    "\"mono\":0,\"wall\":0}\n";

OneProgram ticks_in(const std::string& language) {
  return {language, "bench", language == "go" ? "ticks.go" : "ticks.py"};
}

void process_steps(benchmark::State& state, const std::string& language) {
  const OneProgram program = ticks_in(language);
  const format::ScenarioFile file = file_of(program, "30s", 1, "");
  const Scenario shortest = file_of(program, "1ms", 1, "").scenario;
  for (int life = 0; life < 17; ++life) run(shortest, 1, {.story = false});
  std::int64_t events = 0;
  for (auto _ : state) events += static_cast<std::int64_t>(run(file.scenario, 1, {.story = false}).events);
  state.SetItemsProcessed(events);
}
BENCHMARK_CAPTURE(process_steps, python, "python")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(process_steps, go, "go")->Unit(benchmark::kMillisecond)->UseRealTime();

void begin_lives(benchmark::State& state, const std::string& language, bool copied) {
  const OneProgram program = ticks_in(language);
  const process::SharedCore core;
  std::string problem;
  for (auto _ : state) {
    const auto child =
        copied ? program.begin_life()
               : process::Child::start({{"python3", TENURE_SOURCE_DIR "/adapters/process/shims/python/tenure",
                                         TENURE_SOURCE_DIR "/bench/ticks.py"},
                                        "."},
                                       problem);
    if (child == nullptr) stop(problem);
    process::SharedCore::take_in(child->process());
    if (child->ask(kStart, kPatience) != process::Child::Result::line) stop("a life does not begin");
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK_CAPTURE(begin_lives, copied, "python", true)
    ->Name("process_lives/copied")
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(begin_lives, started, "python", false)
    ->Name("process_lives/started")
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(begin_lives, go, "go", true)
    ->Name("process_lives/go")
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();

void process_hunt(benchmark::State& state, const std::string& language) {
  const OneProgram program(language, "scenarios/designs/" + language,
                           language == "go" ? "article_lease/main.go" : "article_lease.py");
  lab::Hunt hunt(file_of(program, "1m", 3, "scheduler = \"none\"\n[hunt]\nfaults = \"1..8\"\n"),
                 {.first_seed = 1, .cases = 100'000'000});
  for (auto _ : state) {
    if (hunt.generation_size() == 0) hunt.begin_generation();
    lab::Case made = hunt.make(hunt.next_case());
    lab::SignatureCollector collector;
    lab::CaseResult result;
    result.run = run(made.scenario, *made.scenario.seed, {.trace = &collector, .story = false});
    result.signature = collector.take(result.run);
    result.failures = lab::failures_of(result.run);
    hunt.take(std::move(made), result);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK_CAPTURE(process_hunt, python, "python")->Unit(benchmark::kMicrosecond)->UseRealTime();
BENCHMARK_CAPTURE(process_hunt, go, "go")->Unit(benchmark::kMicrosecond)->UseRealTime();

}  // namespace
}  // namespace tenure::sim
