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
  TableReader(const sim::Item* item, std::string title, sim::Diagnostics& diagnostics);

  bool has(std::string_view key) const;
  std::optional<std::string> text(std::string_view key);
  std::optional<bool> flag(std::string_view key);
  std::optional<std::int64_t> whole_number(std::string_view key, std::int64_t min, std::int64_t max);
  std::optional<Duration> duration(std::string_view key, Duration min, Duration max);
  std::optional<std::vector<std::string>> texts(std::string_view key);
  // Its place among the words.
  std::optional<std::size_t> choice(std::string_view key, std::span<const std::string_view> words);
  // null: it is not there.
  const sim::Item* table(std::string_view key);
  // [[key]]
  std::vector<const sim::Item*> tables(std::string_view key);

  // Of the value; of the table if the key is not given.
  sim::Place place(std::string_view key) const;
  // Of an element of a list of texts.
  sim::Place place_in(std::string_view key, std::size_t element) const;
  sim::Place place() const;
  void complain(std::string_view key, std::string message, std::string hint = {});
  // Complains of keys that nobody asked for.
  void finish();

 private:
  // The value, if it is of the kind; an error, if it is there and is not.
  const sim::Item* find(std::string_view key, sim::Item::Kind kind, std::string_view wanted);
  const sim::Item* item_of(std::string_view key) const;

  const sim::Item* item_;
  const std::string title_;
  sim::Diagnostics& diagnostics_;
  std::vector<std::string_view> known_;
};

}  // namespace tenure::daemon
