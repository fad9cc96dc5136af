#include "cli/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tenure::cli {
namespace {

constexpr double kLeft = 80;
constexpr double kRight = 620;  // what is beyond holds the legend
constexpr double kTop = 40;
constexpr double kBottom = 400;

std::string xml_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '"')
      result += "&quot;";
    else
      result += c;
  }
  return result;
}

std::string text_at(double x, double y, std::string_view anchor, std::string_view text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     xml_text(text));
}

// 1, 2 or 5 times a power of ten, such that about six of it fill the width.
double step_for(double width) {
  const double rough = std::max(width, 1e-12) / 6;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (rough <= factor * power) return factor * power;
  return 10 * power;
}

std::string shape_of(SvgMark mark, double x, double y, std::string_view colour) {
  switch (mark) {
    case SvgMark::dot:
      return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\"/>", x, y, colour);
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

SvgPanel::SvgPanel(SvgPoint low, SvgPoint high) : step_{step_for(high.x - low.x), step_for(high.y - low.y)} {
  low_ = {std::floor(low.x / step_.x) * step_.x, std::floor(low.y / step_.y) * step_.y};
  high_ = {std::ceil(high.x / step_.x) * step_.x, std::ceil(high.y / step_.y) * step_.y};
  if (high_.x <= low_.x) high_.x = low_.x + step_.x;
  if (high_.y <= low_.y) high_.y = low_.y + step_.y;
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
  body_ += fmt::format("<g>{}<title>{}</title></g>\n", shape_of(mark, pixel_x(at.x), pixel_y(at.y), colour),
                       xml_text(tooltip));
}

void SvgPanel::line(const std::vector<SvgPoint>& points, std::string_view colour, bool dashed) {
  std::string path;
  for (const SvgPoint& point : points)
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : " L", pixel_x(point.x), pixel_y(point.y));
  body_ += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"{}/>\n", path, colour,
                       dashed ? " stroke-dasharray=\"6 4\"" : "");
}

void SvgPanel::region_above(const std::vector<SvgPoint>& points, std::string_view colour) {
  if (points.empty()) return;
  std::string path = fmt::format("M{:.1f} {:.1f}", pixel_x(points.front().x), kTop);
  for (const SvgPoint& point : points)
    path += fmt::format(" L{:.1f} {:.1f}", pixel_x(point.x), pixel_y(point.y));
  path += fmt::format(" L{:.1f} {:.1f} z", pixel_x(points.back().x), kTop);
  body_ += fmt::format("<path d=\"{}\" fill=\"{}\" fill-opacity=\"0.18\"/>\n", path, colour);
}

void SvgPanel::legend(SvgMark mark, std::string_view colour, std::string_view text) {
  const double y = kTop + 12 + 24.0 * legends_++;
  legend_ += shape_of(mark, kRight + 24, y, colour) + text_at(kRight + 42, y + 4, "start", text);
}

void SvgPanel::legend_line(std::string_view colour, bool dashed, std::string_view text) {
  const double y = kTop + 12 + 24.0 * legends_++;
  legend_ += fmt::format("<path d=\"M{:.1f} {:.1f} h24\" stroke=\"{}\" stroke-width=\"2\"{}/>", kRight + 12,
                         y, colour, dashed ? " stroke-dasharray=\"6 4\"" : "") +
             text_at(kRight + 42, y + 4, "start", text);
}

std::string SvgPanel::axes() const {
  std::string text =
      fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#000000\"/>\n",
                  kLeft, kTop, kRight - kLeft, kBottom - kTop);
  for (double x = low_.x; x <= high_.x + step_.x / 2; x += step_.x) {
    text += fmt::format("<path d=\"M{:.1f} {} v6\" stroke=\"#000000\"/>", pixel_x(x), kBottom);
    text += text_at(pixel_x(x), kBottom + 22, "middle", fmt::format("{:.6g}", x));
  }
  for (double y = low_.y; y <= high_.y + step_.y / 2; y += step_.y) {
    text += fmt::format("<path d=\"M{} {:.1f} h-6\" stroke=\"#000000\"/>", kLeft, pixel_y(y));
    text += text_at(kLeft - 10, pixel_y(y) + 4, "end", fmt::format("{:.6g}", y));
  }
  text += text_at((kLeft + kRight) / 2, kBottom + 46, "middle", x_);
  text += text_at((kLeft + kRight) / 2, kTop - 14, "middle", title_);
  text += fmt::format("<text transform=\"translate(22 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
                      (kTop + kBottom) / 2, xml_text(y_));
  return text;
}

std::string SvgPanel::group(int top) const {
  return fmt::format("<g transform=\"translate(0 {})\">\n{}{}{}</g>\n", top, axes(), body_, legend_);
}

std::string svg_document(const std::vector<SvgPanel>& panels) {
  const int height = SvgPanel::kHeight * static_cast<int>(std::max<std::size_t>(panels.size(), 1));
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
      SvgPanel::kWidth, height);
  int top = 0;
  for (const SvgPanel& panel : panels) {
    text += panel.group(top);
    top += SvgPanel::kHeight;
  }
  return text + "</svg>\n";
}

}  // namespace tenure::cli
