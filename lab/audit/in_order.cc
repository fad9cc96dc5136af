#include "lab/audit/in_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "core/base/check.h"
#include "core/electors/registry.h"
#include "core/scheduler/registry.h"
#include "lab/audit/definitions.h"
#include "lab/audit/event_order.h"
#include "lab/audit/feed.h"
#include "sim/runner/judge.h"

namespace tenure::sim {
namespace {

bool is_claimed(std::string_view checker, const Scenario& scenario) {
  const auto names_it = [&](const Claim& claim) { return claim.invariant == checker; };
  const std::vector<Claim> election = scenario.protocol->claims();
  const std::vector<Claim> scheduling = scenario.scheduler->claims();
  return std::any_of(election.begin(), election.end(), names_it) ||
         std::any_of(scheduling.begin(), scheduling.end(), names_it);
}

// The machine's clock is true time; each node's own is known against it as of its last line, and taken to run
// as fast from there.
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

bool has_fires(const Moments& moments) {
  return std::any_of(moments.moments.begin(), moments.moments.end(), [](const Moment& moment) {
    if (const auto* began = std::get_if<WorkBegan>(&moment.what)) return began->item->once;
    const auto* wrote = std::get_if<NodeWrote>(&moment.what);
    const auto* asked = wrote != nullptr ? std::get_if<journal::Asked>(&wrote->line->event) : nullptr;
    const auto* request =
        asked != nullptr ? std::get_if<reference::Request>(&asked->submission.request) : nullptr;
    return request != nullptr && std::holds_alternative<reference::CommitFires>(*request);
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
    if (!claimed) result.detail = "reported only: neither fenced-lease nor its scheduler promises it";
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

// Why the journals at hand do not feed it; empty when they do.
std::string why_not(const CheckerKind& kind, const Moments& moments, bool fires,
                    const Definitions& definitions) {
  if (const char* why = cannot_be_fed(kind.name)) return why;
  if (!fires && is_about_fires(kind.name)) return "there are no fires in these journals";
  if (kind.name == "no-drift" && definitions.versions.empty())
    return "no journal tells the definitions of schedules, as those of version 4 do";
  if (kind.name == "work-within-limit" && !definitions.max_running)
    return "a journal does not tell the scheduler's settings, as those of version 4 do";
  if (kind.name == "fenced-writes" && !moments.clock_went_back.empty())
    return "the store's clock went back, so that grants and writes have no order";
  return {};
}

}  // namespace

Scenario scenario_of(const RealNames& real) {
  Scenario scenario;
  scenario.protocol = find_elector_kind("fenced-lease");
  scenario.scheduler = find_scheduler_kind("fenced-outbox");
  CHECK(scenario.protocol != nullptr && scenario.scheduler != nullptr);
  scenario.scheduling = Parameters(scenario.scheduler->parameters());
  for (const ScheduleId schedule : real.schedules)
    scenario.schedules.push_back(
        {real.fired.contains(schedule) ? fmt::format("schedule {}", schedule.value) : "term", {}});
  return scenario;
}

std::variant<InOrder, BadJournal> judge_in_order(const std::vector<NodeJournal>& journals,
                                                 const RealNames& real, const BegunAgain& again) {
  auto merged = moments_of(journals);
  if (auto* bad = std::get_if<BadJournal>(&merged)) return std::move(*bad);
  const auto& moments = std::get<Moments>(merged);
  Scenario scenario = scenario_of(real);
  const Definitions definitions = definitions_of(journals);
  if (definitions.max_running)
    scenario.scheduling.set(scenario.scheduling.find("max_running"), *definitions.max_running);
  MachineView view;

  InOrder judged;
  std::vector<std::pair<const CheckerKind*, std::unique_ptr<Feed>>> feeds;
  const bool fires = has_fires(moments);
  for (const CheckerKind& kind : checker_kinds()) {
    if (std::string why = why_not(kind, moments, fires, definitions); !why.empty())
      judged.not_judged.push_back({kind.name, std::move(why)});
    else
      feeds.emplace_back(&kind, make_feed(kind, {scenario, view, NodeNames::by_id}, again, definitions));
  }
  for (const Moment& moment : moments.moments) {
    // What a line shows of its writer's clock was so before the line was written.
    const TrueTime before = std::max(judged.last, moment.at - Duration::nanos(1));
    judged.last = moment.at;
    const std::optional<NodeId> run_off = view.advance(moment);
    for (const auto& [kind, feed] : feeds) {
      if (run_off) feed->clock_changed(before, *run_off);
      feed->see(moment.at, moment);
    }
  }
  for (const auto& [kind, feed] : feeds) {
    feed->finish(judged.last);
    judged.checks.push_back(result_of(*kind, *feed, is_claimed(kind->name, scenario)));
    if (const char* what = not_shown(kind->name)) judged.left_out.push_back({kind->name, what});
  }
  judged.clock_went_back = moments.clock_went_back;
  judged.unfinished = moments.unfinished;
  return judged;
}

}  // namespace tenure::sim
