#include "cli/commands/runs_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/reports/report_file.h"
#include "cli/reports/text/text_format.h"
#include "cli/terminal/signals.h"
#include "format/syntax/units.h"

namespace tenure::cli {
namespace {

using format::print_thousands;

std::string count_of(const lab::RunsProgress& progress) {
  return fmt::format("{} of {} runs", print_thousands(progress.done),
                     print_thousands(std::max(progress.planned, progress.done)));
}

}  // namespace

RunsWatch::RunsWatch(std::string title, Streams& streams)
    : title_(std::move(title)), streams_(streams), about_(title_ + ": ") {}

void RunsWatch::begin(std::string of_runs, std::function<void()> report) {
  of_runs_ = std::move(of_runs);
  report_ = std::move(report);
  line_.emplace(streams_);
}

void RunsWatch::begins(const std::string& what) {
  about_ = title_ + ": " + (what.empty() ? "" : what + ": ");
}

void RunsWatch::progressed(const lab::RunsProgress& progress) {
  if (!line_->is_due()) return;
  const double rate = line_->rate(progress.done - progress.from_before);
  const auto left = static_cast<double>(progress.planned - std::min(progress.done, progress.planned));
  line_->show(fmt::format("{}{}  {:.0f}/s  {} left", about_, count_of(progress), rate,
                          ProgressLine::in_words(rate > 0 ? left / rate : 0)));
}

void RunsWatch::waiting(std::uint64_t missing) {
  if (line_->is_due())
    line_->show(fmt::format("{}waiting for {} of other parts", about_, counted(missing, "run")));
}

void RunsWatch::runs_are_over(const lab::RunsProgress& progress) {
  clear_progress(streams_);
  const std::uint64_t run = progress.done - progress.from_before;
  streams_.err << fmt::format("{}: {} in {:.1f}s, {:.0f}/s", title_, counted(run, "run"), line_->seconds(),
                              line_->rate(run));
  if (progress.from_before > 0)
    streams_.err << fmt::format("; {} more were kept from before", print_thousands(progress.from_before));
  streams_.err << "\n";
}

void RunsWatch::say_interrupted(const lab::RunsProgress& progress, const std::string& of_runs) {
  clear_progress(streams_);
  streams_.err << "interrupted after " << count_of(progress);
  if (progress.from_before > 0)
    streams_.err << fmt::format(", {} of them kept from before", print_thousands(progress.from_before));
  streams_.err << of_runs << "\n" << std::flush;
}

void RunsWatch::interrupted(const lab::RunsProgress& progress) {
  say_interrupted(progress, of_runs_);
  if (report_) report_();
  leave_interrupted(streams_);
}

void RunsWatch::saved(const lab::SavedRegression& saved) { say_unwritten(saved, streams_); }

void RunsWatch::shrinking(const lab::SavedRegression& saved) {
  show_progress(streams_, fmt::format("{}: shrinking {}", title_, saved.path));
}

void RunsWatch::kept(const lab::SavedRegression& saved) {
  clear_progress(streams_);
  say_what_is_wrong(saved, streams_);
}

void RunsWatch::does_not_fail_again(std::uint64_t seed) { say_does_not_fail_again(seed, streams_); }

}  // namespace tenure::cli
