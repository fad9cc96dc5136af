#include "lab/audit/audit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/model/describe.h"
#include "lab/audit/evidence.h"
#include "lab/audit/history.h"
#include "lab/audit/id_compaction.h"
#include "lab/audit/in_order.h"
#include "lab/audit/machines.h"
#include "lab/audit/wholeness.h"

namespace tenure::lab {
namespace {

// Each is an audit of all journals.
constexpr std::size_t kMostParts = 50;

std::vector<AuditedLife> lives_of(const JournalHistory& history) {
  std::vector<AuditedLife> all;
  for (const auto& [who, life] : history.lives) {
    AuditedLife& one = all.emplace_back();
    one.name = describe(who, NodeNames::by_id);
    one.node = who.node;
    one.journal = life.lines.front().journal->name;
    one.first = life.lines.front().at;
    one.last = life.lines.back().at;
    for (const LifeLine& line : life.lines)
      if (const auto* ended = line.as<journal::LifeEnded>())
        one.end = ended->stopped ? AuditedLife::End::stopped : AuditedLife::End::abandoned;
  }
  return all;
}

// Where a life begins that has begun before: a journal that was given twice. Or where a journal is of another store
// than one before it, whose epochs and positions say nothing of this one's. Empty: all belong together.
std::string what_does_not_belong(const std::vector<NodeJournal>& journals) {
  std::map<Incarnation, std::string> begun;  // and where
  std::string identity;
  std::string first;  // where it is told
  for (const NodeJournal& journal : journals)
    for (const PlacedLine& placed : journal.lines) {
      const std::string place = place_text(journal, placed.number);
      if (std::holds_alternative<journal::LifeBegan>(placed.line.event)) {
        const auto [known, fresh] = begun.try_emplace(placed.line.who, place);
        if (!fresh)
          return fmt::format("{}: this is the same life as {}: give each journal once", place, known->second);
      } else if (const auto* found = std::get_if<journal::StoreFound>(&placed.line.event)) {
        if (first.empty()) {
          first = place;
          identity = found->identity;
        } else if (found->identity != identity) {
          return fmt::format(
              "{}: this is of another store than {}: {} and {}; audit the journals of each store by "
              "themselves",
              place, first, found->identity, identity);
        }
      }
    }
  return {};
}

void note_what_is_lacking(const std::vector<NodeJournal>& journals, std::size_t unfinished, Audit& audit) {
  for (const NodeJournal& journal : journals) {
    if (journal.lines.empty() && !journal.cut_off)
      audit.notes.push_back(fmt::format("{} is empty: nothing was written to it", journal.name));
    if (journal.cut_off)
      audit.notes.push_back(
          fmt::format("{} ends in the middle of line {}, as after a crash: that line is left out",
                      journal.name, *journal.cut_off));
  }
  if (unfinished > 0)
    audit.notes.push_back(fmt::format("pieces of work of which nothing came back: {}", unfinished));
}

// Lives that were answered and do not say by which store, beside others that do: they may be of another one.
void note_untold_stores(const std::vector<NodeJournal>& journals, Audit& audit) {
  std::set<Incarnation> answered;
  std::set<Incarnation> told;
  for (const NodeJournal& journal : journals)
    for (const PlacedLine& placed : journal.lines) {
      const journal::Line& line = placed.line;
      if (std::holds_alternative<journal::StoreFound>(line.event)) told.insert(line.who);
      const auto* answer = std::get_if<journal::Answered>(&line.event);
      if (answer != nullptr && answer->outcome == RequestOutcome::applied) answered.insert(line.who);
    }
  if (told.empty()) return;
  for (const Incarnation who : answered)
    if (!told.contains(who))
      audit.lacking.push_back(
          fmt::format("{} does not say which store answered it: it may be another one than the others'",
                      describe(who, NodeNames::by_id)));
}

bool has_looked(const Audit& audit, std::string_view checker) {
  return std::any_of(audit.checks.begin(), audit.checks.end(),
                     [&](const sim::CheckResult& check) { return check.name == checker; });
}

// What the audit judges itself (feed.h). `not_owed`: why no-lost-fire looked at nothing; `left_out`: what it left out.
void say_what_is_judged_here(const char* not_owed, const std::vector<std::string>& left_out, Audit& audit) {
  const std::string what = not_owed != nullptr ? not_owed : fmt::format("{}", fmt::join(left_out, "; "));
  if (has_looked(audit, kNoLostFire)) audit.left_out.push_back({kNoLostFire, what});
  std::erase_if(audit.not_judged, [&](const Silence& silence) { return has_looked(audit, silence.checker); });
  for (Silence& silence : audit.not_judged)
    if (silence.checker == kNoLostFire)
      silence.why = fmt::format("{}; fires-begin and commits-follow judge what is told", what);
}

// Of each violation, whether it counts is as it was judged.
void add_timeline(const JournalHistory& history, const RealNames& real, const Orders& orders,
                  std::vector<sim::ViolationSpan> violations, Audit& audit) {
  const auto of_checker = [&](std::string_view name) {
    return std::any_of(violations.begin(), violations.end(),
                       [&](const sim::ViolationSpan& violation) { return violation.checker == name; });
  };
  std::vector<sim::ViolationSpan> own;
  for (const sim::CheckResult& check : audit.checks)
    if (!of_checker(check.name))
      for (const sim::ReportedViolation& violation : check.violations)
        own.push_back({check.name, violation.message, {}, {violation.at, violation.at}});
  violations.insert(violations.end(), own.begin(), own.end());
  for (sim::ViolationSpan& violation : violations)
    for (const sim::CheckResult& check : audit.checks)
      if (check.name == violation.checker)
        violation.demanded = check.demanded && check.verdict == sim::Verdict::fail;
  audit.timeline = timeline_of(history, real, std::move(violations));
  if (!audit.timeline) return;
  audit.timeline->orders = std::max<std::size_t>(orders.possible.size(), 1);
  audit.timeline->on_store_clock = orders.by_store;
}

// What the journals show of each other alone is not enough for a pass.
sim::Verdict verdict_of(const Audit& audit, const std::vector<sim::CheckResult>& by_checkers) {
  bool failed = false;
  for (const sim::CheckResult& check : audit.checks)
    failed = failed || (check.verdict == sim::Verdict::fail && check.demanded);
  const bool examined = std::any_of(by_checkers.begin(), by_checkers.end(),
                                    [](const sim::CheckResult& check) { return check.opportunities > 0; });
  if (failed) return sim::Verdict::fail;
  const bool unjudged =
      std::any_of(by_checkers.begin(), by_checkers.end(), [](const sim::CheckResult& check) {
        return check.verdict == sim::Verdict::inconclusive && check.opportunities > 0;
      });
  return examined && !unjudged && audit.lacking.empty() ? sim::Verdict::pass : sim::Verdict::inconclusive;
}

// `part`: of journals with gaps. A life names its store once, perhaps in another part.
std::variant<Audit, BadJournal> audit_without_gaps(std::vector<NodeJournal> journals, bool part,
                                                   bool with_timeline) {
  const std::set<Incarnation> late = lives_begun_before(journals);
  if (std::string where = check_sequence(journals, late); !where.empty()) return BadJournal{std::move(where)};
  AuditFindings findings;
  begin_late(late, journals, findings);
  take_false_ends_away(journals, findings);
  auto ordered = orders_of(journals, findings);
  if (auto* bad = std::get_if<BadJournal>(&ordered)) return std::move(*bad);
  const auto& orders = std::get<Orders>(ordered);
  if (orders.apart.empty()) find_lives_at_once(journals, orders.possible, findings);
  set_times(journals, orders.possible.front());
  const RealNames real = compact_ids(journals);
  const auto read = history_of(journals);
  if (const auto* bad = std::get_if<BadJournal>(&read)) return *bad;
  const auto& history = std::get<JournalHistory>(read);
  const std::vector<LostEnd> lost = lost_ends(history);
  for (const LostEnd& end : lost)
    if (end.contradicts()) findings.lacks(text_of(end));
  auto judged = judge_orders(journals, orders, real, findings);
  if (auto* bad = std::get_if<BadJournal>(&judged)) return std::move(*bad);
  const auto& in_order = std::get<InOrder>(judged);
  const sim::Scenario scenario = scenario_of(real);
  const Definitions definitions = definitions_of(history);
  const sim::Names names(scenario, NodeNames::by_id);
  Evidence evidence{history, definitions, in_order.clock_went_back, names, findings};
  compare_leases(evidence);
  compare_leadership(evidence);
  compare_holds(evidence);
  compare_answers(evidence);
  compare_fires(evidence, lost);
  for (const ScheduleId schedule : definitions.contradicted)
    findings.lacks(
        fmt::format("two definitions are told of one version of {}: it is not judged, and one of them is "
                    "not true",
                    names.schedule(schedule)));
  for (const ResourceId resource : in_order.clock_went_back)
    findings.lacks(
        fmt::format("the order of what the store did for {}: its clock went back, and several checkers "
                    "do not judge that",
                    resource_text(resource)));
  compare_deliveries(evidence);
  find_missing_lines(evidence);
  const char* not_owed = cannot_tell_what_is_owed(definitions);
  std::vector<std::string> not_owed_of;
  if (not_owed == nullptr) not_owed_of = compare_owed(evidence);
  compare_positions(evidence);

  Audit audit;
  audit.checks = in_order.checks;
  audit.checks.insert(audit.checks.end(), findings.checks().begin(), findings.checks().end());
  audit.left_out = in_order.left_out;
  audit.not_judged = in_order.not_judged;
  say_what_is_judged_here(not_owed, not_owed_of, audit);
  audit.lacking = findings.lacking();
  if (const std::string elections = elections_elsewhere(evidence); !elections.empty())
    (has_looked(audit, kBeliefWithinGrant) ? audit.left_out : audit.not_judged)
        .push_back({kBeliefWithinGrant,
                    fmt::format("beliefs of those that are elected by {}: no line tells what they rest on",
                                elections)});
  if (!part) note_untold_stores(journals, audit);
  audit.verdict = verdict_of(audit, in_order.checks);
  audit.span = in_order.last - sim::TrueTime{};
  for (const NodeJournal& journal : journals) audit.lines += journal.lines.size();
  audit.lives = lives_of(history);
  note_what_is_lacking(journals, in_order.unfinished, audit);
  audit.notes.insert(audit.notes.end(), findings.notes().begin(), findings.notes().end());
  if (with_timeline && orders.apart.empty()) add_timeline(history, real, orders, in_order.violations, audit);
  return audit;
}

// Of the parts between gaps, the one with the worst verdict; of several, the one that has most to tell.
std::variant<Audit, BadJournal> audit_parts(std::vector<NodeJournal> journals,
                                            const std::vector<JournalGap>& gaps, bool with_timeline) {
  const std::size_t parts = parts_of(gaps);
  if (parts > kMostParts)
    return BadJournal{fmt::format(
        "{} stretches of lines are missing, the first between {} and {}: give the files between two of them",
        gaps.size(), gaps.front().after, gaps.front().before)};
  std::optional<Audit> worst;
  std::size_t shown = 0;
  std::vector<std::size_t> failed;
  for (std::size_t part = 0; part < parts; ++part) {
    auto audited = audit_without_gaps(part_of(journals, gaps, part), true, with_timeline);
    if (auto* bad = std::get_if<BadJournal>(&audited)) return std::move(*bad);
    auto& audit = std::get<Audit>(audited);
    const bool fails = audit.verdict == sim::Verdict::fail;
    if (fails) failed.push_back(part + 1);
    const bool worst_fails = worst && worst->verdict == sim::Verdict::fail;
    if (worst && (fails == worst_fails ? audit.lines <= worst->lines : worst_fails)) continue;
    worst = std::move(audit);
    shown = part + 1;
  }
  compact_ids(journals);
  note_untold_stores(journals, *worst);
  std::vector<std::string> lacking;
  for (const JournalGap& gap : gaps) lacking.push_back(text_of(gap));
  lacking.push_back(fmt::format(
      "what is before a gap and what is after it is judged by itself: this is part {} of {}, and {}", shown,
      parts,
      failed.empty() ? std::string("none fails") : fmt::format("part {} fails", fmt::join(failed, ", "))));
  worst->lacking.insert(worst->lacking.begin(), lacking.begin(), lacking.end());
  if (worst->verdict == sim::Verdict::pass) worst->verdict = sim::Verdict::inconclusive;
  return *std::move(worst);
}

}  // namespace

std::variant<Audit, BadJournal> audit(std::vector<NodeJournal> journals, bool start_missing,
                                      bool with_timeline) {
  if (std::string where = what_does_not_belong(journals); !where.empty()) return BadJournal{std::move(where)};
  if (std::string what = what_has_no_beginning(journals); !what.empty() && !start_missing)
    return BadJournal{std::move(what)};
  const auto found = gaps_in(journals);
  if (const auto* bad = std::get_if<BadJournal>(&found)) return *bad;
  const auto& gaps = std::get<std::vector<JournalGap>>(found);
  return gaps.empty() ? audit_without_gaps(std::move(journals), false, with_timeline)
                      : audit_parts(std::move(journals), gaps, with_timeline);
}

}  // namespace tenure::lab
