#include "cli/reports/svg/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/reports/html/page.h"

namespace tenure::cli {
namespace {

constexpr double kLeft = 62;
constexpr double kRight = 462;
constexpr double kTop = 32;
constexpr double kBottom = 252;
constexpr double kBelow = kBottom + 58;  // the axis and its title end: legend and notes begin
constexpr double kLegendLine = 22;
constexpr double kNoteLine = 18;
constexpr double kLetter = 7.2;  // the width of one, about

std::string text_at(double x, double y, std::string_view anchor, std::string_view text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     html_text(text));
}

// 1, 2 or 5 times a power of ten, such that about five of it fill the width.
double step_for(double width) {
  const double rough = std::max(width, 1e-12) / 5;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (rough <= factor * power) return factor * power;
  return 10 * power;
}

// Where all values are one, that one is in the middle of an axis that has a width.
void widen(double& low, double& high) {
  const double size = std::max(std::abs(low), std::abs(high));
  if (high - low > size * 1e-6) return;
  const double half = size > 0 ? size / 20 : 0.5;
  low = std::max(low - half, std::min(low, 0.0));
  high += half;
}

// Without the dust of adding up steps.
double rounded(double value, double step) { return std::round(value / step) * step; }

std::vector<double> ticks(double low, double high, double step) {
  std::vector<double> values;
  const auto count = static_cast<int>(std::round((high - low) / step));
  for (int i = 0; i <= count; ++i) values.push_back(low + i * step);
  return values;
}

std::string shape_of(SvgMark mark, double x, double y, std::string_view colour) {
  switch (mark) {
    case SvgMark::dot:
      return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\"/>", x, y, colour);
    case SvgMark::circle:
      return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" fill=\"none\" stroke=\"{}\"/>", x, y,
                         colour);
    case SvgMark::square:
      return fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"8\" height=\"8\" fill=\"none\" stroke=\"{}\" "
          "stroke-width=\"2\"/>",
          x - 4, y - 4, colour);
    case SvgMark::ring:
      return fmt::format(
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"8\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>", x,
          y, colour);
    case SvgMark::cross:
      return fmt::format(
          "<path d=\"M{:.1f} {:.1f} l8 8 m0 -8 l-8 8\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>",
          x - 4, y - 4, colour);
    case SvgMark::diamond: break;
  }
  return fmt::format(
      "<path d=\"M{:.1f} {:.1f} l7 7 l-7 7 l-7 -7 z\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>", x,
      y - 7, colour);
}

}  // namespace

SvgPanel::SvgPanel(SvgPoint low, SvgPoint high) {
  widen(low.x, high.x);
  widen(low.y, high.y);
  step_ = {step_for(high.x - low.x), step_for(high.y - low.y)};
  low_ = {std::floor(low.x / step_.x) * step_.x, std::floor(low.y / step_.y) * step_.y};
  high_ = {std::ceil(high.x / step_.x) * step_.x, std::ceil(high.y / step_.y) * step_.y};
}

double SvgPanel::pixel_x(double x) const {
  return kLeft + (std::clamp(x, low_.x, high_.x) - low_.x) / (high_.x - low_.x) * (kRight - kLeft);
}

double SvgPanel::pixel_y(double y) const {
  return kBottom - (std::clamp(y, low_.y, high_.y) - low_.y) / (high_.y - low_.y) * (kBottom - kTop);
}

void SvgPanel::titles(std::string_view title, std::string_view x, std::string_view y) {
  title_ = title;
  x_ = x;
  y_ = y;
}

void SvgPanel::mark(SvgPoint at, SvgMark mark, std::string_view colour, std::string_view tooltip) {
  labels_.push_back({pixel_x(at.x) - 5, pixel_y(at.y) - 7, pixel_x(at.x) + 5});
  body_ += fmt::format("<g>{}<title>{}</title></g>\n", shape_of(mark, pixel_x(at.x), pixel_y(at.y), colour),
                       html_text(tooltip));
}

// To the right of the point, to its left, above or below, in a line of its own.
void SvgPanel::label(SvgPoint at, std::string_view text, bool always) {
  constexpr double kHigh = 15;
  const double x = pixel_x(at.x);
  const double y = pixel_y(at.y);
  const double width = kLetter * static_cast<double>(text.size());
  const auto fits = [&](const Box& box) {
    const bool inside =
        box.left >= kLeft && box.right <= kRight + 12 && box.top >= kTop - 2 && box.top + kHigh <= kBottom;
    return inside && std::none_of(labels_.begin(), labels_.end(), [&](const Box& other) {
             return box.left < other.right && other.left < box.right && box.top < other.top + kHigh &&
                    other.top < box.top + kHigh;
           });
  };
  const Box places[] = {{x + 12, y - 8, x + 12 + width},        {x - 12 - width, y - 8, x - 12},
                        {x - width / 2, y - 26, x + width / 2}, {x - width / 2, y + 12, x + width / 2},
                        {x + 12, y - 26, x + 12 + width},       {x + 12, y + 12, x + 12 + width}};
  const Box* const found = std::find_if(std::begin(places), std::end(places), fits);
  if (found == std::end(places) && !always) return;
  const Box box = found == std::end(places) ? places[x > (kLeft + kRight) / 2 ? 1 : 0] : *found;
  labels_.push_back(box);
  body_ += text_at(box.left, box.top + 12, "start", text);
}

void SvgPanel::line(const std::vector<SvgPoint>& points, std::string_view colour, bool dashed) {
  std::string path;
  for (const SvgPoint& point : points)
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : " L", pixel_x(point.x), pixel_y(point.y));
  body_ += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"{}/>\n", path, colour,
                       dashed ? " stroke-dasharray=\"6 4\"" : "");
}

void SvgPanel::whisker(SvgPoint from, SvgPoint to, std::string_view colour) {
  body_ += fmt::format(
      "<path d=\"M{:.1f} {:.1f} L{:.1f} {:.1f}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1\"/>\n",
      pixel_x(from.x), pixel_y(from.y), pixel_x(to.x), pixel_y(to.y), colour);
}

void SvgPanel::note(std::string_view text) { notes_.emplace_back(text); }

bool SvgPanel::is_beyond(SvgPoint at) const {
  return at.x < low_.x || at.x > high_.x || at.y < low_.y || at.y > high_.y;
}

void SvgPanel::region_above(const std::vector<SvgPoint>& points, double top, std::string_view colour) {
  if (points.empty()) return;
  std::string path = fmt::format("M{:.1f} {:.1f}", pixel_x(points.front().x), pixel_y(top));
  for (const SvgPoint& point : points)
    path += fmt::format(" L{:.1f} {:.1f}", pixel_x(point.x), pixel_y(point.y));
  path += fmt::format(" L{:.1f} {:.1f} z", pixel_x(points.back().x), pixel_y(top));
  body_ += fmt::format("<path d=\"{}\" fill=\"{}\" fill-opacity=\"0.18\"/>\n", path, colour);
}

void SvgPanel::legend(SvgMark mark, std::string_view colour, std::string_view text) {
  const double y = kBelow + 10 + kLegendLine * legends_++;
  legend_ += shape_of(mark, kLeft + 12, y, colour) + text_at(kLeft + 32, y + 4, "start", text);
}

void SvgPanel::legend_line(std::string_view colour, bool dashed, std::string_view text) {
  const double y = kBelow + 10 + kLegendLine * legends_++;
  legend_ += fmt::format("<path d=\"M{:.1f} {:.1f} h24\" stroke=\"{}\" stroke-width=\"2\"{}/>", kLeft, y,
                         colour, dashed ? " stroke-dasharray=\"6 4\"" : "") +
             text_at(kLeft + 32, y + 4, "start", text);
}

std::string SvgPanel::axes() const {
  std::string text;
  for (const double x : ticks(low_.x, high_.x, step_.x)) {
    const double at = pixel_x(x);
    text += fmt::format("<path d=\"M{0:.1f} {1} v{2}\" stroke=\"currentColor\" stroke-opacity=\"0.13\"/>", at,
                        kTop, kBottom - kTop);
    text += fmt::format("<path d=\"M{:.1f} {} v6\" stroke=\"currentColor\"/>", at, kBottom);
    text += text_at(at, kBottom + 22, "middle", fmt::format("{:.6g}", rounded(x, step_.x)));
  }
  for (const double y : ticks(low_.y, high_.y, step_.y)) {
    const double at = pixel_y(y);
    text += fmt::format("<path d=\"M{0} {1:.1f} h{2}\" stroke=\"currentColor\" stroke-opacity=\"0.13\"/>",
                        kLeft, at, kRight - kLeft);
    text += fmt::format("<path d=\"M{} {:.1f} h-6\" stroke=\"currentColor\"/>", kLeft, at);
    text += text_at(kLeft - 10, at + 4, "end", fmt::format("{:.6g}", rounded(y, step_.y)));
  }
  text += fmt::format(
      "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"currentColor\"/>\n", kLeft,
      kTop, kRight - kLeft, kBottom - kTop);
  text += text_at((kLeft + kRight) / 2, kBottom + 44, "middle", x_);
  text += fmt::format("<text x=\"{}\" y=\"{}\" font-weight=\"600\">{}</text>\n", kLeft, kTop - 14,
                      html_text(title_));
  text += fmt::format("<text transform=\"translate(14 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
                      (kTop + kBottom) / 2, html_text(y_));
  double below = kBelow + kLegendLine * legends_ + 12;
  for (const std::string& note : notes_) {
    text += text_at(kLeft, below, "start", note);
    below += kNoteLine;
  }
  return text;
}

std::string SvgPanel::group(int top) const {
  return fmt::format("<g transform=\"translate(0 {})\">\n{}{}{}</g>\n", top, axes(), body_, legend_);
}

int SvgPanel::height() const {
  const double below = kLegendLine * legends_ + kNoteLine * static_cast<double>(notes_.size());
  return static_cast<int>(kBelow + below) + 8;
}

std::string svg_document(const std::vector<SvgPanel>& panels, std::string_view description) {
  int height = 0;
  for (const SvgPanel& panel : panels) height += panel.height();
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"tenure\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 "
      "{0} {1}\" role=\"img\" fill=\"currentColor\" font-family=\"sans-serif\" font-size=\"13\">\n"
      "<desc>{2}</desc>\n<rect class=\"paper\" width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
      SvgPanel::kWidth, height, html_text(description));
  int top = 0;
  for (const SvgPanel& panel : panels) {
    text += panel.group(top);
    top += panel.height();
  }
  return text + "</svg>\n";
}

}  // namespace tenure::cli
