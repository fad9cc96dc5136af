// SIGINT, SIGTERM and SIGHUP, kept from every thread that begins later, and waited for by one.
//
// Thread rule: made before other threads begin; one thread waits.
#pragma once

#include <pthread.h>

#include <csignal>

namespace tenure::daemon {

class Signals {
 public:
  Signals() {
    signal(SIGPIPE, SIG_IGN);
    sigemptyset(&set_);
    for (const int one : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set_, one);
    pthread_sigmask(SIG_BLOCK, &set_, nullptr);
  }
  // Which one came.
  int wait() const {
    int which = 0;
    sigwait(&set_, &which);
    return which;
  }

 private:
  sigset_t set_{};
};

}  // namespace tenure::daemon
