// Reads one table of tenured.toml: says what is wrong with it, all of it, each with its place.
//
// A key that is not given, or is wrong, reads as nullopt; if it is wrong, an error says so.
//
// Thread rule: one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/time.h"
#include "format/syntax/document.h"

namespace tenure::daemon {

class TableReader {
 public:
  // `item`: the table; null: it is not there. `title`: "[http]"; empty: the top of the file. REQUIRES: both outlive it.
  TableReader(const format::Item* item, std::string title, format::Diagnostics& diagnostics);

  bool has(std::string_view key) const;
  std::optional<std::string> text(std::string_view key);
  std::optional<bool> flag(std::string_view key);
  std::optional<std::int64_t> whole_number(std::string_view key, std::int64_t min, std::int64_t max);
  std::optional<Duration> duration(std::string_view key, Duration min, Duration max);
  std::optional<std::vector<std::string>> texts(std::string_view key);
  // Its place among the words.
  std::optional<std::size_t> choice(std::string_view key, std::span<const std::string_view> words);
  // null: it is not there.
  const format::Item* table(std::string_view key);
  // [[key]]
  std::vector<const format::Item*> tables(std::string_view key);

  // Of the value; of the table if the key is not given.
  format::Place place(std::string_view key) const;
  // Of an element of a list of texts.
  format::Place place_in(std::string_view key, std::size_t element) const;
  format::Place place() const;
  void complain(std::string_view key, std::string message, std::string hint = {});
  // Complains of keys that nobody asked for.
  void finish();

 private:
  // The value, if it is of the kind; an error, if it is there and is not.
  const format::Item* find(std::string_view key, format::Item::Kind kind, std::string_view wanted);
  const format::Item* item_of(std::string_view key) const;

  const format::Item* item_;
  const std::string title_;
  format::Diagnostics& diagnostics_;
  std::vector<std::string_view> known_;
};

}  // namespace tenure::daemon
