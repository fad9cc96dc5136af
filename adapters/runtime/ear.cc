#include "adapters/runtime/ear.h"

#include <chrono>
#include <optional>
#include <utility>

namespace tenure {

using std::chrono::steady_clock;

// A listener that has to connect anew is not worth a word; one that cannot is.
constexpr std::chrono::seconds kDeaf{3};

Ear::Ear(std::unique_ptr<Listener> listener, std::function<void(const Heard&)> tell)
    : thread_([over = over_.get_token(), listener = std::move(listener), tell = std::move(tell)] {
        listener->end_with(over);
        std::optional<steady_clock::time_point> deaf_since;
        bool told = false;
        while (!over.stop_requested()) {
          Heard heard = listener->wait(kAttention);
          if (heard.trouble.empty()) {
            deaf_since.reset();
            told = false;
          } else if (!deaf_since) {
            deaf_since = steady_clock::now();
          }
          if (told || !deaf_since || steady_clock::now() - *deaf_since < kDeaf)
            heard.trouble.clear();
          else
            told = true;
          if (heard.missed || !heard.trouble.empty() || !heard.notifications.empty()) tell(heard);
        }
      }) {}

Ear::~Ear() {
  over_.request_stop();
  thread_.join();
}

}  // namespace tenure
