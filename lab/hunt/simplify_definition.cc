#include "lab/hunt/simplify_definition.h"

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

}  // namespace tenure::lab
