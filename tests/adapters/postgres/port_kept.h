// While a test's server is down, no other cluster is made: it would take the server's port.
//
// Thread rule: one at a time in a process.
#pragma once

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace tenure::pgtest {

// Holds the lock under which tests/adapters/postgres/with_postgres.sh makes clusters.
class PortKept {
 public:
  PortKept() : file_(open((folder() + "/with_postgres.lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600)) {
    if (file_ >= 0) flock(file_, LOCK_EX);
  }
  PortKept(const PortKept&) = delete;
  ~PortKept() {
    if (file_ >= 0) close(file_);
  }

 private:
  static std::string folder() {
    const char* said = std::getenv("TMPDIR");
    return said != nullptr ? said : "/tmp";
  }
  int file_;
};

}  // namespace tenure::pgtest
