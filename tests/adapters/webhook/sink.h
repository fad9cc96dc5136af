// The server of sink.py as a process of its own: what it was sent, and where it is.
//
// Thread rule: one owner.
#pragma once

#include <sys/types.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/temporary.h"

namespace tenure::webhook::testing {

class Sink {
 public:
  // `arguments` follow the name of the file with the records.
  explicit Sink(const std::vector<std::string>& arguments = {});
  ~Sink();
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;

  int port() const { return port_; }
  std::string url(const std::string& path) const;  // http, on 127.0.0.1
  std::vector<nlohmann::json> requests() const;    // all that came so far

 private:
  tenure::testing::TemporaryFolder folder_;
  pid_t process_ = -1;
  int input_ = -1;
  int port_ = 0;
};

}  // namespace tenure::webhook::testing
