// Intervals as texts: '5 seconds', '1 minute 30 s', '-00:00:05', '1 day ago'.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "adapters/sql/literals.h"
#include "adapters/sql/statement_errors.h"
#include "core/base/int128.h"

namespace tenure::sql {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t micros;  // 0: months and longer, which have no fixed length
};
constexpr std::int64_t kDay = 86'400 * kMicrosPerSecond;
// As Postgres' table of words has them; names are cut to its ten letters below.
constexpr Unit kUnits[] = {
    {"us", 1},
    {"usec", 1},
    {"usecs", 1},
    {"microsecon", 1},
    {"ms", 1'000},
    {"msec", 1'000},
    {"msecs", 1'000},
    {"msecond", 1'000},
    {"mseconds", 1'000},
    {"millisecon", 1'000},
    {"s", kMicrosPerSecond},
    {"sec", kMicrosPerSecond},
    {"secs", kMicrosPerSecond},
    {"second", kMicrosPerSecond},
    {"seconds", kMicrosPerSecond},
    {"m", 60 * kMicrosPerSecond},
    {"min", 60 * kMicrosPerSecond},
    {"mins", 60 * kMicrosPerSecond},
    {"minute", 60 * kMicrosPerSecond},
    {"minutes", 60 * kMicrosPerSecond},
    {"h", 3'600 * kMicrosPerSecond},
    {"hr", 3'600 * kMicrosPerSecond},
    {"hrs", 3'600 * kMicrosPerSecond},
    {"hour", 3'600 * kMicrosPerSecond},
    {"hours", 3'600 * kMicrosPerSecond},
    {"d", kDay},
    {"day", kDay},
    {"days", kDay},
    {"w", 7 * kDay},
    {"week", 7 * kDay},
    {"weeks", 7 * kDay},
    {"mon", 0},
    {"mons", 0},
    {"month", 0},
    {"months", 0},
    {"y", 0},
    {"yr", 0},
    {"yrs", 0},
    {"year", 0},
    {"years", 0},
    {"qtr", 0},
    {"quarter", 0},
    {"dec", 0},
    {"decs", 0},
    {"decade", 0},
    {"decades", 0},
    {"c", 0},
    {"cent", 0},
    {"century", 0},
    {"centuries", 0},
    {"mil", 0},
    {"mils", 0},
    {"millennia", 0},
    {"millennium", 0},
};
constexpr std::size_t kLongestWord = 10;

// Reads one text from left to right.
class IntervalReader {
 public:
  explicit IntervalReader(std::string_view text) : whole_(text), rest_(text) {}

  std::int64_t read() {
    skip_blanks();
    if (rest_.starts_with("@")) take(1);
    skip_blanks();
    if (rest_.empty()) fail();
    if (rest_.front() == 'P') throw RefusedError{fmt::format("an interval in ISO 8601's form: '{}'", whole_)};
    while (!rest_.empty()) {
      read_part();
      skip_blanks();
    }
    if (total_ > kMostMicros || total_ < -kMostMicros)
      throw RefusedError{fmt::format("an interval as long as '{}'", whole_)};
    return static_cast<std::int64_t>(total_);
  }

 private:
  // A number and its unit, or hours:minutes:seconds.
  void read_part() {
    if (word() == "ago" && parts_ > 0) {
      take(3);
      skip_blanks();
      if (!rest_.empty()) fail();
      total_ = -total_;
      return;
    }
    const bool minus = rest_.front() == '-';
    if (minus || rest_.front() == '+') take(1);
    skip_blanks();
    const int128 part = rest_.find(':') != std::string_view::npos && clock_ahead() ? clock() : quantity();
    total_ += minus ? -part : part;
    ++parts_;
  }
  bool clock_ahead() const {
    const std::size_t digits = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
    return digits > 0 && digits < rest_.size() && rest_[digits] == ':';
  }
  int128 clock() {
    once(kSeconds | kMinutes | kHours);
    const std::int64_t hours = number();
    take(1);
    const std::int64_t minutes = number();
    int128 micros = (int128{hours} * 3'600 + int128{minutes} * 60) * kMicrosPerSecond;
    if (minutes > 59) out_of_range();
    if (rest_.starts_with(":")) {
      take(1);
      const std::int64_t seconds = number();
      if (seconds > 59) out_of_range();
      micros += int128{seconds} * kMicrosPerSecond + fraction(kMicrosPerSecond);
    } else if (rest_.starts_with(".")) {
      fail();
    }
    if (!rest_.empty() && rest_.front() != ' ') fail();
    return micros;
  }
  int128 quantity() {
    const bool point_first = rest_.starts_with(".");
    const std::int64_t count = point_first ? 0 : number();
    const std::string_view digits = rest_.starts_with(".") ? after_point() : std::string_view();
    if (point_first && digits.empty()) fail();
    skip_blanks();
    const std::string unit = word();
    // In front of others, Postgres takes a bare number for the unit of what follows.
    if (unit.empty() && !rest_.empty())
      throw RefusedError{fmt::format("a number without a unit in '{}'", whole_), kNoPlace, "write the unit"};
    take(unit.size());
    const std::int64_t micros = unit.empty() ? kMicrosPerSecond : length_of(unit);
    once(micros == 1                       ? kMicros
         : micros == 1'000                 ? kMillis
         : micros == kMicrosPerSecond      ? kSeconds | (digits.empty() ? 0 : kMillis | kMicros)
         : micros == 60 * kMicrosPerSecond ? kMinutes
         : micros < kDay                   ? kHours
         : micros == kDay                  ? kDays
                                           : kWeeks);
    return int128{count} * micros + scaled(digits, micros);
  }
  // Postgres takes each unit once.
  void once(int units) {
    if ((used_ & units) != 0) fail();
    used_ |= units;
  }
  std::int64_t length_of(const std::string& unit) const {
    const std::string_view cut = std::string_view(unit).substr(0, kLongestWord);
    const auto* found = std::find_if(std::begin(kUnits), std::end(kUnits),
                                     [&](const Unit& u) { return u.name.substr(0, kLongestWord) == cut; });
    if (found == std::end(kUnits)) fail();
    if (found->micros == 0)
      throw RefusedError{fmt::format("months and longer in an interval: '{}'", whole_), kNoPlace,
                         "they have no fixed length: write days"};
    return found->micros;
  }
  std::int64_t number() {
    const std::size_t length = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
    std::int64_t value = 0;
    if (length == 0) fail();
    if (length > 17) out_of_range();  // beyond Postgres' own range for every unit
    std::from_chars(rest_.data(), rest_.data() + length, value);
    take(length);
    return value;
  }
  std::string_view after_point() {
    take(1);
    const std::size_t length = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
    const std::string_view digits = rest_.substr(0, length);
    take(length);
    return digits;
  }
  int128 fraction(std::int64_t micros) {
    return rest_.starts_with(".") ? scaled(after_point(), micros) : int128{0};
  }
  // 0.digits of a unit. Postgres rounds by way of floating point what is no whole microsecond.
  int128 scaled(std::string_view digits, std::int64_t micros) const {
    int128 rest = micros, value = 0;
    for (const char digit : digits) {
      if (rest % 10 != 0 && digit != '0')
        throw RefusedError{fmt::format("parts of a microsecond: '{}'", whole_)};
      rest /= 10;
      value += rest * (digit - '0');
    }
    return value;
  }
  std::string word() const {
    std::string letters;
    for (const char c : rest_) {
      const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      if (lower < 'a' || lower > 'z') break;
      letters += lower;
    }
    return letters;
  }
  void skip_blanks() {
    while (!rest_.empty() && (rest_.front() == ' ' || (rest_.front() >= '\t' && rest_.front() <= '\r')))
      take(1);
  }
  void take(std::size_t length) { rest_.remove_prefix(length); }
  [[noreturn]] void fail() const {
    throw FailedError{"22007", fmt::format("invalid input syntax for type interval: \"{}\"", whole_)};
  }
  [[noreturn]] void out_of_range() const {
    throw FailedError{"22008", fmt::format("interval field value out of range: \"{}\"", whole_)};
  }

  static constexpr int kMicros = 1, kMillis = 2, kSeconds = 4, kMinutes = 8, kHours = 16, kDays = 32,
                       kWeeks = 64;
  std::string_view whole_;
  std::string_view rest_;
  int used_ = 0;
  int128 total_ = 0;
  int parts_ = 0;
};

}  // namespace

std::int64_t read_interval(std::string_view text) { return IntervalReader(text).read(); }

}  // namespace tenure::sql
