// Definitions of which each says one field of the table, or one more than another does, at the ends of what it may be.
//
// Thread rule: pure functions.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/schedule/schedule_fields.h"
#include "tests/support/zones.h"

namespace tenure::testing {

inline const StoreTime kFirstSlot = StoreTime{} + Duration::seconds(1'774'699'200);  // 2026-03-28T12:00:00Z

inline std::vector<ScheduleField::Value> values_of(const ScheduleField& field) {
  switch (field.type) {
    case ScheduleField::Type::flag: return {true, false};
    case ScheduleField::Type::count: return {field.min, field.max};
    case ScheduleField::Type::seed: return {std::uint64_t{0}, static_cast<std::uint64_t>(INT64_MAX)};
    case ScheduleField::Type::duration: return {Duration::nanos(field.min), Duration::nanos(field.max)};
    case ScheduleField::Type::instant: return {kFirstSlot + Duration::hours(1)};
    case ScheduleField::Type::choice: {
      std::vector<ScheduleField::Value> words;
      for (const std::string_view word : field.words) words.emplace_back(std::string(word));
      return words;
    }
    case ScheduleField::Type::name: return {std::string("crm")};
    default: return {};
  }
}

// One for each kind of recurrence, of policy and of delivery.
inline std::vector<Definition> plain_definitions() {
  const Definition every{.recurrence = Interval{kFirstSlot, Duration::seconds(2)}};
  std::vector<Definition> plain(9, every);
  plain[1] = {.recurrence = CronRule{std::make_shared<const Cron>(std::get<Cron>(Cron::parse("*/5 * * * *"))),
                                     few_zones().find("Europe/Berlin")},
              .not_before = kFirstSlot};
  plain[2].recurrence = Times{std::make_shared<const std::vector<StoreTime>>(1, kFirstSlot)};
  plain[3].recurrence = Times{std::make_shared<const std::vector<StoreTime>>(
      std::vector<StoreTime>{kFirstSlot, kFirstSlot + Duration::seconds(1)})};
  plain[4].jitter.max = Duration::seconds(1);
  plain[5].misfire.policy = Misfire::Policy::fire_once;
  plain[6].misfire.policy = Misfire::Policy::skip;
  plain[7].delivery = usual_delivery(Delivery::Kind::pull);
  plain[8].delivery = usual_delivery(Delivery::Kind::push);
  plain[8].delivery.destination = "crm";
  plain.push_back(plain[7]);
  plain.back().delivery.longest_back_off = kLongestBackOff;
  return plain;
}

inline std::vector<Definition> each_field_said() {
  std::vector<Definition> all = plain_definitions();
  for (const Definition& plain : plain_definitions())
    for (const ScheduleField& field : schedule_fields()) {
      if (!field.is_settable() || !field.applies(plain)) continue;
      for (const ScheduleField::Value& value : values_of(field)) {
        Definition said = plain;
        field.set(said, value);
        if (problem_of_delivery(said).empty()) all.push_back(std::move(said));
      }
    }
  return all;
}

}  // namespace tenure::testing
