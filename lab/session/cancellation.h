// Asks running jobs to stop: run_jobs() ends, and sessions end with it.
//
// This library installs no signal handler; cli/terminal/signals.h does.
//
// Thread rule: any thread, and signal handlers; but one thread at a time runs jobs.
#pragma once

namespace tenure::lab {

// Safe in a signal handler. The request stays until forget_cancellation().
void request_cancellation();
bool is_cancelled();
void forget_cancellation();

// While one exists, request_cancellation() also writes a byte to its file descriptor, to wake the thread that waits
// there (jobs.cc).
class CancellationPipe {
 public:
  explicit CancellationPipe(int entrance);
  CancellationPipe(const CancellationPipe&) = delete;
  CancellationPipe& operator=(const CancellationPipe&) = delete;
  ~CancellationPipe();
  static constexpr char kByte = 's';
};

}  // namespace tenure::lab
