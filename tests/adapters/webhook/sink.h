// The server of sink.py as a process of its own: what it was sent, and where it is.
//
// Thread rule: one owner.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/child.h"
#include "tests/support/temporary.h"

namespace tenure::webhook::testing {

class Sink {
 public:
  // `arguments` follow the name of the file with the records.
  explicit Sink(const std::vector<std::string>& arguments = {});

  int port() const { return port_; }
  std::string url(const std::string& path) const;  // http, on 127.0.0.1
  std::vector<nlohmann::json> requests() const;    // all that came so far

 private:
  tenure::testing::TemporaryFolder folder_;
  tenure::testing::Child child_;
  int port_;
};

}  // namespace tenure::webhook::testing
