#include "core/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace tenure {
namespace {

void print(const CheckFailure& failure) {
  std::fprintf(stderr, "%s:%d: CHECK(%s) failed%s%.*s\n", failure.file, failure.line, failure.expression,
               failure.message.empty() ? "" : ": ", static_cast<int>(failure.message.size()),
               failure.message.data());
}

CheckHandler current = &print;

}  // namespace

CheckHandler set_check_handler(CheckHandler handler) {
  CheckHandler before = current;
  current = handler != nullptr ? handler : &print;
  return before;
}

void check_failed(const char* file, int line, const char* expression, std::string_view message) {
  current(CheckFailure{file, line, expression, message});
  std::abort();
}

}  // namespace tenure
