#include "lab/live/conductor.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "core/model/describe.h"
#include "sim/faults/plan.h"

namespace tenure::lab {
namespace {

// A length of no time at all would never come to its end.
constexpr Duration kShortest = Duration::millis(1);
// How long a slow node runs between two times in which it stands still.
constexpr Duration kRunsFor = Duration::millis(20);

}  // namespace

Conductor::Conductor(const sim::Scenario& scenario, const std::vector<sim::FaultSetting>& plan, Stage& stage,
                     sim::KeyedRng rng, bool own_instances)
    : scenario_(scenario), plan_(plan), stage_(stage), rng_(rng), own_instances_(own_instances) {}

void Conductor::begin() {
  for (std::uint32_t i = 0; i < scenario_.instances.size(); ++i) {
    const NodeId node{i};
    nodes_[node].starting = true;
    const sim::Range<Duration>& spread = scenario_.start_spread;
    at(sim::TrueTime{} + Duration::nanos(rng_.of("start").of(i).between(spread.low.ns(), spread.high.ns())),
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
  sim::NarratedEvent& told = story_.emplace_back();
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
  ends_.push_back({node, std::exchange(hold.killed, {}).value_or(now)});
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
  starts_.push_back({node, now_, hold.life == 1});
  stage_.start(node);
}

void Conductor::take_down(std::uint64_t id, NodeId node) {
  NodeHold& hold = nodes_.at(node);
  hold.down.insert(id);
  if (!stage_.runs(node)) return;
  hold.asked = true;
  hold.killed = now_;
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
