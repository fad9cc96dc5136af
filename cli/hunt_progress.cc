#include "cli/hunt_progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/text_format.h"
#include "sim/scenario/toml/units.h"

namespace tenure::cli {
namespace {

constexpr auto kOnTerminal = std::chrono::milliseconds(100);
constexpr auto kElsewhere = std::chrono::seconds(10);

}  // namespace

HuntProgress::HuntProgress(std::string what, std::uint64_t planned, std::optional<Duration> time,
                           Streams& streams)
    : what_(std::move(what)), planned_(planned), time_(time), streams_(streams) {}

double HuntProgress::seconds() const { return std::chrono::duration<double>(Clock::now() - began_).count(); }

bool HuntProgress::time_is_up() const {
  return time_ && Clock::now() - began_ >= std::chrono::nanoseconds(time_->ns());
}

std::string HuntProgress::time_left(std::uint64_t done) const {
  double left = seconds() / static_cast<double>(std::max<std::uint64_t>(done, 1)) *
                static_cast<double>(planned_ - std::min(done, planned_));
  if (time_) left = std::min(left, static_cast<double>(time_->ns()) / 1e9 - seconds());
  return short_duration(Duration::seconds(static_cast<std::int64_t>(std::max(left, 0.0))));
}

void HuntProgress::show(std::uint64_t done, std::uint64_t violations, std::uint64_t last_new) {
  const Clock::time_point now = Clock::now();
  if (streams_.progress ? now - shown_ < kOnTerminal : now - shown_ < kElsewhere) return;
  shown_ = now;
  const double rate = static_cast<double>(done) / std::max(seconds(), 1e-9);
  const std::string line =
      fmt::format("{}: {} of {}  {:.0f}/s  {}  {} left  last new behaviour at {}", what_,
                  sim::print_thousands(done), sim::print_thousands(planned_), rate,
                  counted(violations, "violation"), time_left(done), sim::print_thousands(last_new));
  if (streams_.progress) {
    show_progress(streams_, line);
  } else {
    streams_.err << line << "\n" << std::flush;
  }
}

void HuntProgress::finish(std::uint64_t done) {
  clear_progress(streams_);
  streams_.err << fmt::format("{}: {} in {:.1f}s, {:.0f}/s\n", what_, counted(done, "seed"), seconds(),
                              static_cast<double>(done) / std::max(seconds(), 1e-9));
}

}  // namespace tenure::cli
