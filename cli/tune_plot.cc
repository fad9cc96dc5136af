// What a tuning found as a picture: the settings by two objectives, and below each checker's frontier.
#include <fmt/format.h>

#include <algorithm>

#include "cli/svg.h"
#include "cli/tune_report.h"

namespace tenure::cli {
namespace {

using State = sim::JudgedSetting::State;

double number(std::int64_t nano) { return static_cast<double>(nano) / 1e9; }

std::string axis(const sim::TuneMeasure& measure) {
  const std::string unit = unit_of(measure);
  return measure.text + (unit.empty() ? "" : fmt::format(" ({})", unit == "s" ? "seconds" : unit));
}

double coordinate(const sim::TuneMeasure& measure, const sim::Estimate& estimate) {
  return number(estimate.value) * (measure.metric == "leaderless_share" ? 100 : 1);
}

// The first two objectives in which settings differ; the first two at all where they do not.
std::vector<std::size_t> chosen_objectives(const TuneReport& report) {
  const auto& settings = report.judgement.settings;
  std::vector<std::size_t> chosen;
  for (std::size_t k = 0; k < settings.front().objectives.size(); ++k) {
    const auto differs = [&](const sim::JudgedSetting& setting) {
      return setting.objectives[k].value != settings.front().objectives[k].value;
    };
    if (std::any_of(settings.begin(), settings.end(), differs)) chosen.push_back(k);
  }
  for (std::size_t k = 0; k < settings.front().objectives.size() && chosen.size() < 2; ++k)
    if (std::find(chosen.begin(), chosen.end(), k) == chosen.end()) chosen.push_back(k);
  while (chosen.size() < 2) chosen.push_back(chosen.front());
  chosen.resize(2);
  return chosen;
}

void include(SvgPoint point, SvgPoint& low, SvgPoint& high) {
  low = {std::min(low.x, point.x), std::min(low.y, point.y)};
  high = {std::max(high.x, point.x), std::max(high.y, point.y)};
}

// Of the settings that are safe, those that none beats in these two: from left to right, ever lower.
std::vector<SvgPoint> staircase(std::vector<SvgPoint> points) {
  std::sort(points.begin(), points.end(),
            [](SvgPoint a, SvgPoint b) { return a.x < b.x || (a.x == b.x && a.y < b.y); });
  std::vector<SvgPoint> line;
  for (const SvgPoint& point : points)
    if (line.empty() || point.y < line.back().y) line.push_back(point);
  return line;
}

void draw_setting(const TuneReport& report, std::size_t index, SvgPoint at, SvgPanel& panel) {
  const State state = report.judgement.settings[index].state;
  const std::string name = name_of_setting(report, index);
  if (state == State::broken)
    panel.mark(at, SvgMark::cross, kSvgRed, name + ": " + report.judgement.settings[index].why);
  else
    panel.mark(at, SvgMark::dot, state == State::best ? kSvgBlue : kSvgGrey, name);
  if (report.judgement.knee == index) panel.mark(at, SvgMark::ring, kSvgGreen, "knee: " + name);
  if (index == report.tuning->twin_of_own().value_or(0))
    panel.mark(at, SvgMark::diamond, kSvgBlack, "the file: " + name);
}

SvgPanel settings_panel(const TuneReport& report) {
  const std::vector<std::size_t> chosen = chosen_objectives(report);
  const auto& objectives = report.tuning->tune().objectives;
  const sim::TuneMeasure& x = objectives[chosen[0]].measure;
  const sim::TuneMeasure& y = objectives[chosen[1]].measure;
  SvgPoint low;
  SvgPoint high;
  std::vector<std::pair<std::size_t, SvgPoint>> points;
  std::vector<SvgPoint> safe;
  for (std::size_t i = report.tuning->twin_of_own() ? 1 : 0; i < report.judgement.settings.size(); ++i) {
    const sim::JudgedSetting& setting = report.judgement.settings[i];
    if (setting.objectives[chosen[0]].samples == 0 || setting.objectives[chosen[1]].samples == 0) continue;
    const SvgPoint at = {coordinate(x, setting.objectives[chosen[0]]),
                         coordinate(y, setting.objectives[chosen[1]])};
    include(at, low, high);
    points.emplace_back(i, at);
    if (setting.state == State::best || setting.state == State::dominated) safe.push_back(at);
  }
  SvgPanel panel(low, high);
  panel.titles(fmt::format("{}: {} settings", report.scenario, points.size()), axis(x), axis(y));
  panel.line(staircase(std::move(safe)), kSvgBlue, false);
  for (const auto& [index, at] : points) draw_setting(report, index, at, panel);
  panel.legend_line(kSvgBlue, false, "frontier of these two");
  panel.legend(SvgMark::dot, kSvgBlue, "Pareto set, in all");
  panel.legend(SvgMark::dot, kSvgGrey, "others");
  panel.legend(SvgMark::cross, kSvgRed, "unsafe");
  panel.legend(SvgMark::ring, kSvgGreen, "knee");
  panel.legend(SvgMark::diamond, kSvgBlack, "the file");
  return panel;
}

// ---- frontiers -------------------------------------------------------------------------------------------

double in_unit(sim::TuneType type, std::int64_t value) {
  return type == sim::TuneType::duration ? number(value) : static_cast<double>(value);
}

std::string with_unit(const std::string& key, sim::TuneType type) {
  return key + (type == sim::TuneType::duration ? " (seconds)" : key.ends_with("ppm") ? " (ppm)" : "");
}

SvgPanel frontier_panel(const FrontierReport& report, const std::string& checker) {
  const sim::TuneFrontier& asked = report.asked;
  const double top = in_unit(asked.type, asked.span.high);
  SvgPoint low = {1e300, in_unit(asked.type, asked.span.low)};
  SvgPoint high = {-1e300, top};
  std::vector<SvgPoint> unsafe;
  std::vector<SvgPoint> theory;
  for (const FrontierFinding& finding : report.findings) {
    if (finding.cell.checker != checker) continue;
    const double x = asked.parameter
                         ? in_unit(asked.parameter->type, asked.parameter->values[finding.cell.row])
                         : static_cast<double>(finding.cell.row);
    unsafe.push_back({x, finding.cell.unsafe ? in_unit(asked.type, *finding.cell.unsafe) : top});
    if (finding.theory)
      theory.push_back({x, finding.theory->value ? in_unit(asked.type, *finding.theory->value) : top});
    include({x, low.y}, low, high);
  }
  if (unsafe.size() == 1) {  // one row: a stripe
    low.x -= 0.5;
    high.x += 0.5;
    unsafe = {{low.x, unsafe.front().y}, {high.x, unsafe.front().y}};
    if (!theory.empty()) theory = {{low.x, theory.front().y}, {high.x, theory.front().y}};
  }
  SvgPanel panel(low, high);
  panel.titles(
      checker + ": where it starts to fail",
      asked.parameter ? with_unit(asked.parameter->key, asked.parameter->type) : "the file's own setting",
      with_unit(asked.against, asked.type));
  panel.region_above(unsafe, kSvgRed);
  panel.line(unsafe, kSvgRed, false);
  if (!theory.empty()) panel.line(theory, kSvgBlack, true);
  for (const SvgPoint& point : unsafe) panel.mark(point, SvgMark::cross, kSvgRed, "unsafe from here");
  panel.legend(SvgMark::cross, kSvgRed, "unsafe from here up");
  if (!theory.empty()) panel.legend_line(kSvgBlack, true, "closed-form bound");
  return panel;
}

}  // namespace

std::string tune_plot(const TuneReport& report) {
  std::vector<SvgPanel> panels;
  if (report.has_parameters()) panels.push_back(settings_panel(report));
  if (report.frontier)
    for (const std::string& checker : report.frontier->asked.checkers)
      panels.push_back(frontier_panel(*report.frontier, checker));
  return svg_document(panels);
}

}  // namespace tenure::cli
