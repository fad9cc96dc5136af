// How many bytes of answers are kept for clients that have not taken them; internal to this room.
//
// Small answers are not counted: there are no more of them than connections, and what was done must be said.
//
// Thread rule: any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

#include "daemon/http/message.h"

namespace tenure::daemon {

class AnswerRoom {
 public:
  static constexpr std::size_t kSmall = 256 * 1024;

  explicit AnswerRoom(std::size_t bytes) : left_(bytes) {}

  // False: there is no room for it. REQUIRES: this outlives the answer.
  bool take(HttpResponse& response) {
    const std::size_t bytes = response.body.size();
    if (bytes <= kSmall) return true;
    std::size_t left = left_;
    do {
      if (bytes > left) return false;
    } while (!left_.compare_exchange_weak(left, left - bytes));
    response.room = std::shared_ptr<void>(nullptr, [this, bytes](void*) { left_ += bytes; });
    return true;
  }

 private:
  std::atomic<std::size_t> left_;
};

}  // namespace tenure::daemon
