// Asking whatever runs jobs to stop: run_jobs() ends, and sessions with it.
//
// Who listens for signals is somebody else's business (cli/terminal/signals.h); this library installs no handler.
//
// Thread rule: any thread, and signal handlers; but one thread at a time runs jobs.
#pragma once

namespace tenure::lab {

// Safe in a signal handler. It stays asked for until forget_interruption().
void interrupt();
bool interrupted();
void forget_interruption();

// While there is one, interrupt() also writes a byte to its file descriptor; for whoever waits there (jobs.cc).
class InterruptionPipe {
 public:
  explicit InterruptionPipe(int entrance);
  InterruptionPipe(const InterruptionPipe&) = delete;
  InterruptionPipe& operator=(const InterruptionPipe&) = delete;
  ~InterruptionPipe();
  static constexpr char kByte = 's';
};

}  // namespace tenure::lab
