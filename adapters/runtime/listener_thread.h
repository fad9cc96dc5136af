// A thread that listens to a store, for as long as it exists, and tells whatever there is to tell.
//
// Thread rule: one thread makes and destroys it; `tell` is called on the ear's own.
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
  ~ListenerThread();  // soon, whatever the listener is at
  ListenerThread(const ListenerThread&) = delete;

 private:
  static constexpr Duration kAttention = Duration::millis(100);

  std::stop_source over_;
  std::thread thread_;
};

}  // namespace tenure
