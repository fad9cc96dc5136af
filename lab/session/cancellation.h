// Asks running jobs to stop: run_jobs() ends, and sessions end with it.
//
// This library installs no signal handler; cli/terminal/signals.h does.
//
// Thread rule: any thread, and signal handlers; but one thread at a time runs jobs.
#pragma once

namespace tenure::lab {

// Safe in a signal handler. The interruption stays until forget_interruption().
void interrupt();
bool interrupted();
void forget_interruption();

// While one exists, interrupt() also writes a byte to its file descriptor, to wake the thread that waits there
// (jobs.cc).
class InterruptionPipe {
 public:
  explicit InterruptionPipe(int entrance);
  InterruptionPipe(const InterruptionPipe&) = delete;
  InterruptionPipe& operator=(const InterruptionPipe&) = delete;
  ~InterruptionPipe();
  static constexpr char kByte = 's';
};

}  // namespace tenure::lab
