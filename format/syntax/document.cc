#include "format/syntax/document.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "format/syntax/bytes.h"
#include "format/syntax/units.h"

namespace tenure::format {
namespace {

constexpr int kMaxSyntaxErrors = 20;
constexpr std::size_t kBehind = 400;  // characters of a line kept after the place of an error

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::size_t> starts_of_lines(std::string_view text) {
  std::vector<std::size_t> starts{0};
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\n') starts.push_back(i + 1);
  return starts;
}

std::string_view line_of(std::string_view text, const std::vector<std::size_t>& starts, int line) {
  const auto index = static_cast<std::size_t>(line) - 1;
  if (line < 1 || index >= starts.size()) return {};
  const std::size_t end = index + 1 < starts.size() ? starts[index + 1] - 1 : text.size();
  return text.substr(starts[index], end - starts[index]);
}

// ---- from toml++'s tree to ours --------------------------------------------------------------------------

class Converter {
 public:
  // `flag` is what every place becomes when the text is an override's value.
  Converter(std::string_view text, const std::vector<int>& broken_lines, std::optional<Place> flag)
      : text_(text), starts_(starts_of_lines(text)), broken_lines_(broken_lines), flag_(flag) {}

  Item convert(const toml::node& node) const {
    Item item;
    item.place = place_of(node.source());
    if (node.is_string() && is_broken(item.place)) {
      item.kind = Item::Kind::broken;
    } else if (const auto* table = node.as_table()) {
      for (auto&& [key, value] : *table)
        item.entries.push_back({std::string(key.str()), place_of(key.source()), convert(value)});
      const auto earlier = [](const Entry& a, const Entry& b) {
        return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
      };
      std::stable_sort(item.entries.begin(), item.entries.end(), earlier);
    } else if (const auto* list = node.as_array()) {
      item.kind = Item::Kind::list;
      for (const toml::node& element : *list) item.items.push_back(convert(element));
    } else if (const auto* text = node.as_string()) {
      item.kind = Item::Kind::text;
      item.text = text->get();
    } else if (const auto* boolean = node.as_boolean()) {
      item.kind = Item::Kind::boolean;
      item.boolean = boolean->get();
    } else if (const auto* integer = node.as_integer()) {
      item.kind = Item::Kind::integer;
      item.text = fmt::format("{}", integer->get());
    } else if (node.is_floating_point()) {
      item.kind = Item::Kind::real;
      item.text = slice(node.source());
    } else {
      item.kind = Item::Kind::date;
      item.text = slice(node.source());
    }
    return item;
  }

 private:
  Place place_of(const toml::source_region& region) const {
    if (flag_) return *flag_;
    Place place;
    place.line = static_cast<int>(region.begin.line);
    place.column = static_cast<int>(region.begin.column);
    const int line_length = static_cast<int>(character_count(trimmed_line(place.line)));
    const int end =
        region.end.line == region.begin.line ? static_cast<int>(region.end.column) : line_length + 1;
    place.length = std::max(1, end - place.column);
    return place;
  }

  // The text of a scalar, which never spans lines.
  std::string slice(const toml::source_region& region) const {
    const std::string_view line = line_of(text_, starts_, static_cast<int>(region.begin.line));
    const std::size_t from = byte_of_character(line, region.begin.column - 1);
    const std::size_t to = byte_of_character(line, region.end.column - 1);
    return std::string(trimmed(line.substr(from, to - from)));
  }

  std::string_view trimmed_line(int line) const {
    std::string_view text = line_of(text_, starts_, line);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    return text;
  }

  bool is_broken(const Place& place) const {
    return std::find(broken_lines_.begin(), broken_lines_.end(), place.line) != broken_lines_.end();
  }

  std::string_view text_;
  std::vector<std::size_t> starts_;
  const std::vector<int>& broken_lines_;
  std::optional<Place> flag_;
};

// ---- syntax errors ---------------------------------------------------------------------------------------

// A line `key = value` whose value opens nothing that a later line would have to close.
struct Assignment {
  std::size_t value_at = 0;  // bytes into the line
  std::string_view value;    // without a comment
};

std::optional<Assignment> assignment_on(std::string_view line) {
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos || trimmed(line.substr(0, equals)).empty()) return std::nullopt;
  if (line.substr(0, equals).find_first_of("\"'[]{}#") != std::string_view::npos) return std::nullopt;
  std::string_view value = line.substr(equals + 1);
  if (value.find("\"\"\"") != std::string_view::npos || value.find("'''") != std::string_view::npos)
    return std::nullopt;
  if (value.find_first_of("[]{}\"'") == std::string_view::npos) value = value.substr(0, value.find('#'));
  const auto opens = std::count_if(value.begin(), value.end(), [](char c) { return c == '[' || c == '{'; });
  const auto closes = std::count_if(value.begin(), value.end(), [](char c) { return c == ']' || c == '}'; });
  if (opens != closes) return std::nullopt;
  value = trimmed(value);
  if (value.empty()) return std::nullopt;
  return Assignment{static_cast<std::size_t>(value.data() - line.data()), value};
}

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
}

// The bare word around byte `at` of a line: `15s` in `x = [15s, 1s]`.
std::pair<std::size_t, std::string_view> word_around(std::string_view line, std::size_t at) {
  std::size_t from = std::min(at, line.size());
  while (from > 0 && is_name_character(line[from - 1])) --from;
  std::size_t to = from;
  while (to < line.size() && is_name_character(line[to])) ++to;
  return {from, line.substr(from, to - from)};
}

// What is wrong with the quotes of a value that should be one text; empty when that is not it.
std::string_view quote_missing(std::string_view value) {
  const auto is_quote = [](char c) { return c == '"' || c == '\''; };
  if (value.size() < 2 || value.starts_with("\"\"\"") || value.starts_with("'''")) return {};
  if (is_quote(value.front()) && value.find(value.front(), 1) == std::string_view::npos)
    return "a text without its closing quote";
  const bool plain = std::isalnum(static_cast<unsigned char>(value.front())) != 0;
  if (plain && is_quote(value.back()) && value.find_first_of("\"'") == value.size() - 1)
    return "a text without its opening quote";
  return {};
}

// toml++'s own words, without those that say nothing.
std::string_view words_of(const toml::parse_error& error) {
  std::string_view what = error.description();
  constexpr std::string_view kPrefix = "Error while parsing ";
  if (what.starts_with(kPrefix)) what.remove_prefix(kPrefix.size());
  return what;
}

void report_syntax(const toml::parse_error& error, Diagnostics& diagnostics) {
  Place place;
  place.line = static_cast<int>(error.source().begin.line);
  place.column = static_cast<int>(error.source().begin.column);
  const std::string_view line = diagnostics.line(place.line);
  const std::size_t equals = line.find('=');
  if (equals != std::string_view::npos) {
    const std::string_view value = trimmed(line.substr(equals + 1));
    if (const std::string_view what = quote_missing(value); !what.empty()) {
      place.column = static_cast<int>(character_count(
                         line.substr(0, static_cast<std::size_t>(value.data() - line.data())))) +
                     1;
      place.length = static_cast<int>(character_count(value));
      const bool opened = value.front() == '"' || value.front() == '\'';
      const std::string_view text = opened ? value.substr(1) : value.substr(0, value.size() - 1);
      return diagnostics.add(
          place, std::string(what),
          text.find('#') == std::string_view::npos ? fmt::format("write \"{}\"", text) : "");
    }
  }
  const auto [from, word] =
      word_around(line, byte_of_character(line, static_cast<std::size_t>(place.column) - 1));
  const bool is_value = from > 0 && line.substr(0, from).find('=') != std::string_view::npos && !word.empty();
  if (is_value) {
    const bool duration = parse_duration_range(word).value.has_value();
    const bool text = std::isalpha(static_cast<unsigned char>(word.front())) != 0;
    const bool range = word.find("..") != std::string_view::npos && parse_integer_range(word).value;
    if (duration || text || range) {
      place.column = static_cast<int>(character_count(line.substr(0, from))) + 1;
      place.length = static_cast<int>(word.size());
      diagnostics.add(place,
                      fmt::format("{} without quotes: {}",
                                  duration ? "a duration"
                                  : range  ? "a range"
                                           : "text",
                                  word),
                      fmt::format("write \"{}\"{}", word, range ? ", where a key takes a range" : ""));
      return;
    }
  }
  diagnostics.add(place, fmt::format("not TOML: {}", words_of(error)));
}

// Parses; puts an empty string where a line's value is not TOML, so that the rest can be read.
std::optional<toml::table> parse_patiently(std::string text, std::vector<int>& broken_lines,
                                           Diagnostics& diagnostics) {
  for (int attempt = 0; attempt < kMaxSyntaxErrors; ++attempt) {
    try {
      return toml::parse(std::string_view(text));
    } catch (const toml::parse_error& error) {
      report_syntax(error, diagnostics);
      const int number = static_cast<int>(error.source().begin.line);
      const std::vector<std::size_t> starts = starts_of_lines(text);
      const std::string_view line = line_of(text, starts, number);
      const std::optional<Assignment> assignment = assignment_on(line);
      const bool again = std::find(broken_lines.begin(), broken_lines.end(), number) != broken_lines.end();
      const bool about_value =
          assignment && error.source().begin.column > character_count(line.substr(0, assignment->value_at));
      if (!about_value || again) return std::nullopt;
      broken_lines.push_back(number);
      const std::size_t at = starts[static_cast<std::size_t>(number) - 1] + assignment->value_at;
      text.replace(at, line.size() - assignment->value_at, "\"\"");
    }
  }
  return std::nullopt;
}

// ---- overrides -------------------------------------------------------------------------------------------

// The value of a `--set`: TOML where it is, and bare text where it is not. What begins as a list, a table or a quoted
// text was meant to be one.
Item read_value(const Override& set, const Place& place, Diagnostics& diagnostics) {
  Item text;
  text.kind = Item::Kind::text;
  text.place = place;
  text.text = set.value;
  if (check_lines(set.value) || check_depth(set.value)) return text;
  try {
    const std::string wrapped = "value = " + set.value;
    const toml::table table = toml::parse(std::string_view(wrapped));
    const toml::node* value = table.get("value");
    if (table.size() != 1 || value == nullptr) return text;
    const std::vector<int> none_broken;
    Item item = Converter(wrapped, none_broken, place).convert(*value);
    return item.kind == Item::Kind::date ? text : item;
  } catch (const toml::parse_error& error) {
    constexpr std::string_view kOpen = "[{\"'";
    constexpr std::string_view kClose = "]}\"'";
    const std::string_view value = trimmed(set.value);
    const std::size_t which = value.empty() ? std::string_view::npos : kOpen.find(value.front());
    if (which == std::string_view::npos) return text;
    diagnostics.add(
        place, fmt::format("not TOML: {}", words_of(error)),
        value.size() > 1 && value.back() == kClose[which]
            ? "texts in it need quotes, and commas between them"
            : fmt::format("it begins with `{}` and does not end with `{}`", kOpen[which], kClose[which]));
    text.kind = Item::Kind::broken;
    return text;
  }
}

// The table to put the last segment into, made on the way where it is missing.
Item* descend(Item& from, std::string_view segment, const Place& place) {
  if (from.kind == Item::Kind::list) {
    const Parsed<std::int64_t> number = parse_decimal(segment, 0);
    if (!number.value || *number.value < 1 || *number.value > static_cast<std::int64_t>(from.items.size()))
      return nullptr;
    return &from.items[static_cast<std::size_t>(*number.value) - 1];
  }
  if (from.kind != Item::Kind::table) return nullptr;
  for (Entry& entry : from.entries)
    if (entry.name == segment) return &entry.item;
  Item table;
  table.place = place;
  from.entries.push_back({std::string(segment), place, std::move(table)});
  return &from.entries.back().item;
}

// A segment of a key that leads nowhere in `at`.
void complain_of_segment(std::string_view key, std::string_view segment, const Item& at, const Place& place,
                         Diagnostics& diagnostics) {
  const auto begin = static_cast<std::size_t>(segment.data() - key.data());
  if (at.kind != Item::Kind::list || begin == 0)
    return diagnostics.add(place, fmt::format("there is no `{}` in {}", segment, name_of(at.kind)));
  const std::size_t count = at.items.size();
  diagnostics.add(place, fmt::format("there is no `{}`", key.substr(0, begin + segment.size())),
                  count == 0 ? fmt::format("`{}` has no element", key.substr(0, begin - 1))
                  : count == 1
                      ? fmt::format("`{}` has one element, which is 1", key.substr(0, begin - 1))
                      : fmt::format("`{}` has the elements 1 to {}", key.substr(0, begin - 1), count));
}

void leave_out(Item& from, std::string_view key) {
  const std::string_view segment = key.substr(0, key.find('.'));
  const bool last = segment.size() == key.size();
  if (last) std::erase_if(from.entries, [segment](const Entry& entry) { return entry.name == segment; });
  for (Entry& entry : from.entries)
    if (entry.name == segment) leave_out(entry.item, key.substr(segment.size() + 1));
  for (Item& item : from.items)
    if (segment == "*") leave_out(item, key.substr(segment.size() + 1));
}

void apply(const Override& set, int index, Item& root, Diagnostics& diagnostics) {
  if (set.leaves_out) return leave_out(root, set.key);
  constexpr int kKeyColumn = 7;  // after "--set "
  const int key_length = std::max(1, static_cast<int>(character_count(set.key)));
  const Place key_place{0, kKeyColumn, key_length, index};
  const Place value_place{0, kKeyColumn + key_length + 1,
                          std::max(1, static_cast<int>(character_count(set.value))), index};
  if (check_encoding(set.key + set.value)) return diagnostics.add(key_place, "not UTF-8 text");

  Item* at = &root;
  std::string_view rest = set.key;
  int depth = 0;
  while (true) {
    const std::size_t dot = rest.find('.');
    const std::string_view segment = rest.substr(0, dot);
    if (segment.empty() || ++depth > 8)
      return diagnostics.add(key_place, fmt::format("`{}` is not a key", set.key),
                             "like election.lease_duration=20s");
    Item* next = descend(*at, segment, key_place);
    if (next == nullptr) return complain_of_segment(set.key, segment, *at, key_place, diagnostics);
    at = next;
    if (dot == std::string_view::npos) break;
    rest.remove_prefix(dot + 1);
  }
  *at = read_value(set, value_place, diagnostics);
}

}  // namespace

const Entry* Item::find(std::string_view name) const {
  const auto it =
      std::find_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.name == name; });
  return it == entries.end() ? nullptr : &*it;
}

std::string_view name_of(Item::Kind kind) {
  switch (kind) {
    case Item::Kind::table: return "a table";
    case Item::Kind::list: return "a list";
    case Item::Kind::text: return "text";
    case Item::Kind::integer: return "a whole number";
    case Item::Kind::real: return "a decimal number";
    case Item::Kind::boolean: return "true or false";
    case Item::Kind::date: return "a date or time without quotes";
    case Item::Kind::broken: break;
  }
  return "unreadable";
}

Diagnostics::Diagnostics(std::string_view path, std::string_view text, std::span<const Override> sets)
    : path_(path), text_(text), line_starts_(starts_of_lines(text)) {
  for (const Override& set : sets) flags_.push_back("--set " + set.key + "=" + set.value);
}

std::string_view Diagnostics::line(int line) const { return line_of(text_, line_starts_, line); }

Place Diagnostics::within(const Place& place, std::string_view text, std::size_t at,
                          std::size_t length) const {
  std::string_view written =
      place.override_index >= 0 ? flags_[static_cast<std::size_t>(place.override_index)] : line(place.line);
  written.remove_prefix(byte_of_character(written, static_cast<std::size_t>(std::max(place.column, 1)) - 1));
  written = written.substr(0, byte_of_character(written, static_cast<std::size_t>(place.length)));
  const bool quoted =
      written.size() == text.size() + 2 && (written.front() == '"' || written.front() == '\'');
  if (quoted) written = written.substr(1, text.size());
  if (written != text) return place;
  Place part = place;
  part.column += (quoted ? 1 : 0) + static_cast<int>(character_count(text.substr(0, at)));
  part.length =
      std::max(1, static_cast<int>(character_count(text.substr(std::min(at, text.size()), length))));
  return part;
}

void Diagnostics::add(const Place& place, std::string message, std::string hint, std::string note) {
  if (full()) return;
  Diagnostic d;
  const bool flag = place.override_index >= 0;
  d.where = flag ? flags_[static_cast<std::size_t>(place.override_index)] : path_;
  d.line = place.line;
  d.column = place.column;
  d.length = place.length;
  d.message = std::move(message);
  d.hint = std::move(hint);
  d.note = std::move(note);
  const std::string_view shown = flag ? std::string_view(d.where) : line(place.line);
  d.excerpt = shown.substr(
      0, byte_of_character(shown, static_cast<std::size_t>(std::max(place.column, 0)) + kBehind));
  while (!d.excerpt.empty() && is_space(d.excerpt.back())) d.excerpt.pop_back();
  found_.emplace_back(place.override_index, std::move(d));
}

std::vector<Diagnostic> Diagnostics::take() {
  std::stable_sort(found_.begin(), found_.end(), [](const auto& a, const auto& b) {
    return std::tuple(a.first, a.second.line, a.second.column) <
           std::tuple(b.first, b.second.line, b.second.column);
  });
  std::vector<Diagnostic> result;
  for (auto& [index, d] : found_) {
    const bool repeats = !result.empty() && result.back().where == d.where && result.back().line == d.line &&
                         result.back().column == d.column && result.back().message == d.message;
    if (!repeats) result.push_back(std::move(d));
  }
  found_.clear();
  return result;
}

Item read_document(std::string_view text, std::span<const Override> sets, Diagnostics& diagnostics) {
  Item nothing;
  if (text.size() > kMaxBytes) {
    diagnostics.add(Place{}, fmt::format("more than {} bytes", print_thousands(kMaxBytes)));
    return nothing;
  }
  for (const auto& bad : {check_encoding(text), check_lines(text), check_depth(text)}) {
    if (!bad) continue;
    const std::string_view before = text.substr(0, bad->at);
    const std::size_t line_start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
    Place place;
    place.line = 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
    place.column = 1 + static_cast<int>(character_count(before.substr(line_start)));
    diagnostics.add(place, bad->message, bad->hint);
    return nothing;
  }
  std::vector<int> broken_lines;
  const std::optional<toml::table> table = parse_patiently(std::string(text), broken_lines, diagnostics);
  if (!table) return nothing;
  Item root = Converter(text, broken_lines, std::nullopt).convert(*table);
  for (std::size_t i = 0; i < sets.size(); ++i) apply(sets[i], static_cast<int>(i), root, diagnostics);
  return root;
}

}  // namespace tenure::format
