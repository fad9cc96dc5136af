// A stack for one task of a program in Lua: a wait is a switch to the stack of whoever runs the program.
//
// Lua's own way, lua_yield, leaves what waits by a C++ exception. For a program that waits often that is more than half
// of its time. So a task keeps its stack while it waits. To Lua it looks like a coroutine that runs another one.
//
//   1. What waits is not always gone on with: a task may be cancelled, and its life may end. Then its stack is used
//      again as it is. So nothing on it may have an end of its own (a destructor) while it waits.
//   2. No exception leaves a body.
//   3. A result that was no number (FE_INVALID) stays known over a switch.
//
// Sanitizers do not follow such switches. Under them kTasksHaveStacks is false, and tasks yield.
//
// The switch is Boost.Context's innermost one. Its fiber would unwind a stack that is dropped by an exception, which a
// program's pcall() takes for an error of its own. swapcontext(3) asks the kernel for a signal mask each time: that
// took a third of the time of programs that wait much.
//
// Thread rule: one stack belongs to one thread.
#pragma once

namespace tenure::lua {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kTasksHaveStacks = false;
#elif defined(__has_feature)
inline constexpr bool kTasksHaveStacks =
    !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer);
#else
inline constexpr bool kTasksHaveStacks = true;
#endif

class TaskStack {
 public:
  using Body = void (*)(void* argument);

  TaskStack();
  ~TaskStack();
  TaskStack(const TaskStack&) = delete;
  TaskStack& operator=(const TaskStack&) = delete;

  // Runs the body until it waits, or is over. What was on this stack before is forgotten.
  void begin(Body body, void* argument);
  // Likewise, from where it waits. REQUIRES: it waits.
  void go_on();
  // Of the last body that began.
  bool is_over() const { return over_; }

  // Called by the body: it waits until somebody calls go_on().
  void wait();

 private:
  struct Switch;  // its first step is one of Boost's functions
  friend Switch;
  void enter();

  void* memory_ = nullptr;
  void* here_ = nullptr;    // of the body, while it waits
  void* caller_ = nullptr;  // of who runs it, while it does
  Body body_ = nullptr;
  void* argument_ = nullptr;
  bool over_ = true;
  bool made_no_number_ = false;  // by invariant 3
};

}  // namespace tenure::lua
