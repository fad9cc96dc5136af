// SIGINT and SIGTERM, for sessions (lab/session/cancellation.h).
//
// Thread rule: main thread.
#pragma once

#include <memory>

#include "cli/terminal/terminal.h"

namespace tenure::cli {

// While there is one, a first SIGINT or SIGTERM is noted instead of ending the process; a second one kills it. They may
// be nested: what the outermost one has noted, all see.
class Interruption {
 public:
  Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
  ~Interruption();
  // Whether one came, since the outermost began.
  static bool came();

 private:
  struct Before;  // what signals did before
  std::unique_ptr<Before> before_;
};

// If the results could not be written because their reader has gone away: ends the process as SIGPIPE does.
void leave_without_a_reader(const Streams& streams);
// Ends the process with ExitCode::interrupted. Nothing is torn down: threads may be at work on what is on the stack.
[[noreturn]] void leave_interrupted(Streams& streams);

}  // namespace tenure::cli
