#include "cli/reports/svg/timeline_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "cli/reports/svg/svg.h"
#include "cli/reports/text/text_format.h"
#include "core/model/describe.h"

namespace tenure::cli {
namespace {

using sim::Recording;
using sim::Span;
using sim::TrueTime;

constexpr double kWidth = 960;
constexpr double kGutter = 72;
constexpr double kRightEnd = 948;
constexpr double kStripRow = 9;
constexpr double kFaultRow = 18;
constexpr double kLeaseRow = 26;
constexpr double kLane = 48;
constexpr std::size_t kFaultRows = 4;
constexpr std::size_t kTitleColumns = 100;
constexpr std::string_view kInk = "#1d2329";
constexpr std::string_view kSoft = "#626c76";
constexpr std::string_view kOrange = "#b26a00";

// Stripes, so that nothing rests on colour alone.
constexpr std::string_view kPatterns =
    "<defs><pattern id=\"paused\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">"
    "<rect width=\"6\" height=\"6\" fill=\"#ffffff\" fill-opacity=\"0.6\"/>"
    "<path d=\"M-1 7 L7 -1\" stroke=\"#7a828a\" stroke-width=\"2\"/></pattern>"
    "<pattern id=\"wrong\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\">"
    "<path d=\"M-1 9 L9 -1\" stroke=\"#c1121f\" stroke-width=\"3\"/></pattern></defs>\n";
constexpr std::string_view kRed = "#c1121f";

TrueTime end_of(const Span& span, const Recording& recording) { return std::min(span.to, recording.end); }

Span with_margin(Span span, const Recording& recording) {
  const Duration margin = std::max((span.to - span.from) * 3 / 10, Duration::millis(500));
  return {std::max(TrueTime{}, span.from - margin), std::min(recording.end, span.to + margin)};
}

// Each time in which there were two, whether both acted or not.
std::vector<Span> times_of_two(const Recording& recording) {
  std::vector<Span> times;
  for (const sim::OverlapSpan& two : overlaps(recording)) {
    if (times.empty() || times.back().to < two.span.from)
      times.push_back(two.span);
    else
      times.back().to = std::max(times.back().to, end_of(two.span, recording));
  }
  for (Span& span : times) span.to = end_of(span, recording);
  return times;
}

const sim::ViolationSpan* first_mark(const Recording& recording) {
  const sim::ViolationSpan* first = nullptr;
  for (const sim::ViolationSpan& one : recording.violations)
    if (first == nullptr || (one.demanded && !first->demanded) ||
        (one.demanded == first->demanded && one.span.to < first->span.to))
      first = &one;
  return first;
}

Span around(const sim::ViolationSpan& mark, const Recording& recording) {
  constexpr Duration kLongestBefore = Duration::seconds(120);
  const TrueTime at = std::min(mark.span.to, recording.end);
  Span span{std::min(mark.span.from, at), at};
  for (const Span& two : times_of_two(recording))
    if (two.from <= at && at <= two.to) {
      span.from = std::min(span.from, two.from);
      span.to = std::max(span.to, two.to);
    }
  const sim::FaultSpan* before = nullptr;
  for (const sim::FaultSpan& fault : recording.faults)
    if (fault.span.from <= at) before = &fault;
  if (before != nullptr) span.from = std::min(span.from, before->span.from);
  span.from = std::max(span.from, at - kLongestBefore);
  return with_margin(span, recording);
}

std::string escaped_text(std::string_view text) {
  std::string result;
  for (const char c : text)
    result += c == '&'   ? "&amp;"
              : c == '<' ? "&lt;"
              : c == '>' ? "&gt;"
              : c == '"' ? "&quot;"
                         : std::string(1, c);
  return result;
}

// At spaces.
std::vector<std::string> lines_of(std::string_view text, std::size_t columns) {
  std::vector<std::string> lines;
  while (text.size() > columns) {
    std::size_t cut = text.rfind(' ', columns);
    if (cut == std::string_view::npos || cut == 0) cut = columns;
    lines.emplace_back(text.substr(0, cut));
    text.remove_prefix(text[cut] == ' ' ? cut + 1 : cut);
  }
  lines.emplace_back(text);
  return lines;
}

class TimelinePicture {
 public:
  TimelinePicture(const Recording& recording, const Span& window) : recording_(recording), window_(window) {}

  std::string svg(std::string_view title, std::string_view below) {
    double y = 28;
    for (const std::string& line : lines_of(title, kTitleColumns)) {
      text(12, y, line, kInk, 17, "600");
      y += 24;
    }
    y = strip(y);
    y = faults(axis(y + 14));
    y = lease(y);
    lanes_top_ = y;
    for (std::uint32_t node = 0; node < recording_.nodes.size(); ++node) lane(node, y + kLane * node);
    y += kLane * static_cast<double>(recording_.nodes.size());
    marks(y);
    y = legend(y + 20);
    text(12, y, below, kSoft, 12, "400");
    const int height = static_cast<int>(y + 14);
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
        "font-family=\"system-ui, sans-serif\">\n<title>{2}</title>\n{3}<rect width=\"{0}\" height=\"{1}\" "
        "fill=\"#ffffff\"/>\n{4}</svg>\n",
        kWidth, height, escaped_text(title), kPatterns, body_);
  }

 private:
  static double scaled(TrueTime at, const Span& span) {
    const double share =
        static_cast<double>((at - span.from).ns()) / static_cast<double>((span.to - span.from).ns());
    return kGutter + std::clamp(share, 0.0, 1.0) * (kRightEnd - kGutter);
  }
  double x(TrueTime at) const { return scaled(at, window_); }
  bool shows(const Span& span) const {
    return span.from <= window_.to && end_of(span, recording_) >= window_.from;
  }

  void rect(double x1, double x2, double top, double height, std::string_view fill,
            std::string_view more = {}) {
    body_ +=
        fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"{}/>\n",
                    x1, top, std::max(x2 - x1, 1.0), height, fill, more);
  }
  void line(double x1, double y1, double x2, double y2, std::string_view colour, double width = 1) {
    body_ += fmt::format("<path d=\"M{:.1f} {:.1f} L{:.1f} {:.1f}\" stroke=\"{}\" stroke-width=\"{}\"/>\n",
                         x1, y1, x2, y2, colour, width);
  }
  void text(double at, double y, std::string_view words, std::string_view colour, int size = 12,
            std::string_view weight = "400", std::string_view more = {}) {
    body_ += fmt::format(
        "<text x=\"{:.1f}\" y=\"{:.1f}\" fill=\"{}\" font-size=\"{}\" font-weight=\"{}\"{}>{}</text>\n", at,
        y, colour, size, weight, more, escaped_text(words));
  }
  // Only where it has room; a letter is about 6.5 wide.
  void label(double x1, double x2, double y, std::string_view words, std::string_view colour,
             std::string_view more = {}) {
    const auto room = static_cast<std::size_t>(std::max(0.0, (x2 - x1 - 8) / 6.5));
    if (room < 3) return;
    const bool fits = words.size() <= room;
    text(x1 + 5, y, fits ? std::string(words) : std::string(words.substr(0, room - 1)) + "…", colour, 12,
         "400", more);
  }

  double strip(double top) {
    const Span whole{TrueTime{}, recording_.end};
    const auto at = [&](TrueTime time) { return scaled(std::min(time, recording_.end), whole); };
    const double height = kStripRow * static_cast<double>(recording_.nodes.size());
    for (const sim::LifeSpan& life : recording_.lives) {
      const double y = top + kStripRow * life.who.node.value + 3.5;
      line(at(life.span.from), y, at(life.span.to), y, "#dfe3e7");
    }
    for (const sim::BeliefSpan& belief : recording_.beliefs)
      rect(at(belief.span.from), at(belief.span.to), top + kStripRow * belief.who.node.value, 7, kSvgBlue);
    // A leadership that was lost shows as a notch, however soon there was another.
    for (const sim::BeliefSpan& belief : recording_.beliefs)
      if (belief.span.to < recording_.end)
        rect(at(belief.span.to) - 1, at(belief.span.to) + 1, top + kStripRow * belief.who.node.value, 7,
             "#ffffff");
    for (const sim::OverlapSpan& two : overlaps(recording_))
      rect(at(two.span.from), std::max(at(two.span.to), at(two.span.from) + 2), top + height, 3, kRed);
    rect(at(window_.from), at(window_.to), top - 3, height + 7, "none", fmt::format(" stroke=\"{}\"", kInk));
    text(12, top + height / 2 + 4, "whole run", kSoft);
    return top + height + 8;
  }

  double axis(double y) {
    constexpr std::array kSteps = {1'000'000LL,      10'000'000LL,      100'000'000LL,
                                   500'000'000LL,    1'000'000'000LL,   2'000'000'000LL,
                                   5'000'000'000LL,  10'000'000'000LL,  20'000'000'000LL,
                                   60'000'000'000LL, 300'000'000'000LL, 1'800'000'000'000LL};
    const std::int64_t length = (window_.to - window_.from).ns();
    std::int64_t step = 7'200'000'000'000;
    for (const std::int64_t each : kSteps)
      if (length / each <= 9) {
        step = each;
        break;
      }
    const double bottom = y + 10 + height_below_axis();
    for (std::int64_t at = ((window_.from - TrueTime{}).ns() / step + 1) * step;
         at <= (window_.to - TrueTime{}).ns(); at += step) {
      const double place = x(TrueTime{} + Duration::nanos(at));
      line(place, y + 4, place, bottom, "#dfe3e7");
      constexpr double kOfText = 40;
      if (place < kRightEnd - kOfText) text(place + 3, y + 4, short_duration(Duration::nanos(at)), kSoft, 11);
    }
    return y + 12;
  }
  double height_below_axis() const {
    return kFaultRow * static_cast<double>(std::max<std::size_t>(fault_rows(), 1)) + 10 + kLeaseRow + 6 +
           kLane * static_cast<double>(recording_.nodes.size());
  }
  std::size_t fault_rows() const {
    const auto count = std::count_if(recording_.faults.begin(), recording_.faults.end(),
                                     [&](const sim::FaultSpan& fault) { return shows(fault.span); });
    return std::min<std::size_t>(static_cast<std::size_t>(count), kFaultRows);
  }

  double faults(double top) {
    text(12, top + 12, "faults", kSoft);
    std::size_t place = 0;
    for (const sim::FaultSpan& fault : recording_.faults) {
      if (!shows(fault.span)) continue;
      const double y = top + kFaultRow * static_cast<double>(place++ % kFaultRows);
      const double from = x(fault.span.from);
      const double to = x(end_of(fault.span, recording_));
      rect(from, to, y, kFaultRow - 4, kOrange, " fill-opacity=\"0.25\"");
      rect(from, from + 2, y, kFaultRow - 4, kOrange);
      // Of what is over at once, the words stand beside it.
      label(from, fault.span.to == fault.span.from ? kRightEnd : std::max(to, from + 40), y + 11, fault.text,
            kInk);
    }
    return top + kFaultRow * static_cast<double>(std::max<std::size_t>(fault_rows(), 1)) + 10;
  }

  double lease(double top) {
    text(12, top + 16, "lease", kSoft);
    for (const sim::HoldSpan& hold : recording_.holds) {
      if (!shows(hold.span)) continue;
      const double from = x(hold.span.from);
      const double to = x(end_of(hold.span, recording_));
      rect(from, to, top + 3, kLeaseRow - 8, "none", " stroke=\"#4a5560\"");
      const std::string token = hold.token ? " " + describe(*hold.token) : "";
      label(from, to, top + 16, describe(hold.who.node) + token, kInk);
    }
    return top + kLeaseRow + 6;
  }

  void lane(std::uint32_t node, double top) {
    constexpr double kBar = 22;
    text(12, top + 16, recording_.nodes[node], kInk, 13);
    for (const sim::LifeSpan& life : recording_.lives)
      if (life.who.node.value == node && shows(life.span))
        line(x(life.span.from), top + kBar / 2, x(end_of(life.span, recording_)), top + kBar / 2, kSoft);
    for (const sim::BeliefSpan& belief : recording_.beliefs) {
      if (belief.who.node.value != node || !shows(belief.span)) continue;
      const double from = x(belief.span.from);
      const double to = x(end_of(belief.span, recording_));
      rect(from, to, top, kBar, kSvgBlue);
    }
    for (const sim::PauseSpan& pause : recording_.pauses)
      if (pause.node.value == node && shows(pause.span))
        rect(x(pause.span.from), x(end_of(pause.span, recording_)), top, kBar, "url(#paused)");
    for (const sim::OverlapSpan& two : overlaps(recording_)) {
      const bool in_it = std::count(two.nodes.begin(), two.nodes.end(), NodeId{node}) > 0;
      if (in_it && shows(two.span))
        rect(x(two.span.from), x(end_of(two.span, recording_)), top, kBar, "url(#wrong)",
             fmt::format(" stroke=\"{}\" stroke-width=\"2\"", kRed));
    }
    for (const sim::BeliefSpan& belief : recording_.beliefs)
      if (belief.who.node.value == node && shows(belief.span))
        label(x(belief.span.from), x(end_of(belief.span, recording_)), top + 15,
              belief.token.empty() ? "leads" : "leads " + belief.token, "#ffffff",
              fmt::format(" stroke=\"{}\" stroke-width=\"4\" paint-order=\"stroke\"", kSvgBlue));
    for (const sim::WorkSpan& work : recording_.work) {
      if (work.who.node.value != node || work.span.from < window_.from || work.span.from > window_.to)
        continue;
      const double at = x(work.span.from);
      if (work.landing == sim::DeliveryOutcome::begun)
        rect(at, at + 2, top + kBar + 4, 9, "#2d6a4f");
      else
        body_ +=
            fmt::format("<path d=\"M{:.1f} {:.1f} l4 9 h-8 z\" fill=\"#8f3fb0\"/>\n", at, top + kBar + 4);
    }
  }

  // How long two led together, and where what broke became a violation.
  void marks(double bottom) {
    for (const Span& time : times_of_two(recording_)) {
      if (!shows(time)) continue;
      Duration acting;
      std::uint32_t first = UINT32_MAX;
      for (const sim::OverlapSpan& two : overlaps(recording_)) {
        if (two.span.from < time.from || two.span.from >= time.to) continue;
        for (const NodeId node : two.nodes) first = std::min(first, node.value);
        if (two.acting) acting += end_of(two.span, recording_) - two.span.from;
      }
      std::string words = "two believe for " + short_duration(time.to - time.from);
      if (acting > Duration{}) words += ", both act for " + short_duration(acting);
      text(x(time.from) + 5, lanes_top_ + kLane * first + kLane - 10, words, kRed, 13, "600");
    }
    const sim::ViolationSpan* mark = first_mark(recording_);
    if (mark == nullptr || mark->span.to < window_.from || mark->span.to > window_.to) return;
    const double at = x(mark->span.to);
    line(at, lanes_top_ - kLeaseRow - 8, at, bottom, kRed, 1.5);
  }

  double legend(double y) {
    double at = 12;
    const auto entry = [&](std::string_view fill, std::string_view more, std::string_view words) {
      rect(at, at + 20, y - 10, 11, fill, more);
      text(at + 26, y, words, kSoft);
      at += 40 + 6.5 * static_cast<double>(words.size());
    };
    entry(kSvgBlue, "", "believes that it leads");
    entry("url(#paused)", " stroke=\"#7a828a\"", "stands still");
    entry("none", " stroke=\"#4a5560\"", "was given the lease last");
    entry("url(#wrong)", fmt::format(" stroke=\"{}\"", kRed), "two at once");
    rect(at, at + 2, y - 9, 9, "#2d6a4f");
    text(at + 8, y, "work", kSoft);
    return y + 24;
  }

  const Recording& recording_;
  const Span window_;
  double lanes_top_ = 0;
  std::string body_;
};

}  // namespace

Span window_to_look_at(const Recording& recording) {
  if (const sim::ViolationSpan* mark = first_mark(recording)) return around(*mark, recording);
  const std::vector<sim::OverlapSpan> two = overlaps(recording);
  if (!two.empty())
    return with_margin({two.front().span.from, end_of(two.front().span, recording)}, recording);
  std::optional<TrueTime> reached;
  Span longest;
  longest.to = longest.from;
  for (const sim::BeliefSpan& belief : recording.beliefs) {
    if (reached && belief.span.from - *reached > longest.to - longest.from)
      longest = {*reached, belief.span.from};
    reached = std::max(reached.value_or(TrueTime{}), end_of(belief.span, recording));
  }
  if (longest.to > longest.from) return with_margin(longest, recording);
  return {TrueTime{}, recording.end};
}

std::string timeline_svg(const Recording& recording, std::string_view title, std::string_view below,
                         const Span& window) {
  return TimelinePicture(recording, window).svg(title, below);
}

}  // namespace tenure::cli
