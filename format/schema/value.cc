// One value by the type of its key.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/base/check.h"
#include "format/schema/quantile_keys.h"
#include "format/schema/section.h"
#include "format/syntax/suggest.h"
#include "format/syntax/units.h"

namespace tenure::format {
namespace {

constexpr std::size_t kLongestName = 100;
constexpr std::size_t kLongestText = 1'000;
constexpr std::size_t kLongestList = 1'000;

using Kind = Item::Kind;

// Reads the value of one key; every function returns nothing after it has said what is wrong.
class ValueReader {
 public:
  ValueReader(const KeySpec& key, const Item& item, Diagnostics& diagnostics)
      : key_(key), item_(item), diagnostics_(diagnostics) {}

  Value read() const {
    switch (key_.type) {
      case ValueType::boolean: return boolean();
      case ValueType::count:
      case ValueType::ppm: return whole_number();
      case ValueType::fraction: return fraction();
      case ValueType::text: return text(kLongestText);
      case ValueType::name: return name();
      case ValueType::choice: return choice();
      case ValueType::names: return words(false);
      case ValueType::target:
      case ValueType::thresholds: return words(true);
      case ValueType::duration: return duration();
      case ValueType::duration_range: return duration_range();
      case ValueType::ppm_range:
      case ValueType::count_range: return integer_range();
      case ValueType::instant: return instant();
      case ValueType::instants: return instants();
      case ValueType::cron:
      case ValueType::zone: return text(kLongestText);
      case ValueType::quantiles: return quantiles();
      case ValueType::lengths: return item_.kind == Kind::text ? duration_range() : quantiles();
      case ValueType::permanent_id: return permanent_id();
      case ValueType::overlap: return text(kLongestText);
      case ValueType::nth: return nth();
      case ValueType::sweep: return sweep();
      case ValueType::table: return item_.kind == Kind::table ? Value{&item_} : wrong_kind();
      case ValueType::tables: return tables();
    }
    return {};
  }

 private:
  Value complain(std::string message, std::string hint = {}) const {
    diagnostics_.add(item_.place, std::move(message), std::move(hint));
    return {};
  }

  Value wrong_kind() const {
    const bool range = item_.kind == Kind::text && item_.text.find("..") != std::string::npos;
    const std::string_view given = is_not_finite() ? item_.text : range ? "a range" : name_of(item_.kind);
    return complain(fmt::format("`{}` must be {}, not {}", key_.name, wanted(), given), hint_for_kind());
  }

  // TOML has nan and inf, with or without a sign.
  bool is_not_finite() const {
    return item_.kind == Kind::real && item_.text.find_first_of("0123456789") == std::string::npos;
  }

  std::string_view wanted() const {
    switch (key_.type) {
      case ValueType::boolean: return "true or false";
      case ValueType::count: return "a whole number";
      case ValueType::ppm: return "a whole number, of parts per million";
      case ValueType::fraction: return "a number from 0 to 1";
      case ValueType::text:
      case ValueType::name:
      case ValueType::choice:
      case ValueType::cron:
      case ValueType::zone: return "text in quotes";
      case ValueType::names: return "a list of texts";
      case ValueType::duration: return "a duration in quotes";
      case ValueType::duration_range: return "a duration in quotes, or a range of them";
      case ValueType::ppm_range:
      case ValueType::count_range: return "a whole number, or a range in quotes";
      case ValueType::instant: return "an instant in quotes";
      case ValueType::instants: return "a list of instants in quotes";
      case ValueType::quantiles: return "a duration in quotes, or a table of quantiles";
      case ValueType::lengths: return "a duration in quotes, a range of them, or a table of quantiles";
      case ValueType::target: return "a target in quotes, or a list of instances";
      case ValueType::permanent_id: return "an id";
      case ValueType::overlap: return "`forbidden`, `report` or a duration, in quotes";
      case ValueType::nth: return "a whole number, or `all` in quotes";
      case ValueType::thresholds: return "text, or a list of texts";
      case ValueType::sweep: return "a value, a range in quotes, or a list of values";
      case ValueType::table: return "a table";
      case ValueType::tables: return "a list of tables";
    }
    return "left out";
  }

  std::string hint_for_kind() const {
    const bool number = (item_.kind == Kind::integer || item_.kind == Kind::real) && !is_not_finite();
    switch (key_.type) {
      case ValueType::duration:
      case ValueType::duration_range:
      case ValueType::lengths:
      case ValueType::quantiles:
        return number ? fmt::format("write \"{}s\", or with another unit", item_.text)
                      : "like \"15s\", \"200ms\", \"1h30m\"";
      case ValueType::instant: return item_.kind == Kind::date ? "quote it" : "like \"2026-01-01T00:00:00Z\"";
      case ValueType::instants: return "like [\"2026-01-01T00:00:00Z\"]";
      case ValueType::ppm_range: return "like 300 or \"-200..200\"";
      case ValueType::count_range: return "like 3 or \"2..5\"";
      case ValueType::thresholds: return "like \"p90 < 20\"";
      case ValueType::text: return number ? fmt::format("write \"{}\"", item_.text) : std::string{};
      default: return {};
    }
  }

  // A bound of the key's, as a file would say it.
  std::string bound(std::int64_t value) const {
    switch (key_.type) {
      case ValueType::duration:
      case ValueType::duration_range:
      case ValueType::lengths:
      case ValueType::quantiles: return print_duration(Duration::nanos(value));
      case ValueType::fraction: return print_decimal(value, 6);
      default: return fmt::format("{}", value);
    }
  }

  // Reports a value outside the key's range.
  bool within(std::int64_t low, std::int64_t high) const {
    if (key_.min <= low && high <= key_.max) return true;
    const bool no_min = key_.min == INT64_MIN;
    const bool no_max = key_.max == INT64_MAX;
    complain(no_max                 ? fmt::format("`{}` must be at least {}", key_.name, bound(key_.min))
             : no_min               ? fmt::format("`{}` must be at most {}", key_.name, bound(key_.max))
             : key_.min == key_.max ? fmt::format("`{}` must be {}", key_.name, bound(key_.min))
                                    : fmt::format("`{}` must be between {} and {}", key_.name,
                                                  bound(key_.min), bound(key_.max)));
    return false;
  }

  Value boolean() const { return item_.kind == Kind::boolean ? Value{item_.boolean} : wrong_kind(); }

  Value whole_number() const {
    if (item_.kind != Kind::integer) return wrong_kind();
    const Parsed<std::int64_t> number = parse_decimal(item_.text, 0);
    if (!number.value) return complain(number.problem);  // the one integer whose magnitude does not fit
    return within(*number.value, *number.value) ? Value{*number.value} : Value{};
  }

  // Zero stands for all.
  Value nth() const {
    if (item_.kind == Kind::text && item_.text == "all") return std::int64_t{0};
    return whole_number();
  }

  Value fraction() const {
    if (item_.kind != Kind::integer && item_.kind != Kind::real) return wrong_kind();
    const Parsed<std::int64_t> ppm = parse_decimal(item_.text, 6);
    if (!ppm.value) return complain(ppm.problem, "a fraction from 0 to 1");
    return within(*ppm.value, *ppm.value) ? Value{*ppm.value} : Value{};
  }

  Value text(std::size_t limit) const {
    if (item_.kind != Kind::text) return wrong_kind();
    if (item_.text.size() > limit)
      return complain(fmt::format("`{}` is longer than {} bytes", key_.name, limit));
    if (printable(item_.text, limit) != item_.text)
      return complain(fmt::format("`{}` has control characters", key_.name));
    return item_.text;
  }

  Value name() const {
    if (item_.kind != Kind::text) return wrong_kind();
    const auto fits = [](char c) {
      return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') || c == '-' ||
             c == '_' || c == '.';
    };
    if (item_.text.empty() || item_.text.size() > kLongestName ||
        !std::all_of(item_.text.begin(), item_.text.end(), fits))
      return complain(fmt::format("`{}` must be a name: letters, digits, `-`, `_`, `.`", key_.name));
    return item_.text;
  }

  Value choice() const {
    if (item_.kind != Kind::text) return wrong_kind();
    if (std::find(key_.choices.begin(), key_.choices.end(), item_.text) != key_.choices.end())
      return item_.text;
    return complain(
        fmt::format("unknown {} `{}`", key_.name == "on" ? "event" : key_.name, printable(item_.text, 60)),
        suggestion(item_.text, key_.choices));
  }

  // A list of texts; where `one` may do, a text counts as a list of itself.
  Value words(bool one) const {
    std::vector<Word> words;
    if (one && item_.kind == Kind::text) {
      words.push_back({item_.text, item_.place});
      return words;
    }
    if (item_.kind != Kind::list) return wrong_kind();
    if (item_.items.size() > kLongestList)
      return complain(fmt::format("`{}` has more than {} elements", key_.name, kLongestList));
    bool good = true;
    for (const Item& element : item_.items) {
      if (element.kind == Kind::text) {
        words.push_back({element.text, element.place});
      } else {
        if (element.kind != Kind::broken)
          diagnostics_.add(element.place,
                           fmt::format("`{}` must hold text, not {}", key_.name, name_of(element.kind)));
        good = false;
      }
    }
    return good ? Value{std::move(words)} : Value{};
  }

  // As written; what each must be depends on the parameter, and is judged by whoever builds on it.
  Value sweep() const {
    const auto is_value = [](const Item& item) {
      return item.kind == Kind::text || item.kind == Kind::integer || item.kind == Kind::boolean;
    };
    const auto word_of = [](const Item& item) {
      return Word{item.kind == Kind::boolean ? (item.boolean ? "true" : "false") : item.text, item.place};
    };
    if (is_value(item_)) return std::vector<Word>{word_of(item_)};
    if (item_.kind != Kind::list) return wrong_kind();
    if (item_.items.size() > kLongestList)
      return complain(fmt::format("`{}` has more than {} elements", key_.name, kLongestList));
    std::vector<Word> words;
    for (const Item& element : item_.items) {
      if (is_value(element))
        words.push_back(word_of(element));
      else if (element.kind != Kind::broken)
        diagnostics_.add(element.place,
                         fmt::format("`{}` must hold values, not {}", key_.name, name_of(element.kind)));
    }
    return words.size() == item_.items.size() ? Value{std::move(words)} : Value{};
  }

  Value duration() const {
    if (item_.kind != Kind::text) return wrong_kind();
    const Parsed<Duration> parsed = parse_duration(item_.text);
    if (!parsed.value) return complain(parsed.problem, parsed.hint);
    return within(parsed.value->ns(), parsed.value->ns()) ? Value{*parsed.value} : Value{};
  }

  Value duration_range() const {
    if (item_.kind != Kind::text) return wrong_kind();
    const Parsed<sim::Range<Duration>> parsed = parse_duration_range(item_.text);
    if (!parsed.value) return complain(parsed.problem, parsed.hint);
    return within(parsed.value->low.ns(), parsed.value->high.ns()) ? Value{*parsed.value} : Value{};
  }

  Value integer_range() const {
    if (item_.kind != Kind::text && item_.kind != Kind::integer) return wrong_kind();
    const Parsed<sim::Range<std::int64_t>> parsed = parse_integer_range(item_.text);
    if (!parsed.value) return complain(parsed.problem, parsed.hint.empty() ? hint_for_kind() : parsed.hint);
    return within(parsed.value->low, parsed.value->high) ? Value{*parsed.value} : Value{};
  }

  Value instant() const {
    if (item_.kind != Kind::text) return wrong_kind();
    const Parsed<std::int64_t> parsed = parse_instant(item_.text);
    if (!parsed.value) return complain(parsed.problem, parsed.hint);
    return *parsed.value;
  }

  // Each element is an instant; their values are read again by whoever asks for them.
  Value instants() const {
    Value read = words(false);
    const auto* words = std::get_if<std::vector<Word>>(&read);
    if (words == nullptr) return {};
    bool good = true;
    for (const Word& word : *words) {
      const Parsed<std::int64_t> parsed = parse_instant(word.text);
      if (parsed.value) continue;
      diagnostics_.add(word.place, parsed.problem, parsed.hint);
      good = false;
    }
    return good ? std::move(read) : Value{};
  }

  Value permanent_id() const {
    if (item_.kind == Kind::integer) {
      const Parsed<std::int64_t> number = parse_decimal(item_.text, 0);
      if (number.value && *number.value > 0) return static_cast<std::uint64_t>(*number.value);
    }
    if (item_.kind == Kind::text && item_.text.starts_with("0x") && item_.text.size() > 2) {
      std::uint64_t id = 0;
      const char* const end = item_.text.data() + item_.text.size();
      const auto result = std::from_chars(item_.text.data() + 2, end, id, 16);
      if (result.ec == std::errc{} && result.ptr == end && id != 0) return id;
    }
    return complain(fmt::format("`{}` is not an id", key_.name),
                    "a whole number from 1, or \"0x\" and up to 16 digits");
  }

  Value tables() const {
    if (item_.kind == Kind::list && std::all_of(item_.items.begin(), item_.items.end(), [](const Item& i) {
          return i.kind == Kind::table || i.kind == Kind::broken;
        }))
      return &item_;
    const auto odd = std::find_if(item_.items.begin(), item_.items.end(), [](const Item& i) {
      return i.kind != Kind::table && i.kind != Kind::broken;
    });
    if (odd == item_.items.end() || odd->place.override_index < 0)
      return complain(fmt::format("`{}` must be a list of tables", key_.name),
                      fmt::format("write [[{}]]", key_.name));
    diagnostics_.add(odd->place,
                     fmt::format("`{}.{}` must be a table, not {}", key_.name, odd - item_.items.begin() + 1,
                                 name_of(odd->kind)),
                     "set one of its keys, or a whole table in braces");
    return {};
  }

  Value quantiles() const {
    if (item_.kind == Kind::text) {
      const Parsed<Duration> parsed = parse_duration(item_.text);
      if (!parsed.value) return complain(parsed.problem, parsed.hint);
      const std::int64_t low = std::max<std::int64_t>(key_.min, 0);
      KeySpec bounded = key_;
      bounded.min = low;
      bounded.max = std::min(key_.max, kYearNs);
      if (!ValueReader(bounded, item_, diagnostics_).within(parsed.value->ns(), parsed.value->ns()))
        return {};
      return sim::Quantiles::constant(*parsed.value);
    }
    if (item_.kind != Kind::table) return wrong_kind();
    if (item_.find("file") != nullptr) return data();
    const std::size_t before = diagnostics_.count();
    const Section section = read_section(&item_, *key_.section, {}, diagnostics_);
    if (diagnostics_.count() > before || !section.good("p50")) return {};
    return table_of(section);
  }

  Value data() const {
    const std::size_t before = diagnostics_.count();
    const Section section = read_section(&item_, kDataSection, {}, diagnostics_);
    if (diagnostics_.count() > before) return {};
    return DataValue{{section.text("file"), section.text("column"), section.text("unit"),
                      section.text("format"), section.text("take")},
                     {section.place("file"), section.place("column"), section.place("unit"),
                      section.place("format"), section.place("take")}};
  }

  Value table_of(const Section& section) const {
    std::vector<sim::Quantiles::Point> points;
    if (!section.given("min")) points.push_back({0, section.duration("p50") / 2});
    std::string_view last = "min";
    for (const QuantileColumn& column : kQuantileColumns) {
      if (!section.given(column.name)) continue;
      const Duration value = section.duration(column.name);
      if (!points.empty() && value < points.back().value) {
        diagnostics_.add(section.place(column.name),
                         fmt::format("`{}` ({}) is below `{}` ({})", column.name, print_duration(value), last,
                                     print_duration(points.back().value)));
        return {};
      }
      points.push_back({column.at, value});
      last = column.name;
    }
    if (!section.given("max")) points.push_back({sim::Quantiles::kOne, points.back().value});
    if (points.front().value.ns() < key_.min)
      return complain(fmt::format("`{}` can be as short as {}; it must be at least {}", key_.name,
                                  print_duration(points.front().value), bound(key_.min)),
                      "give it a `min`");
    if (points.front().value == points.back().value) return sim::Quantiles::constant(points.front().value);
    return sim::Quantiles::table(std::move(points));
  }

  const KeySpec& key_;
  const Item& item_;
  Diagnostics& diagnostics_;
};

}  // namespace

Value read_value(const KeySpec& key, const Item& item, Diagnostics& diagnostics) {
  if (item.kind == Kind::broken) return {};
  return ValueReader(key, item, diagnostics).read();
}

}  // namespace tenure::format
