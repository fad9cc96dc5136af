// A history that never happened may bring a checker to a CHECK, which ends the program; while this lives, it throws.
//
// Thread rule: one at a time.
#pragma once

#include "core/base/check.h"

namespace tenure::judging {

class CheckThrows {
 public:
  struct Stopped {};
  CheckThrows() : before_(set_check_handler(stop)) {}
  CheckThrows(const CheckThrows&) = delete;
  CheckThrows& operator=(const CheckThrows&) = delete;
  ~CheckThrows() { set_check_handler(before_); }

 private:
  [[noreturn]] static void stop(const CheckFailure&) { throw Stopped{}; }
  CheckHandler before_;
};

}  // namespace tenure::judging
