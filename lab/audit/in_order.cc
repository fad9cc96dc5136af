#include "lab/audit/in_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "core/base/check.h"
#include "core/lease/elector_kind.h"
#include "core/scheduler/scheduler_kind.h"
#include "lab/audit/definitions.h"
#include "lab/audit/event_order.h"
#include "lab/audit/evidence.h"
#include "lab/audit/feed.h"
#include "lab/audit/history.h"
#include "lab/audit/machine_view.h"
#include "lab/audit/row_evidence.h"
#include "sim/runner/judge.h"

namespace tenure::lab {
namespace {

constexpr std::size_t kKept = 10;  // violations of a checker

// The simulator's, and those that are the audit's.
std::vector<const sim::CheckerKind*> kinds() {
  std::vector<const sim::CheckerKind*> all;
  for (const sim::CheckerKind& kind : sim::checker_kinds()) all.push_back(&kind);
  all.push_back(&kRowsAllowed);
  return all;
}

bool is_claimed(std::string_view checker, const sim::Scenario& scenario) {
  if (checker == kRowsAllowed.name) checker = "no-lost-fire";  // whose rule it is
  const auto names_it = [&](const Claim& claim) { return claim.invariant == checker; };
  const std::vector<Claim>& election = scenario.protocol->claims();
  const std::vector<Claim>& scheduling = scenario.scheduler->claims();
  return std::any_of(election.begin(), election.end(), names_it) ||
         std::any_of(scheduling.begin(), scheduling.end(), names_it);
}

bool has_fires(const JournalHistory& history) {
  return std::any_of(history.lives.begin(), history.lives.end(), [](const auto& known) {
    const LifeHistory& life = known.second;
    return std::any_of(life.works.begin(), life.works.end(),
                       [](const JournalWork& work) { return !is_of_a_term(*work.item); }) ||
           std::any_of(life.calls.begin(), life.calls.end(), [](const JournalCall& call) {
             return call.request<reference::CommitFires>() != nullptr;
           });
  });
}

bool any_begins_late(const JournalHistory& history) {
  return std::any_of(history.lives.begin(), history.lives.end(),
                     [](const auto& known) { return known.second.begins_late(); });
}

sim::CheckResult result_of(const sim::CheckerKind& kind, const Feed& feed, bool claimed) {
  sim::CheckResult result;
  result.name = kind.name;
  for (const sim::Checker* checker : feed.checkers()) {
    result.opportunities += checker->opportunities();
    result.violation_count += checker->violation_count();
    for (const sim::Violation& violation : checker->violations())
      if (result.violations.size() < kKept) result.violations.push_back({violation.at, violation.message});
  }
  result.demanded = claimed;
  if (result.violation_count > 0) {
    result.verdict = sim::Verdict::fail;
    if (!claimed) result.detail = "reported only: neither fenced-lease nor its scheduler promises it";
  } else if (result.opportunities == 0) {
    result.verdict = sim::Verdict::inconclusive;
    result.detail = "nothing to examine";
  } else {
    for (const sim::Checker* checker : feed.checkers()) {
      if (checker->not_judged().empty()) continue;
      result.verdict = sim::Verdict::inconclusive;
      result.detail = sim::what_is_not_judged(*checker);
    }
  }
  return result;
}

// The same violations as result_of(), with who is in them.
void add_spans(std::string_view checker, const Feed& feed, std::vector<sim::ViolationSpan>& spans) {
  std::size_t left = kKept;
  for (const sim::Checker* judge : feed.checkers())
    for (const sim::Violation& violation : judge->violations()) {
      if (left-- == 0) return;
      sim::ViolationSpan span{std::string(checker), violation.message, {}, {}};
      span.span = {violation.since.value_or(violation.at), violation.at};
      for (const Incarnation who : violation.who) {
        const bool known = std::count(span.nodes.begin(), span.nodes.end(), who.node) > 0;
        if (!known) span.nodes.push_back(who.node);
      }
      spans.push_back(std::move(span));
    }
}

// Where a life's end is lost and its lease stood in another's way, it may have stepped down and given it back.
void add_lost_ends(const JournalHistory& history, Moments& moments) {
  for (const LostEnd& lost : lost_ends(history))
    if (lost.contradicts()) moments.moments.push_back({lost.since, EndIsLost{lost.who, lost.resource}});
  std::stable_sort(moments.moments.begin(), moments.moments.end(),
                   [](const Moment& a, const Moment& b) { return a.at < b.at; });
}

// Why the journals at hand do not feed it; empty when they do.
std::string why_not(const sim::CheckerKind& kind, const JournalHistory& history, const Moments& moments,
                    const Definitions& definitions) {
  if (const char* why = cannot_be_judged(kind.name)) return why;
  if (const char* why = judged_here(kind.name)) return why;
  if (is_about_fires(kind.name) && !has_fires(history)) return "there are no fires in these journals";
  const bool by_definitions =
      kind.name == "no-drift" || kind.name == kRowsAllowed.name || follows_events(kind.name);
  if (by_definitions && definitions.versions.empty())
    return "no journal tells the definitions of schedules, as those of version 4 do";
  if (kind.name == "work-within-limit" && !definitions.max_running)
    return "a journal does not tell the scheduler's settings, as those of version 4 do";
  if (follows_events(kind.name) && definitions.failed_over)
    return "the store failed over, and may have lost commits";
  if (follows_events(kind.name) && !moments.clock_went_back.empty())
    return "the store's clock went back, so that commits and work have no order";
  if (follows_events(kind.name) && any_begins_late(history))
    return "a journal begins in the middle of a life, so that what is in the outbox is not known";
  if (kind.name == "dead-or-delivered" && !definitions.destination_age)
    return "a journal does not tell the scheduler's settings, as those of version 4 do";
  if (kind.name == "fenced-writes" && !moments.clock_went_back.empty())
    return "the store's clock went back, so that grants and writes have no order";
  if (kind.name == kRowsAllowed.name && !moments.clock_went_back.empty())
    return "the store's clock went back, so that commits and work have no order";
  return {};
}

// Which schedules mind overlap.
void add_overlaps(const Definitions& definitions, sim::Scenario& scenario) {
  for (const auto& [schedule, versions] : definitions.versions)
    for (const reference::Change& version : versions)
      if (version.definition.overlap != Overlap::allow)
        scenario.schedules.at(schedule.value).definition.overlap = version.definition.overlap;
}

}  // namespace

sim::Scenario scenario_of(const RealNames& real) {
  sim::Scenario scenario;
  scenario.protocol = &kFencedLease;
  scenario.scheduler = &kFencedOutbox;
  CHECK(scenario.protocol != nullptr && scenario.scheduler != nullptr);
  scenario.scheduling = Parameters(scenario.scheduler->parameters());
  for (const ScheduleId schedule : real.schedules)
    scenario.schedules.push_back(
        {real.fired.contains(schedule) ? fmt::format("schedule {}", schedule.value) : "term", {}});
  return scenario;
}

std::variant<InOrder, BadJournal> judge_in_order(const JournalHistory& history, const RealNames& real) {
  auto merged = moments_of(history);
  if (auto* bad = std::get_if<BadJournal>(&merged)) return std::move(*bad);
  auto& moments = std::get<Moments>(merged);
  sim::Scenario scenario = scenario_of(real);
  add_lost_ends(history, moments);
  const BegunAgain again = begun_again(history);  // no duplicates
  const Definitions definitions = definitions_of(history);
  if (definitions.max_running)
    scenario.scheduling.set(scenario.scheduling.find("max_running"), *definitions.max_running);
  scenario.scheduling.set(scenario.scheduling.find("destination_age"),
                          definitions.destination_age.value_or(Duration::max()).ns());
  add_overlaps(definitions, scenario);
  MachineView view(moments);

  InOrder judged;
  std::vector<std::pair<const sim::CheckerKind*, std::unique_ptr<Feed>>> feeds;
  for (const sim::CheckerKind* kind : kinds()) {
    if (std::string why = why_not(*kind, history, moments, definitions); !why.empty())
      judged.not_judged.push_back({kind->name, std::move(why)});
    else
      feeds.emplace_back(kind, make_feed(*kind, {scenario, view, nullptr, NodeNames::by_id, false},
                                         {history, moments, definitions, again}));
  }
  for (const Moment& moment : moments.moments) {
    // What a line shows of its writer's clock was so before the line was written.
    const sim::TrueTime before = std::max(judged.last, moment.at - Duration::nanos(1));
    judged.last = moment.at;
    const std::optional<NodeId> run_off = view.advance(moment);
    for (const auto& [kind, feed] : feeds) {
      if (run_off) feed->see(before, sim::ClockChanged{*run_off});
      if (view.store_stepped() != Duration{})
        feed->see(moment.at, sim::StoreClockStepped{{}, view.store_stepped()});
      feed->see(moment.at, moment);
    }
  }
  for (const auto& [kind, feed] : feeds) {
    feed->finish(judged.last);
    judged.checks.push_back(result_of(*kind, *feed, is_claimed(kind->name, scenario)));
    add_spans(kind->name, *feed, judged.violations);
    if (const char* what = not_shown(kind->name)) judged.left_out.push_back({kind->name, what});
  }
  judged.clock_went_back = moments.clock_went_back;
  judged.unfinished = moments.unfinished;
  return judged;
}

}  // namespace tenure::lab
