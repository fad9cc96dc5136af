// Definitions drawn for tests: every recurrence, in zones that have clock changes, with bounds and policies.
//
// Thread rule: pure functions.
#pragma once

#include <rapidcheck.h>

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/schedule/definition.h"
#include "tests/support/zones.h"

namespace tenure::testing {

// Whole microseconds in [low, high) milliseconds around `about`.
inline rc::Gen<StoreTime> instants(StoreTime about, std::int64_t low, std::int64_t high) {
  return rc::gen::map(rc::gen::inRange(low * 1'000, high * 1'000),
                      [about](std::int64_t us) { return about + Duration::micros(us); });
}

inline Cron cron_of(const std::string& text) { return std::get<Cron>(Cron::parse(text)); }

// Recurrences with slots around `about`, some ten seconds apart.
inline rc::Gen<Recurrence> recurrences(StoreTime about) {
  return rc::gen::exec([about]() -> Recurrence {
    const int kind = *rc::gen::inRange(0, 8);
    if (kind < 4)
      return Interval{*instants(about, -40'000, 40'000),
                      Duration::micros(*rc::gen::inRange(500'000, 20'000'000))};
    if (kind < 6) {
      const auto drawn = *rc::gen::container<std::set<StoreTime>>(instants(about, -60'000, 60'000));
      std::vector<StoreTime> at(drawn.begin(), drawn.end());
      if (at.empty()) at.push_back(about);
      return Times{std::make_shared<const std::vector<StoreTime>>(std::move(at))};
    }
    const std::string text = *rc::gen::element<std::string>("*/7 * * * * *", "0 * * * * *", "*/10 * * * *",
                                                            "30 2 * * *", "0 9 * * 1-5", "0 0 29 2 *");
    return CronRule{std::make_shared<const Cron>(cron_of(text)),
                    few_zones().find(*rc::gen::element<std::string>("UTC", "Europe/Berlin")),
                    *rc::gen::element(DstGap::gap_end, DstGap::shift, DstGap::skip),
                    *rc::gen::element(DstOverlap::first, DstOverlap::second, DstOverlap::both)};
  });
}

// Of events that are pulled or pushed.
inline rc::Gen<Delivery> deliveries() {
  return rc::gen::exec([] {
    Delivery drawn{.kind = *rc::gen::element(Delivery::Kind::pull, Delivery::Kind::push)};
    if (drawn.kind == Delivery::Kind::push)
      drawn.destination = *rc::gen::element<std::string>("crm", "a.b-c_2");
    drawn.strict_order = *rc::gen::arbitrary<bool>();
    if (*rc::gen::arbitrary<bool>()) drawn.attempts = *rc::gen::inRange<std::uint32_t>(1, kMostAttempts + 1);
    if (*rc::gen::arbitrary<bool>()) {
      drawn.back_off = Duration::micros(*rc::gen::inRange<std::int64_t>(1, 10'000'000));
      drawn.longest_back_off =
          drawn.back_off + Duration::micros(*rc::gen::inRange<std::int64_t>(0, 1'000'000));
    }
    return drawn;
  });
}

inline rc::Gen<Definition> definitions(StoreTime about) {
  return rc::gen::exec([about] {
    Definition drawn{.recurrence = *recurrences(about)};
    if (*rc::gen::inRange(0, 5) == 0) drawn.not_before = *instants(about, -30'000, 60'000);
    if (*rc::gen::inRange(0, 5) == 0) drawn.until = *instants(about, -30'000, 90'000);
    if (*rc::gen::inRange(0, 4) == 0)
      drawn.jitter = {Duration::nanos(*rc::gen::inRange<std::int64_t>(0, 5'000'000'000)),
                      *rc::gen::element(Jitter::Per::slot, Jitter::Per::schedule),
                      *rc::gen::arbitrary<std::uint64_t>()};
    if (*rc::gen::inRange(0, 3) == 0) {
      Misfire& misfire = drawn.misfire;
      misfire.policy =
          *rc::gen::element(Misfire::Policy::fire_all, Misfire::Policy::fire_once, Misfire::Policy::skip);
      misfire.once = *rc::gen::element(Misfire::Which::latest, Misfire::Which::earliest);
      misfire.grace = Duration::nanos(*rc::gen::inRange<std::int64_t>(0, INT64_MAX));
      if (*rc::gen::arbitrary<bool>())
        misfire.catchup_window = Duration::nanos(*rc::gen::inRange<std::int64_t>(0, INT64_MAX));
      if (*rc::gen::arbitrary<bool>()) misfire.max_catchup = *rc::gen::inRange<std::int64_t>(1, INT64_MAX);
    }
    drawn.overlap = *rc::gen::element(Overlap::allow, Overlap::skip, Overlap::queue_one);
    drawn.paused = *rc::gen::inRange(0, 8) == 0;
    if (*rc::gen::inRange(0, 3) == 0) drawn.delivery = *deliveries();
    if (drawn.delivery.kind == Delivery::Kind::pull && *rc::gen::arbitrary<bool>())
      drawn.overlap = Overlap::replace;
    return drawn;
  });
}

}  // namespace tenure::testing
