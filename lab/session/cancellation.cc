#include "lab/session/cancellation.h"

#include <unistd.h>

#include <csignal>

namespace tenure::lab {
namespace {

volatile std::sig_atomic_t was_cancelled = 0;
volatile std::sig_atomic_t entrance_of_pipe = -1;

}  // namespace

// A signal handler can do little more than write to a pipe.
void request_cancellation() {
  was_cancelled = 1;
  if (entrance_of_pipe < 0) return;
  const auto written = write(entrance_of_pipe, &CancellationPipe::kByte, 1);
  static_cast<void>(written);
}

bool is_cancelled() { return was_cancelled != 0; }

void forget_cancellation() { was_cancelled = 0; }

CancellationPipe::CancellationPipe(int entrance) { entrance_of_pipe = entrance; }

CancellationPipe::~CancellationPipe() { entrance_of_pipe = -1; }

}  // namespace tenure::lab
