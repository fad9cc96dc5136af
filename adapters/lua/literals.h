// The texts that stand in a file of Lua: its string literals, with the lines on which they begin.
//
// Thread rule: a pure function.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tenure::lua {

struct Literal {
  int line = 1;
  std::string text;  // escapes stand as they are written, but for quotation marks
};

// REQUIRES: the file compiles.
std::vector<Literal> literals_of(std::string_view source);

}  // namespace tenure::lua
