// A cron expression, read from its text as docs/cron.md says.
//
// Thread rule: values and pure functions.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tenure::judging {

struct Expression {
  std::set<int> seconds;
  std::set<int> minutes;
  std::set<int> hours;
  std::set<int> months;
  std::vector<std::string> days;      // the items of the day of month
  std::vector<std::string> weekdays;  // the items of the day of week
  bool both_days = false;             // a day must match both of them, and not one
  bool interval_type = false;
};
// REQUIRES: it is an expression.
Expression read_expression(std::string_view text);

// Does the expression name this day (of the local calendar, in days since 1970-01-01)?
bool names_day(const Expression& expression, std::int64_t day);

}  // namespace tenure::judging
