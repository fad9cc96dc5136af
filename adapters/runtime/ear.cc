#include "adapters/runtime/ear.h"

#include <utility>

namespace tenure {

Ear::Ear(std::unique_ptr<Listener> listener, std::function<void(const Heard&)> tell)
    : thread_([this, listener = std::move(listener), tell = std::move(tell)] {
        while (!over_) {
          const Heard heard = listener->wait(kAttention);
          if (heard.missed || !heard.notifications.empty()) tell(heard);
        }
      }) {}

Ear::~Ear() {
  over_ = true;
  thread_.join();
}

}  // namespace tenure
