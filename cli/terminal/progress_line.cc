#include "cli/terminal/progress_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/reports/text/text_format.h"
#include "format/syntax/units.h"

namespace tenure::cli {
namespace {

constexpr auto kOnTerminal = std::chrono::milliseconds(100);
constexpr auto kElsewhere = std::chrono::seconds(10);

}  // namespace

std::string ProgressLine::in_words(double seconds) {
  return short_duration(Duration::seconds(static_cast<std::int64_t>(std::max(seconds, 0.0))));
}

double ProgressLine::seconds() const { return std::chrono::duration<double>(Clock::now() - began_).count(); }

double ProgressLine::rate(std::uint64_t done) const {
  return static_cast<double>(done) / std::max(seconds(), 1e-9);
}

double ProgressLine::seconds_left(std::uint64_t done, std::uint64_t planned) const {
  return seconds() / static_cast<double>(std::max<std::uint64_t>(done, 1)) *
         static_cast<double>(planned - std::min(done, planned));
}

bool ProgressLine::is_due() const {
  if (streams_.quiet) return false;
  const auto since = Clock::now() - shown_;
  return streams_.progress ? since >= kOnTerminal : since >= kElsewhere;
}

void ProgressLine::show(const std::string& line) {
  shown_ = Clock::now();
  if (streams_.progress)
    show_progress(streams_, line);
  else
    streams_.err << line << "\n" << std::flush;
}

HuntProgress::HuntProgress(std::string what, std::optional<std::uint64_t> planned,
                           std::optional<Duration> time, Streams& streams)
    : what_(std::move(what)), planned_(planned), time_(time), streams_(streams), line_(streams) {}

std::string HuntProgress::time_left(std::uint64_t done) const {
  std::optional<double> left;
  if (time_) left = static_cast<double>(time_->ns()) / 1e9 - line_.seconds();
  if (planned_) {
    const double by_count = line_.seconds_left(done, *planned_);
    left = std::min(left.value_or(by_count), by_count);
  }
  return ProgressLine::in_words(left.value_or(0));
}

void HuntProgress::show(std::uint64_t done, std::uint64_t violations, std::uint64_t last_new) {
  if (!line_.is_due()) return;
  std::string count = format::print_thousands(done);
  if (planned_) count += " of " + format::print_thousands(*planned_);
  line_.show(fmt::format("{}: {}  {:.0f}/s  {}  {} left  last new behaviour at {}", what_, count,
                         line_.rate(done), counted(violations, "violation"), time_left(done),
                         format::print_thousands(last_new)));
}

void HuntProgress::finish(std::uint64_t done) {
  clear_progress(streams_);
  if (streams_.quiet) return;
  streams_.err << fmt::format("{}: {} in {:.1f}s, {:.0f}/s\n", what_, counted(done, "seed"), line_.seconds(),
                              line_.rate(done));
}

}  // namespace tenure::cli
