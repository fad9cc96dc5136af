#include "sim/faults/plan.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "sim/faults/registry.h"

namespace tenure::sim {

std::uint32_t target_size(Target::Kind kind, std::uint32_t all) {
  switch (kind) {
    case Target::Kind::one: return 1;
    case Target::Kind::minority: return std::max((all - 1) / 2, std::uint32_t{1});
    case Target::Kind::majority: return all / 2 + 1;
    default: return all;
  }
}

std::vector<std::uint32_t> drawn_some(KeyedRng rng, std::uint32_t all, std::uint32_t wanted) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> order;
  for (std::uint32_t i = 0; i < all; ++i) order.emplace_back(rng.of(i).bits(), i);
  std::sort(order.begin(), order.end());
  std::vector<std::uint32_t> result;
  for (std::uint32_t i = 0; i < wanted; ++i) result.push_back(order[i].second);
  std::sort(result.begin(), result.end());
  return result;
}

namespace {

Target literal(const Target& target, KeyedRng rng, std::uint32_t nodes) {
  using enum Target::Kind;
  if (target.kind != one && target.kind != minority && target.kind != majority) return target;
  Target drawn{named, {}};
  for (const std::uint32_t node : drawn_some(rng, nodes, target_size(target.kind, nodes)))
    drawn.nodes.push_back(NodeId{node});
  return drawn;
}

FaultParameter literal(FaultParameter parameter, KeyedRng rng) {
  if (auto* length = std::get_if<Range<Duration>>(&parameter.value)) {
    length->low = length->high = Duration::nanos(rng.between(length->low.ns(), length->high.ns()));
  } else if (auto* number = std::get_if<Range<std::int64_t>>(&parameter.value)) {
    number->low = number->high = rng.between(number->low, number->high);
  }
  return parameter;
}

FaultSetting literal(const FaultSetting& fault, KeyedRng rng, std::uint32_t nodes) {
  FaultSetting result = fault;
  // Of stores, those that it strikes are drawn when it strikes, by its id.
  if (strikes_nodes(*find_fault_kind(fault.action)))
    result.target = literal(fault.target, rng.of("target"), nodes);
  if (fault.duration) {
    const KeyedRng own = rng.of("duration");
    const Duration length =
        fault.duration_spread
            ? fault.duration_spread->draw(own)
            : Duration::nanos(own.between(fault.duration->low.ns(), fault.duration->high.ns()));
    result.duration = Range<Duration>{length, length};
    result.duration_spread.reset();
  }
  if (auto* at = std::get_if<FaultSetting::At>(&result.when); at != nullptr && at->latest)
    *at = {Duration::nanos(rng.of("at").between(at->at.ns(), at->latest->ns()))};
  for (FaultParameter& parameter : result.parameters) parameter = literal(parameter, rng.of(parameter.name));
  return result;
}

bool strikes_at_every_event(const FaultSetting& fault) {
  const auto* on = std::get_if<FaultSetting::On>(&fault.when);
  return on != nullptr && on->every_time;
}

}  // namespace

FaultSetting draw_strike_of(const FaultSetting& fault, std::size_t instances, KeyedRng rng) {
  return literal(fault, rng, static_cast<std::uint32_t>(instances));
}

FaultSetting draw_strike_at_event(const FaultSetting& fault, std::uint64_t strike, std::size_t instances,
                                  KeyedRng rng) {
  const KeyedRng each = rng.of("fault").of(fault.id).of(strike - 1);
  FaultSetting drawn = draw_strike_of(fault, instances, each);
  drawn.id = each.of("id").bits();
  drawn.strike = strike;
  return drawn;
}

std::vector<FaultSetting> draw_plan(const Scenario& scenario, KeyedRng rng) {
  const auto nodes = static_cast<std::uint32_t>(scenario.instances.size());
  std::vector<FaultSetting> plan;
  for (const FaultSetting& fault : scenario.faults) {
    const KeyedRng own = rng.of("fault").of(fault.id);
    const auto* every = std::get_if<FaultSetting::Every>(&fault.when);
    if (strikes_at_every_event(fault)) {
      plan.push_back(fault);
      continue;
    }
    if (every == nullptr) {
      plan.push_back(literal(fault, own, nodes));
      continue;
    }
    Duration at;
    for (std::uint64_t ordinal = 0;; ++ordinal) {
      const KeyedRng each = own.of(ordinal);
      at += std::max(every->gap.draw(each.of("gap")), Duration::millis(1));
      if (at >= scenario.duration) break;
      FaultSetting strike = literal(fault, each, nodes);
      strike.id = own.of(ordinal).of("id").bits();
      strike.when = FaultSetting::At{at};
      strike.line = 0;
      strike.strike = ordinal + 1;
      if (strike.duration) at += strike.duration->low;
      plan.push_back(std::move(strike));
    }
  }
  return plan;
}

}  // namespace tenure::sim
