// A TOML file as a small tree with places, and with the overrides of the command line applied.
//
// The rest of the room works on this tree. So only one file uses toml++, numbers keep their text (units.h reads them
// exactly), and every error has its place. Any bytes are safe to read: size, depth, NUL and UTF-8 are checked before
// toml++ sees them.
//
// Thread rule: values; Diagnostics belongs to one thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "format/syntax/diagnostic.h"

namespace tenure::format {

// `--set key=value`: a dotted key, its elements of lists counted from 1 (`fault.2.duration`), and a TOML
// value or bare text.
struct Override {
  std::string key;
  std::string value;
  // In place of a value: the key is taken out, if it is there. `*` stands for every element of a list.
  bool leaves_out = false;
};

// A place in the file, or in an override.
struct Place {
  int line = 0;
  int column = 0;
  int length = 1;
  int override_index = -1;
};

struct Entry;

struct Item {
  enum class Kind : std::uint8_t {
    table,
    list,
    text,
    integer,
    real,
    boolean,
    date,    // TOML's own dates and times, which scenarios do not use
    broken,  // could not be read; an error says so already
  };
  Kind kind = Kind::table;
  Place place;
  std::string text;  // text: the string; integer, real: as written
  bool boolean = false;
  std::vector<Item> items;     // list
  std::vector<Entry> entries;  // table, in the order of the file

  const Entry* find(std::string_view name) const;
};

struct Entry {
  std::string name;
  Place place;  // of the name
  Item item;
};

// Collects errors and gives each its place in the text.
class Diagnostics {
 public:
  Diagnostics(std::string_view path, std::string_view text, std::span<const Override> sets);

  void add(const Place& place, std::string message, std::string hint = {}, std::string note = {});
  std::size_t count() const { return found_.size(); }
  // True when there are enough errors: further ones are dropped, so their hints need not be computed.
  bool full() const { return found_.size() >= kMaxErrors; }
  // In the order of the file, then of the overrides; each once.
  std::vector<Diagnostic> take();

  // A part of the text at `place`, in bytes of its value; the whole text if it is written with escapes.
  Place within(const Place& place, std::string_view text, std::size_t at, std::size_t length) const;

  // Line `line` (from 1) of the file.
  std::string_view line(int line) const;
  std::string_view path() const { return path_; }

 private:
  static constexpr std::size_t kMaxErrors = 200;

  std::string path_;
  std::string_view text_;
  std::vector<std::size_t> line_starts_;
  std::vector<std::string> flags_;
  std::vector<std::pair<int, Diagnostic>> found_;  // with the override's index, -1 for the file
};

inline constexpr std::size_t kMaxBytes = 1'000'000;

// Reads as much as it can: values that are not TOML are reported and left as `broken`. If nothing can be read, it
// returns an empty table and at least one error.
Item read_document(std::string_view text, std::span<const Override> sets, Diagnostics& diagnostics);

// "a table", "text", "a whole number", …
std::string_view name_of(Item::Kind kind);

}  // namespace tenure::format
