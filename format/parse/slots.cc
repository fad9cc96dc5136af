// How many slots a run has: beyond some number it would not end while somebody waits, so that is an error at once.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "core/base/int128.h"
#include "format/parse/build.h"
#include "format/syntax/units.h"

namespace tenure::format {
namespace {

constexpr int128 kMaxSlots = 10'000'000;

// A stretch of the run in which a schedule has one definition.
struct Stretch {
  Definition definition;
  Duration from;
  Place place;  // of who brought the period
};

int128 slots_in(const Stretch& stretch, Duration to, const sim::Scenario& scenario) {
  const auto* interval = std::get_if<Interval>(&stretch.definition.recurrence);
  if (interval == nullptr || interval->period <= Duration{}) return 0;
  const StoreTime zero = StoreTime::from_ns(scenario.start_ns);
  const StoreTime begin = std::max(interval->start, stretch.definition.not_before);
  const Duration from = begin > zero + stretch.from ? begin - zero : stretch.from;
  if (stretch.definition.until < zero + to) to = stretch.definition.until - zero;
  return to <= from ? int128{0} : int128{(to - from).ns()} / interval->period.ns();
}

Place place_of(const Item& table) {
  const Entry* every = table.find("every");
  return every != nullptr ? every->item.place : table.place;
}

std::string text_of(const Item& table, std::string_view key) {
  const Entry* entry = table.find(key);
  return entry != nullptr ? entry->item.text : std::string{};
}

}  // namespace

void judge_slots(Build& build) {
  if (build.diagnostics.count() > 0) return;  // there may be schedules that are not known
  const sim::Scenario& scenario = build.scenario;
  const Duration end = scenario.duration + scenario.tail;
  int128 total = 0;
  int128 most = 0;
  Stretch worst;
  const auto count = [&](const Stretch& stretch, Duration to, int128 times = 1) {
    const int128 slots = slots_in(stretch, to, scenario) * times;
    total += slots;
    if (slots <= most) return;
    most = slots;
    worst = stretch;
  };

  std::map<std::string, Stretch, std::less<>> edited;  // schedules that a change is about
  for (const sim::ChangeSetting& change : scenario.changes) edited.try_emplace(change.schedule_name);
  auto schedule = scenario.schedules.begin();
  for (const Item& table : build.tables("schedule")) {
    const Parsed<std::int64_t> given = parse_decimal(text_of(table, "count"), 0);
    const std::int64_t many = given.value ? *given.value : 1;
    const Stretch whole{schedule->definition, Duration{}, place_of(table)};
    std::int64_t untouched = 0;
    for (std::int64_t i = 0; i < many; ++i, ++schedule) {
      const auto change = edited.find(schedule->name);
      if (change != edited.end())
        change->second = whole;
      else
        ++untouched;
    }
    count(whole, end, untouched);
  }
  for (const sim::ChangeSetting& change : scenario.changes) {
    Stretch& now = edited.find(change.schedule_name)->second;
    count(now, change.at);
    now.from = change.at;
    if (change.action == sim::ChangeAction::remove) now = {};
    if (change.action != sim::ChangeAction::create && change.action != sim::ChangeAction::update) continue;
    now.definition = change.definition;
    for (const Item& table : build.tables("change"))
      if (text_of(table, "schedule") == change.schedule_name && table.find("every") != nullptr &&
          parse_duration(text_of(table, "at")).value == change.at)
        now.place = place_of(table);
  }
  for (const auto& [name, stretch] : edited) count(stretch, end);
  if (total <= kMaxSlots) return;
  build.diagnostics.add(
      worst.place,
      fmt::format("a run of {} slots, and more than {} are refused",
                  print_thousands(static_cast<std::uint64_t>(std::min<int128>(total, INT64_MAX))),
                  print_thousands(static_cast<std::uint64_t>(kMaxSlots))),
      fmt::format("most are due every {}; lengthen that, or shorten the run of {}, or have fewer schedules",
                  print_duration(std::get<Interval>(worst.definition.recurrence).period),
                  print_duration(end)));
}

}  // namespace tenure::format
