// The rooms and the arrows between them: as CMakeLists.txt builds them, which is the one list of them, as a table for
// docs/architecture.md, and as the #include lines really go.
//
// Thread rule: values and pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/tidy/source.h"

namespace tenure::tidy {

struct Room {
  std::string name;                    // "store"
  std::string folder;                  // "core/store"
  std::vector<std::string> stands_on;  // rooms by name, as the call lists them
  std::string what_for;
  bool operator==(const Room&) const = default;
};
class Rooms {
 public:
  explicit Rooms(std::vector<Room> rooms) : rooms_(std::move(rooms)) {}
  const Room& at(std::string_view name) const;  // REQUIRES: there is one
  // Whether a room may include another: it stands on it, or on one that may. REQUIRES: the arrows make no circle.
  bool may_include(std::string_view from, std::string_view to) const;
  auto begin() const { return rooms_.begin(); }
  auto end() const { return rooms_.end(); }
  std::size_t size() const { return rooms_.size(); }

 private:
  std::vector<Room> rooms_;  // as CMake lists them
};

// The calls of tenure_room().
Rooms rooms_in_cmake(std::string_view cmake);
// The table of docs/architecture.md.
std::string to_table(const Rooms& rooms);

// The name of the room that `path` is in: the one with the longest folder that fits; empty for none.
std::string room_of(const Rooms& rooms, std::string_view path);

// Includes that follow no arrow.
std::vector<Finding> forbidden_includes(const Rooms& rooms, const Source& source);

// Includes of something that is neither ours nor the standard library's, where it may not be.
std::vector<Finding> foreign_includes(const Source& source);

}  // namespace tenure::tidy
