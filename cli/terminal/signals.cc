#include "cli/terminal/signals.h"

#include <signal.h>

#include <cerrno>
#include <cstdlib>

#include "cli/exit_code.h"
#include "lab/session/cancellation.h"

namespace tenure::cli {
namespace {

int interruptions = 0;  // how many there are

extern "C" void on_signal(int) { lab::request_cancellation(); }

}  // namespace

struct Interruption::Before {
  struct sigaction interrupt = {};
  struct sigaction terminate = {};
};

Interruption::Interruption() : before_(std::make_unique<Before>()) {
  if (interruptions++ == 0) lab::forget_cancellation();
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &before_->interrupt);
  sigaction(SIGTERM, &action, &before_->terminate);
}

Interruption::~Interruption() {
  sigaction(SIGINT, &before_->interrupt, nullptr);
  sigaction(SIGTERM, &before_->terminate, nullptr);
  --interruptions;
}

bool Interruption::came() { return lab::is_cancelled(); }

void leave_without_a_reader(const Streams& streams) {
  if (streams.out_error != EPIPE) return;
  signal(SIGPIPE, SIG_DFL);
  raise(SIGPIPE);
}

void leave_interrupted(Streams& streams) {
  streams.out.flush();
  leave_without_a_reader(streams);
  std::_Exit(static_cast<int>(ExitCode::interrupted));
}

}  // namespace tenure::cli
