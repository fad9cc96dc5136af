#include "cli/reports/compare_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/reports/text/text_format.h"
#include "format/syntax/units.h"
#include "lab/tune/outcome.h"

namespace tenure::cli {
namespace {

using lab::Cell;
using lab::Comparison;
using sim::Damage;

// Whole percents, and never 0 % of what happened.
std::string share(std::uint64_t part, std::uint64_t whole) {
  const std::uint64_t percent = (part * 100 + whole / 2) / whole;
  if (percent == 0) return "<1%";
  if (percent == 100 && part < whole) return ">99%";
  return fmt::format("{}%", percent);
}

// "0 of 200 (< 1.5%)"
std::string none_of(std::uint64_t runs) {
  constexpr std::uint64_t kMost = lab::kMostOfNone;  // of which none was seen, at 95 %
  const std::uint64_t tenths = std::min<std::uint64_t>((kMost * 1'000 + runs - 1) / runs, 1'000);
  return fmt::format("0 of {} (< {}.{}%)", runs, tenths / 10, tenths % 10);
}

std::string damage_text(const Cell::Seen& seen, std::uint64_t runs) {
  const std::string how_often = share(seen.runs, runs);
  const auto counted_text = [&](std::string_view what) {
    return fmt::format("{} {}, {}", seen.most, what, how_often);
  };
  switch (seen.damage) {
    case Damage::two_lead:
      return fmt::format("two for {}, {}", short_duration(Duration::nanos(seen.most)), how_often);
    case Damage::double_fires: return counted_text("double");
    case Damage::lost_fires: return counted_text("lost");
    case Damage::early_fires: return counted_text("early");
    case Damage::stale_writes: return counted_text("stale");
    case Damage::design_error: return fmt::format("fails, {}", how_often);
    case Damage::never_led: return fmt::format("nobody leads, {}", how_often);
    case Damage::nobody_at_end: return fmt::format("stuck, {}", how_often);
    case Damage::behind_at_end: return fmt::format("behind, {}", how_often);
    case Damage::other: break;
  }
  return fmt::format("{}, {}", seen.checker, how_often);
}

// A traceback may follow.
std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

std::string time_of(const std::optional<lab::Estimate>& time) {
  return time ? short_duration(Duration::nanos(time->value)) : "-";
}
std::string amount_of(const std::optional<lab::Estimate>& amount) {
  return amount ? format::print_thousands(static_cast<std::uint64_t>(whole(*amount))) : "-";
}

// "2,110", "4.5", "< 9.3"
std::string false_failovers(const std::optional<Comparison::Summary::FalseFailovers>& amount) {
  if (!amount) return "-";
  constexpr std::int64_t kTenth = 100'000;
  const std::int64_t tenths = (amount->micro + (amount->at_most ? kTenth - 1 : kTenth / 2)) / kTenth;
  const std::string text = tenths < 1'000
                               ? fmt::format("{}.{}", tenths / 10, tenths % 10)
                               : format::print_thousands(static_cast<std::uint64_t>((tenths + 5) / 10));
  return amount->at_most ? "< " + text : text;
}

// Of one leader.
std::string_view promise_of(const Comparison::Summary& summary) {
  if (summary.two_led_against_promise()) return "NO";
  if (!summary.assumes) return "-";
  return summary.promised > 0 ? "yes" : "untested";
}

std::vector<std::string> names_of(const Comparison& comparison, const std::vector<std::size_t>& columns) {
  std::vector<std::string> names;
  for (const std::size_t column : columns) names.push_back(comparison.name_of_column(column));
  return names;
}

// Lines of one sort, each with the columns that it is about: "client-go: why (pause; vm-suspend)". `why(cell,
// candidate)` is empty where there is nothing to say.
template <class Why>
std::vector<std::string> lines_by_cell(const Comparison& comparison, Why&& why) {
  std::vector<std::pair<std::string, std::vector<std::size_t>>> found;  // in the order in which they are met
  for (std::size_t candidate = 0; candidate < comparison.candidates().size(); ++candidate)
    for (std::size_t column = 0; column < comparison.columns().size(); ++column) {
      if (!comparison.columns()[column].in_matrix) continue;
      const std::string text = why(comparison.at(candidate, column), comparison.candidates()[candidate]);
      if (text.empty()) continue;
      const std::string line = fmt::format("{}: {}", comparison.candidates()[candidate].name, text);
      auto known =
          std::find_if(found.begin(), found.end(), [&line](const auto& each) { return each.first == line; });
      if (known == found.end()) known = found.insert(found.end(), {line, {}});
      known->second.push_back(column);
    }
  std::vector<std::string> lines;
  const auto all =
      static_cast<std::size_t>(std::count_if(comparison.columns().begin(), comparison.columns().end(),
                                             [](const lab::Column& each) { return each.in_matrix; }));
  for (const auto& [line, columns] : found)
    lines.push_back(columns.size() == all && all > 1
                        ? line + " (everywhere)"
                        : fmt::format("{} ({})", line, fmt::join(names_of(comparison, columns), "; ")));
  return lines;
}

// Where elections act that do nothing by themselves.
std::vector<std::string> acting_lines(const Comparison& comparison) {
  std::vector<std::size_t> columns;
  for (std::size_t column = 0; column < comparison.columns().size(); ++column) {
    if (!comparison.columns()[column].in_matrix) continue;
    for (std::size_t candidate = 0; candidate < comparison.candidates().size(); ++candidate) {
      if (!comparison.at(candidate, column).acts_through_loop) continue;
      columns.push_back(column);
      break;
    }
  }
  if (columns.empty()) return {};
  return {fmt::format(
      "elections without a scheduler: through `{}`, which writes to the outside world while it leads ({})",
      lab::kActingLoop, fmt::join(names_of(comparison, columns), "; "))};
}

// What only a scheduler makes happen, a design without one never does.
std::string advice_for(const lab::Candidate& candidate, std::string_view not_struck) {
  constexpr std::string_view kOfSchedulers[] = {"`committed`", "`executed`"};
  const auto waits_for = [not_struck](std::string_view event) {
    return not_struck.find(event) != std::string_view::npos;
  };
  const bool lacks_one = candidate.scheduler_kind == nullptr &&
                         std::any_of(std::begin(kOfSchedulers), std::end(kOfSchedulers), waits_for);
  if (!lacks_one) return {};
  const std::size_t end = std::min(candidate.name.find(':'), candidate.name.size());
  return fmt::format("; name a scheduler, like {}+ticker{}", candidate.name.substr(0, end),
                     candidate.name.substr(end));
}

}  // namespace

const std::string_view kOrderInWords =
    "sorted by double leadership that fencing does not stop, recovery, double leadership, and failover p50";

std::int64_t whole(const lab::Estimate& amount) {
  constexpr std::int64_t kBillion = 1'000'000'000;
  return amount.value / kBillion + (amount.value % kBillion * 2 >= kBillion ? 1 : 0);
}

std::string runs_a_cell(std::uint64_t seeds) { return fmt::format("{} each", counted(seeds, "run")); }

std::string text_of_cell(const lab::ComparedCell& compared) {
  if (!compared.cell) return "n/a";
  const Cell& cell = *compared.cell;
  if (cell.runs() == 0) return "not run";
  if (cell.tested() == 0) return "not tested";
  const std::vector<Cell::Seen> damages = cell.damages();
  if (damages.empty()) {
    if (!compared.proof.empty()) return fmt::format("0 of {}, proved", cell.tested());
    return none_of(cell.tested()) + (compared.explored.empty() ? "" : ", explored");
  }
  std::string text = damage_text(damages.front(), cell.tested());
  if (damages.size() > 1) text += fmt::format(" +{}", damages.size() - 1);
  return text;
}

std::string finding_of(const Comparison& comparison) {
  std::vector<std::string> never;   // two leaders
  std::vector<std::string> broken;  // promises
  std::size_t doubled = 0;
  std::size_t worst = 0;
  Duration longest;
  for (const std::size_t i : comparison.order()) {
    const Comparison::Summary summary = comparison.summary(i);
    const std::string& name = comparison.candidates()[i].name;
    if (!summary.broken.empty()) broken.push_back(name);
    if (summary.two_lead == Duration{}) {
      never.push_back(name);
      continue;
    }
    ++doubled;
    if (summary.two_lead <= longest) continue;
    longest = summary.two_lead;
    worst = i;
  }
  std::string text =
      broken.empty() ? "" : fmt::format("the promise of {} was broken; ", fmt::join(broken, ", "));
  if (doubled == 0) return text + "no design had two leaders";
  text +=
      fmt::format("two led with {} of {}, longest with {} ({} in {})", doubled,
                  counted(comparison.candidates().size(), "design"), comparison.candidates()[worst].name,
                  short_duration(longest), comparison.name_of_column(comparison.summary(worst).two_lead_in));
  constexpr std::size_t kNamed = 3;
  if (never.empty() || never.size() > kNamed) return text;
  return text + fmt::format("; never with {}", fmt::join(never, ", "));
}

std::string title_of(const CompareReport& report) {
  const Comparison& comparison = report.findings->comparison;
  const std::string runs = report.findings->interrupted
                               ? fmt::format("interrupted after {} of {} runs",
                                             format::print_thousands(report.findings->runs.done),
                                             format::print_thousands(report.findings->runs.planned))
                               : runs_a_cell(report.seeds);
  return fmt::format("{}, {}, {}: {}", counted(comparison.candidates().size(), "design"),
                     counted(matrix_columns(comparison).size(), "situation"), runs, finding_of(comparison));
}

std::vector<std::vector<std::string>> summary_rows(const Comparison& comparison) {
  std::vector<std::vector<std::string>> rows = {{"design", "promise held", "longest double leadership",
                                                 "same, fenced", "failover p50", "failover p99",
                                                 "no leader in a deploy", "requests an hour",
                                                 "same, 10 standbys", "false failovers a month", "recovers"}};
  for (const std::size_t i : comparison.order()) {
    const Comparison::Summary summary = comparison.summary(i);
    rows.push_back({comparison.candidates()[i].name, std::string(promise_of(summary)),
                    short_duration(summary.two_lead), short_duration(summary.two_lead_fenced),
                    time_of(summary.failover_p50), time_of(summary.failover_p99), time_of(summary.deploy),
                    amount_of(summary.requests), amount_of(summary.requests_crowded),
                    false_failovers(summary.false_failovers), summary.stuck_after.empty() ? "yes" : "no"});
  }
  return rows;
}

std::vector<std::string> promise_lines(const Comparison& comparison) {
  std::vector<std::string> lines;
  for (const std::size_t i : comparison.order()) {
    const Comparison::Summary summary = comparison.summary(i);
    std::string line = comparison.candidates()[i].name + ": ";
    if (!summary.assumes)
      line += "promises nothing about one leader";
    else if (summary.assumes->empty())
      line += "one leader, whatever happens";
    else
      line += fmt::format("one leader, as long as {}", fmt::join(*summary.assumes, ", "));
    if (summary.promised > 0)
      line += fmt::format(": so in {} runs", format::print_thousands(summary.promised));
    if (!summary.bounds.empty())
      line += fmt::format("; by theory also with {}", fmt::join(summary.bounds, ", "));
    if (summary.two_lead > Duration{})
      line += fmt::format("; two led longest in {}", comparison.name_of_column(summary.two_lead_in));
    if (!summary.stuck_after.empty())
      line += fmt::format("; nobody leads again after {}",
                          fmt::join(names_of(comparison, summary.stuck_after), ", "));
    for (const Comparison::Summary::BrokenClaim& broken : summary.broken)
      line += fmt::format("; {} BROKE in {}, seed {}, though all that it assumes held", broken.checker,
                          comparison.name_of_column(broken.column), broken.seed);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> price_lines(const lab::CompareFindings& findings) {
  if (!findings.price) return {};
  std::vector<std::string> lines = {
      fmt::format("at {} at most, all durations of a design by one factor:", findings.price->text)};
  const Comparison& comparison = findings.comparison;
  for (const std::size_t i : comparison.order()) {
    const lab::Candidate::Tuned& tuned = comparison.candidates()[i].tuned.value();
    std::vector<std::string> settings;
    for (const format::Override& set : tuned.settings)
      settings.push_back(fmt::format("{}={}", set.key.substr(format::kTuneElection.size()), set.value));
    const std::string cost = lab::amount_in_words(findings.price->kind, tuned.cost);
    lines.push_back(fmt::format("{}: {} with {}", comparison.candidates()[i].name, cost,
                                settings.empty() ? "its own" : fmt::format("{}", fmt::join(settings, ", "))));
  }
  for (const lab::CompareFindings::LeftOut& each : findings.left_out)
    lines.push_back(fmt::format("{} is left out: {}", each.design, each.why));
  return lines;
}

std::vector<std::size_t> matrix_columns(const Comparison& comparison) {
  std::vector<std::size_t> columns;
  for (std::size_t column = 0; column < comparison.columns().size(); ++column)
    if (comparison.columns()[column].in_matrix) columns.push_back(column);
  std::stable_partition(columns.begin(), columns.end(), [&](std::size_t column) {
    for (std::size_t candidate = 0; candidate < comparison.candidates().size(); ++candidate) {
      const std::optional<Cell>& cell = comparison.at(candidate, column).cell;
      if (cell && !cell->damages().empty()) return true;
    }
    return false;
  });
  return columns;
}

std::vector<std::vector<std::string>> matrix_rows(const Comparison& comparison,
                                                  const std::vector<std::size_t>& candidates) {
  std::vector<std::vector<std::string>> rows = {{"situation"}};
  for (const std::size_t candidate : candidates)
    rows.front().push_back(comparison.candidates()[candidate].name);
  for (const std::size_t column : matrix_columns(comparison)) {
    std::vector<std::string> row = {comparison.name_of_column(column)};
    for (const std::size_t candidate : candidates)
      row.push_back(text_of_cell(comparison.at(candidate, column)));
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<NotedLine> notes(const Comparison& comparison) {
  std::vector<NotedLine> lines;
  const auto add = [&lines](std::string_view head, std::vector<std::string> texts) {
    for (std::string& text : texts) lines.push_back({head, std::move(text)});
  };
  add("fails", lines_by_cell(comparison, [](const lab::ComparedCell& each, const lab::Candidate&) {
        return each.cell && each.cell->error()
                   ? fmt::format("{}, seed {}", first_line(each.cell->error()->what),
                                 each.cell->error()->seed)
                   : std::string{};
      }));
  add("acts", acting_lines(comparison));
  const auto add_harmless = [&](std::string_view head, std::string lab::ComparedCell::*why) {
    add(head, lines_by_cell(comparison, [why](const lab::ComparedCell& each, const lab::Candidate&) {
          const bool shown = each.cell && each.cell->tested() > 0 && each.cell->damages().empty();
          return shown ? each.*why : std::string{};
        }));
  };
  add_harmless("proved", &lab::ComparedCell::proof);
  add_harmless("explored", &lab::ComparedCell::explored);
  add("not tested", lines_by_cell(comparison, [](const lab::ComparedCell& each, const lab::Candidate& of) {
        if (!each.cell || each.cell->tested() > 0 || each.cell->runs() == 0) return std::string{};
        return each.cell->not_struck() + advice_for(of, each.cell->not_struck());
      }));
  add("not promised", lines_by_cell(comparison, [](const lab::ComparedCell& each, const lab::Candidate&) {
        return each.cell && !each.cell->beside_claim().empty() ? each.cell->beside_claim() : std::string{};
      }));
  add("n/a", lines_by_cell(comparison, [](const lab::ComparedCell& each, const lab::Candidate&) {
        return each.cell ? std::string{} : each.not_applicable;
      }));
  return lines;
}

std::string kept_path(const lab::CompareFindings& findings, std::size_t candidate, std::size_t column) {
  for (const lab::CompareFindings::KeptCell& each : findings.kept)
    if (each.candidate == candidate && each.column == column && each.saved && each.saved->written)
      return each.saved->path;
  return {};
}

std::vector<std::string> kept_lines(const lab::CompareFindings& findings) {
  std::vector<std::string> lines;
  for (const lab::CompareFindings::KeptCell& each : findings.kept)
    if (each.saved && each.saved->written)
      lines.push_back(fmt::format("{}, {}: {}", findings.comparison.candidates()[each.candidate].name,
                                  findings.comparison.name_of_column(each.column), each.saved->path));
  return lines;
}

}  // namespace tenure::cli
