#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <set>
#include <utility>

#include "core/model/describe.h"
#include "lab/live/conductor.h"
#include "sim/faults/settings.h"

namespace tenure::lab {
namespace {

std::string target_text(const sim::FaultKind& kind, const std::vector<NodeId>& nodes) {
  if (!sim::strikes_nodes(kind)) return "store";
  std::string text;
  for (const NodeId node : nodes) text += (text.empty() ? "" : " ") + describe(node);
  return text;
}

bool is_any(std::string_view name, std::initializer_list<std::string_view> of) {
  return std::find(of.begin(), of.end(), name) != of.end();
}

}  // namespace

std::vector<NodeId> Conductor::resolve(const sim::FaultSetting& fault, const sim::FaultKind& kind) const {
  if (!sim::strikes_nodes(kind)) return {};
  std::vector<NodeId> all;
  for (const auto& [node, hold] : nodes_) all.push_back(node);
  switch (fault.target.kind) {
    case sim::Target::Kind::leader:
      if (const auto who = leader(now_)) return {*who};
      return {};
    case sim::Target::Kind::believer:
      for (const NodeId node : view_.believers(now_))
        if (stage_.runs(node)) return {node};
      return {};
    case sim::Target::Kind::standby: {
      const std::vector<NodeId> believe = view_.believers(now_);
      for (const NodeId node : all)
        if (stage_.runs(node) && leader(now_) != node &&
            std::count(believe.begin(), believe.end(), node) == 0)
          return {node};
      return {};
    }
    case sim::Target::Kind::named: return fault.target.nodes;
    default: return all;
  }
}

std::string Conductor::in_vain(const sim::FaultInjection& strike, NodeId node) const {
  const NodeHold& hold = nodes_.at(node);
  const std::string& action = strike.setting->action;
  if (is_any(action, {"kill", "restart", "stop", "crash-loop"}) && !hold.down.empty())
    return "its target is down already";
  if (is_any(action, {"pause", "vm-pause", "slow-node", "clock-step"}) && !stage_.runs(node))
    return "its target is not running";
  if (is_any(action, {"pause", "vm-pause"}) && !hold.frozen.empty()) return "its target already stands still";
  return {};
}

sim::FaultRun& Conductor::note(const sim::FaultSetting& fault, std::uint64_t setting) {
  seen_.insert(setting);
  sim::FaultRun& run = runs_.emplace_back();
  run.id = fault.id;
  run.entry = fault.entry;
  run.strike = fault.strike;
  run.action = fault.action;
  run.at = now_;
  return run;
}

void Conductor::skip(const sim::FaultSetting& fault, std::uint64_t setting, std::string why) {
  sim::FaultRun& run = note(fault, setting);
  run.skipped = why;
  tell(now_, std::nullopt, fmt::format("{} is skipped: {}", sim::name_of(run), why), sim::StoryKind::fault);
}

void Conductor::strike(const sim::FaultSetting& fault, std::uint64_t setting) {
  if (healed_) return;
  const sim::FaultKind& kind = *sim::find_fault_kind(fault.action);
  if (!sim::has_magnitude(fault)) return skip(fault, setting, "it changes nothing");
  sim::FaultInjection strike;
  strike.id = fault.id;
  strike.setting = &fault;
  strike.parameters = fault.parameters;
  strike.duration = fault.duration ? fault.duration->low : kind.lasts ? Duration::max() : Duration{};
  strike.since = now_;
  strike.until = std::min(now_ + strike.duration, sim::TrueTime{} + scenario_.duration);
  strike.nodes = resolve(fault, kind);
  if (sim::strikes_nodes(kind)) {
    std::string why = "its target matched nobody";
    std::erase_if(strike.nodes, [&](NodeId node) {
      std::string vain = in_vain(strike, node);
      const bool leaves = !vain.empty();
      if (leaves) why = std::move(vain);
      return leaves;
    });
    if (strike.nodes.empty()) return skip(fault, setting, why);
  }
  sim::FaultRun& run = note(fault, setting);
  run.target = target_text(kind, strike.nodes);
  run.detail = sim::strike_text(strike, run.target);
  if (strike.duration != Duration{} && strike.duration != Duration::max()) run.duration = strike.duration;
  tell(now_, std::nullopt, fmt::format("{}: {}", sim::name_of(run), run.detail), sim::StoryKind::fault);
  spans_.push_back(
      {strike.id, fault.action, run.detail, strike.nodes, {now_, kind.lasts ? strike.until : now_}});
  if (kind.lasts) active_.push_back(strike);
  begin_fault(strike);
  if (kind.lasts && strike.duration != Duration::max())
    at(now_ + strike.duration, [this, id = strike.id] { end_fault(id); });
}

void Conductor::begin_fault(const sim::FaultInjection& strike) {
  const std::string& action = strike.setting->action;
  if (action == "rolling-restart") return deploy_from(strike, 0);
  if (!sim::strikes_nodes(*sim::find_fault_kind(action)) || is_any(action, {"partition", "delay", "loss"}))
    return begin_store_fault(strike);
  for (const NodeId node : strike.nodes) {
    if (action == "kill") take_down(strike.id, node);
    if (action == "stop") ask_to_stop(strike.id, node, strike.length("grace"));
    if (action == "crash-loop") crash_again(strike, node);
    if (action == "pause" || action == "vm-pause") freeze(strike.id, node);
    if (action == "slow-node") stutter(strike, node, 0);
    if (action == "clock-step") stage_.step_clock(node, strike.length("by"), {});
    if (action == "store-session-loss") stage_.break_connections(node);
    if (action == "restart") {
      take_down(strike.id, node);
      at(now_ + strike.length("down"), [this, id = strike.id, node] { let_up(id, node); });
    }
  }
}

void Conductor::begin_store_fault(const sim::FaultInjection& strike) {
  const std::string& action = strike.setting->action;
  if (action == "store-lock-held") return stage_.hold_lease_row(true, strike.choice("mode") == "exclusive");
  if (action == "store-failover") {
    const Duration lag = strike.length("lag");
    if (lag > Duration{}) stage_.stall_replica();
    at(now_ + lag, [this] {
      if (over_) return;
      stage_.fail_over();
      tell(now_, std::nullopt, "fails over to its replica", sim::StoryKind::store);
    });
    return;
  }
  if (action == "store-session-loss") {
    for (const auto& [node, hold] : nodes_) stage_.break_connections(node);
    return;
  }
  set_links();
}

void Conductor::set_links() {
  for (const auto& [node, hold] : nodes_) {
    WayRules rules;
    for (const sim::FaultInjection& strike : active_) {
      const std::string& action = strike.setting->action;
      const bool on_store = !sim::strikes_nodes(*sim::find_fault_kind(action));
      if (!on_store && std::count(strike.nodes.begin(), strike.nodes.end(), node) == 0) continue;
      // Relative to the target, which is the instance.
      const bool is_link = is_any(action, {"partition", "delay", "loss"});
      const std::string_view direction = is_link ? strike.choice("direction") : "both";
      const auto each = [&](auto&& change) {
        if (direction != "to") change(rules.to_store);
        if (direction != "from") change(rules.from_store);
      };
      if (action == "partition") each([](WayRule& rule) { rule.hangs = true; });
      if (action == "delay") each([&](WayRule& rule) { rule.delay = rule.delay + strike.length("latency"); });
      if (action == "loss") each([&](WayRule& rule) { rule.lost_ppm = strike.number("rate"); });
      if (action == "store-down") rules.refused = true;
      if (action == "store-hang") rules.to_store.hangs = true;
      if (action == "store-slow") rules.to_store.delay = rules.to_store.delay + strike.length("latency");
      const auto lose = [&](WayRule& rule) {
        if (strike.number("rate") >= 1'000'000)
          rule.swallows = true;
        else
          rule.lost_ppm = strike.number("rate");
      };
      if (action == "store-ack-lost") lose(rules.from_store);
      if (action == "store-request-lost") lose(rules.to_store);
    }
    stage_.set_links(node, rules);
  }
}

void Conductor::end_fault(std::uint64_t id) {
  const auto found = std::find_if(active_.begin(), active_.end(), [&](const auto& s) { return s.id == id; });
  if (found == active_.end()) return;  // healed before
  const sim::FaultInjection strike = std::move(*found);
  active_.erase(found);
  for (sim::FaultSpan& span : spans_)
    if (span.id == id && span.span.to > now_) span.span.to = now_;
  const std::string& action = strike.setting->action;
  if (strike.duration != Duration::max() && strike.since + strike.duration > now_)
    for (sim::FaultRun& run : runs_)
      if (run.id == id)
        run.fell_short = fmt::format("the heal cut it short, after {} of {}", describe(now_ - strike.since),
                                     describe(strike.duration));
  if (action == "store-lock-held") stage_.hold_lease_row(false, false);
  // Its monotonic clock does not know of the time, and its wall clock is set right.
  if (action == "vm-pause")
    for (const NodeId node : strike.nodes) stage_.step_clock(node, {}, strike.since - now_);
  for (const NodeId node : strike.nodes) {
    thaw(id, node);
    let_up(id, node);
  }
  set_links();
}

void Conductor::heal(sim::TrueTime now) {
  if (healed_) return;
  now_ = std::max(now_, now);
  healed_ = true;
  while (!active_.empty()) end_fault(active_.front().id);
  for (auto& [node, hold] : nodes_) {
    for (const std::uint64_t id : std::set<std::uint64_t>(hold.frozen)) thaw(id, node);
    for (const std::uint64_t id : std::set<std::uint64_t>(hold.down)) let_up(id, node);
  }
  tell(now_, std::nullopt, "all faults are over", sim::StoryKind::fault);
}

}  // namespace tenure::lab
