// Makes broken invariants of ours throw, instead of ending the program: a run that breaks one is then a failure like
// any other.
//
// Thread rule: the handler is one for the process (core/base/check.h); set it before threads run scenarios.
#pragma once

#include "core/base/check.h"

namespace tenure::lab {

// CHECKs throw from now on.
void make_checks_throw();

// CHECKs throw as long as one exists.
class ThrowingChecks {
 public:
  ThrowingChecks();
  ThrowingChecks(const ThrowingChecks&) = delete;
  ThrowingChecks& operator=(const ThrowingChecks&) = delete;
  ~ThrowingChecks();

 private:
  const CheckHandler before_;
};

}  // namespace tenure::lab
