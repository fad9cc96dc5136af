// A tuning's findings as text for people.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/reports/text/text_format.h"
#include "cli/reports/tune_report.h"

namespace tenure::cli {
namespace {

using State = lab::JudgedSetting::State;

std::vector<std::string> row_of(const TuneReport& report, std::size_t index, std::string mark) {
  std::vector<std::string> cells = setting_cells(report, index);
  cells.insert(cells.begin(), std::move(mark));
  const std::string unsafe = unsafe_names(report, index);
  cells.push_back(unsafe.empty() ? "" : "unsafe in theory: " + unsafe);
  return cells;
}

// Of settings: with its head.
Table table_of(const TuneReport& report) {
  Table table(report.tuning->tune().parameters.size() + 1);
  std::vector<std::string> cells = setting_columns(report);
  cells.insert(cells.begin(), "");
  cells.emplace_back("");
  table.row(std::move(cells));
  return table;
}

std::string best_table(const TuneReport& report) {
  const lab::TuneJudgement& judgement = report.judgement;
  Table table = table_of(report);
  const std::size_t own = place_of_file(report);
  bool own_is_best = false;
  for (const std::size_t index : judgement.best) {
    std::string mark = judgement.knee == index ? "recommended" : "";
    if (index == own) mark += mark.empty() ? "file" : ", file";
    own_is_best = own_is_best || index == own;
    table.row(row_of(report, index, mark));
  }
  if (!own_is_best) table.row(row_of(report, own, "file"));
  return table.text("  ");
}

std::string where_the_file_stands(const TuneReport& report) {
  const lab::JudgedSetting& own = report.judgement.settings[0];
  switch (own.state) {
    case State::best: return "is in the Pareto set";
    case State::dominated:
      return fmt::format("is beaten by {}, which is nowhere worse", name_of_setting(report, *own.beaten_by));
    case State::warned:
    case State::broken:
    case State::bounded:
    case State::inconclusive:
    case State::unmeasured:
    case State::dropped: break;
  }
  return fmt::format("is {}: {}", name_of(own.state), own.why);
}

std::string counts_of(const TuneReport& report) {
  std::map<State, std::size_t> counts;
  for (std::size_t i = first_row(report); i < report.judgement.settings.size(); ++i)
    ++counts[report.judgement.settings[i].state];
  std::string text;
  for (const auto& [state, count] : counts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name_of(state));
  return text;
}

std::string nothing_safe(const TuneReport& report) {
  const std::size_t nearest = *report.judgement.nearest;
  const lab::JudgedSetting& setting = report.judgement.settings[nearest];
  Table table = table_of(report);
  table.row(row_of(report, nearest, "nearest"));
  const std::string_view nothing = setting.state == State::unmeasured
                                       ? "no setting that was tried is known to be good: those that are not "
                                         "unsafe or out of bounds lack samples"
                                   : setting.state == State::inconclusive
                                       ? "no setting that was tried is known to be safe"
                                       : "no setting that was tried is safe and keeps the constraints";
  const std::string text =
      fmt::format("  {}. The nearest is {}: {}\n", nothing, name_of(setting.state), setting.why);
  return text + table.text("  ");
}

std::string what_does_not_count(const TuneReport& report) {
  std::vector<std::string> names;
  for (const std::size_t objective : report.judgement.alike)
    names.push_back(report.tuning->tune().objectives[objective].measure.text);
  if (names.empty()) return {};
  return fmt::format("  not counted {}: the safe settings differ by less than 5 %, or than noise\n",
                     fmt::join(names, ", "));
}

// What theory calls unsafe is never in the set; what it would be worth if theory were wrong.
std::string apart_list(const TuneReport& report) {
  if (report.judgement.apart.empty()) return {};
  Table table = table_of(report);
  for (const std::size_t index : report.judgement.apart)
    table.row(row_of(report, index, report.judgement.nearest == index ? "nearest" : ""));
  return "  apart       unsafe in theory, though no run failed: never in the set, however good\n" +
         table.text("  ");
}

// Settings whose runs are inconclusive, by the reason.
std::string unknown_list(const TuneReport& report) {
  std::map<std::string, std::vector<std::size_t>> by_reason;
  for (std::size_t i = first_row(report); i < report.judgement.settings.size(); ++i)
    if (report.judgement.settings[i].state == State::inconclusive)
      by_reason[report.judgement.settings[i].why].push_back(i);
  std::string text;
  for (const auto& [why, settings] : by_reason)
    text += fmt::format("  unknown     {}: {}\n              {}\n", counted(settings.size(), "setting"), why,
                        command_of_batch(report, settings.front()));
  return text;
}

// Settings that cannot be judged for want of samples, by what they lack.
std::string unmeasured_list(const TuneReport& report) {
  constexpr std::size_t kShown = 3;
  std::map<std::string, std::vector<std::size_t>> by_lack;
  for (std::size_t i = first_row(report); i < report.judgement.settings.size(); ++i)
    if (report.judgement.settings[i].state == State::unmeasured)
      by_lack[report.judgement.settings[i].lacks].push_back(i);
  std::string text;
  for (const auto& [lack, settings] : by_lack) {
    text += fmt::format("  unmeasured  {}, left out for want of samples of {}\n",
                        counted(settings.size(), "setting"), lack);
    for (std::size_t i = 0; i < std::min(settings.size(), kShown); ++i)
      text += fmt::format("              {}: {}\n", name_of_setting(report, settings[i]),
                          report.judgement.settings[settings[i]].why);
    if (settings.size() > kShown)
      text += fmt::format("              and {} more\n", settings.size() - kShown);
  }
  return text;
}

// Settings in which a checker failed, and how to see it.
std::string unsafe_list(const TuneReport& report) {
  constexpr std::size_t kShown = 5;
  std::string text;
  std::size_t count = 0;
  for (std::size_t i = first_row(report); i < report.judgement.settings.size(); ++i) {
    const lab::JudgedSetting& setting = report.judgement.settings[i];
    if (setting.state != State::broken || ++count > kShown) continue;
    text += fmt::format("  unsafe      {}: {}\n              {}\n", name_of_setting(report, i), setting.why,
                        command_of(report, i, setting.bad_seed));
  }
  if (count > kShown) text += fmt::format("  unsafe      and {} more\n", count - kShown);
  return text;
}

std::string search_text(const TuneReport& report) {
  std::string text = fmt::format("  settings    {}\n", counts_of(report));
  for (const auto& [why, note, count] : report.skipped)
    text += fmt::format("  skipped     {}: {}{}\n", counted(count, "invalid combination"), why,
                        note.empty() ? "" : "; " + note);
  if (report.interrupted)
    text += "  interrupted settings that lack runs count as dropped; those below have all of theirs\n";
  if (!report.judgement.best.empty())
    text += best_table(report);
  else if (!report.interrupted)
    text += nothing_safe(report);
  text += what_does_not_count(report);
  text += apart_list(report);
  text += fmt::format("  the file    {}: {}\n", name_of_setting(report, 0), where_the_file_stands(report));
  return text + unknown_list(report) + unmeasured_list(report) + unsafe_list(report);
}

// How many settings, with how many seeds. Halving gives its seeds to what is good.
std::string effort_of(const TuneReport& report) {
  const format::TuneSetting& tune = report.tuning->tune();
  const std::string settings = counted(report.judgement.settings.size() - first_row(report), "setting");
  const std::string seeds = counted(static_cast<std::size_t>(tune.seeds), "seed");
  if (tune.search != format::TuneSetting::Search::halving) return fmt::format("{}, {} each", settings, seeds);
  std::uint64_t least = report.tuning->outcome(first_row(report)).runs();
  for (std::size_t i = first_row(report); i < report.tuning->size(); ++i)
    least = std::min(least, report.tuning->outcome(i).runs());
  return least == static_cast<std::uint64_t>(tune.seeds)
             ? fmt::format("{}, {} each", settings, seeds)
             : fmt::format("{}, {} to {} each by halving", settings, least, seeds);
}

}  // namespace

std::string tune_text(const TuneReport& report, bool paint) {
  const bool safe = !report.has_parameters() || !report.judgement.best.empty();
  const std::string word = report.interrupted
                               ? painted("INTERRUPTED", Colour::yellow, paint)
                               : painted(safe ? "TUNE" : "NONE", safe ? Colour::green : Colour::red, paint);
  const std::string_view protocol = report.tuning->setting(0).scenario.protocol->name;
  std::string text = fmt::format("{} {}  {}", word, report.scenario, protocol);
  if (report.has_parameters())
    text += fmt::format("  {}\n", effort_of(report)) + search_text(report);
  else
    text += "\n";
  if (report.frontier) text += frontier_text(*report.frontier);
  text += profile_text(report);
  if (!report.judgement.knee || !report.has_parameters() || report.interrupted) return text;
  if (*report.judgement.knee == place_of_file(report))
    return text + "  apply       nothing: keep what the file has\n";
  text += fmt::format("  apply       {}\n", command_of(report, *report.judgement.knee)) +
          configuration_of(report.tuning->setting(*report.judgement.knee), "              ");
  return text;
}

}  // namespace tenure::cli
