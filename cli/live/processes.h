// The processes of a live run.
//
//   I1. Each is the first of a process group, and signals go to its group and to no other process.
//   I2. All end with their Processes; and if this program is killed, a guard that outlives it kills their groups. The
//       kernel kills each of them as well (adapters/process/spawner.h).
//
// Thread rule: main thread. Make it before the program has threads.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adapters/process/descriptor.h"

namespace tenure::cli {

class Processes {
 public:
  Processes();
  ~Processes();
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  // Its number; 0: it cannot be started, and `problem` says why. What it prints goes to the end of the file `log`;
  // it has `socket`, if there is one, as descriptor 3.
  int start(const std::vector<std::string>& command, const std::string& log, process::Descriptor socket,
            std::string& problem);
  void signal(int process, int signal);
  // SIGSTOP, and all its threads stand still; or a second is over.
  void freeze(int process);
  // Those that have ended since, and how: "exit status 1".
  std::vector<std::pair<int, std::string>> ended();
  // Kills all that still live.
  void end_all();

 private:
  void tell_guard(int process, bool begins);

  std::vector<int> running_;
  process::Descriptor guarded_;  // its closing has the guard kill all that it knows
  int guard_ = 0;
};

}  // namespace tenure::cli
