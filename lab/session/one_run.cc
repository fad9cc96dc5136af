#include "lab/session/one_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>
#include <vector>

#include "core/base/host_failure.h"
#include "lab/hunt/throwing_checks.h"
#include "lab/session/trace_writer.h"
#include "sim/runner/run.h"

namespace tenure::lab {
namespace {

// Keeps a history as lines.
class Recorder final : public sim::Observer {
 public:
  explicit Recorder(const sim::Scenario& scenario) : names_(scenario) {}
  void see(sim::TrueTime now, const sim::Record& record) override {
    lines_.push_back(trace_line(now, record, names_));
  }
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  sim::Names names_;
  std::vector<std::string> lines_;
};

// Does the work, and makes the invariant that it breaks, if any, the one failure.
void run_guarded(std::vector<Failure>& failures, const std::function<void()>& work) {
  if (const auto broken = broken_invariant_in(work))
    failures = {{std::string(format::kBrokenInvariant), *broken, {}}};
}

CaseResult run_once(const sim::Scenario& scenario) {
  CaseResult result;
  run_guarded(result.failures, [&] {
    SignatureCollector collector;
    result.run = sim::run(scenario, *scenario.seed, {.trace = &collector, .story = false});
    result.signature = collector.take(result.run);
    result.failures = failures_of(result.run);
  });
  return result;
}

bool equal(const CaseResult& a, const CaseResult& b) {
  const auto says_the_same = [](const Failure& one, const Failure& other) {
    return one.checker == other.checker && one.message == other.message && one.at == other.at;
  };
  return a.run == b.run && a.signature == b.signature &&
         std::equal(a.failures.begin(), a.failures.end(), b.failures.begin(), b.failures.end(),
                    says_the_same);
}

std::string difference_of(const sim::Scenario& scenario) {
  std::string difference;
  const auto broken = broken_invariant_in([&] { difference = first_difference(scenario, *scenario.seed); });
  return broken ? "once an invariant broke: " + *broken + "\n" : difference;
}

SeedRun run_with(const sim::Scenario& scenario, std::uint64_t seed, const sim::RunOptions& options) {
  SeedRun outcome;
  run_guarded(outcome.failures, [&] {
    outcome.run = sim::run(scenario, seed, options);
    outcome.failures = failures_of(*outcome.run);
  });
  return outcome;
}

}  // namespace

std::string first_difference(const sim::Scenario& scenario, std::uint64_t seed) {
  Recorder one(scenario);
  Recorder other(scenario);
  sim::run(scenario, seed, {.trace = &one, .story = false});
  sim::run(scenario, seed, {.trace = &other, .story = false});
  const auto line = [](const Recorder& recorder, std::size_t i) {
    return i < recorder.lines().size() ? recorder.lines()[i] : std::string("(no more records)");
  };
  const std::size_t count = std::max(one.lines().size(), other.lines().size());
  for (std::size_t i = 0; i < count; ++i)
    if (line(one, i) != line(other, i))
      return fmt::format("record {}:\n  - {}\n  + {}\n", i + 1, line(one, i), line(other, i));
  return "the records agree; what is not recorded differs\n";
}

RunOutcome run_one(const OneRun& job) {
  RunOutcome outcome;
  try {
    const sim::Scenario& scenario = job.file->scenario;
    const std::string_view tell = checker_to_tell(*job.file);
    if (job.record) outcome.recording.emplace();
    sim::Recording* const recording = job.record ? &*outcome.recording : nullptr;
    sim::RunResult result =
        sim::run(scenario, job.seed,
                 {.trace = job.trace, .recording = recording, .listener = job.listener, .tell = tell});
    if (job.twice) {
      const sim::RunResult again = sim::run(scenario, job.seed, {.tell = tell});
      if (result != again) outcome.difference = first_difference(scenario, job.seed);
    }
    outcome.result = std::move(result);
  } catch (const HostFailure& failure) {
    outcome.error = failure.what();
    outcome.host_failed = true;
  } catch (const std::exception& error) {
    outcome.error = error.what();
  }
  return outcome;
}

CaseOutcome run_case(const sim::Scenario& scenario, bool twice) {
  CaseOutcome outcome{.result = run_once(scenario), .difference = {}};
  if (twice && !equal(outcome.result, run_once(scenario))) outcome.difference = difference_of(scenario);
  return outcome;
}

SeedRun try_case(const sim::Scenario& scenario) { return run_seed(scenario, *scenario.seed); }

SeedRun run_seed(const sim::Scenario& scenario, std::uint64_t seed) {
  return run_with(scenario, seed, {.story = false});
}

SeedRun tell_seed(const format::ScenarioFile& file, std::uint64_t seed) {
  return run_with(file.scenario, seed, {.tell = checker_to_tell(file)});
}

}  // namespace tenure::lab
