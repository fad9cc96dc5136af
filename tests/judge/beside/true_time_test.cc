// A pause or a delete that was acknowledged, held against true time: the store's clock may have been wrong when it
// came.
//
// What docs/adr/0014-edits-of-a-false-future.md promises: once the hold is lifted that the jump brought, nothing fires
// whose time, as it really was, came after the acknowledgement. Until then the version before still owns what comes
// due.
// Invariants are judged by the store's clock, and say nothing of this.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "format/parse/parse.h"
#include "tests/judge/beside.h"
#include "tests/judge/ledger.h"
#include "tests/judge/slots.h"
#include "tests/judge/tokens.h"

namespace tenure::judging {
namespace {

// The clock is ahead by `step` from 60 s to 100 s. At `edited`, somebody pauses one schedule and deletes another.
std::string file_of(const std::string& step, const std::string& back, const std::string& edited) {
  return fmt::format(
      "format = 1\nname = \"x\"\n[sim]\nstart = \"2026-01-01T00:00:00Z\"\nduration = \"8m\"\ntail = \"3m\"\n"
      "[cluster]\ninstances = 3\nprotocol = \"fenced-lease\"\nscheduler = \"fenced-outbox\"\n"
      "[store]\nlatency = {{ p50 = \"1ms\", p99 = \"20ms\", max = \"200ms\" }}\n"
      "[[schedule]]\nname = \"paused\"\nevery = \"5s\"\n[[schedule]]\nname = \"deleted\"\nevery = \"7s\"\n"
      "[[schedule]]\nname = \"kept\"\nevery = \"11s\"\n"
      "[[change]]\nat = \"{2}\"\naction = \"pause\"\nschedule = \"paused\"\n"
      "[[change]]\nat = \"{2}\"\naction = \"delete\"\nschedule = \"deleted\"\n"
      "[[fault]]\nat = \"60s\"\naction = \"store-clock-step\"\nby = \"{0}\"\n"
      "[[fault]]\nat = \"100s\"\naction = \"store-clock-step\"\nby = \"{1}\"\n",
      step, back, edited);
}

struct AfterTheEdit {
  int before_the_hold_is_lifted = 0;
  int afterwards = 0;
  int passed_over = 0;  // slots that had come when a pause was acknowledged, and did not fire
};

// Adds the fires of what was paused or deleted whose time came after that was acknowledged.
void count(const sim::Scenario& scenario, const History& history, AfterTheEdit& found) {
  std::map<ScheduleId, sim::TrueTime> stopped;
  sim::TrueTime lifted = sim::TrueTime::min();
  for (const Kept& kept : history.facts) {
    const auto* applied = std::get_if<KeptApplied>(&kept.fact);
    if (applied == nullptr) continue;
    if (as_reference<reference::ClearHold>(applied->request) &&
        as_reference<reference::HoldSet>(applied->reply))
      lifted = kept.at;
    if (as_reference<reference::Edited>(applied->reply) == nullptr) continue;
    const auto* put = as_reference<reference::PutSchedule>(applied->request);
    if (put != nullptr && put->definition.paused) stopped[put->schedule] = kept.at;
    if (const auto* removed = as_reference<reference::DeleteSchedule>(applied->request))
      stopped[removed->schedule] = kept.at;
  }
  const StoreTime start = StoreTime::from_ns(scenario.start_ns);
  const ScheduleHistory schedules(history);
  std::map<ScheduleId, std::set<StoreTime>> fired;
  for (const LedgerRow& row : schedules.rows()) {
    if (row.row.what != reference::Disposition::fired) continue;
    fired[row.row.schedule].insert(row.row.slot);
    const auto since = stopped.find(row.row.schedule);
    const sim::TrueTime due = sim::TrueTime{} + (row.row.slot - start);
    if (since == stopped.end() || row.at <= since->second || due <= since->second) continue;
    // What came due until the hold was lifted is late when it fires.
    ++(due <= lifted + Duration::seconds(1) ? found.before_the_hold_is_lifted : found.afterwards);
  }
  for (const auto& [schedule, at] : stopped) {
    const std::vector<Version> versions = schedules.versions(schedule, history.facts.size());
    if (versions.back().deleted) continue;
    for (const StoreTime slot :
         slots_between(versions.front().definition, start, start + (at - sim::TrueTime{})))
      if (!fired[schedule].contains(slot)) ++found.passed_over;
  }
}

AfterTheEdit after(const std::string& step, const std::string& back, const std::string& edited) {
  AfterTheEdit found;
  const format::ParseResult parsed = format::parse_scenario("x", file_of(step, back, edited));
  for (std::uint64_t seed = 1; seed <= 5; ++seed)
    count(parsed.scenario.value(), simulate(*parsed.scenario, seed), found);
  return found;
}

TEST(TrueTime, nothing_fires_after_a_pause_or_a_delete_where_the_clock_is_right) {
  for (const char* edited : {"30s", "200s"}) {
    const AfterTheEdit found = after("1h", "-1h", edited);
    EXPECT_EQ(found.before_the_hold_is_lifted, 0) << edited;
    EXPECT_EQ(found.afterwards, 0) << edited;
  }
}

TEST(TrueTime, a_pause_takes_back_no_slot_that_had_come) {
  for (const char* edited : {"30s", "75s", "99s", "140s", "200s"})
    EXPECT_EQ(after("1h", "-1h", edited).passed_over, 0) << edited;
}

TEST(TrueTime, once_the_hold_is_lifted_an_edit_of_a_false_time_is_in_force) {
  int between = 0;
  using Steps = std::pair<const char*, const char*>;
  for (const auto& [step, back] :
       std::vector<Steps>{{"1h", "-1h"}, {"30s", "-30s"}, {"-30s", "30s"}, {"-1h", "1h"}}) {
    for (const char* edited : {"61s", "75s", "99s", "101s", "110s", "140s"}) {
      const AfterTheEdit found = after(step, back, edited);
      EXPECT_EQ(found.afterwards, 0) << step << ", edited at " << edited;
      between += found.before_the_hold_is_lifted;
    }
  }
  EXPECT_GT(between, 0) << "the version before owns what comes due while the hold stands";
}

}  // namespace
}  // namespace tenure::judging
