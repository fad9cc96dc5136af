#include "cli/terminal/progress_line.h"

#include <algorithm>

namespace tenure::cli {
namespace {

constexpr auto kOnTerminal = std::chrono::milliseconds(100);
constexpr auto kElsewhere = std::chrono::seconds(10);

}  // namespace

double ProgressLine::seconds() const { return std::chrono::duration<double>(Clock::now() - began_).count(); }

double ProgressLine::rate(std::uint64_t done) const {
  return static_cast<double>(done) / std::max(seconds(), 1e-9);
}

bool ProgressLine::is_due() const {
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

}  // namespace tenure::cli
