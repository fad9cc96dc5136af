#include "adapters/lua/sandbox.h"

#include <fmt/format.h>

#include <algorithm>
#include <cfenv>
#include <cstdlib>
#include <cstring>
#include <lua.hpp>
#include <new>
#include <string>

#include "adapters/lua/library.h"

namespace tenure::lua {
namespace {

constexpr int kInstructionsACount = 1'000;

// The size of a block's room: one that grows within it stays where it is.
constexpr std::size_t room_for(std::size_t size) {
  constexpr std::size_t kStep = 16;
  return (size + kStep - 1) / kStep * kStep;
}

}  // namespace

int sandboxed_pcall(lua_State* state) {
  luaL_checkany(state, 1);
  const auto finish = [](lua_State* of, int status, lua_KContext) -> int {
    if (status == LUA_ERRMEM) Sandbox::of(of).exhausted_ = true;
    if (Sandbox::of(of).exhausted()) return lua_error(of);
    const bool good = status == LUA_OK || status == LUA_YIELD;
    lua_pushboolean(of, good);
    lua_replace(of, 1);
    if (good) return lua_gettop(of);
    lua_pushboolean(of, 0);
    lua_pushvalue(of, -2);
    return 2;
  };
  // Below the function: room for whether it was good.
  lua_pushboolean(state, 1);
  lua_insert(state, 1);
  return finish(state, lua_pcallk(state, lua_gettop(state) - 2, LUA_MULTRET, 0, 0, finish), 0);
}

Sandbox::Sandbox(const Limits& limits) : limits_(limits) {
  state_ = lua_newstate(allocate, this);
  if (state_ == nullptr) std::abort();  // not even the empty state: the machine's memory is gone
  lua_State* const state = state_;
  open_library(state);
  lua_sethook(state, hook, LUA_MASKCOUNT, kInstructionsACount);
}

// The state is not closed: nothing of it has an end of its own (no __gc, no __close), and the pool has all its memory.
Sandbox::~Sandbox() = default;

void Sandbox::begin_step() {
  if (made_no_number()) std::feclearexcept(FE_INVALID);  // by somebody else
  instructions_ = 0;
  allocated_ = 0;
}

Sandbox& Sandbox::of(lua_State* state) {
  void* self = nullptr;
  lua_getallocf(state, &self);
  return *static_cast<Sandbox*>(self);
}

std::string Sandbox::memory_problem() const {
  const std::size_t bound = allocates_too_much_ ? limits_.allocated_a_step : limits_.memory;
  return fmt::format("not enough memory: a {} has {} MB", allocates_too_much_ ? "step" : "process",
                     bound >> 20U);
}

void* Sandbox::allocate(void* self, void* block, std::size_t old_size, std::size_t size) {
  auto& sandbox = *static_cast<Sandbox*>(self);
  const std::size_t held = block != nullptr ? old_size : 0;  // for a new block, old_size is its kind
  if (size == 0) {
    sandbox.memory_ -= held;
    if (block != nullptr) sandbox.pool_.deallocate(block, room_for(old_size));
    return nullptr;
  }
  if (size > held) {
    // Lua collects its garbage and asks again: no failure yet.
    if (sandbox.bounded_ && sandbox.memory_ - held + size > sandbox.limits_.memory) return nullptr;
    sandbox.allocated_ += size - held;
    if (sandbox.bounded_ && sandbox.allocated_ > sandbox.limits_.allocated_a_step) {
      sandbox.allocates_too_much_ = true;
      sandbox.exhausted_ = true;
      return nullptr;
    }
  }
  sandbox.memory_ = sandbox.memory_ - held + size;
  if (block != nullptr && room_for(old_size) == room_for(size)) return block;
  void* moved = nullptr;
  try {
    moved = sandbox.pool_.allocate(room_for(size));
  } catch (const std::bad_alloc&) {
    sandbox.memory_ = sandbox.memory_ - size + held;
    return nullptr;
  }
  if (block != nullptr) {
    std::memcpy(moved, block, std::min(old_size, size));
    sandbox.pool_.deallocate(block, room_for(old_size));
  }
  return moved;
}

void Sandbox::hook(lua_State* state, lua_Debug* at) {
  Sandbox& self = of(state);
  if (made_no_number()) self.refuse_no_number(state);
  if (at->event == LUA_HOOKCOUNT) return self.charge(state, kInstructionsACount);
  lua_getinfo(state, "S", at);
  if (*self.watched_ != at->source + 1) return;  // after the "@" of a file
  self.line_ = at->currentline;
  self.line_of_ = state;
}

void Sandbox::watch_lines(lua_State* state, const std::string& name) {
  watched_ = &name;
  lua_sethook(state, hook, LUA_MASKCOUNT | LUA_MASKLINE, kInstructionsACount);
}

// The machine's own flag of an operation whose result is no number: no instruction of Lua can be made to tell.
bool Sandbox::made_no_number() { return std::fetestexcept(FE_INVALID) != 0; }

std::string Sandbox::about_no_number(lua_State* state) const {
  std::string place;
  if (line_of_ == state) {
    place = *watched_ + ":" + std::to_string(line_) + ": ";
  } else {
    luaL_where(state, 0);
    place = lua_tostring(state, -1);
    lua_pop(state, 1);
  }
  return place + "a result that is no number (0/0, or inf - inf), whose text differs from machine to machine";
}

void Sandbox::refuse_no_number(lua_State* state) {
  exhausted_ = true;
  lua_pushstring(state, about_no_number(state).c_str());
  lua_error(state);
  __builtin_unreachable();
}

void Sandbox::end() {
  bounded_ = false;
  exhausted_ = false;
}

void Sandbox::charge(lua_State* state, std::uint64_t instructions) {
  instructions_ += instructions;
  if (instructions_ < limits_.instructions_a_step && !exhausted_) return;
  exhausted_ = true;
  luaL_where(state, 0);                                  // in a hook, that is what runs
  if (lua_rawlen(state, -1) == 0) luaL_where(state, 1);  // in a function in C, who called it
  lua_pushfstring(state, "%sa step of more than %I instructions: is there a loop that does not wait?",
                  lua_tostring(state, -1), static_cast<lua_Integer>(limits_.instructions_a_step));
  lua_error(state);
}

}  // namespace tenure::lua
