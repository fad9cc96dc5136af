// What a tuning found as a picture: the settings by two objectives and by two parameters, and each checker's frontier.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cli/reports/svg/svg.h"
#include "cli/reports/text/text_format.h"
#include "cli/reports/tune_report.h"
#include "format/syntax/tune_values.h"

namespace tenure::cli {
namespace {

using State = lab::JudgedSetting::State;

double number(std::int64_t nano) { return static_cast<double>(nano) / 1e9; }

double coordinate(const format::TuneMeasure& measure, std::int64_t nano) {
  return number(nano) * (measure.metric == "leaderless_share" ? 100 : 1);
}

double in_unit(format::TuneType type, std::int64_t value) {
  return type == format::TuneType::duration ? number(value) : static_cast<double>(value);
}

std::string with_unit(const std::string& key, format::TuneType type) {
  return key + (type == format::TuneType::duration ? " (seconds)" : key.ends_with("ppm") ? " (ppm)" : "");
}

// Along what settings are drawn: one of the objectives, or the first parameter.
struct Axis {
  const TuneReport* report = nullptr;
  std::optional<std::size_t> objective;

  std::string title() const {
    const format::TuneSetting& tune = report->tuning->tune();
    if (!objective) return with_unit(tune.parameters.front().key, tune.parameters.front().type);
    const format::TuneMeasure& measure = tune.objectives[*objective].measure;
    const std::string unit = unit_of(measure);
    return measure.text + (unit.empty() ? "" : fmt::format(" ({})", unit == "s" ? "seconds" : unit));
  }
  bool has(std::size_t index) const { return !objective || estimate(index).samples > 0; }
  double at(std::size_t index) const {
    if (!objective)
      return in_unit(report->tuning->tune().parameters.front().type, value_of_parameter(*report, index, 0));
    return scaled(estimate(index).value);
  }
  // Of an interval that there is.
  bool has_interval(std::size_t index) const { return objective && estimate(index).low; }
  double low(std::size_t index) const { return scaled(*estimate(index).low); }
  double high(std::size_t index) const {
    return scaled(estimate(index).high.value_or(estimate(index).value));
  }

 private:
  const lab::Estimate& estimate(std::size_t index) const {
    return report->judgement.settings[index].objectives[*objective];
  }
  double scaled(std::int64_t nano) const {
    return coordinate(report->tuning->tune().objectives[*objective].measure, nano);
  }
};

// The first two objectives in which the settings worth having differ, else any; the first two at all where none do.
// A single one is drawn along the first parameter.
std::pair<Axis, Axis> chosen_axes(const TuneReport& report) {
  const auto& settings = report.judgement.settings;
  const std::size_t objectives = settings.front().objectives.size();
  if (objectives == 1) return {Axis{&report, std::nullopt}, Axis{&report, 0}};
  std::vector<std::size_t> all(settings.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  std::vector<std::size_t> chosen;
  const auto add = [&](std::size_t k) {
    if (std::find(chosen.begin(), chosen.end(), k) == chosen.end()) chosen.push_back(k);
  };
  for (const std::vector<std::size_t>& among : {report.judgement.best, all})
    for (std::size_t k = 0; k < objectives; ++k) {
      const auto differs = [&](std::size_t i) {
        return settings[i].objectives[k].value != settings[among.front()].objectives[k].value;
      };
      if (std::any_of(among.begin(), among.end(), differs)) add(k);
    }
  for (std::size_t k = 0; k < objectives; ++k) add(k);
  return {Axis{&report, chosen[0]}, Axis{&report, chosen[1]}};
}

// "10s, 4s": its values alone, for a label; names are on the axes or below.
std::string short_name(const TuneReport& report, std::size_t index) {
  return fmt::format("{}", fmt::join(values_of_setting(report, index), ", "));
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

std::size_t own_place(const TuneReport& report) { return report.tuning->twin_of_own().value_or(0); }

// What readers look for has words at it: the file's setting and the recommended one always, others where there is room.
void draw_labels(const TuneReport& report, const std::vector<std::pair<std::size_t, SvgPoint>>& points,
                 SvgPanel& panel) {
  const auto place = [&](std::size_t index) {
    return std::find_if(points.begin(), points.end(), [&](const auto& each) { return each.first == index; });
  };
  const auto label = [&](std::size_t index, std::string_view what) {
    if (const auto at = place(index); at != points.end())
      panel.label(at->second, fmt::format("{}: {}", what, short_name(report, index)), true);
  };
  const lab::TuneJudgement& judgement = report.judgement;
  const std::size_t own = own_place(report);
  if (judgement.knee)
    label(*judgement.knee, judgement.knee == own ? "recommended, as the file" : "recommended");
  if (judgement.nearest && judgement.nearest != own) label(*judgement.nearest, "nearest");
  if (judgement.knee != own) label(own, "the file");
  for (const std::size_t index : judgement.best)
    if (const auto at = place(index); at != points.end() && judgement.knee != index && index != own)
      panel.label(at->second, short_name(report, index), false);
}

void draw_setting(const TuneReport& report, std::size_t index, SvgPoint at, SvgPanel& panel) {
  const lab::JudgedSetting& setting = report.judgement.settings[index];
  std::string name = name_of_setting(report, index);
  if (!setting.why.empty()) name += fmt::format(": {}: {}", name_of(setting.state), setting.why);
  switch (setting.state) {
    case State::best: panel.mark(at, SvgMark::dot, kSvgBlue, name); break;
    case State::dominated: panel.mark(at, SvgMark::dot, kSvgGrey, name); break;
    case State::warned: panel.mark(at, SvgMark::square, kSvgRed, name); break;
    case State::broken: panel.mark(at, SvgMark::cross, kSvgRed, name); break;
    case State::bounded:
    case State::inconclusive:
    case State::unmeasured:
    case State::dropped: panel.mark(at, SvgMark::circle, kSvgGrey, name); break;
  }
  if (report.judgement.knee == index) panel.mark(at, SvgMark::ring, kSvgGreen, "recommended: " + name);
  if (report.judgement.nearest == index) panel.mark(at, SvgMark::ring, kSvgGrey, "nearest: " + name);
  if (index == own_place(report)) panel.mark(at, SvgMark::diamond, kSvgInk, "the file: " + name);
}

// Only of what is there.
void add_legends(const TuneReport& report, SvgPanel& panel) {
  const auto any = [&](State a, std::optional<State> b = {}, std::optional<State> c = {}) {
    return std::any_of(report.judgement.settings.begin(), report.judgement.settings.end(),
                       [&](const auto& s) { return s.state == a || s.state == b || s.state == c; });
  };
  if (any(State::best)) panel.legend(SvgMark::dot, kSvgBlue, "Pareto set (all objectives)");
  if (any(State::dominated)) panel.legend(SvgMark::dot, kSvgGrey, "beaten by one of the set");
  if (any(State::bounded, State::unmeasured, State::dropped))
    panel.legend(SvgMark::circle, kSvgGrey, "out of bounds or too little known");
  if (any(State::warned)) panel.legend(SvgMark::square, kSvgRed, "unsafe in theory");
  if (any(State::broken)) panel.legend(SvgMark::cross, kSvgRed, "unsafe: a checker failed");
  if (report.judgement.knee) panel.legend(SvgMark::ring, kSvgGreen, "recommended");
  if (report.judgement.nearest) panel.legend(SvgMark::ring, kSvgGrey, "nearest to what is demanded");
  panel.legend(SvgMark::diamond, kSvgInk, "the file");
}

void add_names(const TuneReport& report, SvgPanel& panel) {
  if (report.judgement.knee) panel.note("recommended: " + name_of_setting(report, *report.judgement.knee));
  if (report.judgement.nearest) panel.note("nearest: " + name_of_setting(report, *report.judgement.nearest));
  panel.note("the file: " + name_of_setting(report, 0));
}

void draw_intervals(const Axis& x, const Axis& y, std::size_t index, SvgPoint at, SvgPanel& panel) {
  if (x.has_interval(index)) panel.whisker({x.low(index), at.y}, {x.high(index), at.y}, kSvgBlue);
  if (y.has_interval(index)) panel.whisker({at.x, y.low(index)}, {at.x, y.high(index)}, kSvgBlue);
}

SvgPanel settings_panel(const TuneReport& report) {
  const auto& [x, y] = chosen_axes(report);
  constexpr double kFar = 1e300;
  SvgPoint low = {kFar, kFar};
  SvgPoint high;  // of what is worth looking at: others may be far away
  SvgPoint furthest;
  std::vector<std::pair<std::size_t, SvgPoint>> points;
  std::vector<SvgPoint> safe;
  for (std::size_t i = first_row(report); i < report.judgement.settings.size(); ++i) {
    if (!x.has(i) || !y.has(i)) continue;
    const State state = report.judgement.settings[i].state;
    const SvgPoint at = {x.at(i), y.at(i)};
    include(at, low, furthest);
    if (state == State::best || state == State::warned || i == own_place(report)) include(at, low, high);
    points.emplace_back(i, at);
    if (state == State::best || state == State::dominated) safe.push_back(at);
  }
  if (points.empty()) low = {};
  constexpr double kMargin = 1.5;
  high = {std::min(high.x * kMargin, furthest.x), std::min(high.y * kMargin, furthest.y)};
  // From zero, unless all would lie in one corner: then differences count.
  if (low.x < furthest.x / 2) low.x = 0;
  if (low.y < furthest.y / 2) low.y = 0;
  if (high.x <= low.x) high.x = furthest.x;
  if (high.y <= low.y) high.y = furthest.y;
  // What is worth having lies on top.
  std::stable_partition(points.begin(), points.end(), [&](const auto& point) {
    return report.judgement.settings[point.first].state != State::best;
  });
  SvgPanel panel(low, high);
  panel.titles(fmt::format("{}: {}", report.scenario, counted(points.size(), "setting")), x.title(),
               y.title());
  const bool has_frontier = x.objective && safe.size() > 1;
  if (has_frontier) panel.line(staircase(std::move(safe)), kSvgBlue, false);
  std::size_t beyond = 0;
  for (const auto& [index, at] : points) {
    if (report.judgement.settings[index].state == State::best) draw_intervals(x, y, index, at, panel);
    draw_setting(report, index, at, panel);
    beyond += panel.is_beyond(at) ? 1 : 0;
  }
  draw_labels(report, points, panel);
  if (has_frontier) panel.legend_line(kSvgBlue, false, "frontier of these two");
  add_legends(report, panel);
  add_names(report, panel);
  if (beyond > 0) panel.note(fmt::format("{} further out, drawn at the edge", counted(beyond, "setting")));
  return panel;
}

// ---- parameters ------------------------------------------------------------------------------------------

// Of two parameters: what became of each combination, so that what is unsafe is seen as a region.
SvgPanel parameters_panel(const TuneReport& report) {
  const std::vector<format::TuneParameter>& parameters = report.tuning->tune().parameters;
  const auto place_of = [&](std::size_t index) {
    return SvgPoint{in_unit(parameters[0].type, value_of_parameter(report, index, 0)),
                    in_unit(parameters[1].type, value_of_parameter(report, index, 1))};
  };
  SvgPoint low = place_of(own_place(report));
  SvgPoint high = low;
  for (std::size_t i = first_row(report); i < report.tuning->size(); ++i) include(place_of(i), low, high);
  const SvgPoint margin = {(high.x - low.x) / 20, (high.y - low.y) / 20};
  SvgPanel panel({low.x - margin.x, low.y - margin.y}, {high.x + margin.x, high.y + margin.y});
  panel.titles("what became of each setting", with_unit(parameters[0].key, parameters[0].type),
               with_unit(parameters[1].key, parameters[1].type));
  std::vector<std::pair<std::size_t, SvgPoint>> points;
  for (std::size_t i = first_row(report); i < report.tuning->size(); ++i) {
    draw_setting(report, i, place_of(i), panel);
    points.emplace_back(i, place_of(i));
  }
  draw_labels(report, points, panel);
  add_legends(report, panel);
  return panel;
}

// ---- frontiers -------------------------------------------------------------------------------------------

SvgPanel frontier_panel(const TuneReport& tune_report, const std::string& checker) {
  const lab::FrontierFindings& report = *tune_report.frontier;
  const format::TuneFrontier& asked = report.asked;
  const double top = in_unit(asked.type, asked.span.high);
  SvgPoint low = {1e300, in_unit(asked.type, asked.span.low)};
  SvgPoint high = {-1e300, top};
  std::vector<SvgPoint> edge;  // of what is unsafe; the end of the range where nothing is
  std::vector<SvgPoint> failed;
  std::vector<SvgPoint> theory;
  for (const lab::FrontierFinding& finding : report.cells) {
    if (finding.cell.checker != checker) continue;
    const double x = asked.parameter
                         ? in_unit(asked.parameter->type, asked.parameter->values[finding.cell.row])
                         : static_cast<double>(finding.cell.row);
    const bool fails = finding.cell.unsafe && finding.cell.seed > 0;
    edge.push_back({x, fails ? in_unit(asked.type, *finding.cell.unsafe) : top});
    if (fails) failed.push_back(edge.back());
    if (finding.theory)
      theory.push_back({x, finding.theory->value ? in_unit(asked.type, *finding.theory->value) : top});
    include({x, low.y}, low, high);
  }
  if (edge.size() == 1) {  // one row: a stripe
    low.x -= 0.5;
    high.x += 0.5;
    edge = {{low.x, edge.front().y}, {high.x, edge.front().y}};
    if (!theory.empty()) theory = {{low.x, theory.front().y}, {high.x, theory.front().y}};
  }
  SvgPanel panel(low, high);
  panel.titles(
      checker + ": where it starts to fail",
      asked.parameter ? with_unit(asked.parameter->key, asked.parameter->type) : "the file's own setting",
      with_unit(asked.against, asked.type));
  panel.region_above(edge, top, kSvgRed);
  panel.line(edge, failed.empty() ? kSvgGreen : kSvgRed, false);
  if (!theory.empty()) panel.line(theory, kSvgInk, true);
  for (const SvgPoint& point : failed) panel.mark(point, SvgMark::cross, kSvgRed, "unsafe from here");
  if (failed.empty())
    panel.legend_line(kSvgGreen, false, "safe up to the end of the range");
  else
    panel.legend(SvgMark::cross, kSvgRed, "unsafe from here up");
  if (!theory.empty()) panel.legend_line(kSvgInk, true, "closed-form bound");
  if (const std::optional<std::int64_t> own = frontier_value_of_file(tune_report)) {
    const double x = in_unit(asked.parameter->type, *own);
    if (!panel.is_beyond({x, low.y})) {
      panel.line({{x, low.y}, {x, top}}, kSvgBlue, true);
      panel.legend_line(kSvgBlue, true, "the file: " + format::print_tune_value(asked.parameter->type, *own));
    }
  }
  panel.note(fmt::format("searched from {} to {}, {} each",
                         format::print_tune_value(asked.type, asked.span.low),
                         format::print_tune_value(asked.type, asked.span.high),
                         counted(static_cast<std::size_t>(asked.seeds), "seed")));
  return panel;
}

}  // namespace

std::vector<SvgPanel> tune_panels(const TuneReport& report) {
  std::vector<SvgPanel> panels;
  if (report.has_parameters()) panels.push_back(settings_panel(report));
  const auto& parameters = report.tuning->tune().parameters;
  if (parameters.size() == 2 && parameters[0].type != format::TuneType::boolean &&
      parameters[1].type != format::TuneType::boolean)
    panels.push_back(parameters_panel(report));
  if (report.frontier)
    for (const std::string& checker : report.frontier->asked.checkers)
      panels.push_back(frontier_panel(report, checker));
  return panels;
}

std::string tune_plot(const TuneReport& report) {
  return svg_document(tune_panels(report), fmt::format("tenure tune: {}", report.scenario));
}

}  // namespace tenure::cli
