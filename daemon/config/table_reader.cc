#include "daemon/config/table_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "format/syntax/suggest.h"
#include "format/syntax/units.h"

namespace tenure::daemon {

using format::Item;

TableReader::TableReader(const Item* item, std::string title, format::Diagnostics& diagnostics)
    : item_(item), title_(std::move(title)), diagnostics_(diagnostics) {
  if (item_ == nullptr || item_->kind == Item::Kind::table) return;
  if (item_->kind != Item::Kind::broken)
    diagnostics_.add(item_->place, fmt::format("{} must be a table, not {}", title_, name_of(item_->kind)));
  item_ = nullptr;
}

const Item* TableReader::item_of(std::string_view key) const {
  const format::Entry* entry = item_ == nullptr ? nullptr : item_->find(key);
  return entry == nullptr ? nullptr : &entry->item;
}

bool TableReader::has(std::string_view key) const { return item_of(key) != nullptr; }

format::Place TableReader::place() const {
  return item_ == nullptr || title_.empty() ? format::Place{} : item_->place;
}

format::Place TableReader::place(std::string_view key) const {
  const Item* item = item_of(key);
  return item == nullptr ? place() : item->place;
}

format::Place TableReader::place_in(std::string_view key, std::size_t element) const {
  const Item* item = item_of(key);
  return item != nullptr && element < item->items.size() ? item->items[element].place : place(key);
}

void TableReader::complain(std::string_view key, std::string message, std::string hint) {
  diagnostics_.add(place(key), std::move(message), std::move(hint));
}

const Item* TableReader::find(std::string_view key, Item::Kind kind, std::string_view wanted) {
  known_.push_back(key);
  const Item* item = item_of(key);
  if (item == nullptr || item->kind == kind) return item;
  if (item->kind != Item::Kind::broken)
    complain(key, fmt::format("`{}` must be {}, not {}", key, wanted, name_of(item->kind)));
  return nullptr;
}

std::optional<std::string> TableReader::text(std::string_view key) {
  const Item* item = find(key, Item::Kind::text, "a text in quotes");
  return item == nullptr ? std::nullopt : std::optional(item->text);
}

std::optional<bool> TableReader::flag(std::string_view key) {
  const Item* item = find(key, Item::Kind::boolean, "true or false");
  return item == nullptr ? std::nullopt : std::optional(item->boolean);
}

std::optional<std::int64_t> TableReader::whole_number(std::string_view key, std::int64_t min,
                                                      std::int64_t max) {
  const Item* item = find(key, Item::Kind::integer, "a whole number");
  if (item == nullptr) return std::nullopt;
  std::string digits = item->text;
  std::erase(digits, '_');
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc{} && end == digits.data() + digits.size() && value >= min && value <= max)
    return value;
  complain(key, max == INT64_MAX ? fmt::format("`{}` must be at least {}", key, min)
                                 : fmt::format("`{}` must be from {} to {}", key, min, max));
  return std::nullopt;
}

std::optional<Duration> TableReader::duration(std::string_view key, Duration min, Duration max) {
  const Item* item = find(key, Item::Kind::text, "a duration like \"5s\"");
  if (item == nullptr) return std::nullopt;
  const Parsed<Duration> parsed = parse_duration(item->text);
  if (!parsed.value) {
    complain(key, parsed.problem, parsed.hint);
  } else if (*parsed.value < min || *parsed.value > max) {
    complain(key, max == Duration::max() ? fmt::format("`{}` must be at least {}", key, print_duration(min))
                                         : fmt::format("`{}` must be from {} to {}", key, print_duration(min),
                                                       print_duration(max)));
  } else {
    return parsed.value;
  }
  return std::nullopt;
}

std::optional<std::vector<std::string>> TableReader::texts(std::string_view key) {
  const Item* item = find(key, Item::Kind::list, "a list of texts");
  if (item == nullptr) return std::nullopt;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < item->items.size(); ++i) {
    const Item& element = item->items[i];
    if (element.kind == Item::Kind::text)
      texts.push_back(element.text);
    else if (element.kind != Item::Kind::broken)
      diagnostics_.add(element.place,
                       fmt::format("`{}` must be a list of texts, and has {}", key, name_of(element.kind)));
  }
  return texts.size() == item->items.size() ? std::optional(std::move(texts)) : std::nullopt;
}

std::optional<std::size_t> TableReader::choice(std::string_view key,
                                               std::span<const std::string_view> words) {
  const auto given = text(key);
  if (!given) return std::nullopt;
  const auto found = std::find(words.begin(), words.end(), *given);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  complain(key, fmt::format("`{}` is not known", format::printable(*given, 60)),
           format::suggestion(*given, words));
  return std::nullopt;
}

const Item* TableReader::table(std::string_view key) {
  return find(key, Item::Kind::table, fmt::format("a table: [{}]", key));
}

std::vector<const Item*> TableReader::tables(std::string_view key) {
  std::vector<const Item*> tables;
  const Item* item = find(key, Item::Kind::list, fmt::format("a list of tables: [[{}]]", key));
  if (item == nullptr) return tables;
  for (const Item& element : item->items) tables.push_back(&element);
  return tables;
}

void TableReader::finish() {
  if (item_ == nullptr) return;
  for (const format::Entry& entry : item_->entries) {
    if (std::find(known_.begin(), known_.end(), entry.name) != known_.end()) continue;
    diagnostics_.add(entry.place,
                     fmt::format("unknown key `{}` {}", format::printable(entry.name, 60),
                                 title_.empty() ? std::string("at the top of the file") : "in " + title_),
                     format::suggestion(entry.name, known_));
  }
}

}  // namespace tenure::daemon
