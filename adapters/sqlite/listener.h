// Hears what other clients of an SQLite file changed. SQLite does not notify. So this checks every `period` whether
// another connection has committed, by a number in shared memory, and only then reads the changes.
//
// Thread rule: one thread.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "adapters/store/listener.h"

namespace tenure {

class SqliteListener final : public Listener {
 public:
  explicit SqliteListener(std::string path, Duration period = Duration::millis(20));
  ~SqliteListener() override;

  ListenerEvent wait(Duration timeout) override;

 private:
  struct Eye;  // an open file, and what was last seen in it

  const std::string path_;
  const Duration period_;
  std::unique_ptr<Eye> eye_;
  std::string trouble_;  // the latest
  std::chrono::steady_clock::time_point next_attempt_;
};

}  // namespace tenure
