#include "sim/faults/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/model/describe.h"
#include "sim/faults/plan.h"
#include "sim/faults/settings.h"

namespace tenure::sim {
namespace {

// "n1 n3"; "store"; of several stores "stores 0 3".
std::string target_text(const FaultKind& kind, const FaultInjection& strike, std::uint32_t stores) {
  std::string text;
  if (kind.acts == FaultKind::Acts::on_destinations) {
    const std::string_view name = strike.choice("destination");
    return name == kAllDestinations ? "destinations" : std::string(name);
  }
  if (kind.acts == FaultKind::Acts::on_workers) {
    const std::string_view name = strike.choice("worker");
    return name == kAllWorkers ? "workers" : std::string(name);
  }
  if (kind.acts != FaultKind::Acts::on_store) {
    for (const NodeId node : strike.nodes) text += (text.empty() ? "" : " ") + describe(node);
    return text;
  }
  if (stores == 1) return "store";
  text = strike.stores.size() == 1 ? "store" : "stores";
  for (const StoreId store : strike.stores) text += " " + std::to_string(store.value);
  return text;
}

// What this strike does to leaders. A share of less than all only hinders; what strikes a minority of several stores
// weakens at most; links that no election needs are spared.
Harm harm_of(const FaultKind& kind, const FaultInjection& strike, const Scenario& scenario) {
  Harm harm = kind.harm;
  if (kind.acts == FaultKind::Acts::on_store && strike.stores.size() * 2 < scenario.protocol->stores)
    harm.manner = Manner::weakens;
  for (const FaultParameter& parameter : strike.parameters) {
    if (parameter.name == "rate" && harm.manner == Manner::cuts && strike.number("rate") < 1'000'000)
      harm.manner = Manner::hinders;
    if (parameter.name != "peers") continue;
    const std::string_view needless = scenario.protocol->store == nullptr ? "store" : "instances";
    if (strike.choice("peers") == needless) harm.manner = Manner::spares;
  }
  return harm;
}

FaultRun run_of(const FaultSetting& fault, TrueTime at) {
  FaultRun run;
  run.id = fault.id;
  run.entry = fault.entry;
  run.strike = fault.strike;
  run.action = fault.action;
  run.at = at;
  return run;
}

}  // namespace

FaultEngine::FaultEngine(World& world, const std::vector<FaultSetting>& plan) : world_(world), plan_(plan) {}

void FaultEngine::begin() {
  for (const FaultSetting& fault : plan_) {
    if (const auto* timed = std::get_if<FaultSetting::At>(&fault.when))
      world_.at(TrueTime{} + timed->at, [this, &fault] { strike(fault, fault.id); });
    else
      watches_.push_back({&fault});
  }
}

void FaultEngine::strike(const FaultSetting& fault, std::uint64_t setting) {
  if (healed_) return;
  const FaultKind* kind = find_fault_kind(fault.action);
  CHECK(kind != nullptr, "a scenario names faults of the registry");
  if (!has_magnitude(fault)) return skip(fault, setting, "it changes nothing");
  FaultInjection strike;
  strike.id = fault.id;
  strike.setting = &fault;
  strike.parameters = fault.parameters;
  strike.duration = fault.duration ? fault.duration->low : kind->lasts ? Duration::max() : Duration{};
  strike.since = world_.now();
  strike.until = std::min(world_.now() + strike.duration, TrueTime{} + world_.scenario().duration);
  strike.nodes = resolve(fault, *kind);
  strike.stores = stores_of(fault, *kind);
  if (!strikes_nodes(*kind)) {
    const char* in_vain = kind->in_vain != nullptr ? kind->in_vain(world_, strike, NodeId{}) : nullptr;
    if (in_vain != nullptr) return skip(fault, setting, in_vain);
  } else {
    const char* why = "its target matched nobody";
    std::erase_if(strike.nodes, [&](NodeId node) {
      const char* in_vain = kind->in_vain != nullptr ? kind->in_vain(world_, strike, node) : nullptr;
      if (in_vain != nullptr) why = in_vain;
      return in_vain != nullptr;
    });
    if (strike.nodes.empty()) return skip(fault, setting, why);
  }
  const std::string target = target_text(*kind, strike, world_.store_count());
  const std::string what = strike_text(strike, target);
  FaultRun& run = add_run(fault, setting);
  run.target = target;
  run.detail = what;
  if (strike.duration != Duration{} && strike.duration != Duration::max()) run.duration = strike.duration;
  world_.history().emit(FaultBegan{fault.id, fault.action, what, target, strike.nodes, strike.duration,
                                   setting, fault.strike, harm_of(*kind, strike, world_.scenario()),
                                   kind->lingers != nullptr ? kind->lingers(fault) : Duration{}});
  kind->begin(world_, strike);
  const Duration takes = kind->takes != nullptr ? kind->takes(strike) : Duration{};
  if (const TrueTime heal = TrueTime{} + world_.scenario().duration; world_.now() + takes > heal)
    note_cut(strike, heal - world_.now(), takes);
  if (!kind->lasts) return;
  const std::uint64_t id = strike.id;
  if (strike.duration != Duration::max()) world_.at(world_.now() + strike.duration, [this, id] { end(id); });
  active_.push_back(std::move(strike));
}

FaultRun& FaultEngine::add_run(const FaultSetting& fault, std::uint64_t setting) {
  seen_.insert(setting);
  runs_.push_back(run_of(fault, world_.now()));
  return runs_.back();
}

void FaultEngine::skip(const FaultSetting& fault, std::uint64_t setting, const char* why) {
  add_run(fault, setting).skipped = why;
  world_.history().emit(FaultSkipped{fault.id, why, setting, fault.strike});
}

std::vector<FaultRun> FaultEngine::runs() const {
  std::vector<FaultRun> runs = runs_;
  for (FaultRun& run : runs) {
    run.met = !met_nothing_.contains(run.id);
    if (const auto why = fell_short_.find(run.id); run.skipped.empty() && why != fell_short_.end())
      run.fell_short = why->second;
  }
  for (const FaultSetting& fault : plan_) {
    if (seen_.contains(fault.id)) continue;
    runs.push_back(run_of(fault, TrueTime::max()));
    runs.back().skipped = why_not_yet(fault);
  }
  return runs;
}

std::string name_of(const FaultRun& fault) {
  const std::string name = fmt::format("fault {}", fault.entry > 0 ? fault.entry : fault.id);
  return fault.strike > 0 ? fmt::format("{}, strike {}", name, fault.strike) : name;
}

void FaultEngine::end(std::uint64_t id) {
  const auto found =
      std::find_if(active_.begin(), active_.end(), [&](const FaultInjection& s) { return s.id == id; });
  if (found == active_.end()) return;  // healed before
  const FaultInjection strike = std::move(*found);
  active_.erase(found);
  const FaultKind& kind = *find_fault_kind(strike.setting->action);
  note_if_it_fell_short(strike, kind);
  kind.end(world_, strike);
  world_.history().emit(FaultEnded{strike.id, strike.setting->action});
}

void FaultEngine::note_if_it_fell_short(const FaultInjection& strike, const FaultKind& kind) {
  const bool met = !kind.needs_traffic || world_.met(strike.id);
  if (!met) met_nothing_.insert(strike.id);
  if (strike.duration != Duration::max() && strike.since + strike.duration > world_.now())
    note_cut(strike, world_.now() - strike.since, strike.duration);
  else if (!met)
    fell_short_[strike.id] = "nothing came that way while it lasted";
}

void FaultEngine::note_cut(const FaultInjection& strike, Duration after, Duration of) {
  fell_short_[strike.id] =
      fmt::format("the heal cut it short, after {} of {}", describe(after), describe(of));
}

void FaultEngine::heal() {
  healed_ = true;
  while (!active_.empty()) end(active_.front().id);
  for (std::uint32_t i = 0; i < world_.node_count(); ++i) world_.process(NodeId{i}).release_all();
  world_.history().emit(Healed{});
}

// ---- events of the journal ---------------------------------------------------------------------------------

void FaultEngine::see(TrueTime now, const Record& record) {
  const bool new_holder = holder_.see(record);
  if (healed_ || watches_.empty()) return;
  if (new_holder) count("granted");
  if (const auto* noted = std::get_if<Noted>(&record)) {
    if (std::holds_alternative<Believes>(noted->note)) {
      if (world_.process(noted->who.node).believing_since() == now) count("leads");
    } else if (std::holds_alternative<StepsDown>(noted->note)) {
      count("steps-down");
    } else if (std::holds_alternative<LeadershipChecked>(noted->note)) {
      checks_are_noted_ = true;
      count("leadership-checked");
    } else if (std::holds_alternative<ClockAlarm>(noted->note)) {
      count("alarm");
    }
  } else if (const auto* applied = std::get_if<Applied>(&record)) {
    const auto* reply = std::get_if<reference::Reply>(&applied->reply);
    if (reply != nullptr && std::holds_alternative<reference::Committed>(*reply)) count("committed");
    const auto* asked = std::get_if<reference::Request>(&applied->request);
    const bool looks = asked != nullptr && std::holds_alternative<reference::ReadDead>(*asked);
    if (applied->who.node == kClientNode && applied->id.counter != 0 && !looks) count("changed");
  } else if (std::holds_alternative<WorkAsked>(record) || std::holds_alternative<WriteAsked>(record)) {
    // A design with a flag of its own does not say that it has looked at it. It acts.
    if (!checks_are_noted_) count("leadership-checked");
    count("acts");
  } else if (const auto* landed = std::get_if<WorkArrived>(&record)) {
    if (landed->landing == DeliveryOutcome::begun) count("executed");
  }
}

void FaultEngine::count(std::string_view event) {
  for (Watch& watch : watches_) {
    const auto& on = std::get<FaultSetting::On>(watch.fault->when);
    if (on.event != event) continue;
    ++watch.seen;
    const FaultSetting* fault = watch.fault;
    if (on.every_time) {
      drawn_.push_back(draw_strike_at_event(*fault, static_cast<std::uint64_t>(watch.seen),
                                            world_.node_count(), world_.rng()));
      fault = &drawn_.back();
    } else if (watch.seen != on.nth) {
      continue;
    }
    world_.at(world_.now() + on.after, [this, fault, setting = watch.fault->id] { strike(*fault, setting); });
  }
}

std::string FaultEngine::why_not_yet(const FaultSetting& fault) const {
  const auto watch = std::find_if(watches_.begin(), watches_.end(),
                                  [&](const Watch& each) { return each.fault->id == fault.id; });
  if (watch == watches_.end()) return "its time never came";
  const auto& on = std::get<FaultSetting::On>(watch->fault->when);
  const std::int64_t wanted = on.every_time ? 1 : on.nth;
  if (watch->seen >= wanted)
    return fmt::format("the faults were over within {} of `{}`", describe(on.after), on.event);
  if (wanted == 1) return fmt::format("`{}` never happened", on.event);
  return fmt::format("`{}` happened {} of {} times", on.event, watch->seen, wanted);
}

// ---- targets -----------------------------------------------------------------------------------------------

std::vector<NodeId> FaultEngine::resolve(const FaultSetting& fault, const FaultKind& kind) const {
  if (!strikes_nodes(kind)) return {};
  std::vector<NodeId> all;
  for (std::uint32_t i = 0; i < world_.node_count(); ++i) all.push_back(NodeId{i});
  switch (fault.target.kind) {
    case Target::Kind::leader: return leader();
    case Target::Kind::believer: return believer();
    case Target::Kind::standby: {
      const std::vector<NodeId> leads = leader();
      const std::vector<NodeId> believes = believer();
      for (const NodeId node : all) {
        const bool busy = std::count(leads.begin(), leads.end(), node) +
                              std::count(believes.begin(), believes.end(), node) >
                          0;
        if (!busy && world_.process(node).alive()) return {node};
      }
      return {};
    }
    case Target::Kind::named: return fault.target.nodes;
    case Target::Kind::none:
    case Target::Kind::all: return all;
    case Target::Kind::one:
    case Target::Kind::minority:
    case Target::Kind::majority: break;
  }
  CHECK(false, "a literal plan has no drawn targets");
  return {};
}

std::vector<StoreId> FaultEngine::stores_of(const FaultSetting& fault, const FaultKind& kind) const {
  std::uint32_t wanted = world_.store_count();
  if (kind.acts == FaultKind::Acts::on_store) wanted = target_size(fault.target.kind, wanted);
  const KeyedRng rng = world_.rng().of("fault").of(fault.id).of("stores");
  std::vector<StoreId> stores;
  for (const std::uint32_t store : drawn_some(rng, world_.store_count(), wanted)) stores.push_back({store});
  return stores;
}

std::vector<NodeId> FaultEngine::leader() const {
  const Incarnation holder = holder_.holder();
  if (holder.number != 0 && world_.process(holder.node).alive() &&
      world_.process(holder.node).who() == holder)
    return {holder.node};
  return believer();
}

std::vector<NodeId> FaultEngine::believer() const {
  std::vector<NodeId> longest;
  for (std::uint32_t i = 0; i < world_.node_count(); ++i) {
    const SimProcess& process = world_.process(NodeId{i});
    if (!process.alive() || !process.believes()) continue;
    if (longest.empty() || process.believing_since() < world_.process(longest.front()).believing_since())
      longest = {NodeId{i}};
  }
  return longest;
}

}  // namespace tenure::sim
