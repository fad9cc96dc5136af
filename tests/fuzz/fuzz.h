// What fuzzers say before they stop.
//
// Thread rule: tests.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

namespace tenure::testing {

inline void demand(bool holds, const char* what, const std::string& about) {
  if (holds) return;
  std::fprintf(stderr, "%s:\n%s\n", what, about.c_str());
  std::abort();
}

}  // namespace tenure::testing
