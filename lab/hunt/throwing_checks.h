// Makes broken invariants of ours throw, instead of ending the program: a run that breaks one is then a failure like
// any other.
//
// Thread rule: the handler is one for the process (core/base/check.h); set it before threads run scenarios.
#pragma once

#include <functional>
#include <optional>
#include <string>

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

// What is said of the invariant of ours that `work` breaks; nullopt: it breaks none. A HostFailure is none: it is
// thrown. REQUIRES: checks throw.
std::optional<std::string> broken_invariant_in(const std::function<void()>& work);

}  // namespace tenure::lab
