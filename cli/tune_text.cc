// A tuning's findings as text for people.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/table.h"
#include "cli/text_format.h"
#include "cli/tune_apply.h"
#include "cli/tune_report.h"

namespace tenure::cli {
namespace {

using State = sim::JudgedSetting::State;

std::string interval(const sim::TuneMeasure& measure, const sim::Estimate& estimate) {
  if (estimate.samples == 0) return "-";
  std::string text = shown(measure, estimate.value);
  if (estimate.low == estimate.high && !estimate.open) return text;
  return fmt::format("{} [{}..{}]", text, shown_number(measure, estimate.low),
                     estimate.open ? "" : shown_number(measure, estimate.high));
}

std::vector<std::string> row_of(const TuneReport& report, std::size_t index, std::string mark) {
  const sim::JudgedSetting& setting = report.judgement.settings[index];
  std::vector<std::string> cells = {std::move(mark)};
  for (const std::string& value : values_of_setting(report, index)) cells.push_back(value);
  for (std::size_t i = 0; i < setting.objectives.size(); ++i)
    cells.push_back(interval(report.tuning->tune().objectives[i].measure, setting.objectives[i]));
  std::string notes;
  for (const sim::UnsafeNote& note : report.tuning->setting(index).unsafe)
    notes += (notes.empty() ? "unsafe in theory: " : ", ") + note.name;
  cells.push_back(notes);
  return cells;
}

std::vector<std::string> head_of(const TuneReport& report) {
  std::vector<std::string> cells = {""};
  for (const sim::TuneParameter& parameter : report.tuning->tune().parameters)
    cells.push_back(parameter.key.substr(parameter.key.find('.') + 1));
  for (const sim::TuneObjective& objective : report.tuning->tune().objectives)
    cells.push_back(objective.measure.text);
  cells.emplace_back("");
  return cells;
}

std::string best_table(const TuneReport& report) {
  const sim::TuneJudgement& judgement = report.judgement;
  Table table(report.tuning->tune().parameters.size() + 1);
  table.row(head_of(report));
  const std::size_t own = report.tuning->twin_of_own().value_or(0);
  bool own_is_best = false;
  for (const std::size_t index : judgement.best) {
    std::string mark = judgement.knee == index ? "knee" : "";
    if (index == own) mark += mark.empty() ? "file" : ", file";
    own_is_best = own_is_best || index == own;
    table.row(row_of(report, index, mark));
  }
  if (!own_is_best) table.row(row_of(report, own, "file"));
  return table.text("  ");
}

std::string where_the_file_stands(const TuneReport& report) {
  const sim::JudgedSetting& own = report.judgement.settings[0];
  switch (own.state) {
    case State::best: return "is in the Pareto set";
    case State::dominated:
      return fmt::format("is beaten by {}, which is nowhere worse", name_of_setting(report, *own.beaten_by));
    case State::broken:
    case State::bounded:
    case State::unmeasured:
    case State::dropped: break;
  }
  return fmt::format("is {}: {}", name_of(own.state), own.why);
}

std::string counts_of(const TuneReport& report) {
  std::map<State, std::size_t> counts;
  const std::size_t first = report.tuning->twin_of_own() ? 1 : 0;
  for (std::size_t i = first; i < report.judgement.settings.size(); ++i)
    ++counts[report.judgement.settings[i].state];
  std::string text;
  for (const auto& [state, count] : counts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name_of(state));
  return text;
}

std::string nothing_safe(const TuneReport& report) {
  const std::size_t nearest = *report.judgement.nearest;
  const sim::JudgedSetting& setting = report.judgement.settings[nearest];
  Table table(report.tuning->tune().parameters.size() + 1);
  table.row(head_of(report));
  table.row(row_of(report, nearest, "nearest"));
  std::string text = fmt::format("  nothing that was tried keeps the constraints. The nearest is {}: {}\n",
                                 name_of(setting.state), setting.why);
  return text + table.text("  ");
}

// Settings in which a checker failed, and how to see it.
std::string unsafe_list(const TuneReport& report) {
  constexpr std::size_t kShown = 5;
  std::string text;
  std::size_t count = 0;
  for (std::size_t i = report.tuning->twin_of_own() ? 1 : 0; i < report.judgement.settings.size(); ++i) {
    const sim::JudgedSetting& setting = report.judgement.settings[i];
    if (setting.state != State::broken || ++count > kShown) continue;
    text += fmt::format("  unsafe      {}: {}\n              {}\n", name_of_setting(report, i), setting.why,
                        command_of(report, i, setting.bad_seed));
  }
  if (count > kShown) text += fmt::format("  unsafe      and {} more\n", count - kShown);
  return text;
}

std::string search_text(const TuneReport& report) {
  std::string text = fmt::format("  settings    {}\n", counts_of(report));
  if (report.left_out > 0)
    text += fmt::format("  left out    {} that no file may say: {}\n", report.left_out, report.why_left_out);
  text += report.judgement.best.empty() ? nothing_safe(report) : best_table(report);
  text += fmt::format("  the file    {}: {}\n", name_of_setting(report, 0), where_the_file_stands(report));
  return text + unsafe_list(report);
}

}  // namespace

std::string tune_text(const TuneReport& report, bool paint) {
  const sim::TuneSetting& tune = report.tuning->tune();
  const bool safe = !report.has_parameters() || !report.judgement.best.empty();
  const std::string word = painted(safe ? "TUNE" : "NONE", safe ? Colour::green : Colour::red, paint);
  const std::string_view protocol = report.tuning->setting(0).scenario.protocol->name;
  std::string text = fmt::format("{} {}  {}", word, report.scenario, protocol);
  if (report.has_parameters())
    text += fmt::format(
                "  {}, {} each\n",
                counted(report.judgement.settings.size() - (report.tuning->twin_of_own() ? 1 : 0), "setting"),
                counted(static_cast<std::size_t>(tune.seeds), "seed")) +
            search_text(report);
  else
    text += "\n";
  if (report.frontier) text += frontier_text(*report.frontier);
  text += profile_text(report);
  if (report.judgement.knee && report.has_parameters())
    text += fmt::format("  apply       {}\n", command_of(report, *report.judgement.knee)) +
            configuration_of(report.tuning->setting(*report.judgement.knee), "              ");
  return text;
}

}  // namespace tenure::cli
