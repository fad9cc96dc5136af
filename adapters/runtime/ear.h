// A thread that listens to a store, for as long as it exists, and tells whatever there is to tell.
//
// Thread rule: one thread makes and destroys it; `tell` is called on the ear's own.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <thread>

#include "adapters/store/listener.h"

namespace tenure {

class Ear {
 public:
  Ear(std::unique_ptr<Listener> listener, std::function<void(const Heard&)> tell);
  ~Ear();  // within kAttention, unless the listener is making a connection
  Ear(const Ear&) = delete;

 private:
  static constexpr Duration kAttention = Duration::millis(100);

  std::atomic<bool> over_ = false;
  std::thread thread_;
};

}  // namespace tenure
