// Broken invariants of ours as exceptions, instead of the end of the program: a run that breaks one is then a failure
// like any other.
//
// Thread rule: the handler is one for the process (core/base/check.h); set it before threads run scenarios.
#pragma once

#include "core/base/check.h"

namespace tenure::sim {

// From now on.
void make_checks_throw();

// As long as there is one.
class ThrowingChecks {
 public:
  ThrowingChecks();
  ThrowingChecks(const ThrowingChecks&) = delete;
  ThrowingChecks& operator=(const ThrowingChecks&) = delete;
  ~ThrowingChecks();

 private:
  const CheckHandler before_;
};

}  // namespace tenure::sim
