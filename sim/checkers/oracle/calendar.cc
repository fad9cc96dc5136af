#include "sim/checkers/oracle/calendar.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/base/check.h"
#include "core/base/hash.h"
#include "core/base/int128.h"

namespace tenure::sim {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kHour = 60 * 60;
constexpr std::int64_t kDay = 24 * kHour;

bool leap(int year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }
int days_in_year(int year) { return leap(year) ? 366 : 365; }
int days_in(int year, int month) {
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && leap(year) ? 29 : kDays[month - 1];
}

// Rounded towards minus infinity.
std::int64_t day_of(std::int64_t seconds) {
  std::int64_t day = seconds / kDay;
  while (day * kDay > seconds) --day;
  return day;
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == at) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::string spelled_out(const std::string& text) {
  constexpr std::pair<const char*, const char*> kNicknames[] = {
      {"@yearly", "0 0 1 1 *"}, {"@annually", "0 0 1 1 *"}, {"@monthly", "0 0 1 * *"},
      {"@weekly", "0 0 * * 0"}, {"@daily", "0 0 * * *"},    {"@midnight", "0 0 * * *"},
      {"@hourly", "0 * * * *"}};
  for (const auto& [name, fields] : kNicknames) {
    if (text == name) return fields;
  }
  return text;
}

// A number, or the name of a month or a day of the week.
int value_of(const std::string& word) {
  constexpr const char* kMonths[] = {"JAN", "FEB", "MAR", "APR", "MAY", "JUN",
                                     "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"};
  constexpr const char* kWeekdays[] = {"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"};
  for (int i = 0; i < 12; ++i) {
    if (word == kMonths[i]) return i + 1;
  }
  for (int i = 0; i < 7; ++i) {
    if (word == kWeekdays[i]) return i;
  }
  int value = 0;
  CHECK(!word.empty(), "a well-formed expression has a value here");
  for (const char c : word) {
    CHECK(c >= '0' && c <= '9', "a well-formed expression has a value here");
    value = 10 * value + (c - '0');
  }
  return value;
}

// *, a, a-b, each with a step or without. A range of weekdays may end with Sunday: FRI-SUN, 5-0.
void read_range(const std::string& item, int first, int last, std::set<int>& values) {
  const std::vector<std::string> stepped = split(item, '/');
  const std::vector<std::string> ends = split(stepped[0], '-');
  int from = first;
  int to = last;
  if (ends[0] != "*" && ends[0] != "?") {
    from = value_of(ends[0]);
    if (ends.size() == 2) {
      to = value_of(ends[1]) < from ? 7 : value_of(ends[1]);
    } else if (stepped.size() == 1) {
      to = from;
    }
  }
  const int step = stepped.size() == 2 ? value_of(stepped[1]) : 1;
  values.insert(from);  // 7/2 is a Sunday, beyond the last day of the week
  for (int value = from; value <= to; value += step) values.insert(value);
}

std::set<int> read_field(const std::string& field, int first, int last) {
  std::set<int> values;
  for (const std::string& item : split(field, ',')) read_range(item, first, last, values);
  return values;
}

bool is_free(const std::string& field) { return field[0] == '*' || field[0] == '?'; }
bool goes_round(const std::string& field) { return field.find_first_of("*/-") != std::string::npos; }

}  // namespace

Date Date::of(std::int64_t number) {
  Date date;
  date.number = number;
  std::int64_t left = number;
  while (left < 0) left += days_in_year(--date.year);
  while (left >= days_in_year(date.year)) left -= days_in_year(date.year++);
  while (left >= days_in(date.year, date.month)) left -= days_in(date.year, date.month++);
  date.day = static_cast<int>(left) + 1;
  date.weekday = static_cast<int>((number % 7 + 7 + 4) % 7);
  return date;
}

void Date::advance() {
  ++number;
  weekday = (weekday + 1) % 7;
  if (++day <= days_in(year, month)) return;
  day = 1;
  if (++month <= 12) return;
  month = 1;
  ++year;
}

int Date::days_in_month() const { return days_in(year, month); }

CronFields::CronFields(const std::string& text) {
  std::vector<std::string> fields = split(spelled_out(text), ' ');
  if (fields.size() == 5) fields.insert(fields.begin(), "0");
  CHECK(fields.size() == 6, "a well-formed expression has five fields or six");
  seconds_ = read_field(fields[0], 0, 59);
  minutes_ = read_field(fields[1], 0, 59);
  hours_ = read_field(fields[2], 0, 23);
  read_days(fields[3]);
  months_ = read_field(fields[4], 1, 12);
  read_weekdays(fields[5]);
  either_day_ = !is_free(fields[3]) && !is_free(fields[5]);
  fixed_times_ = !goes_round(fields[0]) && !goes_round(fields[1]) && !goes_round(fields[2]);
}

void CronFields::read_days(const std::string& field) {
  for (const std::string& item : split(field, ',')) {
    if (item == "LW" || item == "WL") {
      last_weekday_ = true;
    } else if (item == "L") {
      days_from_last_.insert(0);
    } else if (item.starts_with("L-")) {
      days_from_last_.insert(value_of(item.substr(2)));
    } else if (item.ends_with("W")) {
      near_days_.insert(value_of(item.substr(0, item.size() - 1)));
    } else {
      read_range(item, 1, 31, days_);
    }
  }
}

void CronFields::read_weekdays(const std::string& field) {
  for (const std::string& item : split(field, ',')) {
    const std::vector<std::string> nth = split(item, '#');
    if (nth.size() == 2) {
      nth_weekdays_.insert({value_of(nth[0]) % 7, value_of(nth[1])});
    } else if (item.ends_with("L")) {
      last_weekdays_.insert(value_of(item.substr(0, item.size() - 1)) % 7);
    } else {
      std::set<int> values;
      read_range(item, 0, 6, values);
      for (const int value : values) weekdays_.insert(value % 7);
    }
  }
}

bool CronFields::names(const Date& date) const {
  if (!months_.contains(date.month)) return false;
  if (either_day_) return day_named(date) || weekday_named(date);
  return day_named(date) && weekday_named(date);
}

bool CronFields::day_named(const Date& date) const {
  const int last = date.days_in_month();
  if (days_.contains(date.day) || days_from_last_.contains(last - date.day)) return true;
  const auto weekday_on = [&date](int day) { return ((date.weekday + day - date.day) % 7 + 35) % 7; };
  const auto is_weekend = [&](int day) { return weekday_on(day) == 0 || weekday_on(day) == 6; };
  if (is_weekend(date.day)) return false;
  for (const int near : near_days_) {
    if (near > last) continue;  // a month without that day
    // The day itself, or the nearest one that is neither Saturday nor Sunday.
    for (const int away : {0, -1, +1, -2, +2}) {
      const int day = near + away;
      if (day < 1 || day > last || is_weekend(day)) continue;
      if (day == date.day) return true;
      break;
    }
  }
  if (!last_weekday_) return false;
  for (int day = date.day + 1; day <= last; ++day) {
    if (!is_weekend(day)) return false;
  }
  return true;
}

bool CronFields::weekday_named(const Date& date) const {
  return weekdays_.contains(date.weekday) || nth_weekdays_.contains({date.weekday, (date.day - 1) / 7 + 1}) ||
         (last_weekdays_.contains(date.weekday) && date.day + 7 > date.days_in_month());
}

Calendar::Calendar(const CronRule& rule)
    : fields_(rule.cron->text()), zone_(rule.zone), gap_(rule.gap), overlap_(rule.overlap) {
  for (const TimeZone::Period& period : zone_->periods())
    farthest_ = std::max({farthest_, std::int64_t{period.offset}, -std::int64_t{period.offset}});
}

std::vector<StoreTime> Calendar::between(StoreTime from, StoreTime to) const {
  std::vector<std::int64_t> instants;
  // A slot and the reading that it comes from are no further apart than the zone and UTC.
  const std::int64_t first = from.ns() / kSecond - farthest_ - 1;
  const std::int64_t last = to.ns() / kSecond + farthest_ + 1;
  for (Date date = Date::of(day_of(first)); date.number <= day_of(last); date.advance()) {
    if (!fields_.names(date)) continue;
    const std::size_t period = last_period_before(date.number * kDay - farthest_);
    for (const int hour : fields_.hours()) {
      const std::int64_t begin = date.number * kDay + hour * kHour;
      if (begin + kHour <= first || begin > last) continue;
      for (const int minute : fields_.minutes()) {
        for (const int second : fields_.seconds()) fires_at(begin + minute * 60 + second, period, instants);
      }
    }
  }
  std::sort(instants.begin(), instants.end());
  instants.erase(std::unique(instants.begin(), instants.end()), instants.end());
  std::vector<StoreTime> slots;
  for (const std::int64_t instant : instants) {
    if (instant > INT64_MAX / kSecond || instant < INT64_MIN / kSecond) continue;  // no StoreTime is there
    const StoreTime slot = StoreTime::from_ns(instant * kSecond);
    if (from <= slot && slot < to) slots.push_back(slot);
  }
  return slots;
}

std::uint64_t Calendar::count(StoreTime from, StoreTime to) const {
  std::uint64_t count = 0;
  while (from < to) {
    const LocalDay day = local_day_of(from.ns() / kSecond);
    const bool ends_within = day.end <= to.ns() / kSecond;
    const StoreTime end = ends_within ? StoreTime::from_ns(day.end * kSecond) : to;
    const bool is_whole = day.slots && ends_within && from.ns() % kSecond == 0;
    count += is_whole ? *day.slots : between(from, end).size();
    from = end;
  }
  return count;
}

Calendar::LocalDay Calendar::local_day_of(std::int64_t instant) const {
  const auto periods = zone_->periods();
  const std::size_t i = last_period_before(instant + 1);
  const std::int64_t offset = periods[i].offset;
  const std::int64_t number = day_of(instant + offset);
  LocalDay day{(number + 1) * kDay - offset};
  const std::int64_t near = kDay + 2 * farthest_;
  const bool is_steady = (i == 0 || periods[i].begin + near <= instant) &&
                         (i + 1 == periods.size() || day.end + near <= periods[i + 1].begin);
  if (!is_steady || number * kDay - offset != instant) return day;
  const std::size_t readings = fields_.hours().size() * fields_.minutes().size() * fields_.seconds().size();
  day.slots = fields_.names(Date::of(number)) ? readings : 0;
  return day;
}

std::size_t Calendar::last_period_before(std::int64_t instant) const {
  const auto periods = zone_->periods();
  std::size_t found = 0;
  while (found + 1 < periods.size() && periods[found + 1].begin < instant) ++found;
  return found;
}

void Calendar::fires_at(std::int64_t local, std::size_t first, std::vector<std::int64_t>& instants) const {
  const auto periods = zone_->periods();
  const auto end_of = [&periods](std::size_t i) {
    return i + 1 < periods.size() ? periods[i + 1].begin : TimeZone::kNever;
  };
  std::vector<std::int64_t> shown;
  for (std::size_t i = first; i < periods.size() && periods[i].begin <= local + farthest_; ++i) {
    const std::int64_t instant = local - periods[i].offset;
    if (periods[i].begin <= instant && instant < end_of(i)) shown.push_back(instant);
  }
  if (!shown.empty()) {
    const bool all = !fields_.fixed_times() || overlap_ == DstOverlap::both;
    if (all) {
      instants.insert(instants.end(), shown.begin(), shown.end());
    } else {
      instants.push_back(overlap_ == DstOverlap::first ? shown.front() : shown.back());
    }
    return;
  }

  // No clock shows it: it lies in a gap.
  if (!fields_.fixed_times() || gap_ == DstGap::skip) return;
  for (std::size_t i = std::max<std::size_t>(first, 1); i < periods.size(); ++i) {
    const std::int64_t gap_begin = periods[i].begin + periods[i - 1].offset;
    const std::int64_t gap_end = periods[i].begin + periods[i].offset;
    if (local < gap_begin || local >= gap_end) continue;
    const std::int64_t into = gap_ == DstGap::shift ? local - gap_begin : 0;
    instants.push_back(std::min(periods[i].begin + into, end_of(i) - 1));
    return;
  }
}

StoreTime due_with_jitter(const Jitter& jitter, ScheduleId schedule, StoreTime slot,
                          std::optional<StoreTime> next) {
  Duration most = jitter.max;
  if (next && *next - slot < most) most = *next - slot;
  if (most <= Duration{}) return slot;
  Hasher hasher(jitter.seed);
  hasher.add(jitter.drawn_for.value_or(schedule));
  if (jitter.per == Jitter::Per::slot) hasher.add(slot);
  const uint128 product = static_cast<uint128>(hasher.value()) * static_cast<uint128>(most.ns());
  return slot + Duration::nanos(static_cast<std::int64_t>(product >> 64));
}

}  // namespace tenure::sim
