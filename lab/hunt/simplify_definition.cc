#include "lab/hunt/simplify_definition.h"

#include <array>
#include <memory>
#include <utility>

namespace tenure::lab {
namespace {

void add_recurrences(const Definition& definition, std::vector<Definition>& simpler) {
  const auto add = [&](Recurrence recurrence) {
    simpler.push_back(definition);
    simpler.back().recurrence = std::move(recurrence);
  };
  if (const auto* times = std::get_if<Times>(&definition.recurrence); times != nullptr) {
    if (times->at->size() < 2) return;
    const auto middle = times->at->begin() + static_cast<std::ptrdiff_t>(times->at->size() / 2);
    add(Times{std::make_shared<const std::vector<StoreTime>>(times->at->begin(), middle)});
    add(Times{std::make_shared<const std::vector<StoreTime>>(middle, times->at->end())});
  } else if (const auto* rule = std::get_if<CronRule>(&definition.recurrence); rule != nullptr) {
    CronRule plain;
    plain.cron = rule->cron;
    if (!(plain == *rule)) add(plain);
  }
}

}  // namespace

std::vector<Definition> simplify_definition(const Definition& definition) {
  std::vector<Definition> simpler;
  const auto set = [&](auto member, const auto& plain) {
    if (definition.*member == plain) return;
    simpler.push_back(definition);
    simpler.back().*member = plain;
  };
  set(&Definition::jitter, Jitter{});
  set(&Definition::overlap, Overlap::allow);
  set(&Definition::misfire, Misfire{});
  set(&Definition::paused, false);
  set(&Definition::until, StoreTime::max());
  set(&Definition::not_before, StoreTime::min());
  add_recurrences(definition, simpler);
  return simpler;
}

Duration round_up(Duration length) {
  constexpr std::array kUnits = {Duration::millis(100), Duration::seconds(1),  Duration::seconds(10),
                                 Duration::minutes(1),  Duration::minutes(10), Duration::hours(1)};
  Duration unit = kUnits.front();
  for (const Duration each : kUnits)
    if (length >= each * 10) unit = each;
  return unit * ((length + unit - Duration::nanos(1)) / unit);
}

std::vector<Duration> rounder(Duration length) {
  std::vector<Duration> lengths;
  constexpr std::array kUnits = {Duration::minutes(1),  Duration::seconds(10), Duration::seconds(1),
                                 Duration::millis(100), Duration::millis(10),  Duration::millis(1),
                                 Duration::micros(100), Duration::micros(10),  Duration::micros(1)};
  for (const Duration unit : kUnits) {
    const Duration rounded = unit * (length / unit);
    if (rounded > Duration{} && rounded != length && (lengths.empty() || lengths.back() != rounded))
      lengths.push_back(rounded);
  }
  return lengths;
}

}  // namespace tenure::lab
