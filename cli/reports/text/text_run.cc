#include "cli/reports/text/text_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "cli/reports/text/text_format.h"
#include "cli/terminal/terminal.h"
#include "format/syntax/units.h"
#include "sim/runner/story_filter.h"
#include "sim/runner/thresholds.h"

namespace tenure::cli {
namespace {

using sim::CheckResult;
using sim::Verdict;
using Cell = sim::LeadershipTimeline::Cell;

constexpr std::string_view kLostAndRegained = "▄";
// Symbols that do not speak for themselves.
constexpr std::pair<std::string_view, std::string_view> kLegend[] = {
    {kLostAndRegained, "lost the lead in between"}, {"░", "believes, and is paused"}, {"▒", "down"}};

// Where a bar ends, a leadership has ended. A notch marks the others, however short the time without.
bool has_notch(const sim::LeadershipTimeline& strip, std::size_t column) {
  if (column >= strip.lost.size() || strip.lost[column] == 0) return false;
  if (strip.lost[column] > 1) return true;
  const Cell next = column + 1 < strip.cells.size() ? strip.cells[column + 1] : Cell::standby;
  return next == Cell::leads || next == Cell::stalled;
}

std::string_view glyph(const sim::LeadershipTimeline& strip, std::size_t column) {
  const Cell cell = strip.cells[column];
  if ((cell == Cell::leads || cell == Cell::stalled) && has_notch(strip, column)) return kLostAndRegained;
  switch (cell) {
    case Cell::leads: return "█";
    case Cell::stalled: return "░";
    case Cell::down: return "▒";
    case Cell::standby: break;
  }
  return "·";
}

std::string text_of_strips(const std::vector<sim::LeadershipTimeline>& strips) {
  std::size_t width = 0;
  for (const sim::LeadershipTimeline& strip : strips) width = std::max(width, strip.name.size());
  std::string text;
  for (const sim::LeadershipTimeline& strip : strips) {
    text += fmt::format("  {:<{}}  ", strip.name, width);
    for (std::size_t column = 0; column < strip.cells.size(); ++column) text += glyph(strip, column);
    text += "\n";
  }
  std::string legend;
  for (const auto& [symbol, meaning] : kLegend)
    if (text.find(symbol) != std::string::npos)
      legend += fmt::format("{}{} {}", legend.empty() ? "" : ", ", symbol, meaning);
  if (!legend.empty()) text += fmt::format("  {:<{}}  {}\n", "", width, legend);
  return text;
}

// A check in its row.
std::string item_of(const CheckResult& check) {
  switch (check.kind) {
    case CheckResult::Kind::threshold: {
      std::string text = fmt::format("{} {}", check.name, check.detail);
      for (const sim::ReportedViolation& why : check.violations)
        text += fmt::format("\n{:<20}{}", "", why.message);
      return text;
    }
    case CheckResult::Kind::fault: return fmt::format("{}: {}", check.name, check.detail);
    case CheckResult::Kind::sometimes:
      return check.opportunities == 0
                 ? fmt::format("{} never", check.name)
                 : fmt::format("{} {}x", check.name, format::print_thousands(check.opportunities));
    case CheckResult::Kind::always:
    case CheckResult::Kind::eventually: break;
  }
  if (check.violation_count > 0) {
    const std::string why = check.detail.empty() ? "" : ": " + check.detail;
    const std::string count = format::print_thousands(check.violation_count);
    // One opportunity may be violated more than once.
    if (check.violation_count > check.opportunities)
      return fmt::format("{} {} times{}", check.name, count, why);
    return fmt::format("{} {} of {}{}", check.name, count, format::print_thousands(check.opportunities), why);
  }
  if (check.opportunities == 0) return fmt::format("{} (never examined)", check.name);
  const std::string why = check.verdict == Verdict::inconclusive ? ": " + check.detail : "";
  return fmt::format("{} ({}){}", check.name, format::print_thousands(check.opportunities), why);
}

struct RunRow {
  std::string_view label;
  std::string status;
  std::vector<std::string> items;
  bool each_on_its_own = false;  // long items: one a line
};

std::string text_of(const RunRow& row) {
  if (row.items.empty()) return {};
  std::string text;
  for (std::size_t i = 0; i < row.items.size(); ++i) {
    if (i == 0)
      text = fmt::format("  {:<12}{}  {}", row.label, row.status, row.items[i]);
    else if (row.each_on_its_own)
      text += fmt::format("\n  {:<12}{}  {}", "", row.status, row.items[i]);
    else
      text += "  " + row.items[i];
  }
  return text + "\n";
}

std::string_view label_of(CheckResult::Kind kind) {
  switch (kind) {
    case CheckResult::Kind::always: return "always";
    case CheckResult::Kind::eventually: return "eventually";
    case CheckResult::Kind::sometimes: return "sometimes";
    case CheckResult::Kind::fault: return "faults";
    case CheckResult::Kind::threshold: break;
  }
  return "thresholds";
}

std::string text_of_leaderless(const sim::Metrics& metrics) {
  std::string text = short_duration(metrics.leaderless);
  std::string causes;
  for (const auto& [cause, time] : metrics.leaderless_by_cause)
    causes += fmt::format("{}{} {}", causes.empty() ? ": " : ", ", cause, short_seconds(time));
  text += causes;
  if (metrics.safety_margin)
    text += fmt::format("     safety margin {} (smallest gap between one belief's end and the next's start)",
                        short_duration(*metrics.safety_margin));
  return row("leaderless", text);
}

// Only where a leader warms up is it anything else than leaderless.
std::string text_of_useless(const sim::Metrics& metrics) {
  if (metrics.useless <= metrics.leaderless) return {};
  return row("useless", fmt::format("{}: leaderless {}, a leader that warms up {}",
                                    short_duration(metrics.useless), short_seconds(metrics.leaderless),
                                    short_seconds(metrics.useless - metrics.leaderless)));
}

std::string text_of_counts(const sim::Metrics& m) {
  std::string text = fmt::format("fires {}", format::print_thousands(m.fires));
  const auto add = [&](std::uint64_t count, std::string_view what) {
    if (count > 0) text += fmt::format(", {} {}", what, format::print_thousands(count));
  };
  add(m.work_failed, "failed attempts");
  add(m.work_stopped, "stopped attempts");
  add(m.work_dead, "dead events");
  add(m.skipped_slots, "skipped slots");
  add(m.epochs, "epochs");
  add(m.failovers, "failovers");
  add(m.false_failovers, "false failovers");
  add(m.stale_writes_rejected, "stale writes rejected");
  add(m.store_requests, "store requests");
  if (m.believer_overlap > Duration{})
    text += fmt::format(", two believers for {} (both acting for {})", short_duration(m.believer_overlap),
                        short_duration(m.acting_overlap));
  if (m.work_overlap > Duration{})
    text += fmt::format(", two workers for {}", short_duration(m.work_overlap));
  return row("counts", text);
}

// Of a run that failed; in others some failures are answers.
std::string text_of_statements(const sim::RunResult& result) {
  const bool fails = std::any_of(result.checks.begin(), result.checks.end(),
                                 [](const CheckResult& check) { return check.verdict == Verdict::fail; });
  if (!fails || result.metrics.statements_failed == 0) return {};
  return row("statements", fmt::format("{} failed, the first with {}",
                                       format::print_thousands(result.metrics.statements_failed),
                                       result.metrics.first_failed_statement));
}

std::string text_of_skipped(const std::vector<sim::FaultRun>& faults) {
  constexpr std::size_t kShown = 5;
  RunRow row{"skipped", "--", {}, true};
  for (const sim::FaultRun& fault : faults)
    if (!fault.took_effect())
      row.items.push_back(fmt::format(
          "{}{} ({}): {}", sim::name_of(fault),
          fault.at == sim::TrueTime::max() ? std::string{}
                                           : " at " + short_duration(fault.at - sim::TrueTime{}),
          fault.action, fault.skipped.empty() ? "struck, and " + fault.fell_short : fault.skipped));
  if (row.items.size() > kShown) {
    const std::size_t more = row.items.size() - kShown;
    row.items.resize(kShown);
    row.items.push_back(fmt::format("and {} more", more));
  }
  return text_of(row);
}

// In columns, faults marked at the right.
std::string text_of_lines(const std::vector<sim::StoryLine>& lines) {
  std::size_t time_width = 0;
  std::size_t who_width = 0;
  for (const sim::StoryLine& line : lines) {
    time_width = std::max(time_width, column_time(line.at).size());
    who_width = std::max(who_width, line.who.size());
  }
  std::string text;
  for (const sim::StoryLine& line : lines) {
    std::string row = fmt::format("    {:>{}}  {:<{}}  {}", column_time(line.at), time_width, line.who,
                                  who_width, line.text);
    constexpr std::size_t kFaultColumn = 72;
    if (line.is_fault)
      row += std::string(row.size() < kFaultColumn ? kFaultColumn - row.size() : 2, ' ') + "<- fault";
    text += row + "\n";
  }
  return text;
}

std::string text_of_verdicts(const lab::Batch& batch) {
  std::string text;
  for (const sim::Verdict verdict : {sim::Verdict::pass, sim::Verdict::fail, sim::Verdict::inconclusive})
    if (batch.count(verdict) > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", format::print_thousands(batch.count(verdict)),
                          sim::name_of(verdict));
  return text;
}

// Metrics that vary are a table; those that were the same in every run are a line.
std::string text_of_pools(const std::vector<lab::Batch::Pool>& pools) {
  Table table(1);
  table.row({"", "n", "min", "mean", "p50", "p90", "p99", "max", "worst seed"});
  bool varies = false;
  std::string constant;
  for (const lab::Batch::Pool& pool : pools) {
    if (pool.samples.min() != pool.samples.max()) {
      table.row(cells_of(pool));
      varies = true;
      continue;
    }
    constant += fmt::format("{}{} {}", constant.empty() ? "" : ", ", pool.metric->name,
                            metric_value(pool.samples.min().ns(), pool.metric->unit));
  }
  const std::string text = varies ? table.text("") : "";
  return constant.empty() ? text : text + fmt::format("  constant    {}\n", constant);
}

}  // namespace

std::string text_of_story(const sim::Story& story) {
  return fmt::format("  {}\n", story.headline) + text_of_lines(story.lines);
}

std::string text_of_measures(const sim::RunResult& result) {
  return text_of_strips(result.strips) + text_of_leaderless(result.metrics) + text_of_counts(result.metrics) +
         text_of_statements(result);
}

std::string text_of_events(const sim::Recording& recording, bool all) {
  std::vector<sim::StoryLine> lines;
  for (const sim::NarratedEvent& told : all ? recording.story : sim::filter_story(recording.story))
    lines.push_back(told.line);
  return "  events\n" + text_of_lines(lines);
}

std::string pass_but(const std::vector<CheckResult>& checks) {
  std::string text;
  for (const CheckResult& check : checks)
    if (!check.unasked.empty()) text += (text.empty() ? "PASS, but " : "; ") + check.unasked;
  return text;
}

std::string headline(const sim::RunResult& result, const sim::Expectation& expect) {
  for (const CheckResult& check : result.checks)
    if (expect.fails == check.name && check.verdict != Verdict::fail)
      return fmt::format("{} did not fail, but must", check.name);
  if (result.story)
    return fmt::format("{} at {}", result.story->checker, short_duration(result.story->at - sim::TrueTime{}));
  for (const CheckResult& check : result.checks)
    if (check.demanded && check.verdict == result.verdict && expect.fails != check.name) {
      std::string text = check.detail.empty() ? check.name : fmt::format("{}: {}", check.name, check.detail);
      if (result.verdict == Verdict::inconclusive)
        for (const CheckResult& other : result.checks)
          if (!other.unasked.empty()) text += "; " + other.unasked;
      return text;
    }
  return pass_but(result.checks);
}

std::string verdict_word(Verdict verdict, bool paint) {
  switch (verdict) {
    case Verdict::pass: return painted("PASS", Colour::green, paint);
    case Verdict::fail: return painted("FAIL", Colour::red, paint);
    case Verdict::inconclusive: break;
  }
  return painted("INCONCLUSIVE", Colour::yellow, paint);
}

std::string text_of_checks(const std::vector<CheckResult>& checks, const sim::Expectation& expect,
                           bool paint) {
  const std::string ok = painted("ok", Colour::green, paint);
  std::string text;
  using Kind = CheckResult::Kind;
  for (const Kind kind : {Kind::always, Kind::eventually, Kind::sometimes, Kind::threshold, Kind::fault}) {
    RunRow failed{label_of(kind), painted("FAIL", Colour::red, paint), {}, true};
    RunRow open{label_of(kind), painted("inconclusive", Colour::yellow, paint), {}, true};
    RunRow canary{label_of(kind), painted("fails, as it must:", Colour::green, paint), {}, true};
    RunRow passed{label_of(kind), ok, {}, false};
    for (const CheckResult& check : checks) {
      if (check.kind != kind || (!check.demanded && check.verdict != Verdict::pass)) continue;
      RunRow& place = expect.fails == check.name && check.verdict == Verdict::fail ? canary
                      : check.verdict == Verdict::fail                             ? failed
                      : check.verdict == Verdict::inconclusive                     ? open
                                                                                   : passed;
      place.items.push_back(item_of(check));
    }
    text += text_of(failed) + text_of(open) + text_of(canary) + text_of(passed);
  }
  RunRow unasked{"unasked", painted("inconclusive", Colour::yellow, paint), {}, true};
  RunRow reported{"reported", "--", {}, true};
  for (const CheckResult& check : checks)
    if (!check.demanded && (check.verdict == Verdict::fail ||
                            (check.verdict == Verdict::inconclusive && check.opportunities > 0)))
      (check.unasked.empty() ? reported : unasked).items.push_back(item_of(check));
  return text + text_of(unasked) + text_of(reported);
}

std::string text_of_run(const sim::RunResult& result, const sim::Scenario& scenario, bool paint) {
  std::string text =
      fmt::format("{} {}  seed {}", verdict_word(result.verdict, paint), result.scenario, result.seed);
  std::string what = fmt::format("{} simulated  {} events  trace {:016x}", print_duration(result.simulated),
                                 format::print_thousands(result.events), result.trace_hash);
  if (!result.tzdb.empty()) what += "  tzdb " + result.tzdb;
  if (result.verdict == Verdict::pass)
    text += "  " + what + "\n";
  else
    text += "  " + headline(result, scenario.expect) + "\n";
  // Class 42: the statement itself is wrong, which is the first thing to know.
  const bool wrong_statement = result.metrics.first_failed_statement.starts_with("error 42");
  if (wrong_statement) text += text_of_statements(result);
  if (result.story) text += text_of_story(*result.story);
  text += text_of_strips(result.strips);
  text += text_of_checks(result.checks, scenario.expect, paint);
  text += text_of_leaderless(result.metrics);
  text += text_of_useless(result.metrics);
  text += text_of_counts(result.metrics);
  if (!wrong_statement) text += text_of_statements(result);
  text += text_of_skipped(result.faults);
  for (const sim::DataNote& note : result.data)
    text += row("data", fmt::format("{}: {}", note.key, note.text));
  if (result.verdict != Verdict::pass) {
    text += row("run", what);
    text += row("reproduce", result.reproduce);
  }
  return text;
}

std::vector<std::string> cells_of(const lab::Batch::Pool& pool) {
  const sim::Samples& s = pool.samples;
  const auto value = [&](Duration d) { return metric_value(d.ns(), pool.metric->unit); };
  const auto percentile = [&](std::int64_t ppm) {
    return s.count() < sim::samples_needed(ppm) ? std::string("-") : value(s.percentile(ppm));
  };
  return {std::string(pool.metric->name),
          format::print_thousands(s.count()),
          value(s.min()),
          value(s.mean()),
          percentile(500'000),
          percentile(900'000),
          percentile(990'000),
          value(s.max()),
          fmt::format("{}", pool.worst_seed())};
}

std::string text_of_batch(const lab::Batch& batch, const std::string& reproduce_prefix, bool paint) {
  std::string text =
      fmt::format("{} {}  seeds {}..{}  {}\n", verdict_word(batch.verdict(), paint), batch.scenario().name,
                  batch.first_seed(), batch.last_seed(), text_of_verdicts(batch));
  if (batch.cut_short_of())
    text += fmt::format("  interrupted {} of {} were done\n", format::print_thousands(batch.runs()),
                        counted(*batch.cut_short_of(), "run"));
  for (const lab::Batch::Unasked& each : batch.unasked())
    text += fmt::format("  PASS, but   {} with seed {}; {} in {} of {}\n", each.what, each.seed, each.checker,
                        format::print_thousands(each.runs), counted(batch.runs(), "run"));
  if (batch.are_alike())
    text +=
        "  alike       all are one run: nothing is drawn that makes a difference. Give [network] and [store] "
        "a "
        "latency with a range,\n              [cluster] a start_spread, or a fault a range of times\n";
  const std::vector<lab::Batch::JudgedThreshold> thresholds = batch.judge_thresholds();
  std::vector<sim::CheckResult> checks;
  for (const lab::Batch::JudgedThreshold& each : thresholds) checks.push_back(each.check);
  for (sim::CheckResult& idle : batch.judge_faults()) checks.push_back(std::move(idle));
  text += text_of_checks(checks, batch.scenario().expect, paint);
  for (const lab::Batch::JudgedThreshold& each : thresholds)
    if (each.worst)
      text += fmt::format("  worst       {} {} with seed {}   {}{}\n", each.check.name,
                          metric_value(each.worst->nano, each.metric->unit), each.worst->seed,
                          reproduce_prefix, each.worst->seed);
  text += text_of_pools(batch.pools());
  for (const lab::Batch::FailedRun& failure : batch.failures())
    text += fmt::format("  seed {}: {}   {}{}\n", failure.seed, failure.what, reproduce_prefix, failure.seed);
  const std::uint64_t more = batch.failures_total() - batch.failures().size();
  if (more > 0) text += fmt::format("  and {} more (see --format json)\n", format::print_thousands(more));
  return text;
}

}  // namespace tenure::cli
