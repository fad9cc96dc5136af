#include "adapters/lua/chunk.h"

#include <fmt/format.h>

#include <algorithm>
#include <lua.hpp>

#include "adapters/lua/sandbox.h"

namespace tenure::lua {
namespace {

struct Operators {
  int power_line = 0;           // of the first `^`; 0: none
  bool makes_infinity = false;  // it divides by `/`, or has math.huge
  bool divides_whole = false;   // by `//` or `%`
  bool has_fractions = false;   // 0.5 or 1e3, or text that is made a number
};

// Goes past a long bracket, [[…]] or [==[…]==], that begins at `at`. npos: none begins there.
std::size_t past_bracket(std::string_view text, std::size_t at) {
  const std::size_t second = text.find_first_not_of('=', at + 1);
  if (text[at] != '[' || second == std::string_view::npos || text[second] != '[')
    return std::string_view::npos;
  const std::string close = "]" + std::string(second - at - 1, '=') + "]";
  return text.find(close, second) + close.size();
}

std::size_t past_quotes(std::string_view text, std::size_t at) {
  const char quote = text[at];
  for (++at; text[at] != quote; ++at)
    if (text[at] == '\\') ++at;
  return at + 1;
}

std::size_t past_comment(std::string_view text, std::size_t at) {
  if (at + 2 < text.size())
    if (const std::size_t end = past_bracket(text, at + 2); end != std::string_view::npos) return end;
  return std::min(text.find('\n', at), text.size());
}

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kOfNames = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

// A number, whole or not, that begins at `at`.
std::string_view number_at(std::string_view text, std::size_t at) {
  const std::size_t end = text.find_first_not_of("0123456789abcdefABCDEFxXpP.", at);
  return text.substr(at, end - at);
}

bool is_fraction(std::string_view number) {
  const bool hexadecimal = number.starts_with("0x") || number.starts_with("0X");
  constexpr std::size_t kMostDigits = 18;  // more are no whole number
  return number.find_first_of(hexadecimal ? ".pP" : ".eE") != std::string_view::npos ||
         number.size() > kMostDigits;
}

// The operators outside comments and texts. REQUIRES: it is a program of Lua.
Operators operators_of(std::string_view text) {
  Operators found;
  found.makes_infinity = text.find("huge") != std::string_view::npos;
  found.has_fractions = text.find("tonumber") != std::string_view::npos;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '-' && text.substr(at).starts_with("--")) {
      at = past_comment(text, at);
    } else if (c == '"' || c == '\'') {
      at = past_quotes(text, at);
    } else if (const std::size_t end = past_bracket(text, at); end != std::string_view::npos) {
      at = end;
    } else if (kDigits.find(c) != std::string_view::npos) {
      const std::string_view number = number_at(text, at);
      found.has_fractions = found.has_fractions || is_fraction(number);
      at += number.size();
    } else if (kOfNames.find(c) != std::string_view::npos) {
      at = std::min(text.find_first_not_of(kOfNames, at), text.size());
    } else if (text.substr(at).starts_with("//")) {
      found.divides_whole = true;
      at += 2;
    } else {
      if (c == '/') found.makes_infinity = true;
      if (c == '%') found.divides_whole = true;
      if (c == '.' && at + 1 < text.size() && kDigits.find(text[at + 1]) != std::string_view::npos)
        found.has_fractions = true;
      if (c == '^' && found.power_line == 0)
        found.power_line = 1 + static_cast<int>(std::count(
                                   text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
      ++at;
    }
  }
  return found;
}

// Whole numbers and durations have no results that are no number: their division by zero is an error.
bool may_make_none(const Operators& operators) {
  return operators.makes_infinity || (operators.divides_whole && operators.has_fractions);
}

}  // namespace

std::string compile(lua_State* state, std::string_view text, const std::string& name, Chunk& chunk) {
  const std::string place = "@" + name;
  if (luaL_loadbufferx(state, text.data(), text.size(), place.c_str(), "t") != LUA_OK) {
    std::string problem = lua_tostring(state, -1);
    lua_pop(state, 1);
    return problem;
  }
  const Operators operators = operators_of(text);
  if (operators.power_line > 0)
    return fmt::format(
        "{}:{}: a design has no `^`: its results differ from machine to machine; x * x is exact, and "
        "1 << n is a power of two",
        name, operators.power_line);
  chunk = {name, {}, may_make_none(operators)};
  const auto append = [](lua_State*, const void* part, std::size_t size, void* to) {
    static_cast<std::string*>(to)->append(static_cast<const char*>(part), size);
    return 0;
  };
  lua_dump(state, append, &chunk.bytes, 0);
  if (chunk.watched) Sandbox::of(state).watch_lines(state, chunk.name);
  return {};
}

void load(lua_State* state, const Chunk& chunk) {
  const std::string place = "@" + chunk.name;
  if (luaL_loadbufferx(state, chunk.bytes.data(), chunk.bytes.size(), place.c_str(), "b") != LUA_OK)
    lua_error(state);
  if (chunk.watched) Sandbox::of(state).watch_lines(state, chunk.name);
}

}  // namespace tenure::lua
