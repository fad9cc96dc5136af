// Calls a function once a second, on a thread of its own, until it is destroyed.
//
// Thread rule: made and destroyed by one thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

namespace tenure::daemon {

class EachSecond {
 public:
  explicit EachSecond(std::function<void()> tick)
      : thread_([this, tick = std::move(tick)](const std::stop_token& over) {
          std::unique_lock lock(mutex_);
          while (
              !wake_.wait_for(lock, over, std::chrono::seconds(1), [&over] { return over.stop_requested(); }))
            tick();
        }) {}

 private:
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace tenure::daemon
