#include "tests/judge/cron.h"

#include <cctype>
#include <cstdlib>
#include <map>
#include <sstream>

namespace tenure::judging {
namespace {

using Names = std::map<std::string, int, std::less<>>;

const Names kMonths = {{"JAN", 1}, {"FEB", 2}, {"MAR", 3}, {"APR", 4},  {"MAY", 5},  {"JUN", 6},
                       {"JUL", 7}, {"AUG", 8}, {"SEP", 9}, {"OCT", 10}, {"NOV", 11}, {"DEC", 12}};
const Names kDays = {{"SUN", 0}, {"MON", 1}, {"TUE", 2}, {"WED", 3}, {"THU", 4}, {"FRI", 5}, {"SAT", 6}};
const std::map<std::string, std::string, std::less<>> kNicknames = {
    {"@YEARLY", "0 0 1 1 *"}, {"@ANNUALLY", "0 0 1 1 *"}, {"@MONTHLY", "0 0 1 * *"}, {"@WEEKLY", "0 0 * * 0"},
    {"@DAILY", "0 0 * * *"},  {"@MIDNIGHT", "0 0 * * *"}, {"@HOURLY", "0 * * * *"}};

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);)
    if (!part.empty()) parts.push_back(part);
  return parts;
}

int number(const std::string& text, const Names& names) {
  const auto name = names.find(text);
  return name != names.end() ? name->second : std::atoi(text.c_str());
}

bool is_every(const std::string& item) { return item[0] == '*' || item[0] == '?'; }

// The values of one item of a list: *, a, a-b, and each of them with a step.
std::set<int> values_of(const std::string& item, int low, int high, const Names& names) {
  const std::vector<std::string> stepped = split(item, '/');
  const int step = stepped.size() == 2 ? std::atoi(stepped[1].c_str()) : 1;
  int from = low;
  int to = high;
  if (!is_every(item)) {
    const std::vector<std::string> ends = split(stepped[0], '-');
    from = number(ends[0], names);
    if (ends.size() == 2)
      to = number(ends[1], names);
    else if (stepped.size() == 1)
      to = from;
    // FRI-SUN: Sunday is 7 at the end of a range.
    if (to < from && &names == &kDays) to += 7;
  }
  std::set<int> values;
  for (int value = from; value <= to; value += step) values.insert(value);
  return values;
}

std::set<int> values_of_all(const std::string& field, int low, int high, const Names& names) {
  std::set<int> values;
  for (const std::string& item : split(field, ',')) values.merge(values_of(item, low, high, names));
  return values;
}

bool has_pattern(const std::string& field) { return field.find_first_of("*?-/") != std::string::npos; }

struct Date {
  int year;
  int month;
  int day;
};

bool is_leap(int year) { return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0; }
int days_in(int year, int month) {
  constexpr int kLengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && is_leap(year) ? 29 : kLengths[month - 1];
}

// Year by year and month by month from 1970 on (no slot of a run is before it).
Date date_of(std::int64_t day) {
  Date date{1970, 1, 1};
  while (day < 0) {
    --date.year;
    day += is_leap(date.year) ? 366 : 365;
  }
  for (; day >= (is_leap(date.year) ? 366 : 365); ++date.year) day -= is_leap(date.year) ? 366 : 365;
  for (; day >= days_in(date.year, date.month); ++date.month) day -= days_in(date.year, date.month);
  date.day += static_cast<int>(day);
  return date;
}

// 1970-01-01 was a Thursday.
int weekday_of(std::int64_t day) { return static_cast<int>(((day % 7) + 7 + 4) % 7); }

bool names_day_of_month(const std::string& item, const Date& date, std::int64_t day) {
  const int last = days_in(date.year, date.month);
  const int weekday = weekday_of(day);
  // The weekday nearest to day `wanted`, within its month.
  const auto nearest_to = [&](int wanted) {
    if (wanted > last) return false;
    const int then = weekday_of(day - date.day + wanted);
    int is = wanted;
    if (then == 6) is = wanted > 1 ? wanted - 1 : wanted + 2;
    if (then == 0) is = wanted < last ? wanted + 1 : wanted - 2;
    return date.day == is;
  };
  if (item == "L") return date.day == last;
  if (item == "LW") {
    int wanted = last;
    for (std::int64_t at = day - date.day + last; weekday_of(at) == 0 || weekday_of(at) == 6; --at) --wanted;
    return date.day == wanted && weekday != 0 && weekday != 6;
  }
  if (item.rfind("L-", 0) == 0) return date.day == last - std::atoi(item.c_str() + 2);
  if (item.back() == 'W') return nearest_to(std::atoi(item.c_str()));
  return values_of(item, 1, 31, {}).count(date.day) != 0;
}

bool names_day_of_week(const std::string& item, const Date& date, std::int64_t day) {
  const int weekday = weekday_of(day);
  if (const auto hash = item.find('#'); hash != std::string::npos)
    return number(item.substr(0, hash), kDays) % 7 == weekday &&
           (date.day - 1) / 7 + 1 == std::atoi(item.c_str() + hash + 1);
  if (item.size() > 1 && item.back() == 'L')
    return number(item.substr(0, item.size() - 1), kDays) % 7 == weekday &&
           date.day + 7 > days_in(date.year, date.month);
  const std::set<int> values = values_of(item, 0, 6, kDays);
  return values.count(weekday) != 0 || values.count(weekday + 7) != 0;
}

}  // namespace

Expression read_expression(std::string_view text) {
  std::string upper;
  for (const char c : text) upper += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  if (const auto nickname = kNicknames.find(upper); nickname != kNicknames.end()) upper = nickname->second;
  std::istringstream in(upper);
  std::vector<std::string> fields;
  for (std::string field; in >> field;) fields.push_back(field);
  if (fields.size() == 5) fields.insert(fields.begin(), "0");
  Expression expression;
  expression.seconds = values_of_all(fields[0], 0, 59, {});
  expression.minutes = values_of_all(fields[1], 0, 59, {});
  expression.hours = values_of_all(fields[2], 0, 23, {});
  expression.days = split(fields[3], ',');
  expression.months = values_of_all(fields[4], 1, 12, kMonths);
  expression.weekdays = split(fields[5], ',');
  expression.both_days = is_every(fields[3]) || is_every(fields[5]);
  expression.interval_type = has_pattern(fields[0]) || has_pattern(fields[1]) || has_pattern(fields[2]);
  return expression;
}

bool names_day(const Expression& expression, std::int64_t day) {
  const Date date = date_of(day);
  if (expression.months.count(date.month) == 0) return false;
  bool of_month = false;
  for (const std::string& item : expression.days) of_month = of_month || names_day_of_month(item, date, day);
  bool of_week = false;
  for (const std::string& item : expression.weekdays) of_week = of_week || names_day_of_week(item, date, day);
  return expression.both_days ? of_month && of_week : of_month || of_week;
}

}  // namespace tenure::judging
