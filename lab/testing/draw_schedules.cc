// Schedules: definitions of every kind that have something due in the run.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <set>
#include <string>

#include "core/base/check.h"
#include "lab/hunt/swarm.h"
#include "lab/testing/draws.h"

namespace tenure::testing {
namespace {

constexpr Duration kShortestPeriod = Duration::seconds(1);
constexpr std::int64_t kSlots = 100;  // of an interval, within the window

bool one_in(sim::KeyedRng rng, std::uint64_t n) { return rng.below(n) == 0; }

// A whole millisecond within the window.
StoreTime instant_in(const Window& window, sim::KeyedRng rng) {
  const std::int64_t last = std::max<std::int64_t>(window.length.ns() / Duration::millis(1).ns(), 1);
  return window.start + Duration::millis(rng.between(0, last));
}

std::string draw_expression(sim::KeyedRng rng) {
  const auto number = [&](std::string_view what, std::int64_t below) {
    return rng.of(what).between(0, below - 1);
  };
  switch (rng.of("expression").below(6)) {
    case 0: return fmt::format("*/{} * * * * *", number("seconds", 59) + 1);
    case 1: return fmt::format("{} * * * * *", number("second", 60));
    case 2: return fmt::format("*/{} * * * *", number("minutes", 30) + 1);
    case 3: return fmt::format("{},{} * * * *", number("first", 30), 30 + number("second", 30));
    case 4: return fmt::format("{} {} * * *", number("minute", 60), number("hour", 24));
    default: return fmt::format("0 {} * * {}", number("hour", 24), number("weekday", 7));
  }
}

CronRule draw_rule(const TimeZones& zones, sim::KeyedRng rng) {
  auto parsed = Cron::parse(draw_expression(rng));
  CHECK(std::holds_alternative<Cron>(parsed), "every drawn expression is one");
  CronRule rule;
  rule.cron = std::make_shared<const Cron>(std::get<Cron>(std::move(parsed)));
  const std::vector<std::string> names = zones.names();
  if (!names.empty() && one_in(rng.of("zoned"), 2))
    rule.zone = zones.find(names[rng.of("zone").below(names.size())]);
  if (rule.zone == nullptr) rule.zone = TimeZone::utc();
  if (*rule.zone == *TimeZone::utc()) return rule;
  constexpr DstGap kGaps[] = {DstGap::gap_end, DstGap::shift, DstGap::skip};
  constexpr DstOverlap kOverlaps[] = {DstOverlap::first, DstOverlap::second, DstOverlap::both};
  rule.gap = kGaps[rng.of("gap").below(std::size(kGaps))];
  rule.overlap = kOverlaps[rng.of("overlap").below(std::size(kOverlaps))];
  return rule;
}

Recurrence draw_recurrence(const Window& window, const TimeZones& zones, sim::KeyedRng rng) {
  switch (rng.of("kind").below(3)) {
    case 0: {
      const Duration low = std::max(window.length / kSlots, kShortestPeriod);
      const Duration milli = Duration::millis(1);
      const Duration period =
          milli * (lab::draw_magnitude(rng.of("period"), low, std::max(low, window.length)) / milli);
      return Interval{instant_in(window, rng.of("phase")), period};
    }
    case 1: {
      std::set<StoreTime> at;
      const std::uint64_t count = 1 + rng.of("instants").below(5);
      for (std::uint64_t i = 0; i < count; ++i) at.insert(instant_in(window, rng.of("at").of(i)));
      return Times{std::make_shared<const std::vector<StoreTime>>(at.begin(), at.end())};
    }
    default: return draw_rule(zones, rng.of("rule"));
  }
}

Misfire draw_misfire(const Window& window, sim::KeyedRng rng) {
  Misfire misfire;
  constexpr Misfire::Policy kPolicies[] = {Misfire::Policy::fire_all, Misfire::Policy::fire_once,
                                           Misfire::Policy::skip};
  misfire.policy = kPolicies[rng.of("policy").below(std::size(kPolicies))];
  misfire.grace = lab::draw_magnitude(rng.of("grace"), Duration::seconds(1), Duration::minutes(10));
  if (misfire.policy == Misfire::Policy::fire_once && one_in(rng.of("which"), 2))
    misfire.once = Misfire::Which::earliest;
  if (!window.policies || misfire.policy == Misfire::Policy::skip) return misfire;
  if (one_in(rng.of("window"), 3))
    misfire.catchup_window =
        lab::draw_magnitude(rng.of("catchup"), Duration::seconds(10), Duration::hours(1));
  if (misfire.policy == Misfire::Policy::fire_all && one_in(rng.of("limit"), 3))
    misfire.max_catchup = rng.of("most").between(1, 5);
  return misfire;
}

Jitter draw_jitter(sim::KeyedRng rng) {
  return {lab::draw_magnitude(rng.of("max"), Duration::millis(10), Duration::minutes(1)),
          one_in(rng.of("per"), 2) ? Jitter::Per::slot : Jitter::Per::schedule, rng.of("seed").below(1'000)};
}

}  // namespace

Window window_of(const sim::Scenario& scenario) {
  return {StoreTime::from_ns(scenario.start_ns), scenario.duration,
          scenario.scheduler == nullptr || scenario.scheduler->keeps_ledger};
}

Definition draw_definition(const Window& window, const TimeZones& zones, sim::KeyedRng rng) {
  Definition definition;
  definition.recurrence = draw_recurrence(window, zones, rng.of("recurrence"));
  if (one_in(rng.of("late"), 2)) definition.misfire = draw_misfire(window, rng.of("misfire"));
  if (window.policies && one_in(rng.of("jittered"), 3)) definition.jitter = draw_jitter(rng.of("jitter"));
  constexpr Overlap kOverlaps[] = {Overlap::allow, Overlap::skip, Overlap::queue_one};
  if (window.policies) definition.overlap = kOverlaps[rng.of("overlap").below(std::size(kOverlaps))];
  definition.paused = one_in(rng.of("paused"), 10);
  Definition bounded = definition;
  if (one_in(rng.of("ends"), 4)) bounded.until = instant_in(window, rng.of("end"));
  if (one_in(rng.of("begins"), 4) && !std::holds_alternative<Interval>(definition.recurrence))
    bounded.not_before = instant_in(window, rng.of("begin"));
  return slot_at_or_after(bounded, StoreTime::min()) ? bounded : definition;
}

void draw_schedules(sim::Scenario& scenario, std::size_t most, const TimeZones& zones, sim::KeyedRng rng) {
  CHECK(scenario.scheduler != nullptr, "schedules are for a scheduler");
  CHECK(scenario.changes.empty() || most == 0, "edits name schedules by their places");
  const std::uint64_t count = rng.of("count").below(most + 1);
  for (std::uint64_t i = 0; i < count; ++i)
    scenario.schedules.push_back(
        {fmt::format("drawn{}", i + 1), draw_definition(window_of(scenario), zones, rng.of(i))});
}

}  // namespace tenure::testing
