// A file of Lua, compiled once and loaded into the state of each life.
//
// Thread rule: values; functions belong to the thread of the lua_State.
#pragma once

#include <string>
#include <string_view>

struct lua_State;

namespace tenure::lua {

struct Chunk {
  std::string name;   // of the file, for messages
  std::string bytes;  // compiled, with the places in the file
  bool watched =
      false;  // each line, since somewhere in it a number may become none (0/0); that makes it slow
};

// Compiles `text` and leaves the function on the stack. Returns what is wrong with it, as Lua says it
// ("my-lease.lua:3: …"); empty: it is good, and `chunk` has it.
std::string compile(lua_State* state, std::string_view text, const std::string& name, Chunk& chunk);
// Leaves the function on the stack. REQUIRES: compile() made the chunk; it outlives the state.
void load(lua_State* state, const Chunk& chunk);

}  // namespace tenure::lua
