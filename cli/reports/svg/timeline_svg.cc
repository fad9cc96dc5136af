#include "cli/reports/svg/timeline_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "cli/reports/html/page.h"
#include "cli/reports/svg/highlights.h"
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
constexpr double kStoreRow = 26;
constexpr double kLane = 48;
constexpr std::size_t kFaultRows = 4;
constexpr std::size_t kTitleColumns = 100;
constexpr std::string_view kInk = "#1d2329";
constexpr std::string_view kSoft = "#626c76";
constexpr std::string_view kOrange = "#b26a00";
constexpr std::string_view kPurple = "#8f3fb0";

// Stripes, so that nothing rests on colour alone.
constexpr std::string_view kPatterns =
    "<defs><pattern id=\"paused\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">"
    "<rect width=\"6\" height=\"6\" fill=\"#ffffff\" fill-opacity=\"0.6\"/>"
    "<path d=\"M-1 7 L7 -1\" stroke=\"#7a828a\" stroke-width=\"2\"/></pattern>"
    "<pattern id=\"wrong\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\">"
    "<path d=\"M-1 9 L9 -1\" stroke=\"#c1121f\" stroke-width=\"3\"/></pattern>"
    "<pattern id=\"dead\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">"
    "<path d=\"M-1 7 L7 -1\" stroke=\"#b26a00\" stroke-width=\"2\"/></pattern>"
    "<pattern id=\"ill\" width=\"10\" height=\"10\" patternUnits=\"userSpaceOnUse\">"
    "<path d=\"M-1 11 L11 -1\" stroke=\"#b26a00\" stroke-width=\"1.5\"/></pattern></defs>\n";
constexpr std::string_view kRed = "#c1121f";

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
    stores_top_ = y;
    y = stores(y);
    lanes_top_ = y;
    for (std::uint32_t node = 0; node < recording_.nodes.size(); ++node) lane(node, y + kLane * node);
    y += kLane * static_cast<double>(recording_.nodes.size());
    marks(y);
    y = legend(y + 20);
    text(12, y, below, kSoft, 12, "400");
    const int height = static_cast<int>(y + 14);
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"tenure\" width=\"{0}\" height=\"{1}\" viewBox=\"0 "
        "0 {0} {1}\" "
        "font-family=\"system-ui, sans-serif\">\n<title>{2}</title>\n{3}<rect width=\"{0}\" height=\"{1}\" "
        "fill=\"#ffffff\"/>\n{4}</svg>\n",
        kWidth, height, html_text(title), kPatterns, body_);
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
        y, colour, size, weight, more, html_text(words));
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

  // Over a pattern.
  void label_on_plate(double x1, double x2, double y, std::string_view words, std::string_view colour) {
    const auto room = static_cast<std::size_t>(std::max(0.0, (x2 - x1 - 8) / 6.5));
    if (room < 3) return;
    const double width = 6.5 * static_cast<double>(std::min(words.size(), room));
    rect(x1 + 3, x1 + 7 + width, y - 11, 14, "#ffffff", " fill-opacity=\"0.85\"");
    label(x1, x2, y, words, colour);
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
    text(12, top + height / 2 + 4, "whole run", kSoft, 11);
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
    return kFaultRow * static_cast<double>(std::max<std::size_t>(fault_rows(), 1)) + 10 +
           kStoreRow * static_cast<double>(recording_.stores.size()) + 6 +
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

  // To whom each store gave the lease, and what is the matter with it.
  double stores(double top) {
    for (std::size_t place = 0; place < recording_.stores.size(); ++place)
      store({static_cast<std::uint32_t>(place)}, top + kStoreRow * static_cast<double>(place));
    return top + kStoreRow * static_cast<double>(recording_.stores.size()) + 6;
  }
  void store(StoreId store, double top) {
    text(12, top + 16, recording_.stores[store.value], kSoft);
    for (const sim::StoreCondition& condition : recording_.conditions) {
      if (condition.store != store || !shows(condition.span)) continue;
      const double from = x(condition.span.from);
      if (condition.span.to == condition.span.from)
        body_ += fmt::format("<path d=\"M{:.1f} {:.1f} h8 l-4 7 z\" fill=\"{}\"/>\n", from - 4, top, kOrange);
      else if (condition.answers)
        rect(from, x(end_of(condition.span, recording_)), top + kStoreRow - 10, 8, "url(#ill)");
      else
        rect(from, x(end_of(condition.span, recording_)), top + 1, kStoreRow - 4, "url(#dead)");
    }
    for (const sim::HoldSpan& hold : recording_.holds) {
      if (hold.store != store || !shows(hold.span)) continue;
      const double from = x(hold.span.from);
      const double to = x(end_of(hold.span, recording_));
      rect(from, to, top + 3, kStoreRow - 8, "none", " stroke=\"#4a5560\"");
      const std::string token = hold.token ? " " + describe(*hold.token) : "";
      label_on_plate(from, to, top + 16, describe(hold.who.node) + token, kInk);
    }
    for (const sim::StoreCondition& condition : recording_.conditions)
      if (condition.store == store && shows(condition.span))
        label_on_plate(x(condition.span.from) + 50, x(end_of(condition.span, recording_)), top + 16,
                       condition.text, kOrange);
  }

  // Its upper half is empty where its words would stand.
  bool warms_up(const sim::BeliefSpan& belief) const {
    return x(warmup_of(belief, recording_).to) > x(belief.span.from) + 6;
  }

  // Whole where nothing comes through; broken where something is the matter.
  void link_line(const sim::LinkCondition& link, double y) {
    body_ += fmt::format("<path d=\"M{:.1f} {:.1f} H{:.1f}\" stroke=\"{}\" stroke-width=\"2.5\"{}/>\n",
                         x(link.span.from), y, x(end_of(link.span, recording_)), kOrange,
                         link.cut ? "" : " stroke-dasharray=\"3 3\"");
  }

  void lane(std::uint32_t node, double top) {
    constexpr double kBar = 22;
    text(12, top + 16, recording_.nodes[node], kInk, 13);
    for (const sim::LifeSpan& startup : recording_.startups)
      if (startup.who.node.value == node && shows(startup.span))
        body_ += fmt::format("<path d=\"M{:.1f} {:.1f} H{:.1f}\" stroke=\"{}\" stroke-dasharray=\"5 4\"/>\n",
                             x(startup.span.from), top + kBar / 2, x(startup.span.to), kSoft);
    for (const sim::LifeSpan& life : recording_.lives)
      if (life.who.node.value == node && shows(life.span))
        line(x(life.span.from), top + kBar / 2, x(end_of(life.span, recording_)), top + kBar / 2, kSoft);
    for (const sim::BeliefSpan& belief : recording_.beliefs) {
      if (belief.who.node.value != node || !shows(belief.span)) continue;
      const double from = x(belief.span.from);
      const double to = x(end_of(belief.span, recording_));
      rect(from, to, top, kBar, kSvgBlue);
      // While it warms up, the upper half of the bar is not filled yet.
      const Span warm = warmup_of(belief, recording_);
      if (warm.to > warm.from && shows(warm))
        rect(from + 1, std::max(x(warm.to), from + 1), top + 1, kBar / 2 - 1, "#ffffff");
    }
    for (const sim::LinkCondition& link : recording_.links) {
      if (!shows(link.span)) continue;
      if (link.from == NodeId{node}) link_line(link, top - 3.5);
      if (link.to == NodeId{node}) link_line(link, top + kBar + 1.5);
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
        label(x(belief.span.from), x(end_of(belief.span, recording_)), top + (warms_up(belief) ? 19.5 : 15),
              belief.token.empty() ? "leads" : "leads " + belief.token, "#ffffff",
              fmt::format(" stroke=\"{}\" stroke-width=\"4\" paint-order=\"stroke\"", kSvgBlue));
    slots(node, top + kBar + 4);
  }

  // Work as ticks; late work with a dotted line from when it was due; slots that were left out as crosses.
  void slots(std::uint32_t node, double top) {
    const auto in_window = [&](TrueTime at) { return window_.from <= at && at <= window_.to; };
    for (const sim::WorkSpan& work : recording_.work) {
      if (work.who.node.value != node || !in_window(work.span.from)) continue;
      const double at = x(work.span.from);
      if (work.landing == sim::DeliveryOutcome::begun)
        rect(at, at + 2, top, 9, "#2d6a4f");
      else
        body_ += fmt::format("<path d=\"M{:.1f} {:.1f} l4 9 h-8 z\" fill=\"{}\"/>\n", at, top, kPurple);
    }
    for (const sim::LateSlot& late : recording_.late)
      if (late.who.node.value == node && shows({late.at - late.late, late.at}))
        body_ += fmt::format("<path d=\"M{:.1f} {:.1f} H{:.1f}\" stroke=\"{}\" stroke-dasharray=\"1 2\"/>\n",
                             x(late.at - late.late), top + 8.5, x(late.at), kPurple);
    for (const sim::SkippedSlots& skipped : recording_.skipped)
      if (skipped.who.node.value == node && in_window(skipped.at))
        body_ += fmt::format("<path d=\"M{0:.1f} {1:.1f} l6 6 M{0:.1f} {2:.1f} l6 -6\" stroke=\"{3}\"/>\n",
                             x(skipped.at) - 3, top + 1, top + 7, kPurple);
    for (const sim::NarratedEvent& told : recording_.story)
      if (told.kind == sim::StoryKind::remark && told.node == NodeId{node} && in_window(told.line.at))
        body_ += fmt::format(
            "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"#ffffff\" "
            "stroke=\"{}\"><title>{}</title></circle>\n",
            x(told.line.at), top - 29, kInk, html_text(told.line.text));
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
    line(at, stores_top_ - 8, at, bottom, kRed, 1.5);
  }

  // Only what is in the picture is explained.
  double legend(double y) {
    const auto any = [&](const auto& all) {
      return std::any_of(all.begin(), all.end(), [&](const auto& one) { return shows(one.span); });
    };
    const auto any_that = [&](const auto& all, auto&& is) {
      return std::any_of(all.begin(), all.end(), [&](const auto& one) { return shows(one.span) && is(one); });
    };
    double at = 12;
    const auto entry = [&](std::string_view mark, std::string_view words) {
      const double width = 40 + 6.5 * static_cast<double>(words.size());
      if (at > 12 && at + width > kRightEnd) {
        at = 12;
        y += 18;
      }
      body_ += fmt::format("<g transform=\"translate({:.1f} {:.1f})\">{}</g>\n", at, y, mark);
      text(at + 26, y, words, kSoft);
      at += width;
    };
    const auto box = [](std::string_view fill, std::string_view stroke) {
      return fmt::format("<rect y=\"-10\" width=\"20\" height=\"11\" fill=\"{}\" stroke=\"{}\"/>", fill,
                         stroke);
    };
    const auto dashes = [](std::string_view colour, std::string_view pattern, double width) {
      return fmt::format("<path d=\"M0 -4 h20\" stroke=\"{}\" stroke-width=\"{}\" stroke-dasharray=\"{}\"/>",
                         colour, width, pattern);
    };
    entry(box(kSvgBlue, "none"), "believes that it leads");
    if (recording_.warmup > Duration{} && any(recording_.beliefs))
      entry(box("#ffffff", kSvgBlue) +
                fmt::format("<path d=\"M0 -4 h20\" stroke=\"{}\" stroke-width=\"7\"/>", kSvgBlue),
            "leads, and warms up still");
    if (any(recording_.pauses)) entry(box("url(#paused)", "#7a828a"), "stands still");
    if (any(recording_.startups)) entry(dashes(kSoft, "5 4", 1), "starts up");
    if (any_that(recording_.links, [](const auto& link) { return link.cut; }))
      entry(dashes(kOrange, "none", 2.5), "cut off: above what it sends, below what it hears");
    if (any_that(recording_.links, [](const auto& link) { return !link.cut; }))
      entry(dashes(kOrange, "3 3", 2.5), "slow, or some is lost");
    if (any(recording_.holds)) entry(box("none", "#4a5560"), "was given the lease last");
    if (any_that(recording_.conditions, [](const auto& store) { return !store.answers; }))
      entry(box("url(#dead)", "none"), "the store does not answer");
    if (any_that(recording_.conditions,
                 [](const auto& store) { return store.answers && store.span.to != store.span.from; }))
      entry(box("url(#ill)", "none"), "the store answers badly");
    if (any_that(recording_.conditions, [](const auto& store) { return store.span.to == store.span.from; }))
      entry(fmt::format("<path d=\"M6 -9 h8 l-4 7 z\" fill=\"{}\"/>", kOrange),
            "the store's clock jumps, or it fails over");
    if (!overlaps(recording_).empty()) entry(box("url(#wrong)", kRed), "two at once");
    if (any(recording_.work))
      entry("<rect x=\"9\" y=\"-9\" width=\"2\" height=\"9\" fill=\"#2d6a4f\"/>", "work");
    if (!recording_.late.empty()) entry(dashes(kPurple, "1 2", 1), "late, since it was due");
    return y + 24;
  }

  const Recording& recording_;
  const Span window_;
  double stores_top_ = 0;
  double lanes_top_ = 0;
  std::string body_;
};

}  // namespace

std::string timeline_svg(const Recording& recording, std::string_view title, std::string_view below,
                         const Span& window) {
  return TimelinePicture(recording, window).svg(title, below);
}

}  // namespace tenure::cli
