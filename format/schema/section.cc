#include "format/schema/section.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "format/syntax/suggest.h"

namespace tenure::format {
namespace {

std::vector<std::string_view> names_of(std::span<const KeySpec> keys) {
  std::vector<std::string_view> names;
  for (const KeySpec& key : keys) names.push_back(key.name);
  return names;
}

std::string in_section(const SectionSpec& spec) {
  return spec.title == file_spec().title ? std::string("at the top of the file")
                                         : fmt::format("in {}", spec.title);
}

std::string joined(std::span<const std::string_view> names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

// What an unknown key may have been meant to be. Adds to `meant` the key that it stands for, if it is a known one.
std::string hint_for_unknown(std::string_view name, const SectionSpec& spec, std::span<const KeySpec> keys,
                             std::vector<std::string_view>& meant) {
  const std::vector<std::string_view> owners = owners_of(spec.open, name);
  if (!owners.empty()) return "only known to " + joined(owners);
  const std::vector<std::string_view> known = names_of(keys);
  if (const auto best = closest(name, known)) {
    meant.push_back(*best);
    return fmt::format("did you mean `{}`?", *best);
  }
  for (const KeySpec& key : file_spec().keys) {
    if (key.name == name) return fmt::format("`{}` belongs at the top of the file", name);
    if (key.section == nullptr || key.section == &spec) continue;
    const std::vector<std::string_view> theirs = names_of(key.section->keys);
    const bool opens = key.section->open == OpenKeys::protocol || key.section->open == OpenKeys::scheduler;
    const bool declared =
        opens && spec.open == OpenKeys::closed && !owners_of(key.section->open, name).empty();
    if (declared || std::find(theirs.begin(), theirs.end(), name) != theirs.end())
      return fmt::format("`{}` belongs in {}", name, key.section->title);
  }
  return suggestion(name, known);
}

// A default, as the file would have said it.
Item item_of_fallback(const KeySpec& key) {
  Item item;
  item.text = std::string(key.fallback);
  switch (key.type) {
    case ValueType::boolean:
      item.kind = Item::Kind::boolean;
      item.boolean = key.fallback == "true";
      break;
    case ValueType::count:
    case ValueType::nth:
    case ValueType::ppm: item.kind = Item::Kind::integer; break;
    case ValueType::fraction: item.kind = Item::Kind::real; break;
    default: item.kind = Item::Kind::text; break;
  }
  return item;
}

Value value_of_fallback(const KeySpec& key) {
  if (key.fallback.empty()) return {};
  Diagnostics none({}, {}, {});
  Value value = read_value(key, item_of_fallback(key), none);
  CHECK(none.count() == 0, "a default must be a value of its key");
  return value;
}

// What it is for; and where it can say but one thing, that.
std::string hint_for_missing(const KeySpec& spec) {
  if (spec.type != ValueType::count || spec.min != spec.max) return std::string(spec.doc);
  return fmt::format("{}: `{} = {}`", spec.doc, spec.name, spec.min);
}

}  // namespace

const Section::Slot& Section::slot(std::string_view key) const {
  const auto it =
      std::find_if(slots_.begin(), slots_.end(), [&](const Slot& s) { return s.spec.name == key; });
  CHECK(it != slots_.end(), "a key must be in the key table to be read");
  return *it;
}

bool Section::meant(std::string_view key) const {
  return std::find(meant_.begin(), meant_.end(), key) != meant_.end();
}

Section read_section(const Item* item, const SectionSpec& spec, std::span<const KeySpec> more,
                     Diagnostics& diagnostics) {
  Section section;
  section.title_ = spec.title;
  std::vector<KeySpec> keys(spec.keys.begin(), spec.keys.end());
  keys.insert(keys.end(), more.begin(), more.end());
  for (const KeySpec& key : keys) {
    Section::Slot slot;
    slot.spec = key;
    slot.value = value_of_fallback(key);
    section.slots_.push_back(std::move(slot));
  }
  if (item == nullptr) return section;
  if (&spec != &file_spec()) section.place_ = item->place;  // the file as a whole has no line
  if (item->kind == Item::Kind::broken) return section;
  if (item->kind != Item::Kind::table) {
    diagnostics.add(item->place, fmt::format("{} must be a table, not {}", spec.title, name_of(item->kind)));
    return section;
  }

  for (const Entry& entry : item->entries) {
    const auto slot = std::find_if(section.slots_.begin(), section.slots_.end(),
                                   [&](const Section::Slot& s) { return s.spec.name == entry.name; });
    if (slot == section.slots_.end()) {
      if (diagnostics.full()) continue;
      diagnostics.add(entry.place,
                      fmt::format("unknown {} `{}` {}", spec.open == OpenKeys::metrics ? "metric" : "key",
                                  printable(entry.name, 60), in_section(spec)),
                      hint_for_unknown(entry.name, spec, keys, section.meant_));
      continue;
    }
    slot->key_place = entry.place;
    slot->value_place = entry.item.place;
    slot->value = read_value(slot->spec, entry.item, diagnostics);
    const bool good = !std::holds_alternative<std::monostate>(slot->value);
    slot->state = good ? Section::State::good : Section::State::bad;
  }
  for (const Section::Slot& slot : section.slots_) {
    if (!slot.spec.required || slot.state != Section::State::absent) continue;
    if (section.meant(slot.spec.name)) continue;
    if (slot.spec.type == ValueType::table)
      diagnostics.add(section.place_, fmt::format("missing table {}", slot.spec.section->title),
                      std::string(slot.spec.doc));
    else
      diagnostics.add(section.place_, fmt::format("missing key `{}` {}", slot.spec.name, in_section(spec)),
                      hint_for_missing(slot.spec));
  }
  return section;
}

}  // namespace tenure::format
