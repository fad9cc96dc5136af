#include "adapters/runtime/listener_thread.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace tenure {

using std::chrono::steady_clock;

// A listener that has to connect anew is not worth a word; one that cannot is.
constexpr std::chrono::seconds kDeaf{3};

ListenerThread::ListenerThread(std::unique_ptr<Listener> listener,
                               std::function<void(const ListenerEvent&)> tell)
    : thread_([over = over_.get_token(), listener = std::move(listener), tell = std::move(tell)] {
        listener->end_with(over);
        auto listened = steady_clock::now();  // for the last time
        bool told = false;
        while (!over.stop_requested()) {
          ListenerEvent heard = listener->wait(kAttention);
          if (over.stop_requested()) break;  // what it says may be no more than that it was told to end
          const auto now = steady_clock::now();
          if (heard.trouble.empty()) {
            if (std::exchange(told, false)) {
              const auto away = std::chrono::duration_cast<std::chrono::seconds>(now - listened);
              heard.trouble = fmt::format("listening: it listens again, after {}s", away.count());
              heard.over = true;
            }
            listened = now;
          } else if (told || now - listened < kDeaf) {
            heard.trouble.clear();
          } else {
            told = true;
          }
          if (heard.missed || !heard.trouble.empty() || !heard.notifications.empty()) tell(heard);
        }
      }) {}

ListenerThread::~ListenerThread() {
  over_.request_stop();
  thread_.join();
}

}  // namespace tenure
