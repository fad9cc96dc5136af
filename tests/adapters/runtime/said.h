// What a runtime says of its troubles, kept for a test; and an election that does not take long.
//
// Thread rule: sink() is called by the runtime's thread, the rest by the test's.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/runtime/store_health_reporter.h"
#include "core/model/parameters.h"

namespace tenure::testing {

class Said {
 public:
  TroubleSink sink() {
    return [this](std::string_view words) {
      const std::lock_guard lock(mutex_);
      lines_.emplace_back(words);
      more_.notify_all();
    };
  }
  // Until a line with these words was said. False: not within a minute.
  bool await(const std::string& words) {
    std::unique_lock lock(mutex_);
    return more_.wait_for(lock, std::chrono::seconds(60), [&] {
      for (const std::string& line : lines_)
        if (line.find(words) != std::string::npos) return true;
      return false;
    });
  }
  std::vector<std::string> all() {
    const std::lock_guard lock(mutex_);
    return lines_;
  }
  std::string text() {
    std::string text;
    for (const std::string& line : all()) text += line + '\n';
    return text;
  }

 private:
  std::mutex mutex_;
  std::condition_variable more_;
  std::vector<std::string> lines_;
};

// A lease of two seconds, or of less than one.
inline void be_quick(Parameters& election) {
  election.set("lease_duration", Duration::seconds(2));
  election.set("renew_period", Duration::millis(400));
  election.set("request_timeout", Duration::millis(600));
  election.set("retry_period", Duration::millis(200));
  election.set("retry_jitter", Duration::millis(50));
}
inline void be_quicker(Parameters& election) {
  election.set("lease_duration", Duration::millis(800));
  election.set("renew_period", Duration::millis(200));
  election.set("request_timeout", Duration::millis(300));
  election.set("retry_period", Duration::millis(100));
  election.set("retry_jitter", Duration::millis(50));
}

}  // namespace tenure::testing
