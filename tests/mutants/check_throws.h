// While this lives, a CHECK that fails throws, and does not end the program: a bug that was planted, or a history that
// never happened, may bring the program there.
//
// Thread rule: one at a time.
#pragma once

#include <fmt/format.h>

#include <string>

#include "core/base/check.h"

namespace tenure::mutant {

struct Stopped {
  std::string by;
};

class CheckThrows {
 public:
  CheckThrows() : before_(set_check_handler(stop)) {}
  CheckThrows(const CheckThrows&) = delete;
  CheckThrows& operator=(const CheckThrows&) = delete;
  ~CheckThrows() { set_check_handler(before_); }

 private:
  [[noreturn]] static void stop(const CheckFailure& failure) {
    throw Stopped{fmt::format("CHECK({})", failure.expression)};
  }
  CheckHandler before_;
};

}  // namespace tenure::mutant
