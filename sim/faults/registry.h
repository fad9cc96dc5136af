// The faults by name: an explicit table. The faults of a kind share a file.
//
// A fault consists of data (FaultSetting) and two functions, begin and end, that turn knobs of the World. To add one:
// an entry in the file of its kind and a row in faults.h; docs/how-to-add.md walks through it.
//
// Thread rule: immutable after static initialisation.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/model/parameters.h"
#include "sim/kernel/true_time.h"
#include "sim/scenario/scenario.h"
#include "sim/world/fault_cause.h"

namespace tenure::sim {

class World;

// How long one part of an instance (elector or scheduler) waits, and how much drift it allows: the least that any
// instance ever runs with (bounds_of() in settings.h).
struct Bounds {
  std::optional<Duration> request_timeout;          // nullopt: it sends no requests to a store
  std::optional<std::int64_t> max_clock_drift_ppm;  // nullopt: it allows no drift
  int others = 0;  // requests of its own that the store may execute first, on the same connection
};

struct FaultParameterSpec {
  enum class Type : std::uint8_t {
    duration,     // Range<Duration>: "5s" or "1s..20s"
    ppm,          // Range<int64>: 300 or "-200..200"
    fraction,     // int64 parts per million, written as 0.25
    choice,       // std::string, one of `choices`
    destination,  // std::string, the name of one, or `all`
    worker,       // likewise: of a [[worker]], or of one of its processes
  };
  std::string_view name;
  Type type = Type::duration;
  std::string_view default_text = {};              // as written in a file; without one it is required
  std::span<const std::string_view> choices = {};  // choice only
  bool may_be_negative = false;                    // duration and ppm
  Duration drawn_from = Duration::millis(1);       // duration: the shortest that a hunt draws
  std::string_view doc;
  bool required() const { return default_text.empty(); }
};

// No destination is called so.
inline constexpr std::string_view kAllDestinations = "all";

// One fault when it strikes: every draw made, every target resolved.
struct FaultInjection {
  std::uint64_t id = 0;
  const FaultSetting* setting = nullptr;
  std::vector<NodeId> nodes;
  std::vector<StoreId> stores;          // those that it strikes, if it acts on stores; otherwise all
  Duration duration = Duration::max();  // max(): until the heal
  TrueTime since;
  TrueTime until;  // its end, at the latest the heal; now for a fault that is over at once

  // A parameter's value, already drawn. REQUIRES: the fault's table has it.
  std::int64_t number(std::string_view name) const;  // ppm, fraction
  Duration length(std::string_view name) const;
  std::string_view choice(std::string_view name) const;
  std::vector<FaultParameter> parameters;  // literal
};

// Faults that belong together: a hunt leaves out whole families (lab/hunt/swarm.h).
enum class FaultFamily : std::uint8_t { process, pause, clock, network, store, store_clock, failover };
inline constexpr std::size_t kFaultFamilies = 7;
std::string_view name_of(FaultFamily family);  // "process", "store-clock", …

// "pause n1 for 16.2s", "clock-step n2 by=10s". `target`: as resolved.
std::string strike_text(const FaultInjection& strike, std::string_view target);

struct FaultKind {
  enum class Acts : std::uint8_t { on_nodes, on_links, on_store, on_destinations, on_workers };
  std::string_view name;
  std::string_view summary;
  // Most act on nodes. on_store: its target, if any, says how many of several stores. on_destinations, on_workers: it
  // has no target, but a parameter.
  Acts acts = Acts::on_nodes;
  FaultFamily family = FaultFamily::process;
  Harm harm;                            // at its worst; if only a share fails, it only hinders (engine.cc)
  bool lasts = false;                   // takes a duration, has an end
  bool needs_target = true;             // on_nodes and on_links: without one, all
  bool needs_store = false;             // it acts on the target's connections to a store
  bool needs_redelivery = false;        // it acts on a store that delivers at least once
  bool moves_wall_clock_alone = false;  // it is nothing to a node that does not read its wall clock
  bool needs_traffic = false;           // it is nothing where nothing passes, or is asked for, while it lasts
  bool needs_cluster = false;           // it acts on a store whose servers can be parted
  std::span<const FaultParameterSpec> parameters = {};
  // Which assumptions of a part with these bounds a fault with these settings breaks. A fault without magnitude breaks
  // nothing.
  std::vector<Assumption> (*breaks)(const FaultSetting&, const Scenario&, const Bounds&);
  void (*begin)(World&, const FaultInjection&);
  void (*end)(World&, const FaultInjection&) = nullptr;  // null when !lasts; also called by the heal
  // Why the fault would change nothing at this target, for the report; nullptr when it would. null: it always changes
  // something. For a fault on the store, the node means nothing.
  const char* (*in_vain)(const World&, const FaultInjection&, NodeId) = nullptr;
  // How long a strike of a fault that does not last takes by its parameters, at least; null: it is over at once.
  Duration (*takes)(const FaultInjection&) = nullptr;
  // For how long after its end it still has effects, through what it had delayed: a tail lasts that much longer. null:
  // it leaves nothing behind.
  Duration (*lingers)(const FaultSetting&) = nullptr;
};

// Knobs with one of them turned, as the strike says: a switch is on, a length is `latency`, and a share is `rate`.
template <class Knobs, class Value>
Knobs turned(Value Knobs::*knob, const FaultInjection& strike) {
  Knobs knobs;
  if constexpr (std::is_same_v<Value, bool>)
    knobs.*knob = true;
  else if constexpr (std::is_same_v<Value, Duration>)
    knobs.*knob = strike.length("latency");
  else
    knobs.*knob = strike.number("rate");
  return knobs;
}

// FaultKind::breaks of a fault that breaks these assumptions, whatever its settings.
template <Assumption... kBroken>
std::vector<Assumption> breaking(const FaultSetting&, const Scenario&, const Bounds&) {
  return {kBroken...};
}

// Whether it strikes instances, or the links between them.
inline bool strikes_nodes(const FaultKind& kind) {
  return kind.acts == FaultKind::Acts::on_nodes || kind.acts == FaultKind::Acts::on_links;
}

std::span<const FaultKind> fault_kinds();
const FaultKind* find_fault_kind(std::string_view name);  // nullptr when there is none

}  // namespace tenure::sim
