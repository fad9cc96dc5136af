#include "lab/session/one_run.h"

#include <fmt/format.h>

#include <exception>
#include <utility>
#include <vector>

#include "core/base/host_failure.h"
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

}  // namespace tenure::lab
