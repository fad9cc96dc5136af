// The slots of a cron expression in a time zone, enumerated apart from core/schedule: checkers must not share its
// mistakes. Slow, and meant to be read.
//
// It parses the expression's text itself, walks the days of the local calendar one by one, tries every second, minute
// and hour that the fields name, and searches the zone for the instants at which a clock there shows that time.
// core/schedule/cron.h and cron_rule.h say what the result must be.
//
// Thread rule: an immutable value.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/schedule/definition.h"

namespace tenure::sim {

// A day of the proleptic Gregorian calendar.
struct Date {
  std::int64_t number = 0;  // of days since 1970-01-01
  int year = 1970;
  int month = 1;
  int day = 1;
  int weekday = 4;  // Sunday is 0

  static Date of(std::int64_t number);
  void advance();  // to the next day
  int days_in_month() const;
};

// Which days and which times of day an expression names.
class CronFields {
 public:
  // REQUIRES: `text` is what Cron::text() says.
  explicit CronFields(const std::string& text);

  bool names(const Date& date) const;
  const std::set<int>& hours() const { return hours_; }
  const std::set<int>& minutes() const { return minutes_; }
  const std::set<int>& seconds() const { return seconds_; }
  // It names fixed times of day, and not recurring readings of a clock.
  bool fixed_times() const { return fixed_times_; }

 private:
  bool day_named(const Date& date) const;
  bool weekday_named(const Date& date) const;
  void read_days(const std::string& field);
  void read_weekdays(const std::string& field);

  std::set<int> seconds_;
  std::set<int> minutes_;
  std::set<int> hours_;
  std::set<int> months_;
  std::set<int> days_;                          // 5
  std::set<int> days_from_last_;                // L is 0, L-3 is 3
  std::set<int> near_days_;                     // 15W
  bool last_weekday_ = false;                   // LW
  std::set<int> weekdays_;                      // MON; Sunday is 0
  std::set<std::pair<int, int>> nth_weekdays_;  // MON#2 is (1, 2)
  std::set<int> last_weekdays_;                 // 5L
  bool either_day_ = false;                     // both fields are restricted: one match is enough
  bool fixed_times_ = true;
};

class Calendar {
 public:
  explicit Calendar(const CronRule& rule);

  // The slots in [from, to), in order.
  std::vector<StoreTime> between(StoreTime from, StoreTime to) const;
  // How many there are. Whole days far from a change of the zone have all readings that the fields name, each once.
  std::uint64_t count(StoreTime from, StoreTime to) const;

 private:
  std::size_t last_period_before(std::int64_t instant) const;
  // Where the local day ends that has begun before `instant`, or then, in seconds; and how many slots are in that day,
  // if `instant` is its midnight and no change of the zone is near.
  struct LocalDay {
    std::int64_t end = 0;
    std::optional<std::uint64_t> slots = {};
  };
  LocalDay local_day_of(std::int64_t instant) const;
  // Adds the instants at which a local reading fires, in seconds. Only periods from `first` on can show it.
  void fires_at(std::int64_t local, std::size_t first, std::vector<std::int64_t>& instants) const;

  CronFields fields_;
  std::shared_ptr<const TimeZone> zone_;
  DstGap gap_;
  DstOverlap overlap_;
  std::int64_t farthest_ = 0;  // from UTC, in seconds, that a clock of the zone can be
};

// When a slot before `next` is due: its own time and its share of the jitter.
StoreTime due_with_jitter(const Jitter& jitter, ScheduleId schedule, StoreTime slot,
                          std::optional<StoreTime> next);

}  // namespace tenure::sim
