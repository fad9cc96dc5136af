#include "sim/audit/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/base/check.h"
#include "core/electors/registry.h"
#include "core/model/describe.h"
#include "core/scheduler/registry.h"
#include "sim/audit/feed.h"
#include "sim/audit/moments.h"
#include "sim/audit/rename.h"
#include "sim/audit/whole.h"
#include "sim/runner/judge.h"

namespace tenure::sim {
namespace {

// What the checkers ask about: the house protocol, and the schedules by the numbers that the journals have for them.
Scenario scenario_of(const RealNames& real) {
  Scenario scenario;
  scenario.protocol = find_elector_kind("fenced-lease");
  scenario.scheduler = find_scheduler_kind("fenced-outbox");
  CHECK(scenario.protocol != nullptr && scenario.scheduler != nullptr);
  for (const ScheduleId schedule : real.schedules)
    scenario.schedules.push_back(
        {real.fired.contains(schedule) ? fmt::format("schedule {}", schedule.value) : "term", {}});
  return scenario;
}

bool is_claimed(std::string_view checker, const Scenario& scenario) {
  const auto names_it = [&](const Claim& claim) { return claim.invariant == checker; };
  const std::vector<Claim> election = scenario.protocol->claims();
  const std::vector<Claim> scheduling = scenario.scheduler->claims();
  return std::any_of(election.begin(), election.end(), names_it) ||
         std::any_of(scheduling.begin(), scheduling.end(), names_it);
}

// The machine's clock is true time; each node's own is known against it as of its last line, and taken to run as fast
// from there.
class MachineView final : public View {
 public:
  TrueTime true_time_of(NodeId node, const Until& until) const override {
    const auto* mono = std::get_if<MonoTime>(&until);
    return mono != nullptr ? TrueTime{} + (*mono - zero_of(node)) : TrueTime::max();
  }
  StoreTime store_now(StoreId) const override { return store_now_; }
  MonoTime mono_now(NodeId node) const override { return zero_of(node) + (now_ - TrueTime{}); }

  // The node whose clock has run off against the machine's by more than kNoticed since it was last looked at.
  std::optional<NodeId> advance(const Moment& moment) {
    now_ = moment.at;
    if (const auto* executed = std::get_if<StoreExecuted>(&moment.what))
      store_now_ = std::max(store_now_, executed->answered->store_time);
    const auto* wrote = std::get_if<NodeWrote>(&moment.what);
    if (wrote == nullptr) return std::nullopt;
    const MonoTime zero = wrote->line->now.mono - (moment.at - TrueTime{});
    const auto [known, first] = zeros_.try_emplace(wrote->line->who.node, zero);
    const Duration moved = zero - known->second;
    if (first || (moved < kNoticed && -moved < kNoticed)) return std::nullopt;
    known->second = zero;
    return wrote->line->who.node;
  }

 private:
  static constexpr Duration kNoticed = Duration::micros(100);

  MonoTime zero_of(NodeId node) const {
    const auto known = zeros_.find(node);
    return known != zeros_.end() ? known->second : MonoTime{};
  }

  TrueTime now_;
  StoreTime store_now_ = StoreTime::min();
  std::map<NodeId, MonoTime> zeros_;  // of true time, by the node's own clock
};

std::vector<AuditedLife> lives_of(const std::vector<Journal>& journals, journal::BootTime zero) {
  std::map<Incarnation, AuditedLife> lives;
  for (const Journal& journal : journals)
    for (const PlacedLine& placed : journal.lines) {
      const journal::Line& line = placed.line;
      const TrueTime at = TrueTime{} + (line.now.at - zero);
      const auto [place, fresh] = lives.try_emplace(line.who);
      AuditedLife& life = place->second;
      if (fresh)
        life = {describe(line.who, NodeNames::by_id),
                line.who.node,
                journal.name,
                at,
                at,
                AuditedLife::End::none};
      life.last = std::max(life.last, at);
      if (const auto* ended = std::get_if<journal::LifeEnded>(&line.event))
        life.end = ended->stopped ? AuditedLife::End::stopped : AuditedLife::End::abandoned;
    }
  std::vector<AuditedLife> all;
  for (auto& [who, life] : lives) all.push_back(std::move(life));
  return all;
}

// Where a journal begins whose machine had been booted between it and the one before; empty when there is none.
std::string another_boot(const std::vector<Journal>& journals) {
  const Journal* first = nullptr;
  std::string boot;
  for (const Journal& journal : journals)
    for (const PlacedLine& placed : journal.lines) {
      const auto* began = std::get_if<journal::LifeBegan>(&placed.line.event);
      if (began == nullptr || began->boot.empty()) continue;
      if (first == nullptr) {
        first = &journal;
        boot = began->boot;
      } else if (began->boot != boot) {
        return fmt::format("{}:{}: this was written in another boot, or on another machine, than {}",
                           journal.name, placed.number, first->name);
      }
    }
  return {};
}

// Where a life begins that has begun before: a journal that was given twice; empty when none does.
std::string life_told_twice(const std::vector<Journal>& journals) {
  std::map<Incarnation, std::string> begun;  // and where
  for (const Journal& journal : journals)
    for (const PlacedLine& placed : journal.lines) {
      if (!std::holds_alternative<journal::LifeBegan>(placed.line.event)) continue;
      const std::string place = fmt::format("{}:{}", journal.name, placed.number);
      const auto [first, fresh] = begun.try_emplace(placed.line.who, place);
      if (!fresh)
        return fmt::format("{}: this is the same life as {}: give each journal once", place, first->second);
    }
  return {};
}

bool has_fires(const Moments& moments) {
  return std::any_of(moments.moments.begin(), moments.moments.end(), [](const Moment& moment) {
    if (const auto* began = std::get_if<WorkBegan>(&moment.what)) return began->item->once;
    const auto* wrote = std::get_if<NodeWrote>(&moment.what);
    const auto* asked = wrote != nullptr ? std::get_if<journal::Asked>(&wrote->line->event) : nullptr;
    const auto* request =
        asked != nullptr ? std::get_if<house::Request>(&asked->submission.request) : nullptr;
    return request != nullptr && std::holds_alternative<house::CommitFires>(*request);
  });
}

CheckResult result_of(const CheckerKind& kind, const Feed& feed, bool claimed) {
  constexpr std::size_t kKept = 10;
  CheckResult result;
  result.name = kind.name;
  for (const Checker* checker : feed.checkers()) {
    result.opportunities += checker->opportunities();
    result.violation_count += checker->violation_count();
    for (const Violation& violation : checker->violations())
      if (result.violations.size() < kKept) result.violations.push_back({violation.at, violation.message});
  }
  result.demanded = claimed;
  if (result.violation_count > 0) {
    result.verdict = Verdict::fail;
    if (!claimed) result.detail = "reported only: neither the house protocol nor its scheduler promises it";
  } else if (result.opportunities == 0) {
    result.verdict = Verdict::inconclusive;
    result.detail = "nothing to examine";
  } else {
    for (const Checker* checker : feed.checkers()) {
      if (checker->not_judged().empty()) continue;
      result.verdict = Verdict::inconclusive;
      result.detail = what_is_not_judged(*checker);
    }
  }
  return result;
}

void note_what_is_lacking(const std::vector<Journal>& journals, const Moments& moments, Audit& audit) {
  for (const Journal& journal : journals) {
    if (journal.lines.empty() && !journal.cut_off)
      audit.notes.push_back(fmt::format("{} is empty: nothing was written to it", journal.name));
    if (journal.cut_off)
      audit.notes.push_back(
          fmt::format("{} ends in the middle of line {}, as after a crash: that line is left out",
                      journal.name, *journal.cut_off));
    const auto unnumbered = std::find_if(journal.lines.begin(), journal.lines.end(),
                                         [](const PlacedLine& placed) { return placed.line.seq == 0; });
    if (unnumbered != journal.lines.end())
      audit.notes.push_back(fmt::format(
          "{} is of version {}, which does not number its lines: one that is missing would not be seen",
          journal.name, journal::kOldestVersion));
  }
  if (moments.unfinished > 0)
    audit.notes.push_back(fmt::format("pieces of work of which nothing came back: {}", moments.unfinished));
}

// Why the journals at hand do not feed it; empty when they do.
std::string why_not(const CheckerKind& kind, const Moments& moments, bool fires) {
  if (const char* why = cannot_be_fed(kind.name)) return why;
  if (!fires && is_about_fires(kind.name)) return "there are no fires in these journals";
  if (kind.name == "fenced-writes" && !moments.clock_went_back.empty())
    return "the store's clock went back, so that grants and writes have no order";
  return {};
}

}  // namespace

std::variant<Audit, BadJournal> audit(std::vector<Journal> journals) {
  if (std::string where = another_boot(journals); !where.empty()) return BadJournal{std::move(where)};
  if (std::string where = life_told_twice(journals); !where.empty()) return BadJournal{std::move(where)};
  if (std::string where = what_is_not_whole(journals); !where.empty()) return BadJournal{std::move(where)};
  const RealNames real = rename(journals);
  auto merged = moments_of(journals);
  if (auto* bad = std::get_if<BadJournal>(&merged)) return std::move(*bad);
  const auto& moments = std::get<Moments>(merged);
  const Scenario scenario = scenario_of(real);
  MachineView view;

  Audit audit;
  std::vector<std::pair<const CheckerKind*, std::unique_ptr<Feed>>> feeds;
  const bool fires = has_fires(moments);
  for (const CheckerKind& kind : checker_kinds()) {
    if (std::string why = why_not(kind, moments, fires); !why.empty())
      audit.not_judged.push_back({kind.name, std::move(why)});
    else
      feeds.emplace_back(&kind, make_feed(kind, {scenario, view, NodeNames::by_id}));
  }
  TrueTime last;
  for (const Moment& moment : moments.moments) {
    last = moment.at;
    const std::optional<NodeId> run_off = view.advance(moment);
    for (const auto& [kind, feed] : feeds) {
      if (run_off) feed->clock_changed(moment.at, *run_off);
      feed->see(moment.at, moment);
    }
  }

  bool examined = false;
  bool failed = false;
  bool unjudged = false;
  for (const auto& [kind, feed] : feeds) {
    feed->finish(last);
    audit.checks.push_back(result_of(*kind, *feed, is_claimed(kind->name, scenario)));
    examined = examined || audit.checks.back().opportunities > 0;
    unjudged = unjudged || (audit.checks.back().verdict == Verdict::inconclusive &&
                            audit.checks.back().opportunities > 0);
    failed = failed || (audit.checks.back().verdict == Verdict::fail && audit.checks.back().demanded);
    if (const char* what = not_shown(kind->name)) audit.left_out.push_back({kind->name, what});
  }
  audit.verdict = failed ? Verdict::fail : examined && !unjudged ? Verdict::pass : Verdict::inconclusive;
  audit.span = last - TrueTime{};
  for (const Journal& journal : journals) audit.lines += journal.lines.size();
  audit.lives = lives_of(journals, moments.zero);
  note_what_is_lacking(journals, moments, audit);
  return audit;
}

}  // namespace tenure::sim
