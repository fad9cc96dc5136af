// The rooms and the arrows between them: as docs/architecture.md draws them, as CMakeLists.txt builds them,
// and as the #include lines really go.
//
// Thread rule: values and pure functions.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/tidy/source.h"

namespace tenure::tidy {

struct Room {
  std::string folder;                 // "core/store"
  std::set<std::string> may_include;  // rooms by name, besides itself
  bool operator==(const Room&) const = default;
};
using Rooms = std::map<std::string, Room>;  // by name: "store"

// The table under the heading `## Rooms and arrows` of docs/architecture.md.
Rooms rooms_in_page(std::string_view markdown);
// The calls of tenure_room().
Rooms rooms_in_cmake(std::string_view cmake);

// The name of the room that `path` is in: the one with the longest folder that fits; empty for none.
std::string room_of(const Rooms& rooms, std::string_view path);

// Includes that follow no arrow.
std::vector<Finding> forbidden_includes(const Rooms& rooms, const Source& source);

// Includes of something that is neither ours nor the standard library's, where it may not be.
std::vector<Finding> foreign_includes(const Source& source);

}  // namespace tenure::tidy
