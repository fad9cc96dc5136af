// A cron expression: which readings of a local calendar match. cron_rule.h applies it in a time zone.
//
// Five fields (minute, hour, day of month, month, day of week) or six (seconds first). In a field: *, ?, numbers,
// names, ranges a-b, steps */n, a-b/n and a/n (from a to the end), and lists of these. Day of month knows L (the last
// day), L-n, nW (the weekday nearest to day n, in its month) and LW; day of week 0 or 7 for Sunday, d#n (the n-th d of
// the month) and dL (the last). @yearly, @annually, @monthly, @weekly, @daily, @midnight and @hourly are as in
// crontab(5). @every is an interval, not a calendar; parse_every() parses it.
//
// If both day fields are restricted, a day needs to match only one of them. If a day field begins with * or ?, a day
// must match both (Vixie cron, as Debian ships it).
//
// Local times are seconds of the local calendar since 1970-01-01T00:00:00, counted as if it were UTC (proleptic
// Gregorian, no leap seconds).
//
// Thread rule: immutable values and pure functions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "core/base/time.h"

namespace tenure {

// An error in an expression, and where it is.
struct CronError {
  std::size_t at = 0;      // in bytes from the expression's begin
  std::size_t length = 1;  // how many of them to underline; at least 1
  std::string message;
  std::string hint;  // what to write instead; may be empty
};

class Cron {
 public:
  // Takes no longer than a millisecond, whatever the text. Impossible dates (Feb 30) are errors.
  static std::variant<Cron, CronError> parse(std::string_view text);

  // The expression, fields separated by one space. Parses to the same again.
  const std::string& text() const { return text_; }

  // True if the second, minute or hour is *, a range or a step: then it fires whenever the local clock reads so, and no
  // policy skips or repeats slots at clock changes. Otherwise it names fixed times of day.
  bool interval_type() const { return interval_type_; }

  // The first match at or after `local`, and the last one at or before it; nullopt if there is none within 400 years.
  std::optional<std::int64_t> at_or_after(std::int64_t local) const;
  std::optional<std::int64_t> at_or_before(std::int64_t local) const;
  // How many matches there are in [from, to).
  std::int64_t count(std::int64_t from, std::int64_t to) const;

  bool operator==(const Cron& other) const { return text_ == other.text_; }

 private:
  friend class CronParser;
  Cron() = default;

  // The days of a month that match: bit d for day d; none of a month that does not.
  std::uint32_t days_of(std::int64_t year, unsigned month) const;
  // How many times of day before second `time` of a day match.
  std::int64_t times_before(std::int64_t time) const;
  // The first time of day at or after `time`, the last at or before it; -1 for none.
  std::int64_t time_at_or_after(std::int64_t time) const;
  std::int64_t time_at_or_before(std::int64_t time) const;

  // Bit n: the value n matches.
  std::uint64_t seconds_ = 0;
  std::uint64_t minutes_ = 0;
  std::uint32_t hours_ = 0;
  std::uint32_t months_ = 0;
  std::uint32_t days_ = 0;                     // of the month, bits 1 to 31
  std::uint32_t from_last_ = 0;                // bit n: the n-th day before the last (L-n; 0 for L)
  std::uint32_t nearest_ = 0;                  // bit n: the weekday nearest to day n (nW)
  bool last_weekday_ = false;                  // LW
  std::uint8_t weekdays_ = 0;                  // Sunday is bit 0
  std::uint8_t last_of_week_ = 0;              // bit d: the last such weekday of the month (dL)
  std::array<std::uint8_t, 5> nth_of_week_{};  // [n - 1], bit d: the n-th such weekday (d#n)
  bool both_days_ = true;                      // a day must match both day fields, not only one
  bool interval_type_ = false;
  std::string text_;
};

// "@every 90s" as a period; nullopt if the text does not begin with "@every". Units: d, h, m, s, ms, us.
std::optional<std::variant<Duration, CronError>> parse_every(std::string_view text);

}  // namespace tenure
