// Hears what other clients of a real store changed. It is only a hint: polling finds everything that matters, and a
// node that hears nothing is only late.
//
// Thread rule: one thread; the stop may be requested by any.
#pragma once

#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/base/time.h"
#include "core/store/store_machine.h"

namespace tenure {

struct ListenerEvent {
  std::vector<Notification> notifications;
  bool missed = false;  // it listens again after an interruption: poll everything
  std::string trouble;  // why it does not listen, in words; empty when it does
  bool over = false;    // `trouble` says that an earlier trouble is over
};

class Listener {
 public:
  virtual ~Listener() = default;
  // After a stop is requested here, a running wait() ends soon. Call it before the first wait().
  void end_with(std::stop_token over) { over_ = std::move(over); }
  // Returns as soon as there is something to tell, and after `timeout` at the latest. It can take some seconds longer
  // to make a connection if nothing answers.
  virtual ListenerEvent wait(Duration timeout) = 0;

 protected:
  std::stop_token over_;
};

}  // namespace tenure
