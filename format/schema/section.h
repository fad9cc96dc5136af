// Reads one table of a scenario by the key table: checks that every key is known and that every value has its type and
// range.
//
// Reading never stops at an error: the error is reported, and its key is then not `good`. Callers ask good() before
// they use a value, so one mistake is reported once.
//
// Thread rule: values.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "format/schema/keys.h"
#include "format/syntax/document.h"
#include "sim/scenario/data_files.h"
#include "sim/scenario/scenario.h"

namespace tenure::format {

// A text with its place: an element of a list of names.
struct Word {
  std::string text;
  Place place;
};

// A file of measurements instead of a value, and the places of its keys. The build reads it (build.h).
struct DataValue {
  sim::DataSource source;
  std::array<Place, 5> places;  // by DataProblem::Of
};

// What a key holds; by its type, see value_of() in section.cc.
using Value = std::variant<std::monostate, bool, std::int64_t, std::uint64_t, Duration, sim::Range<Duration>,
                           sim::Range<std::int64_t>, std::string, std::vector<Word>, sim::Quantiles,
                           DataValue, const Item*>;

class Section {
 public:
  // The key is in the file (or in an override), right or wrong.
  bool given(std::string_view key) const { return slot(key).state != State::absent; }
  // There is a value: a good one, or the default.
  bool good(std::string_view key) const {
    return !std::holds_alternative<std::monostate>(slot(key).value) && slot(key).state != State::bad;
  }

  // The value, or zero when there is no good one. REQUIRES: the key is declared with this type.
  bool flag(std::string_view key) const { return get<bool>(key); }
  std::int64_t number(std::string_view key) const { return get<std::int64_t>(key); }
  std::uint64_t id(std::string_view key) const { return get<std::uint64_t>(key); }
  Duration duration(std::string_view key) const { return get<Duration>(key); }
  sim::Range<Duration> durations(std::string_view key) const { return get<sim::Range<Duration>>(key); }
  sim::Range<std::int64_t> numbers(std::string_view key) const { return get<sim::Range<std::int64_t>>(key); }
  std::string text(std::string_view key) const { return get<std::string>(key); }
  std::vector<Word> words(std::string_view key) const { return get<std::vector<Word>>(key); }
  // For a value from a file of measurements use quantiles_of (build.h).
  sim::Quantiles quantiles(std::string_view key) const { return get<sim::Quantiles>(key); }
  const Value& value(std::string_view key) const { return slot(key).value; }
  // table, tables: the item in the file, or nullptr.
  const Item* item(std::string_view key) const { return get<const Item*>(key); }

  // The place of the value; of the section when the key is not given.
  Place place(std::string_view key) const { return given(key) ? slot(key).value_place : place_; }
  Place key_place(std::string_view key) const { return given(key) ? slot(key).key_place : place_; }
  Place place() const { return place_; }
  // The key is there, but misspelt: an error has been reported already.
  bool meant(std::string_view key) const;
  const KeySpec& spec(std::string_view key) const { return slot(key).spec; }
  // As errors name the section: "[[schedule]]".
  std::string_view title() const { return title_; }

 private:
  friend Section read_section(const Item*, const SectionSpec&, std::span<const KeySpec>, Diagnostics&);

  enum class State : std::uint8_t { absent, good, bad };
  struct Slot {
    KeySpec spec;
    State state = State::absent;
    Value value;
    Place key_place;
    Place value_place;
  };
  const Slot& slot(std::string_view key) const;
  template <class T>
  T get(std::string_view key) const {
    const T* value = std::get_if<T>(&slot(key).value);
    return value == nullptr ? T{} : *value;
  }

  std::string_view title_;
  Place place_;
  std::vector<std::string_view> meant_;  // of the key table
  std::vector<Slot> slots_;
};

// Reads `item` (nullptr: the table is not there, so all is default) by the keys of `spec` and `more`.
Section read_section(const Item* item, const SectionSpec& spec, std::span<const KeySpec> more,
                     Diagnostics& diagnostics);

// Reads one value; monostate, and an error, when it does not fit the key.
Value read_value(const KeySpec& key, const Item& item, Diagnostics& diagnostics);

}  // namespace tenure::format
