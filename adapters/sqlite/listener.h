// Hears what other clients of an SQLite file changed. SQLite tells nobody, so this looks, every `period`, whether any
// other connection has committed, which reads a number in shared memory; only then it reads what there is to tell.
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
  struct Eye;  // an open file, and what was seen there

  const std::string path_;
  const Duration period_;
  std::unique_ptr<Eye> eye_;
  std::chrono::steady_clock::time_point next_attempt_;
};

}  // namespace tenure
