// The core's calendars against the enumerator's, over drawn expressions, zones, policies, times and bounds.
#include "sim/checkers/oracle/calendar.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <variant>

#include "core/model/describe.h"
#include "tests/sim/checkers/zones.h"

namespace tenure::sim {
namespace {

constexpr Duration kMicro = Duration::micros(1);
constexpr std::int64_t kDay = 86'400;

StoreTime at(std::int64_t seconds) { return StoreTime{} + Duration::seconds(seconds); }

// ---- what is drawn ----

// Each value as likely as any other, however few cases were drawn before.
std::int64_t draw_wide(std::int64_t low, std::int64_t high) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(low, high + 1));
}
int draw(int low, int high) { return static_cast<int>(draw_wide(low, high)); }

// One item of a field of the values low to high: a value, a range, a step, everything.
std::string draw_item(int low, int high, const std::vector<std::string>& names = {}) {
  const auto name = [&](int value) {
    const auto place = static_cast<std::size_t>(value - low);
    return place < names.size() && draw(0, 1) == 1 ? names[place] : std::to_string(value);
  };
  const int a = draw(low, high);
  const int b = draw(a, high);
  const std::string step = "/" + std::to_string(draw(1, high == 7 ? 7 : high - low));
  switch (draw(0, 9)) {
    case 0: return "*";
    case 1: return "*" + step;
    case 2: return name(a) + "-" + name(b);
    case 3: return name(a) + "-" + name(b) + step;
    case 4: return name(a) + step;
    default: return name(a);
  }
}

std::string draw_list(std::string (*item)()) {
  std::string text = item();
  for (int more = draw(0, 5) - 3; more > 0; --more) text += "," + item();
  return text;
}

// Clocks change in the night, so half of the hours are small.
std::string draw_hour() { return draw(0, 1) == 0 ? std::to_string(draw(0, 4)) : draw_item(0, 23); }
std::string draw_minute() { return draw(0, 1) == 0 ? std::to_string(15 * draw(0, 3)) : draw_item(0, 59); }
std::string draw_second() { return draw(0, 3) != 0 ? std::to_string(draw(0, 59)) : draw_item(0, 59); }
std::string draw_day() {
  switch (draw(0, 9)) {
    case 0: return "L";
    case 1: return "L-" + std::to_string(draw(1, 30));
    case 2: return std::to_string(draw(1, 31)) + "W";
    case 3: return "LW";
    default: return draw_item(1, 31);
  }
}
std::string draw_month() {
  return draw_item(1, 12,
                   {"JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"});
}
std::string draw_weekday() {
  const std::vector<std::string> names{"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"};
  switch (draw(0, 7)) {
    case 0: return std::to_string(draw(0, 7)) + "#" + std::to_string(draw(1, 5));
    case 1: return names[static_cast<std::size_t>(draw(0, 7))] + "#" + std::to_string(draw(1, 5));
    case 2: return std::to_string(draw(0, 7)) + "L";
    case 3: return names[static_cast<std::size_t>(draw(1, 6))] + "-SUN";
    default: return draw_item(0, 7, names);
  }
}

std::string draw_expression() {
  if (draw(0, 39) == 39) {
    return *rc::gen::element<std::string>("@yearly", "@annually", "@monthly", "@weekly", "@daily",
                                          "@midnight", "@hourly");
  }
  std::string text = draw_list(draw_minute) + " " + draw_list(draw_hour) + " ";
  if (draw(0, 3) == 3) text = draw_list(draw_second) + " " + text;
  text += draw(0, 2) == 0 ? *rc::gen::element<std::string>("*", "?") : draw_list(draw_day);
  text += " " + (draw(0, 1) == 0 ? "*" : draw_list(draw_month)) + " ";
  text += draw(0, 1) == 0 ? *rc::gen::element<std::string>("*", "?") : draw_list(draw_weekday);
  return text;
}

// A zone that nobody lives in: jumps of any size, up to a day, and times between them from seconds on.
Zone draw_made_up_zone() {
  std::vector<TimeZone::Period> periods{{TimeZone::kAlways, 900 * draw(-48, 56)}};
  std::int64_t begin = draw_wide(-20, 130) * 365 * kDay + 900 * draw(0, 95);
  std::int32_t jumped = 0;
  for (int more = draw(1, 6); more > 0; --more) {
    const std::int32_t before = periods.back().offset;
    std::int32_t jump =
        *rc::gen::element(3'600, -3'600, 1'800, -1'800, 7'200, -7'200, 86'400, -86'400, 37, -37);
    if (before + jump < -54'000 || before + jump > 61'200) jump = -jump;
    // A clock that jumps back soon after or before another jump shows a reading three times, or one that it had left
    // out; no zone does that. One may jump forward twice within the hour.
    if (jump < 0 || jumped < 0) begin += 2 * kDay;
    periods.push_back({begin, before + jump});
    jumped = jump;
    begin += *rc::gen::element<std::int64_t>(1, 900, 3'601, kDay, 30 * kDay, 200 * kDay + 1'800);
  }
  return std::make_shared<const TimeZone>("Made/Up", "test", std::move(periods));
}

Zone draw_zone() {
  if (draw(0, 2) == 0) return draw_made_up_zone();
  return *rc::gen::elementOf(real_zones());
}

// A time to look around: near a clock change, or anywhere in two hundred years.
std::int64_t draw_time(const TimeZone& zone) {
  const auto periods = zone.periods();
  if (periods.size() == 1 || draw(0, 3) == 0)
    return draw_wide(-7'300, 51'100) * kDay + draw_wide(0, kDay - 1);
  const auto place = static_cast<std::size_t>(draw(1, static_cast<int>(periods.size()) - 1));
  return periods[place].begin + draw_wide(-2 * kDay, 2 * kDay) / *rc::gen::element(1, 10, 100);
}

CronRule draw_rule() {
  const std::string text = draw_expression();
  auto parsed = Cron::parse(text);
  RC_PRE(std::holds_alternative<Cron>(parsed));  // the 31st of February
  return {.cron = std::make_shared<const Cron>(std::get<Cron>(std::move(parsed))),
          .zone = draw_zone(),
          .gap = *rc::gen::element(DstGap::gap_end, DstGap::shift, DstGap::skip),
          .overlap = *rc::gen::element(DstOverlap::first, DstOverlap::second, DstOverlap::both)};
}

// As long as some hundreds of slots.
Duration draw_length(const CronRule& rule) {
  const CronFields fields{rule.cron->text()};
  const auto a_day = fields.hours().size() * fields.minutes().size() * fields.seconds().size();
  const std::int64_t days = std::clamp<std::int64_t>(400 / static_cast<std::int64_t>(a_day), 0, 1'000);
  return days == 0 ? Duration::seconds(draw_wide(1, 20'000)) : Duration::hours(24) * draw_wide(1, days);
}

// ---- what is compared ----

std::string described(const std::vector<StoreTime>& slots) {
  std::string text;
  for (const StoreTime slot : slots) text += describe(slot) + " ";
  return text;
}

std::string described(const CronRule& rule) {
  std::string text = rule.cron->text() + " in " + rule.zone->name() + ", gap " +
                     std::to_string(static_cast<int>(rule.gap)) + ", overlap " +
                     std::to_string(static_cast<int>(rule.overlap)) + "; periods";
  for (const auto& period : rule.zone->periods())
    text += " " + std::to_string(period.begin) + ":" + std::to_string(period.offset);
  return text;
}

std::optional<StoreTime> first_from(const std::vector<StoreTime>& slots, StoreTime time) {
  const auto found = std::lower_bound(slots.begin(), slots.end(), time);
  return found == slots.end() ? std::nullopt : std::optional(*found);
}
std::optional<StoreTime> last_before(const std::vector<StoreTime>& slots, StoreTime time) {
  const auto found = std::lower_bound(slots.begin(), slots.end(), time);
  return found == slots.begin() ? std::nullopt : std::optional(*std::prev(found));
}

// Some thousands of cases; RapidCheck draws a hundred by itself.
template <class Property>
void check_often(int cases, const Property& property) {
  rc::detail::TestParams params = rc::detail::configuration().testParams;
  params.maxSuccess = std::max(params.maxSuccess, cases);
  const auto result = rc::detail::checkTestable(property, rc::detail::TestMetadata{}, params);
  if (result.template is<rc::detail::SuccessResult>()) return;
  std::ostringstream text;
  rc::detail::printResultMessage(result, text);
  FAIL() << text.str();
}

TEST(CalendarProperty, core_and_enumerator_have_the_same_slots) {
  check_often(10'000, [] {
    const CronRule rule = draw_rule();
    const StoreTime from = at(draw_time(*rule.zone)) + kMicro * draw(0, 1);
    const StoreTime to = from + draw_length(rule);
    RC_LOG() << described(rule) << "\nfrom " << describe(from) << " to " << describe(to) << "\n";

    const std::vector<StoreTime> expected = Calendar(rule).between(from, to);
    std::vector<StoreTime> forward;
    for (auto slot = slot_at_or_after(Recurrence{rule}, from);
         slot && *slot < to && forward.size() <= expected.size(); slot = slot_after(Recurrence{rule}, *slot))
      forward.push_back(*slot);

    RC_LOG() << "expected: " << described(expected) << "\nforward: " << described(forward) << "\n";
    RC_ASSERT(forward == expected);

    std::vector<StoreTime> backward;
    for (auto slot = slot_before(Recurrence{rule}, to);
         slot && *slot >= from && backward.size() <= expected.size();
         slot = slot_before(Recurrence{rule}, *slot))
      backward.push_back(*slot);
    std::reverse(backward.begin(), backward.end());
    RC_LOG() << "backward: " << described(backward) << "\n";
    RC_ASSERT(backward == expected);
  });
}

TEST(CalendarProperty, core_and_enumerator_agree_at_any_time) {
  check_often(10'000, [] {
    const CronRule rule = draw_rule();
    const StoreTime from = at(draw_time(*rule.zone));
    const StoreTime to = from + draw_length(rule);
    const std::vector<StoreTime> slots = Calendar(rule).between(from, to);
    RC_LOG() << described(rule) << "\nfrom " << describe(from) << " to " << describe(to) << ": "
             << described(slots) << "\n";
    for (int i = 0; i < 4; ++i) {
      // At a slot, just beside one, or anywhere.
      StoreTime a = from + Duration::seconds(draw_wide(0, (to - from) / Duration::seconds(1)));
      if (!slots.empty() && draw(0, 1) == 1)
        a = std::clamp(*rc::gen::elementOf(slots) + kMicro * draw(-1, 1), from, to);
      const StoreTime b = from + Duration::seconds(draw_wide(0, (to - from) / Duration::seconds(1)));
      const auto next = slot_at_or_after(Recurrence{rule}, a);
      RC_ASSERT((next && *next < to ? next : std::nullopt) == first_from(slots, a));
      const auto previous = slot_before(Recurrence{rule}, a);
      RC_ASSERT((previous && *previous >= from ? previous : std::nullopt) == last_before(slots, a));
      const auto between =
          std::lower_bound(slots.begin(), slots.end(), b) - std::lower_bound(slots.begin(), slots.end(), a);
      RC_LOG() << "count from " << describe(a) << " to " << describe(b) << "\n";
      RC_ASSERT(count_slots(Recurrence{rule}, a, b) == std::max<std::int64_t>(between, 0));
    }
  });
}

TEST(CalendarProperty, core_and_enumerator_agree_within_bounds_and_on_jitter) {
  check_often(5'000, [] {
    const CronRule rule = draw_rule();
    const StoreTime from = at(draw_time(*rule.zone));
    const StoreTime to = from + draw_length(rule);
    const auto within = [&] { return from + kMicro * draw_wide(0, (to - from) / kMicro); };
    Definition definition{.recurrence = rule};
    if (draw(0, 1) == 1) definition.not_before = within();
    if (draw(0, 1) == 1) definition.until = within();
    definition.jitter = {
        .max = *rc::gen::element(Duration{}, kMicro, Duration::seconds(30), Duration::hours(30)),
        .per = *rc::gen::element(Jitter::Per::slot, Jitter::Per::schedule),
        .seed = *rc::gen::arbitrary<std::uint64_t>()};
    RC_LOG() << described(rule) << "\nfrom " << describe(from) << " to " << describe(to) << ", bounds "
             << describe(definition.not_before) << " to " << describe(definition.until) << "\n";

    const std::vector<StoreTime> all = Calendar(rule).between(from, to);
    RC_ASSERT(Calendar(rule).count(from, to) == all.size());
    std::vector<StoreTime> slots;
    std::copy_if(all.begin(), all.end(), std::back_inserter(slots),
                 [&](StoreTime slot) { return definition.not_before <= slot && slot < definition.until; });
    const StoreTime a = within();
    const StoreTime b = within();
    const auto next = slot_at_or_after(definition, a);
    RC_ASSERT((next && *next < to ? next : std::nullopt) == first_from(slots, a));
    const auto previous = slot_before(definition, b);
    RC_ASSERT((previous && *previous >= from ? previous : std::nullopt) == last_before(slots, b));
    const auto between =
        std::lower_bound(slots.begin(), slots.end(), b) - std::lower_bound(slots.begin(), slots.end(), a);
    RC_ASSERT(count_slots(definition, a, b) == std::max<std::int64_t>(between, 0));

    const ScheduleId schedule{static_cast<std::uint32_t>(draw(0, 1'000))};
    for (std::size_t i = 0; i + 1 < all.size() && i < 20; ++i) {
      const StoreTime due = due_with_jitter(definition.jitter, schedule, all[i], all[i + 1]);
      RC_ASSERT(due_time(definition, schedule, all[i]) == due);
      RC_ASSERT(all[i] <= due);
      RC_ASSERT(due < all[i + 1]);
    }
  });
}

}  // namespace
}  // namespace tenure::sim
