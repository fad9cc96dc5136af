// Hears what other clients of a real store changed. A hint and no more: what matters is found by polling, and whoever
// hears nothing is late at worst.
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
  bool missed = false;  // it listens again, after a time in which it did not: poll everything
  std::string trouble;  // why it does not listen, in words; empty when it does
  bool over = false;    // `trouble` says that what was said of it before is over
};

class Listener {
 public:
  virtual ~Listener() = default;
  // Once that is requested, whatever wait() is at ends soon. To be said before the first wait().
  void end_with(std::stop_token over) { over_ = std::move(over); }
  // Returns as soon as there is something to tell, and after `timeout` at the latest; but for the making of a
  // connection, which may take some seconds where nothing answers.
  virtual ListenerEvent wait(Duration timeout) = 0;

 protected:
  std::stop_token over_;
};

}  // namespace tenure
