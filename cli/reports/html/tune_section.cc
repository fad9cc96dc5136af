// A tuning as a section of a page.
#include <fmt/format.h>

#include <algorithm>

#include "cli/reports/html/sections.h"
#include "cli/reports/text/text_format.h"
#include "format/print/print.h"

namespace tenure::cli {
namespace {

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
  PageRow row{setting_cells(report, index), {}, {tone_of(report, index)}};
  row.cells.insert(row.cells.begin(), state_in_words(report, index));
  row.cells.push_back(report.judgement.settings[index].why);
  if (const std::optional<std::uint64_t> seed = seed_worth_a_look(report, index))
    row.reproduce = command_of(report, index, *seed);
  return row;
}

// Those worth having, the nearest and the file's own; then the others, folded: unsafe ones, and those that are beaten.
std::vector<PageTable> settings_of(const TuneReport& report) {
  PageTable shown{"Settings worth having, and the file's", setting_columns(report)};
  shown.columns.insert(shown.columns.begin(), "state");
  shown.columns.emplace_back("why not");
  PageTable unsafe{"", shown.columns};
  PageTable beaten{"", shown.columns};
  unsafe.folded = beaten.folded = true;
  std::vector<std::size_t> order = settings_shown(report);
  for (std::size_t i = first_row(report); i < report.tuning->size(); ++i)
    if (std::find(order.begin(), order.end(), i) == order.end()) order.push_back(i);
  for (const std::size_t index : order) {
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

PageTable frontier_of(const lab::FrontierFindings& frontier) {
  PageTable table = table_of("Where it stops being safe", frontier_rows(frontier));
  if (table.columns[1].empty()) table.columns[1] = "setting";
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const lab::FrontierFinding& finding = frontier.cells[i];
    if (!finding.cell.unknown.empty()) table.rows[i].cells[3] += ": " + finding.cell.unknown;
    if (finding.saved) table.rows[i].reproduce = frontier_command(finding);
  }
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
  section.reproduce = "tenure tune " + shell_quoted(report.path) + shell_sets(report.sets);
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
  if (report.frontier) section.tables.push_back(frontier_of(*report.frontier));
  section.tables.push_back(table_of("A month", month_rows(report)));
  for (const SvgPanel& panel : tune_panels(report))
    section.pictures.push_back(svg_document({panel}, fmt::format("tenure tune: {}", report.scenario)));
  return section;
}

}  // namespace tenure::cli
