#include "lab/live/conductor.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "core/model/describe.h"
#include "sim/faults/plan.h"
#include "sim/faults/settings.h"

namespace tenure::lab {
namespace {

// A length of no time at all would never come to its end.
constexpr Duration kShortest = Duration::millis(1);
// How long a slow node runs between two times in which it stands still.
constexpr Duration kRunsFor = Duration::millis(20);

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

Conductor::Conductor(const sim::Scenario& scenario, const std::vector<sim::FaultSetting>& plan, Stage& stage,
                     sim::KeyedRng rng, bool own_instances)
    : scenario_(scenario), plan_(plan), stage_(stage), rng_(rng), own_instances_(own_instances) {}

void Conductor::begin() {
  for (std::uint32_t i = 0; i < scenario_.instances.size(); ++i) {
    const NodeId node{i};
    nodes_[node].starting = true;
    const std::int64_t spread = scenario_.start_spread.ns();
    at(sim::TrueTime{} + Duration::nanos(rng_.of("start").of(i).between(0, spread)),
       [this, node] { start(node); });
  }
  for (const sim::FaultSetting& fault : plan_) {
    if (const auto* timed = std::get_if<sim::FaultSetting::At>(&fault.when))
      at(sim::TrueTime{} + timed->at, [this, &fault] { strike(fault, fault.id); });
    else
      watches_.push_back({&fault});
  }
  at(sim::TrueTime{} + scenario_.duration, [this] { heal(now_); });
}

void Conductor::advance(sim::TrueTime now) {
  now_ = now;
  while (!timeline_.empty() && timeline_.begin()->first <= now) {
    const std::function<void()> what = std::move(timeline_.begin()->second);
    timeline_.erase(timeline_.begin());
    what();
  }
}

std::optional<sim::TrueTime> Conductor::next() const {
  return timeline_.empty() ? std::nullopt : std::optional(timeline_.begin()->first);
}

std::set<std::string> Conductor::awaited() const {
  std::set<std::string> events;
  for (const sim::FaultSetting& fault : plan_)
    if (const auto* on = std::get_if<sim::FaultSetting::On>(&fault.when)) events.insert(on->event);
  return events;
}

// ---- what is heard -----------------------------------------------------------------------------------------

void Conductor::tell(sim::TrueTime now, std::optional<NodeId> node, std::string text, sim::StoryKind kind) {
  const std::string who = node ? describe(*node) : kind == sim::StoryKind::store ? "store" : "";
  sim::Told& told = story_.emplace_back();
  told.line = {now, who, std::move(text), kind == sim::StoryKind::fault};
  told.kind = kind;
  told.node = node;
}

void Conductor::saw(sim::TrueTime now, NodeId node, const journal::Line& line) {
  journal::Line named = line;
  named.who.node = node;
  for (const std::string_view event : view_.see(now, named)) {
    if (event == "leads") {
      tell(now, node, "leads", sim::StoryKind::leadership);
      story_.back().begins_leadership = true;
    }
    if (!own_instances_) reached(now, event);
  }
  if (const auto* note = std::get_if<Note>(&line.event)) {
    if (std::holds_alternative<StepsDown>(*note)) tell(now, node, "steps down", sim::StoryKind::leadership);
    if (const auto* alarm = std::get_if<ClockAlarm>(note))
      tell(now, node, fmt::format("sees the store's clock jump by {}", describe(alarm->jump)),
           sim::StoryKind::clock);
  } else if (const auto* ended = std::get_if<journal::LifeEnded>(&line.event)) {
    tell(now, node, ended->stopped ? "has stopped" : "ends in the middle of its life",
         sim::StoryKind::process);
  } else if (const auto* answered = std::get_if<journal::Answered>(&line.event)) {
    if (answered->reply_as<reference::Released>() != nullptr && answered->changed)
      tell(now, node, "gives the lease back", sim::StoryKind::lease);
  }
}

void Conductor::reached(sim::TrueTime now, std::string_view event) {
  now_ = std::max(now_, now);
  if (healed_) return;
  for (Watch& watch : watches_) {
    const auto& on = std::get<sim::FaultSetting::On>(watch.fault->when);
    if (on.event != event) continue;
    ++watch.seen;
    const sim::FaultSetting* fault = watch.fault;
    if (on.every_time) {
      sim::FaultSetting drawn = sim::draw_strike_at_event(*fault, static_cast<std::uint64_t>(watch.seen),
                                                          scenario_.instances.size(), rng_);
      fault = &drawn_.insert_or_assign(drawn.id, std::move(drawn)).first->second;
    } else if (watch.seen != on.nth) {
      continue;
    }
    const std::uint64_t setting = watch.fault->id;
    if (on.after <= kAtOnce)
      strike(*fault, setting);
    else
      at(now_ + on.after, [this, fault, setting] { strike(*fault, setting); });
  }
}

void Conductor::ended(sim::TrueTime now, NodeId node, std::string_view how) {
  now_ = std::max(now_, now);
  NodeHold& hold = nodes_.at(node);
  view_.ended(node);
  for (sim::PauseSpan& pause : pauses_)
    if (pause.node == node && pause.span.to == sim::TrueTime::max()) pause.span.to = now;
  hold.frozen.clear();
  const bool asked = std::exchange(hold.asked, false) || over_ || !hold.down.empty();
  if (asked)
    tell(now, node, "is gone", sim::StoryKind::process);
  else
    tell(now, node, fmt::format("ends by itself: {}", how), sim::StoryKind::process);
  if (!asked)
    unasked_.push_back(fmt::format("{} at {}: {}", describe(node), describe(now - sim::TrueTime{}), how));
  if (over_) return;
  if (hold.when_ended) return std::exchange(hold.when_ended, {})();
  if (!hold.down.empty()) return;
  hold.starting = true;
  at(now + (asked ? Duration{} : kRestartAfter), [this, node] { start(node); });
}

std::optional<NodeId> Conductor::leader(sim::TrueTime now) const {
  if (const auto holder = view_.holder(); holder && stage_.runs(*holder)) return holder;
  for (const NodeId node : view_.believers(now))
    if (stage_.runs(node)) return node;
  return std::nullopt;
}

// ---- processes ---------------------------------------------------------------------------------------------

void Conductor::start(NodeId node) {
  NodeHold& hold = nodes_.at(node);
  hold.starting = false;
  if (over_ || !hold.down.empty() || stage_.runs(node)) return;
  ++hold.life;
  tell(now_, node, "starts", sim::StoryKind::process);
  stage_.start(node);
}

void Conductor::take_down(std::uint64_t id, NodeId node) {
  NodeHold& hold = nodes_.at(node);
  hold.down.insert(id);
  if (!stage_.runs(node)) return;
  hold.asked = true;
  stage_.signal(node, ProcessSignal::kill);
}

void Conductor::ask_to_stop(std::uint64_t id, NodeId node, Duration grace) {
  NodeHold& hold = nodes_.at(node);
  hold.down.insert(id);
  if (!stage_.runs(node)) {
    if (hold.when_ended) std::exchange(hold.when_ended, {})();
    return;
  }
  hold.asked = true;
  stage_.signal(node, ProcessSignal::stop);
  at(now_ + grace, [this, node, life = hold.life] {
    if (nodes_.at(node).life == life && stage_.runs(node)) stage_.signal(node, ProcessSignal::kill);
  });
}

void Conductor::let_up(std::uint64_t id, NodeId node) {
  NodeHold& hold = nodes_.at(node);
  if (hold.down.erase(id) == 0 || !hold.down.empty() || stage_.runs(node) || hold.starting) return;
  hold.starting = true;
  at(now_ + scenario_.work.program.startup, [this, node] { start(node); });
}

void Conductor::freeze(std::uint64_t id, NodeId node) {
  NodeHold& hold = nodes_.at(node);
  if (!stage_.runs(node)) return;
  if (hold.frozen.empty()) {
    stage_.signal(node, ProcessSignal::freeze);
    pauses_.push_back({node, {now_}});
  }
  hold.frozen.insert(id);
}

void Conductor::thaw(std::uint64_t id, NodeId node) {
  NodeHold& hold = nodes_.at(node);
  if (hold.frozen.erase(id) == 0 || !hold.frozen.empty()) return;
  if (stage_.runs(node)) stage_.signal(node, ProcessSignal::thaw);
  for (sim::PauseSpan& pause : pauses_)
    if (pause.node == node && pause.span.to == sim::TrueTime::max()) pause.span.to = now_;
}

void Conductor::crash_again(sim::FaultInjection strike, NodeId node) {
  if (healed_ || now_ >= strike.until) return;
  take_down(strike.id, node);
  at(now_ + std::max(strike.length("down"), kShortest), [this, strike, node] {
    if (now_ >= strike.until) return;
    let_up(strike.id, node);
    at(now_ + std::max(strike.length("up"), kShortest), [this, strike, node] { crash_again(strike, node); });
  });
}

void Conductor::deploy_from(sim::FaultInjection strike, std::size_t next) {
  if (healed_ || next == strike.nodes.size()) return;
  const NodeId node = strike.nodes[next];
  nodes_.at(node).when_ended = [this, strike, node, next] {
    if (strike.setting->with_election) stage_.set_election(node, strike.setting->id);
    let_up(strike.id, node);
    at(now_ + scenario_.work.program.startup + strike.length("gap"),
       [this, strike, next] { deploy_from(strike, next + 1); });
  };
  ask_to_stop(strike.id, node, strike.length("grace"));
}

void Conductor::stutter(sim::FaultInjection strike, NodeId node, std::uint64_t round) {
  if (healed_ || now_ >= strike.until) return;
  freeze(strike.id, node);
  const std::int64_t most = std::max(strike.length("by"), kShortest).ns();
  const Duration still =
      Duration::nanos(rng_.of("slow").of(strike.id).of(node.value).of(round).between(0, most));
  at(now_ + still, [this, strike, node, round] {
    thaw(strike.id, node);
    at(now_ + kRunsFor, [this, strike, node, round] { stutter(strike, node, round + 1); });
  });
}

// ---- faults ------------------------------------------------------------------------------------------------

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

void Conductor::skip(const sim::FaultSetting& fault, std::uint64_t setting, std::string why) {
  seen_.insert(setting);
  sim::FaultRun& run = runs_.emplace_back();
  run.id = fault.id;
  run.entry = fault.entry;
  run.strike = fault.strike;
  run.action = fault.action;
  run.at = now_;
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
  seen_.insert(setting);
  sim::FaultRun& run = runs_.emplace_back();
  run.id = fault.id;
  run.entry = fault.entry;
  run.strike = fault.strike;
  run.action = fault.action;
  run.at = now_;
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
    LinkRules rules;
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
      if (action == "partition") each([](LinkRule& rule) { rule.hangs = true; });
      if (action == "delay")
        each([&](LinkRule& rule) { rule.delay = rule.delay + strike.length("latency"); });
      if (action == "loss") each([&](LinkRule& rule) { rule.lost_ppm = strike.number("rate"); });
      if (action == "store-down") rules.refused = true;
      if (action == "store-hang") rules.to_store.hangs = true;
      if (action == "store-slow") rules.to_store.delay = rules.to_store.delay + strike.length("latency");
      const auto lose = [&](LinkRule& rule) {
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

std::vector<sim::FaultRun> Conductor::faults() const {
  std::vector<sim::FaultRun> runs = runs_;
  for (const sim::FaultSetting& fault : plan_) {
    if (seen_.contains(fault.id)) continue;
    sim::FaultRun& run = runs.emplace_back();
    run.id = fault.id;
    run.entry = fault.entry;
    run.strike = fault.strike;
    run.action = fault.action;
    run.at = sim::TrueTime::max();
    run.skipped = "its time never came";
    for (const Watch& watch : watches_) {
      if (watch.fault != &fault) continue;
      const auto& on = std::get<sim::FaultSetting::On>(fault.when);
      run.skipped = watch.seen == 0 ? fmt::format("`{}` never happened", on.event)
                                    : fmt::format("`{}` happened {} of {} times", on.event, watch.seen,
                                                  on.every_time ? 1 : on.nth);
    }
  }
  return runs;
}

}  // namespace tenure::lab
