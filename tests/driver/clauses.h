// The clauses of the contract between a node and its world (core/model/env.h, input.h), each a small history and what
// must come of it.
//
// Thread rule: one test.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/driver/host_under_test.h"

namespace tenure::testing {

// What a clause found to be otherwise.
class Findings {
 public:
  void expect(bool holds, std::string_view what) {
    if (!holds) wrong_.emplace_back(what);
  }
  const std::vector<std::string>& wrong() const { return wrong_; }

 private:
  std::vector<std::string> wrong_;
};

struct Clause {
  std::string_view name;
  void (*judge)(HostUnderTest& host, Script& script, Findings& findings);
  std::vector<HostUnderTest::Can> needs = {};
};
std::span<const Clause> clauses();

// Whether this host can show it.
bool applies(const Clause& clause, const HostUnderTest& host);

}  // namespace tenure::testing
