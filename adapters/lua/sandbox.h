// A Lua state that does the same each time, and that ends.
//
// What it lacks: io, os, debug, package, coroutine, load, collectgarbage, math.random, the functions of fractions in
// math, `^`, string.dump; pattern matching (Lua's own runs for minutes on a line of text); finalizers, weak tables and
// to-be-closed variables. What it does otherwise: pairs() goes in order of the keys; table.sort is stable; a table is
// "table" as text, without an address; a result that is no number ends the program, like a bound. Memory and the
// instructions of a step are bounded, and a bound that was reached stays so: pcall() gives no way around it. What takes
// long in one instruction counts as many.
//
// Thread rule: one sandbox belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <string>

struct lua_State;
struct lua_Debug;

namespace tenure::lua {

struct Limits {
  std::size_t memory = 16U << 20;                  // bytes
  std::uint64_t instructions_a_step = 10'000'000;  // about a tenth of a second
  std::size_t allocated_a_step = 512U << 20;       // bytes, of which most are free again
};

// pcall() of a design: what ran into a bound goes on failing.
int sandboxed_pcall(lua_State* state);

class Sandbox {
 public:
  explicit Sandbox(const Limits& limits = {});
  ~Sandbox();
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;

  lua_State* state() const { return state_; }
  // A step begins: its instructions are counted from zero.
  void begin_step();
  // Whether a bound was reached; the state is of no use any more.
  bool exhausted() const { return exhausted_; }
  // The program is over: what tells its end may take more.
  void end();
  std::size_t memory() const { return memory_; }
  // Which bound it was, when Lua says no more than "not enough memory".
  std::string memory_problem() const;
  // What a function in C does counts as so many instructions. Raises a Lua error when that is too many.
  void charge(lua_State* state, std::uint64_t instructions);

  // In this state and its coroutines: which line it is that makes no number of two. `name`: of the file, whose text
  // outlives the state.
  void watch_lines(lua_State* state, const std::string& name);
  // Something has, since the step began.
  static bool made_no_number();
  // That, for people.
  std::string about_no_number(lua_State* state) const;
  // Raises it as an error.
  void check_numbers(lua_State* state) {
    if (made_no_number()) refuse_no_number(state);
  }

  // The sandbox of this state, or of the main state of this coroutine.
  static Sandbox& of(lua_State* state);

 private:
  friend int sandboxed_pcall(lua_State* state);
  static void* allocate(void* self, void* block, std::size_t old_size, std::size_t size);
  static void hook(lua_State* state, lua_Debug* at);
  [[noreturn]] void refuse_no_number(lua_State* state);

  Limits limits_;
  // A life of a design's process has about 400 blocks, and most lives are short: taking a block costs a step in a list,
  // and the end of a life nothing for each of them.
  std::pmr::unsynchronized_pool_resource pool_;
  std::size_t memory_ = 0;
  std::size_t allocated_ = 0;  // in this step
  std::uint64_t instructions_ = 0;
  bool exhausted_ = false;
  bool allocates_too_much_ = false;       // in one step
  bool bounded_ = true;                   // in memory
  const std::string* watched_ = nullptr;  // the name of the file whose lines are watched
  int line_ = 0;                          // of it, the last that began …
  const lua_State* line_of_ = nullptr;    // … and in which coroutine
  lua_State* state_ = nullptr;
};

}  // namespace tenure::lua
