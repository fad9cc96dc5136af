// The text of a cron expression: fields, nicknames, and what is wrong with them.
#include <algorithm>
#include <cctype>
#include <span>
#include <utility>
#include <vector>

#include "core/schedule/cron.h"

namespace tenure {
namespace {

struct Nickname {
  std::string_view name;
  std::string_view fields;
};
constexpr Nickname kNicknames[] = {
    {"@yearly", "0 0 1 1 *"}, {"@annually", "0 0 1 1 *"}, {"@monthly", "0 0 1 * *"}, {"@weekly", "0 0 * * 0"},
    {"@daily", "0 0 * * *"},  {"@midnight", "0 0 * * *"}, {"@hourly", "0 * * * *"},
};

constexpr std::string_view kMonths[] = {"JAN", "FEB", "MAR", "APR", "MAY", "JUN",
                                        "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"};
constexpr std::string_view kWeekdays[] = {"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"};

enum class Which : std::uint8_t { second, minute, hour, day, month, weekday };

struct FieldSpec {
  Which which;
  std::string_view name;
  int low;
  int high;
  std::span<const std::string_view> names;  // of low, low + 1, …
};
constexpr FieldSpec kFields[] = {
    {Which::second, "second", 0, 59, {}},    {Which::minute, "minute", 0, 59, {}},
    {Which::hour, "hour", 0, 23, {}},        {Which::day, "day of month", 1, 31, {}},
    {Which::month, "month", 1, 12, kMonths}, {Which::weekday, "day of week", 0, 7, kWeekdays},
};

constexpr std::size_t kMaxLength = 512;  // of an expression; a list of all minutes is a third of that

bool is_space(char c) { return c == ' ' || c == '\t'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }
std::string upper(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](char c) { return upper(c); });
  return result;
}

// A piece of the expression, and where it stands.
struct Piece {
  std::string_view text;
  std::size_t at = 0;
  Piece part(std::size_t from, std::size_t length = std::string_view::npos) const {
    return {text.substr(from, length), at + from};
  }
};

std::vector<Piece> split(Piece whole, bool (*separates)(char), bool keep_empty) {
  std::vector<Piece> pieces;
  std::size_t from = 0;
  for (std::size_t i = 0; i <= whole.text.size(); ++i) {
    if (i < whole.text.size() && !separates(whole.text[i])) continue;
    if (i > from || keep_empty) pieces.push_back(whole.part(from, i - from));
    from = i + 1;
  }
  return pieces;
}

CronError error_at(Piece piece, std::string message, std::string hint = {}) {
  return {piece.at, std::max<std::size_t>(piece.text.size(), 1), std::move(message), std::move(hint)};
}

std::string quoted(std::string_view text) {
  std::string result = "`";
  bool beyond_ascii = false;  // the byte before
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool continues = beyond_ascii && (byte & 0xc0) == 0x80;  // the same UTF-8 character
    if (!continues) result += c >= ' ' && c <= '~' ? c : '?';
    beyond_ascii = byte >= 0x80;
  }
  return result + "`";
}

std::string with_article(const FieldSpec& field) {
  return (field.which == Which::hour ? "an " : "a ") + std::string(field.name);
}

std::string range_of(const FieldSpec& field) {
  std::string text = std::to_string(field.low) + "-" + std::to_string(field.high);
  if (!field.names.empty())
    text += std::string(" or ") + std::string(field.names.front()) + "-" + std::string(field.names.back());
  return text;
}

// A value as it may be written, by its name if there is one and it is wanted.
std::string written(const FieldSpec& field, int value, bool named) {
  const auto place = static_cast<std::size_t>(value - field.low);
  return named && place < field.names.size() ? std::string(field.names[place]) : std::to_string(value);
}

// "April and June have 30 days": of those of the months (bit n for month n) that are short.
std::string short_months(std::uint32_t months) {
  struct Month {
    unsigned number;
    std::string_view name;
  };
  constexpr Month kOf30[] = {{4, "April"}, {6, "June"}, {9, "September"}, {11, "November"}};
  std::vector<std::string_view> of30;
  for (const Month& month : kOf30)
    if ((months >> month.number & 1) != 0) of30.push_back(month.name);
  std::string text = (months >> 2 & 1) != 0 ? "February has 28 or 29 days" : "";
  for (std::size_t i = 0; i < of30.size(); ++i) {
    const bool last = i + 1 == of30.size();
    text += i > 0 ? (last ? " and " : ", ") : text.empty() ? "" : "; ";
    text += of30[i];
  }
  if (!of30.empty()) text += of30.size() == 1 ? " has 30 days" : " have 30 days";
  return text;
}

// "2026", and lists and ranges that begin so.
bool looks_like_a_year(std::string_view text) {
  if (text.size() < 4 || (text.size() > 4 && is_digit(text[4]))) return false;
  int year = 0;
  for (const char c : text.substr(0, 4)) {
    if (!is_digit(c)) return false;
    year = year * 10 + (c - '0');
  }
  return year >= 1970 && year < 2200;
}

// "Europe/Berlin" and "UTC", but not "MON/2".
bool looks_like_a_zone(std::string_view text) {
  constexpr std::string_view kShort[] = {"UTC", "GMT", "CET", "CEST", "EST", "EDT", "CST", "CDT",
                                         "MST", "MDT", "PST", "PDT",  "BST", "IST", "JST"};
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos)
    return std::find(std::begin(kShort), std::end(kShort), upper(text)) != std::end(kShort);
  return slash >= 3 && slash + 1 < text.size() && is_letter(text.front()) && is_letter(text[slash + 1]);
}

// What people carry over from elsewhere, and where it belongs.
std::optional<CronError> elsewhere(const std::vector<Piece>& fields) {
  const std::string first = upper(fields.front().text);
  const bool prefixed = first.starts_with("TZ=") || first.starts_with("CRON_TZ=");
  if (prefixed || (fields.size() >= 5 && looks_like_a_zone(fields.back().text)))
    return error_at(prefixed ? fields.front() : fields.back(), "a time zone is no part of an expression",
                    "the zone has its own key: use timezone / --timezone");
  if (fields.size() == 6 && looks_like_a_year(fields.back().text))
    return error_at(fields.back(), "there is no field for the year", "give the schedule a start and an end");
  return std::nullopt;
}

}  // namespace

// Fills a Cron from its fields, one at a time; stops at the first error.
class CronParser {
 public:
  std::variant<Cron, CronError> parse(std::string_view text);

 private:
  bool field(const FieldSpec& spec, Piece piece);
  bool item(const FieldSpec& spec, Piece piece);
  bool day_item(Piece piece, bool& taken);
  bool weekday_item(const FieldSpec& spec, Piece piece, bool& taken);
  // The value of a number or a name; nullopt, and an error, when it is none.
  std::optional<int> value(const FieldSpec& spec, Piece piece);
  std::optional<int> number(Piece piece, int low, int high, std::string_view what);
  bool include(const FieldSpec& spec, int from, int to, int step);
  bool fail_goes_back(const FieldSpec& spec, Piece range, int from, int to, bool stepped);
  bool fail(Piece piece, std::string message, std::string hint = {}) {
    error_ = error_at(piece, std::move(message), std::move(hint));
    return false;
  }
  std::nullopt_t none(Piece piece, std::string message, std::string hint) {
    fail(piece, std::move(message), std::move(hint));
    return std::nullopt;
  }

  Cron cron_;
  std::optional<CronError> error_;
  bool days_free_ = true;  // the field begins with * or ?
  bool weekdays_free_ = true;
};

std::variant<Cron, CronError> CronParser::parse(std::string_view text) {
  const Piece whole{text, 0};
  if (text.size() > kMaxLength)
    return error_at(whole.part(kMaxLength, 1), "a cron expression this long is no schedule");
  std::vector<Piece> fields = split(whole, is_space, false);
  if (fields.empty())
    return error_at(whole, "an empty cron expression", "write five fields, like `0 3 * * MON`");

  if (fields.front().text.front() == '@') {
    const std::string name = upper(fields.front().text);
    const auto found = std::find_if(std::begin(kNicknames), std::end(kNicknames),
                                    [&](const Nickname& nickname) { return upper(nickname.name) == name; });
    if (found == std::end(kNicknames)) {
      const bool reboot = name == "@REBOOT";
      return error_at(fields.front(),
                      reboot ? "`@reboot` names no time: nothing here reboots"
                             : "unknown nickname " + quoted(fields.front().text),
                      "@yearly, @monthly, @weekly, @daily, @hourly or @every");
    }
    if (fields.size() > 1) return error_at(fields[1], "nothing may follow " + std::string(found->name));
    auto parsed = CronParser{}.parse(found->fields);
    if (auto* cron = std::get_if<Cron>(&parsed)) cron->text_ = found->name;
    return parsed;
  }
  if (auto error = elsewhere(fields)) return *std::move(error);
  if (fields.size() < 5 || fields.size() > 6) {
    const std::string count = std::to_string(fields.size());
    const Piece where = fields.size() > 6 ? fields[6] : fields.back();
    return error_at(
        where, "a cron expression has five fields, or six with seconds first, and this has " + count,
        fields.size() == 7 ? "there is no field for the year; give the schedule a start and an end" : "");
  }

  for (const Piece& piece : fields) cron_.text_ += (cron_.text_.empty() ? "" : " ") + upper(piece.text);
  const bool with_seconds = fields.size() == 6;
  if (!with_seconds) cron_.seconds_ = 1;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (!field(kFields[i + (with_seconds ? 0 : 1)], fields[i])) return *error_;
  }
  cron_.both_days_ = days_free_ || weekdays_free_;
  if (!cron_.at_or_after(0)) {
    const Piece days = fields[fields.size() - (days_free_ ? 1 : 3)];
    return error_at(days, "no such day ever comes: no month has it", short_months(cron_.months_));
  }
  return cron_;
}

bool CronParser::field(const FieldSpec& spec, Piece piece) {
  const bool is_day = spec.which == Which::day || spec.which == Which::weekday;
  const bool free = piece.text.front() == '*' || piece.text.front() == '?';
  if (spec.which == Which::day) days_free_ = free;
  if (spec.which == Which::weekday) weekdays_free_ = free;
  if (piece.text.find('?') != std::string_view::npos) {
    if (!is_day) return fail(piece, "`?` is for the day fields only", "write `*`");
    if (piece.text.size() > 1) return fail(piece, "`?` stands alone", "write `*` with a step");
  }
  if (!is_day && spec.which != Which::month && piece.text.find_first_of("*-/") != std::string_view::npos)
    cron_.interval_type_ = true;
  for (const Piece& part : split(
           piece, [](char c) { return c == ','; }, true)) {
    if (part.text.empty()) return fail(part, "a list with nothing between its commas");
    if (!item(spec, part)) return false;
  }
  return true;
}

bool CronParser::item(const FieldSpec& spec, Piece piece) {
  bool taken = false;
  if (spec.which == Which::day && !day_item(piece, taken)) return false;
  if (spec.which == Which::weekday && !weekday_item(spec, piece, taken)) return false;
  if (taken) return true;

  const std::size_t slash = piece.text.find('/');
  const Piece range = piece.part(0, slash);
  int step = 1;
  if (slash != std::string_view::npos) {
    const auto given =
        number(piece.part(slash + 1), 1, spec.high == 7 ? 7 : spec.high + 1 - spec.low, "a step");
    if (!given) return false;
    step = *given;
  }
  const int most = spec.which == Which::weekday ? 6 : spec.high;
  if (range.text == "*" || range.text == "?") return include(spec, spec.low, most, step);
  const std::size_t dash = range.text.find('-');
  const auto from = value(spec, range.part(0, dash));
  if (!from) return false;
  if (dash == std::string_view::npos) {
    return include(spec, *from, slash == std::string_view::npos ? *from : std::max(most, *from), step);
  }
  auto to = value(spec, range.part(dash + 1));
  if (!to) return false;
  if (spec.which == Which::weekday && *to == 0 && *from > 0) to = 7;  // FRI-SUN
  if (*to < *from) return fail_goes_back(spec, range, *from, *to, slash != std::string_view::npos);
  return include(spec, *from, *to, step);
}

bool CronParser::fail_goes_back(const FieldSpec& spec, Piece range, int from, int to, bool stepped) {
  const std::string message = "a range that goes back";
  if (stepped) return fail(range, message, "list the values: a step ends where the field ends");
  const bool named = is_letter(range.text.front());
  const auto stretch = [&](int a, int b) {
    return written(spec, a, named) + (a == b ? "" : "-" + written(spec, b, named));
  };
  const bool sunday = spec.which == Which::weekday && from == 7;
  const int most = spec.which == Which::weekday ? 6 : spec.high;
  return fail(range, message,
              "write `" + (sunday ? "" : stretch(from, most) + ",") + stretch(spec.low, to) + "`");
}

// L, L-n, LW and nW.
bool CronParser::day_item(Piece piece, bool& taken) {
  const std::string text = upper(piece.text);
  taken = true;
  if (text == "L") {
    cron_.from_last_ |= 1;
  } else if (text == "LW" || text == "WL") {
    cron_.last_weekday_ = true;
  } else if (text.starts_with("L-")) {
    if (text == "L-0") return fail(piece, "the day 0 before the last is the last", "write `L`");
    const auto n = number(piece.part(2), 1, 30, "the number of days before the last");
    if (!n) return false;
    cron_.from_last_ |= std::uint32_t{1} << *n;
  } else if (text.ends_with("W")) {
    if (text.find_first_of("-/*") != std::string::npos)
      return fail(piece, "`W` takes one day, and no range or step", "write one for each day, like `1W,15W`");
    const auto day = number(piece.part(0, text.size() - 1), 1, 31, "the day before W");
    if (!day) return false;
    cron_.nearest_ |= std::uint32_t{1} << *day;
  } else {
    taken = false;
  }
  return true;
}

// d#n and dL.
bool CronParser::weekday_item(const FieldSpec& spec, Piece piece, bool& taken) {
  const std::size_t hash = piece.text.find('#');
  if (hash != std::string_view::npos) {
    taken = true;
    const auto day = value(spec, piece.part(0, hash));
    if (!day) return false;
    const auto n = number(piece.part(hash + 1), 1, 5, "which one of the month");
    if (!n) return false;
    cron_.nth_of_week_[static_cast<std::size_t>(*n) - 1] |= static_cast<std::uint8_t>(1 << (*day % 7));
  } else if (upper(piece.text.back()) == 'L') {
    taken = true;
    if (piece.text.size() == 1) {
      return fail(piece, "`L` alone means different things to different systems",
                  "write SAT for Saturdays, or `5L` for the last Friday of the month");
    }
    const auto day = value(spec, piece.part(0, piece.text.size() - 1));
    if (!day) return false;
    cron_.last_of_week_ |= static_cast<std::uint8_t>(1 << (*day % 7));
  }
  return true;
}

std::optional<int> CronParser::value(const FieldSpec& spec, Piece piece) {
  if (piece.text.empty()) return none(piece, with_article(spec) + " is missing here", range_of(spec));
  const bool word = std::all_of(piece.text.begin(), piece.text.end(), is_letter);
  if (!word || spec.names.empty()) return number(piece, spec.low, spec.high, with_article(spec));
  const std::string name = upper(piece.text);
  const auto found = std::find(spec.names.begin(), spec.names.end(), name);
  if (found != spec.names.end()) return spec.low + static_cast<int>(found - spec.names.begin());
  // A name that is too long, else one that is one letter off.
  std::string hint = "write one of";
  for (const std::string_view known : spec.names) hint += " " + std::string(known);
  for (const std::ptrdiff_t most : {0, 1}) {
    const auto meant = std::find_if(spec.names.begin(), spec.names.end(), [&](std::string_view known) {
      std::ptrdiff_t off = 0;
      for (std::size_t i = 0; i < known.size(); ++i) off += i >= name.size() || name[i] != known[i] ? 1 : 0;
      return off <= most;
    });
    if (meant == spec.names.end()) continue;
    hint = "did you mean `" + std::string(*meant) + "`?";
    break;
  }
  return none(piece, quoted(piece.text) + " is no " + std::string(spec.name), std::move(hint));
}

std::optional<int> CronParser::number(Piece piece, int low, int high, std::string_view what) {
  int value = 0;
  bool digits = piece.text.size() <= 4;
  for (const char c : piece.text) {
    digits = digits && is_digit(c);
    if (digits) value = value * 10 + (c - '0');
  }
  const std::string range = std::to_string(low) + " to " + std::to_string(high);
  if (piece.text.empty()) return none(piece, std::string(what) + " is missing", "a number from " + range);
  if (!digits)
    return none(piece, quoted(piece.text) + " is not " + std::string(what), "a number from " + range);
  if (value < low || value > high)
    return none(piece, std::string(what) + " is from " + range + ", not " + std::to_string(value),
                "the nearest is `" + std::to_string(std::clamp(value, low, high)) + "`");
  return value;
}

bool CronParser::include(const FieldSpec& spec, int from, int to, int step) {
  std::uint64_t set = 0;
  for (int n = from; n <= to; n += step) set |= std::uint64_t{1} << n;
  switch (spec.which) {
    case Which::second: cron_.seconds_ |= set; break;
    case Which::minute: cron_.minutes_ |= set; break;
    case Which::hour: cron_.hours_ |= static_cast<std::uint32_t>(set); break;
    case Which::day: cron_.days_ |= static_cast<std::uint32_t>(set); break;
    case Which::month: cron_.months_ |= static_cast<std::uint32_t>(set); break;
    case Which::weekday: cron_.weekdays_ |= static_cast<std::uint8_t>((set | set >> 7) & 0x7f); break;
  }
  return true;
}

std::variant<Cron, CronError> Cron::parse(std::string_view text) { return CronParser{}.parse(text); }

std::optional<std::variant<Duration, CronError>> parse_every(std::string_view text) {
  const std::vector<Piece> words = split(Piece{text, 0}, is_space, false);
  if (words.empty() || upper(words.front().text) != "@EVERY") return std::nullopt;
  if (words.size() == 1) return error_at(words.front(), "`@every` needs a period", "like `@every 90s`");
  if (words.size() > 2)
    return error_at(words[2], "nothing may follow the period", "write it in one word: `1h30m`");

  struct Unit {
    std::string_view name;
    Duration length;
  };
  constexpr Unit kUnits[] = {{"d", Duration::hours(24)},  {"h", Duration::hours(1)},
                             {"m", Duration::minutes(1)}, {"s", Duration::seconds(1)},
                             {"ms", Duration::millis(1)}, {"us", Duration::micros(1)}};
  const Piece period = words[1];
  Duration total;
  for (std::size_t i = 0; i < period.text.size();) {
    std::size_t end = i;
    std::int64_t n = 0;
    for (; end < period.text.size() && is_digit(period.text[end]) && end - i < 9; ++end)
      n = n * 10 + (period.text[end] - '0');
    std::size_t unit_end = end;
    while (unit_end < period.text.size() && !is_digit(period.text[unit_end])) ++unit_end;
    const std::string_view name = period.text.substr(end, unit_end - end);
    const auto unit =
        std::find_if(std::begin(kUnits), std::end(kUnits), [&](const Unit& u) { return u.name == name; });
    if (end == i || unit == std::end(kUnits))
      return error_at(period.part(i), quoted(period.part(i).text) + " is no period",
                      "a number and d, h, m, s, ms or us, like `1h30m`");
    total += unit->length * n;
    i = unit_end;
  }
  if (total <= Duration{} || total > Duration::hours(24 * 366 * 100))
    return error_at(period, "a period is more than nothing, and less than a hundred years");
  return total;
}

}  // namespace tenure
