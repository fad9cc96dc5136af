#include "lab/session/interruption.h"

#include <unistd.h>

#include <csignal>

namespace tenure::lab {
namespace {

volatile std::sig_atomic_t was_interrupted = 0;
volatile std::sig_atomic_t entrance_of_pipe = -1;

}  // namespace

// A signal handler can do little more than write to a pipe.
void interrupt() {
  was_interrupted = 1;
  if (entrance_of_pipe < 0) return;
  const auto written = write(entrance_of_pipe, &InterruptionPipe::kByte, 1);
  static_cast<void>(written);
}

bool interrupted() { return was_interrupted != 0; }

void forget_interruption() { was_interrupted = 0; }

InterruptionPipe::InterruptionPipe(int entrance) { entrance_of_pipe = entrance; }

InterruptionPipe::~InterruptionPipe() { entrance_of_pipe = -1; }

}  // namespace tenure::lab
