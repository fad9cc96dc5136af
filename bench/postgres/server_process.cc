#include "bench/postgres/server_process.h"

#include <fmt/format.h>

#include <fstream>

#include "bench/postgres/owner_connection.h"

namespace tenure {

ServerProcess::ServerProcess(const std::string& application)
    : pid_(OwnerConnection().ask(
          fmt::format("SELECT pid FROM pg_stat_activity WHERE application_name = '{}'", application))) {}

CpuTime ServerProcess::cpu_time() const {
  CpuTime time;
  std::ifstream(fmt::format("/proc/{}/schedstat", pid_)) >> time.ran_ns >> time.waited_ns;
  return time;
}

}  // namespace tenure
