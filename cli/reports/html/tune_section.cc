// A tuning as a section of a page.
#include <fmt/format.h>

#include <algorithm>

#include "cli/reports/html/sections.h"
#include "cli/reports/text/text_format.h"
#include "format/print/print.h"
#include "format/syntax/tune_values.h"

namespace tenure::cli {
namespace {

std::size_t place_of_file(const TuneReport& report) { return report.tuning->twin_of_own().value_or(0); }

std::string state_in_words(const TuneReport& report, std::size_t index) {
  std::string state(name_of(report.judgement.settings[index].state));
  if (report.judgement.knee == index) state = "recommended";
  if (report.judgement.nearest == index) state = "nearest: " + state;
  return index == place_of_file(report) ? state + ", the file" : state;
}

std::string sentence_of(const TuneReport& report) {
  if (!report.has_parameters()) return "How far the file's own setting is safe.";
  const lab::TuneJudgement& judgement = report.judgement;
  if (judgement.knee)
    return *judgement.knee == place_of_file(report)
               ? fmt::format("Keep what the file has: {}.", name_of_setting(report, *judgement.knee))
               : fmt::format("Recommended: {}; the file has {}.", name_of_setting(report, *judgement.knee),
                             fmt::join(values_of_setting(report, place_of_file(report)), ", "));
  if (!judgement.best.empty())
    return fmt::format("{} worth having.", counted(judgement.best.size(), "setting"));
  if (judgement.nearest)
    return fmt::format("No setting is safe and within what is demanded; the nearest is {}.",
                       name_of_setting(report, *judgement.nearest));
  return "No setting is safe and within what is demanded.";
}

// "failover_seconds.p50 35.8 (currently 15.9); …"
std::string price_of_knee(const TuneReport& report, std::size_t knee) {
  const std::size_t own = place_of_file(report);
  if (knee == own) return "none: the file has it already";
  const auto& objectives = report.tuning->tune().objectives;
  const lab::JudgedSetting& then = report.judgement.settings[knee];
  const lab::JudgedSetting& now = report.judgement.settings[own];
  std::string text;
  for (std::size_t i = 0; i < std::min({objectives.size(), then.objectives.size(), now.objectives.size()});
       ++i)
    text += fmt::format("{}{} {} (currently {})", text.empty() ? "" : "; ", objectives[i].measure.text,
                        shown_estimate(objectives[i].measure, then.objectives[i]),
                        shown_estimate(objectives[i].measure, now.objectives[i]));
  return text.empty() ? "not measured" : text;
}

// Those worth having first, the nearest and the file's own, then as they were made.
std::vector<std::size_t> settings_in_order(const TuneReport& report) {
  std::vector<std::size_t> order = report.judgement.best;
  const auto add = [&](std::size_t i) {
    if (std::find(order.begin(), order.end(), i) == order.end()) order.push_back(i);
  };
  if (report.judgement.nearest) add(*report.judgement.nearest);
  add(place_of_file(report));
  for (std::size_t i = first_row(report); i < report.tuning->size(); ++i) add(i);
  return order;
}

PageTone tone_of(const TuneReport& report, std::size_t index) {
  using State = lab::JudgedSetting::State;
  switch (report.judgement.settings[index].state) {
    case State::best: return PageTone::good;
    case State::warned:
    case State::broken: return PageTone::bad;
    case State::bounded:
    case State::inconclusive:
    case State::unmeasured: return PageTone::doubtful;
    case State::dominated:
    case State::dropped: break;
  }
  return PageTone::plain;
}

PageRow row_of(const TuneReport& report, std::size_t index) {
  const auto& objectives = report.tuning->tune().objectives;
  const lab::JudgedSetting& setting = report.judgement.settings[index];
  PageRow row{{state_in_words(report, index)}, {}, {tone_of(report, index)}};
  for (const std::string& value : values_of_setting(report, index)) row.cells.push_back(value);
  for (std::size_t i = 0; i < objectives.size(); ++i)
    row.cells.push_back(
        i < setting.objectives.size() ? shown_estimate(objectives[i].measure, setting.objectives[i]) : "");
  row.cells.push_back(setting.why);
  if (const std::optional<std::uint64_t> seed = seed_worth_a_look(report, index))
    row.reproduce = command_of(report, index, *seed);
  return row;
}

// Those worth having, the nearest and the file's own; then the others, folded: unsafe ones, and those that are beaten.
std::vector<PageTable> settings_of(const TuneReport& report) {
  PageTable shown{"Settings worth having, and the file's", {"state"}};
  for (const format::TuneParameter& parameter : report.tuning->tune().parameters)
    shown.columns.push_back(shown_key(parameter));
  for (const format::TuneObjective& objective : report.tuning->tune().objectives)
    shown.columns.push_back(objective.measure.text);
  shown.columns.emplace_back("why not");
  PageTable unsafe{"", shown.columns};
  PageTable beaten{"", shown.columns};
  unsafe.folded = beaten.folded = true;
  for (const std::size_t index : settings_in_order(report)) {
    const lab::JudgedSetting& setting = report.judgement.settings[index];
    const bool is_first = setting.state == lab::JudgedSetting::State::best ||
                          index == place_of_file(report) || report.judgement.nearest == index;
    const bool is_beaten = setting.why.empty();
    (is_first ? shown : is_beaten ? beaten : unsafe).rows.push_back(row_of(report, index));
  }
  unsafe.caption = fmt::format("{} unsafe, out of bounds or unknown, with the reason",
                               counted(unsafe.rows.size(), "setting"));
  beaten.caption =
      fmt::format("{} safe, but another is nowhere worse", counted(beaten.rows.size(), "setting"));
  return {std::move(shown), std::move(unsafe), std::move(beaten)};
}

PageTable skipped_of(const TuneReport& report) {
  PageTable table{"", {"combinations", "why", "what to do"}};
  table.folded = true;
  std::uint64_t total = 0;
  for (const auto& [why, note, count] : report.skipped) {
    table.rows.push_back({{fmt::format("{}", count), why, note}});
    total += count;
  }
  table.caption = fmt::format("{} skipped", counted(total, "invalid combination"));
  return table;
}

PageTable frontier_of(const TuneReport& report) {
  PageTable table{"Where it stops being safe",
                  {"checker", "setting", "safe up to", "unsafe from", "theory", "saved in"}};
  if (!report.frontier) return table;
  const format::TuneFrontier& asked = report.frontier->asked;
  const auto text = [&](const std::optional<std::int64_t>& value) {
    return value ? format::print_tune_value(asked.type, *value) : std::string("-");
  };
  for (const lab::FrontierFinding& finding : report.frontier->cells) {
    const std::string setting =
        asked.parameter ? fmt::format("{} {}", shown_key(*asked.parameter),
                                      format::print_tune_value(asked.parameter->type,
                                                               asked.parameter->values[finding.cell.row]))
                        : "the file's own";
    PageRow row{{finding.cell.checker, setting, text(finding.cell.safe), text(finding.cell.unsafe),
                 !finding.theory         ? "-"
                 : finding.theory->value ? text(finding.theory->value)
                                         : "any",
                 finding.path()}};
    if (!finding.cell.unknown.empty()) row.cells[3] += ": nobody knows: " + finding.cell.unknown;
    if (finding.saved) row.reproduce = frontier_command(finding);
    table.rows.push_back(std::move(row));
  }
  return table;
}

PageTable month_of(const TuneReport& report) {
  const std::vector<std::vector<std::string>> rows = month_rows(report);
  if (rows.empty()) return {"A month", {}};
  PageTable table{"A month", rows.front()};
  for (std::size_t i = 1; i < rows.size(); ++i) table.rows.push_back({rows[i]});
  return table;
}

}  // namespace

std::optional<std::uint64_t> seed_worth_a_look(const TuneReport& report, std::size_t index) {
  const lab::JudgedSetting& setting = report.judgement.settings[index];
  if (setting.state == lab::JudgedSetting::State::broken) return setting.bad_seed;
  const bool shown =
      index == place_of_file(report) || report.judgement.knee == index || report.judgement.nearest == index;
  if (!shown || report.tuning->setting(index).moment) return std::nullopt;
  for (const format::TuneObjective& objective : report.tuning->tune().objectives)
    if (const auto seed = report.tuning->outcome(index).worst_seed(objective.measure.metric)) return seed;
  return std::nullopt;
}

std::string frontier_command(const lab::FrontierFinding& finding) {
  return "tenure run " + shell_quoted(finding.path());
}

PageSection section_of(const TuneReport& report) {
  PageSection section{.title = fmt::format("{}, a tuning", report.scenario), .sentence = sentence_of(report)};
  section.reproduce = "tenure tune " + shell_quoted(report.path);
  for (const format::Override& set : report.sets)
    section.reproduce += " --set " + shell_quoted(fmt::format("{}={}", set.key, set.value));
  const sim::Scenario& scenario = report.tuning->setting(0).scenario;
  section.ran = what_was_run(scenario);
  section.settings = format::print_scenario(scenario);
  if (report.has_parameters() && report.judgement.knee) {
    section.notes.push_back("To apply it: " + command_of(report, *report.judgement.knee));
    section.notes.push_back("Cost: " + price_of_knee(report, *report.judgement.knee) + ".");
  }
  for (const std::string& note : month_notes(report)) section.notes.push_back(note);
  if (report.has_parameters())
    for (PageTable& table : settings_of(report)) section.tables.push_back(std::move(table));
  section.tables.push_back(skipped_of(report));
  section.tables.push_back(frontier_of(report));
  section.tables.push_back(month_of(report));
  for (const SvgPanel& panel : tune_panels(report))
    section.pictures.push_back(svg_document({panel}, fmt::format("tenure tune: {}", report.scenario)));
  return section;
}

}  // namespace tenure::cli
