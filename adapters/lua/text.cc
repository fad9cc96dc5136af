#include "adapters/lua/text.h"

#include <lua.hpp>

namespace tenure::lua {

bool shows_an_address(lua_State* state, int index) {
  switch (lua_type(state, index)) {
    case LUA_TTABLE:
    case LUA_TFUNCTION:
    case LUA_TTHREAD:
    case LUA_TUSERDATA:
    case LUA_TLIGHTUSERDATA: break;
    default: return false;
  }
  if (luaL_getmetafield(state, index, "__tostring") == LUA_TNIL) return true;
  lua_pop(state, 1);
  return false;
}

std::string plain_text(lua_State* state, int index) {
  if (lua_islightuserdata(state, index)) return "null";
  if (shows_an_address(state, index)) return luaL_typename(state, index);
  std::size_t length = 0;
  const char* const text = luaL_tolstring(state, index, &length);
  std::string copy(text, length);
  lua_pop(state, 1);
  return copy;
}

}  // namespace tenure::lua
