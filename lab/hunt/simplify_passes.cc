// The passes that leave things where they are and make them plainer.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lab/hunt/shrinker.h"
#include "lab/hunt/simplify_definition.h"
#include "sim/faults/registry.h"

namespace tenure::lab {
namespace {

// Sets a part of the scenario to a plain value, unless it has it.
template <class Part, class Value>
bool set(Shrinker& shrinker, Part part, const Value& plain) {
  sim::Scenario candidate = shrinker.best();
  if (part(candidate) == plain) return false;
  part(candidate) = plain;
  return shrinker.accept(candidate);
}

// A length in a scenario, and how to change it.
struct Length {
  std::function<Duration(const sim::Scenario&)> get;
  std::function<void(sim::Scenario&, Duration)> put;
};

bool set(Shrinker& shrinker, const Length& length, Duration plain) {
  if (length.get(shrinker.best()) == plain) return false;
  return shrinker.try_change([&](sim::Scenario& scenario) { length.put(scenario, plain); });
}

bool round_off(Shrinker& shrinker, const Length& length) {
  const std::vector<Duration> rounded = rounder(length.get(shrinker.best()));
  return std::any_of(rounded.begin(), rounded.end(),
                     [&](Duration plain) { return set(shrinker, length, plain); });
}

// Shorter as far as it goes, and then rounder.
bool shorten(Shrinker& shrinker, const Length& length) {
  bool shortened = false;
  for (const std::int64_t divisor : {16, 4, 2})
    while (length.get(shrinker.best()) >= Duration::nanos(divisor) &&
           set(shrinker, length, length.get(shrinker.best()) / divisor))
      shortened = true;
  return round_off(shrinker, length) || shortened;
}

bool simplify_when(Shrinker& shrinker, std::size_t place) {
  const auto& when = shrinker.best().faults[place].when;
  if (std::holds_alternative<sim::FaultSetting::At>(when))
    return round_off(
        shrinker,
        {[place](const sim::Scenario& s) { return std::get<sim::FaultSetting::At>(s.faults[place].when).at; },
         [place](sim::Scenario& s, Duration at) { s.faults[place].when = sim::FaultSetting::At{at}; }});
  if (!std::holds_alternative<sim::FaultSetting::On>(when)) return false;
  const auto on = [place](auto& scenario) -> auto& {
    return std::get<sim::FaultSetting::On>(scenario.faults[place].when);
  };
  bool simpler = set(
      shrinker, [&](sim::Scenario & s) -> auto& { return on(s).every_time; }, false);
  simpler |= set(
      shrinker, [&](sim::Scenario & s) -> auto& { return on(s).nth; }, std::int64_t{1});
  const Length after{[&](const sim::Scenario& s) { return on(s).after; },
                     [&](sim::Scenario& s, Duration length) { on(s).after = length; }};
  simpler |= set(shrinker, after, Duration{}) || shorten(shrinker, after);
  return simpler;
}

bool simplify_parameter(Shrinker& shrinker, std::size_t place, std::size_t which) {
  const auto value = [=](sim::Scenario & scenario) -> auto& {
    return scenario.faults[place].parameters[which].value;
  };
  const sim::FaultParameter& parameter = shrinker.best().faults[place].parameters[which];
  const sim::FaultKind* kind = sim::find_fault_kind(shrinker.best().faults[place].action);
  if (const auto* range = std::get_if<sim::Range<Duration>>(&parameter.value)) {
    const bool negative = range->low < Duration{};
    for (const Duration length : rounder(negative ? Duration{} - range->low : range->low)) {
      const Duration rounded = negative ? Duration{} - length : length;
      if (set(shrinker, value, decltype(parameter.value){sim::Range<Duration>{rounded, rounded}}))
        return true;
    }
  } else if (const auto* numbers = std::get_if<sim::Range<std::int64_t>>(&parameter.value)) {
    for (std::int64_t unit = 100'000; unit > 0; unit /= 10) {
      const std::int64_t rounded = numbers->low / unit * unit;
      if (rounded == 0 || rounded == numbers->low) continue;
      if (set(shrinker, value, decltype(parameter.value){sim::Range<std::int64_t>{rounded, rounded}}))
        return true;
    }
  } else if (std::holds_alternative<std::int64_t>(parameter.value)) {
    return set(shrinker, value, decltype(parameter.value){std::int64_t{1'000'000}});
  } else {
    for (const sim::FaultParameterSpec& spec : kind->parameters)
      if (spec.name == parameter.name && !spec.default_text.empty())
        return set(shrinker, value, decltype(parameter.value){std::string(spec.default_text)});
  }
  return false;
}

// What events carry: no type, and no data, or less of it. A topic stays: workers have it, too.
template <class Part>
bool simplify_payload(Shrinker& shrinker, Part payload) {
  const auto type = [&](sim::Scenario & s) -> auto& { return payload(s).type; };
  const auto bytes = [&](sim::Scenario & s) -> auto& { return payload(s).data_bytes; };
  const auto now = [&] {
    sim::Scenario copy = shrinker.best();
    return bytes(copy);
  };
  bool simpler = set(shrinker, type, std::string{});
  if (set(shrinker, bytes, std::int64_t{0})) return true;
  for (const std::int64_t divisor : {16, 4, 2})
    while (now() >= divisor && set(shrinker, bytes, now() / divisor)) simpler = true;
  for (std::int64_t unit = 1'000'000; unit > 1; unit /= 10) {
    const std::int64_t rounded = now() / unit * unit;
    if (rounded != 0 && set(shrinker, bytes, rounded)) return true;
  }
  return simpler;
}

// A fault that the end of the run cuts short says more than it does.
bool end_with_the_run(Shrinker& shrinker, std::size_t place, const Length& length) {
  std::optional<sim::TrueTime> struck = shrinker.struck_at(place);
  if (const auto* timed = std::get_if<sim::FaultSetting::At>(&shrinker.best().faults[place].when))
    struck = sim::TrueTime{} + timed->at;
  if (!struck) return false;
  const Duration left = shrinker.best().duration - (*struck - sim::TrueTime{});
  return Duration{} < left && left < length.get(shrinker.best()) && set(shrinker, length, left);
}

bool simplify_fault(Shrinker& shrinker, std::size_t place) {
  bool simpler = simplify_when(shrinker, place);
  if (shrinker.best().faults[place].duration) {
    const Length length{[place](const sim::Scenario& s) { return s.faults[place].duration->low; },
                        [place](sim::Scenario& s, Duration duration) {
                          s.faults[place].duration = sim::Range<Duration>{duration, duration};
                        }};
    simpler |= shorten(shrinker, length);
    simpler |= end_with_the_run(shrinker, place, length);
  }
  for (std::size_t which = 0; which < shrinker.best().faults[place].parameters.size(); ++which)
    simpler |= simplify_parameter(shrinker, place, which);
  return simpler;
}

}  // namespace

bool drop_noise(Shrinker& shrinker) {
  bool quieter = set(
      shrinker, [](sim::Scenario & s) -> auto& { return s.start_spread; }, sim::Range<Duration>{});
  const auto steady = [&](auto part) {
    sim::Scenario copy = shrinker.best();
    return set(shrinker, part, sim::Quantiles::constant(part(copy).at(sim::Quantiles::kOne / 2)));
  };
  quieter |= steady([](sim::Scenario& s) -> sim::Quantiles& { return s.store.latency; });
  quieter |= set(
      shrinker, [](sim::Scenario & s) -> auto& { return s.store.latency_of; },
      decltype(sim::StoreSetting::latency_of){});
  quieter |= steady([](sim::Scenario& s) -> sim::Quantiles& { return s.network.latency; });
  quieter |= steady([](sim::Scenario& s) -> sim::Quantiles& { return s.work.duration; });
  quieter |= steady([](sim::Scenario& s) -> sim::Quantiles& { return s.departure; });
  quieter |= set(
      shrinker, [](sim::Scenario & s) -> auto& { return s.network.loss_ppm; }, std::int64_t{0});
  quieter |= set(
      shrinker, [](sim::Scenario & s) -> auto& { return s.store.clock; }, sim::ClockSetting{});
  for (std::size_t i = 0; i < shrinker.best().instances.size(); ++i)
    quieter |= set(
        shrinker, [i](sim::Scenario & s) -> auto& { return s.instances[i].clock; }, sim::ClockSetting{});
  return quieter;
}

bool simplify_faults(Shrinker& shrinker) {
  bool simpler = false;
  for (std::size_t place = 0; place < shrinker.best().faults.size(); ++place)
    simpler |= simplify_fault(shrinker, place);
  return simpler;
}

bool simplify_schedules(Shrinker& shrinker) {
  bool simpler = false;
  for (std::size_t place = 0; place < shrinker.best().schedules.size(); ++place) {
    // One thing after the other goes, until nothing more can; the list is made anew for what is left.
    const auto definition = [place](sim::Scenario& s) -> Definition& {
      return s.schedules[place].definition;
    };
    const auto one_less = [&] {
      const std::vector<Definition> less = simplify_definition(shrinker.best().schedules[place].definition);
      return std::any_of(less.begin(), less.end(),
                         [&](const Definition& plain) { return set(shrinker, definition, plain); });
    };
    while (one_less()) simpler = true;
    simpler |= simplify_payload(
        shrinker, [place](sim::Scenario & s) -> auto& { return s.schedules[place].payload; });
  }
  for (std::size_t place = 0; place < shrinker.best().changes.size(); ++place) {
    simpler |= round_off(shrinker, {[place](const sim::Scenario& s) { return s.changes[place].at; },
                                    [place](sim::Scenario& s, Duration at) { s.changes[place].at = at; }});
    simpler |= simplify_payload(
        shrinker, [place](sim::Scenario & s) -> auto& { return s.changes[place].payload; });
  }
  return simpler;
}

}  // namespace tenure::lab
