// CHECK: a broken invariant stops the program, in release builds too.
//
// Failures of the world (a lost message, a refused request) are values and never reach CHECK. A CHECK that fails means
// that the code is wrong. So the program stops and says where.
//
// The handler can be replaced, so that a simulation reports the seed, and a test observes the failure. A
// handler may throw to unwind (tests do); if it returns, the program aborts.
//
// Thread rule: set_check_handler before other threads start.
#pragma once

#include <string_view>

namespace tenure {

struct CheckFailure {
  const char* file;
  int line;
  const char* expression;
  std::string_view message;  // why the expression must hold; may be empty
};

using CheckHandler = void (*)(const CheckFailure&);

// Installs `handler` and returns the one before it. nullptr restores the default (print to stderr, abort).
CheckHandler set_check_handler(CheckHandler handler);

[[noreturn]] void check_failed(const char* file, int line, const char* expression, std::string_view message);

}  // namespace tenure

#define CHECK(expression, ...)                                                                  \
  do {                                                                                          \
    if (!(expression)) [[unlikely]]                                                             \
      ::tenure::check_failed(__FILE__, __LINE__, #expression, ::std::string_view{__VA_ARGS__}); \
  } while (false)
