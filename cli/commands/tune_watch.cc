#include "cli/commands/tune_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/reports/report_file.h"
#include "cli/reports/text/text_format.h"
#include "cli/terminal/signals.h"
#include "format/syntax/units.h"

namespace tenure::cli {

using format::print_thousands;

TuneWatch::TuneWatch(std::string title, Streams& streams) : title_(std::move(title)), streams_(streams) {}

void TuneWatch::begin(std::string of_runs, std::function<void()> report) {
  of_runs_ = std::move(of_runs);
  report_ = std::move(report);
  line_.emplace(streams_);
}

void TuneWatch::progressed(const lab::TuneProgress& progress) {
  if (!line_->is_due()) return;
  const double rate = line_->rate(progress.done - progress.from_before);
  const std::uint64_t left = progress.planned - std::min(progress.done, progress.planned);
  line_->show(fmt::format("{}: {} of {} runs  {:.0f}/s  {} left", title_, print_thousands(progress.done),
                          print_thousands(std::max(progress.planned, progress.done)), rate,
                          short_duration(Duration::seconds(
                              rate > 0 ? static_cast<std::int64_t>(static_cast<double>(left) / rate) : 0))));
}

void TuneWatch::runs_are_over(const lab::TuneProgress& progress) {
  clear_progress(streams_);
  const std::uint64_t run = progress.done - progress.from_before;
  streams_.err << fmt::format("{}: {} in {:.1f}s, {:.0f}/s", title_, counted(run, "run"), line_->seconds(),
                              line_->rate(run));
  if (progress.from_before > 0)
    streams_.err << fmt::format("; {} more were kept from before", print_thousands(progress.from_before));
  streams_.err << "\n";
}

void TuneWatch::interrupted(const lab::TuneProgress& progress) {
  clear_progress(streams_);
  streams_.err << fmt::format("interrupted after {} of {} runs", print_thousands(progress.done),
                              print_thousands(std::max(progress.planned, progress.done)));
  if (progress.from_before > 0)
    streams_.err << fmt::format(", {} of them kept from before", print_thousands(progress.from_before));
  streams_.err << of_runs_ << "\n" << std::flush;
  if (report_) report_();
  leave_interrupted(streams_);
}

void TuneWatch::saved(const lab::SavedRegression& saved) { say_unwritten(saved, streams_); }

void TuneWatch::shrinking(const lab::SavedRegression& saved) {
  show_progress(streams_, fmt::format("{}: shrinking {}", title_, saved.path));
}

void TuneWatch::kept(const lab::SavedRegression& saved) {
  clear_progress(streams_);
  say_what_is_wrong(saved, streams_);
}

void TuneWatch::does_not_fail_again(std::uint64_t seed) { say_does_not_fail_again(seed, streams_); }

}  // namespace tenure::cli
