#include "adapters/runtime/ear.h"

#include <utility>

namespace tenure {

Ear::Ear(std::unique_ptr<Listener> listener, std::function<void(const Notification&)> tell)
    : thread_([this, listener = std::move(listener), tell = std::move(tell)] {
        while (!over_)
          for (const Notification& what : listener->wait(kAttention).notifications) tell(what);
      }) {}

Ear::~Ear() {
  over_ = true;
  thread_.join();
}

}  // namespace tenure
