#include "cli/tune_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "cli/reports/text/text_format.h"
#include "cli/waiting.h"
#include "format/syntax/units.h"

namespace tenure::cli {
namespace {

struct Done {
  std::vector<sim::RunNumbers> runs;
  std::string internal_error;
  std::uint64_t read = 0;
};

// Those that were kept are not run again.
Done run_job(const TuneJob& job, const sim::TuneQuestions& questions, const TuneSave& save) {
  Done done;
  for (std::uint64_t seed = job.first_seed; seed < job.first_seed + job.count; ++seed) {
    const sim::RunNumbers* kept = save.find(job.group, seed);
    if (kept != nullptr && kept->values.size() == questions.metrics.size()) {
      done.runs.push_back(*kept);
      ++done.read;
      continue;
    }
    try {
      done.runs.push_back(sim::measure_run(*job.setting, seed, questions));
    } catch (const std::exception& error) {
      done.internal_error = fmt::format("seed {}: {}", seed, error.what());
      done.runs.push_back({.seed = seed, .values = {}, .leaderless_by_cause = {}, .broken = {}});
      done.runs.back().values.resize(questions.metrics.size());
      done.runs.back().broken.emplace_back(sim::kBrokenInvariant);
    }
  }
  return done;
}

}  // namespace

TuneRuns::TuneRuns(std::string title, unsigned threads, TuneSave& save, std::string when_interrupted,
                   Streams& streams)
    : title_(std::move(title)),
      threads_(threads),
      save_(save),
      when_interrupted_(std::move(when_interrupted)),
      streams_(streams),
      line_(streams) {}

void TuneRuns::run(const std::vector<TuneJob>& jobs, const sim::TuneQuestions& questions,
                   const std::function<void(std::size_t, std::vector<sim::RunNumbers>)>& take) {
  Waiting<Done> finished;
  const JobsEnd end = run_jobs(
      jobs.size(), threads_, [&](std::size_t i) { finished.put(i, run_job(jobs[i], questions, save_)); },
      [&](std::size_t i) {
        Done done = finished.take(i);
        if (internal_error_.empty()) internal_error_ = done.internal_error;
        for (const sim::RunNumbers& run : done.runs)
          if (save_.find(jobs[i].group, run.seed) == nullptr && done.internal_error.empty())
            save_.put(jobs[i].group, run);
        save_.flush();
        done_ += done.runs.size();
        read_ += done.read;
        take(i, std::move(done.runs));
        show();
        return true;
      });
  if (end == JobsEnd::done) return;
  say_interrupted();
  leave_interrupted(streams_);
}

void TuneRuns::show() {
  if (!line_.is_due()) return;
  const double rate = line_.rate(done_ - read_);
  const std::uint64_t left = planned_ - std::min(done_, planned_);
  line_.show(fmt::format("{}: {} of {} runs  {:.0f}/s  {} left", title_, sim::print_thousands(done_),
                         sim::print_thousands(std::max(planned_, done_)), rate,
                         short_duration(Duration::seconds(
                             rate > 0 ? static_cast<std::int64_t>(static_cast<double>(left) / rate) : 0))));
}

void TuneRuns::finish() {
  clear_progress(streams_);
  streams_.err << fmt::format("{}: {} in {:.1f}s, {:.0f}/s", title_, counted(done_ - read_, "run"),
                              line_.seconds(), line_.rate(done_ - read_));
  if (read_ > 0) streams_.err << fmt::format("; {} more were kept from before", sim::print_thousands(read_));
  streams_.err << "\n";
}

void TuneRuns::say_interrupted() {
  clear_progress(streams_);
  streams_.err << fmt::format("interrupted after {} of {} runs", sim::print_thousands(done_),
                              sim::print_thousands(std::max(planned_, done_)));
  if (read_ > 0) streams_.err << fmt::format(", {} of them kept from before", sim::print_thousands(read_));
  streams_.err << when_interrupted_ << "\n" << std::flush;
}

}  // namespace tenure::cli
