// How far a leader has come in looking through the outbox, which it reads page by page.
//
// Thread rule: a value.
#pragma once

#include <cstdint>

#include "core/store/reference/requests.h"
#include "sim/kernel/true_time.h"

namespace tenure::sim {

class OutboxLook {
 public:
  explicit OutboxLook(TrueTime begin) : since_(begin) {}

  // It has read this page, from behind the number `after`. True if it is one of several that bring it further. Pages
  // that it had read before are no way forward; nor is a page behind one that it has not read, where it looks for
  // something else.
  bool read(TrueTime now, std::uint64_t after, const reference::Outbox& page) {
    if (after > furthest_) return false;
    if (!page.more || page.events.empty()) {
      const bool several = pages_ > 0;
      begin_again(now);
      return several;
    }
    if (page.events.back().seq <= furthest_) return false;
    furthest_ = page.events.back().seq;
    ++pages_;
    return true;
  }
  // It has seen everything, or need not have.
  void begin_again(TrueTime now) { *this = OutboxLook(now); }

  // When it had seen everything last, and how many pages it has read since.
  TrueTime since() const { return since_; }
  std::int64_t pages() const { return pages_; }

 private:
  TrueTime since_;
  std::uint64_t furthest_ = 0;
  std::int64_t pages_ = 0;
};

}  // namespace tenure::sim
