// A chart as SVG: one panel with two axes, and what is drawn between them.
//
// Coordinates are those of the data; the panel scales them. Text is escaped. Colours are of the Okabe-Ito palette,
// which people who do not tell red from green can read, and no meaning rests on colour alone. Text and axes have the
// colour of the text around the picture, so that it is as dark or bright as its page; its paper is of class "paper".
// It is narrow enough for a telephone.
//
// Thread rule: one panel belongs to one thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tenure::cli {

struct SvgPoint {
  double x = 0;
  double y = 0;
};

enum class SvgMark { dot, circle, ring, cross, square, diamond };

class SvgPanel {
 public:
  // What is to be seen lies between these ends, which are widened to round numbers; what does not is drawn at the edge.
  SvgPanel(SvgPoint low, SvgPoint high);

  void titles(std::string_view title, std::string_view x, std::string_view y);
  void mark(SvgPoint at, SvgMark mark, std::string_view colour, std::string_view tooltip);
  // Words beside a point, where they cover no others; nothing where there is no room, unless `always`.
  void label(SvgPoint at, std::string_view text, bool always);
  void line(const std::vector<SvgPoint>& points, std::string_view colour, bool dashed);
  // Thin: an interval.
  void whisker(SvgPoint from, SvgPoint to, std::string_view colour);
  // From the line up to `top`.
  void region_above(const std::vector<SvgPoint>& points, double top, std::string_view colour);
  // A line of text below the axis.
  void note(std::string_view text);
  bool is_beyond(SvgPoint at) const;
  void legend(SvgMark mark, std::string_view colour, std::string_view text);
  void legend_line(std::string_view colour, bool dashed, std::string_view text);

  // The panel as a group, `top` pixels down.
  std::string group(int top) const;
  int height() const;
  static constexpr int kWidth = 480;

 private:
  struct Box {
    double left = 0;
    double top = 0;
    double right = 0;
  };
  double pixel_x(double x) const;
  double pixel_y(double y) const;
  std::string axes() const;

  SvgPoint low_;
  SvgPoint high_;
  SvgPoint step_;
  std::string title_;
  std::string x_;
  std::string y_;
  std::string body_;
  std::string legend_;
  int legends_ = 0;
  std::vector<std::string> notes_;
  std::vector<Box> labels_;
};

// The document, with the panels one below the other. `description` says what it is of.
std::string svg_document(const std::vector<SvgPanel>& panels, std::string_view description);

inline constexpr std::string_view kSvgBlue = "#0072b2";
inline constexpr std::string_view kSvgRed = "#d55e00";
inline constexpr std::string_view kSvgGrey = "#888888";
inline constexpr std::string_view kSvgGreen = "#009e73";
inline constexpr std::string_view kSvgInk = "currentColor";

}  // namespace tenure::cli
