// One instance of a live run, in a process of its own: the runtime with a scenario's parameters, on a real store.
//
// It writes its journal, sends its work to the conductor, which is the outside world, and waits where the conductor is
// to strike: when its journal has an event that a fault waits for, and just before an act leaves that a check of
// leadership has allowed. So a strike hits that moment, whatever the machine is doing.
//
// Thread rule: main thread; `tenure live` starts it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/exit_code.h"
#include "cli/terminal/terminal.h"

namespace tenure::cli {

struct InstanceOptions {
  std::string scenario;       // a file that `tenure live` has written
  std::uint32_t node = 0;     // from 1
  std::string journal;        // a file that is not there
  int socket = -1;            // to the conductor (messages.h)
  std::string clock;          // a file with its ClockSteps; empty: none
  std::int64_t rate_ppm = 0;  // of its clocks
  std::int64_t wall_offset_ns = 0;
  std::vector<std::string> awaited;  // events at which it waits
};

ExitCode run_instance(const InstanceOptions& options, Streams& streams);

}  // namespace tenure::cli
