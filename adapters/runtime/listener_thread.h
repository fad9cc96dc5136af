// A thread that listens to a store for as long as it exists, and tells what it hears.
//
// Thread rule: one thread makes and destroys it; `tell` is called on this thread.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <thread>

#include "adapters/store/listener.h"

namespace tenure {

class ListenerThread {
 public:
  ListenerThread(std::unique_ptr<Listener> listener, std::function<void(const ListenerEvent&)> tell);
  ~ListenerThread();  // ends soon, whatever the listener is doing
  ListenerThread(const ListenerThread&) = delete;

 private:
  static constexpr Duration kAttention = Duration::millis(100);

  std::stop_source over_;
  std::thread thread_;
};

}  // namespace tenure
