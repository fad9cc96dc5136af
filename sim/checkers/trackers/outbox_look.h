// How far a leader has come in looking through the outbox, which it reads page by page.
//
// Thread rule: a value.
#pragma once

#include <cstdint>
#include <utility>

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
    if (after == 0) {
      const bool ended = std::exchange(ended_, false);
      if (std::exchange(anew_, false) || ended) furthest_ = 0;
    }
    if (after > furthest_) return false;
    if (!page.more || page.events.empty()) {
      if (ended_) return false;  // it has not begun at the beginning since
      const bool several = pages_ > 0;
      since_ = now;
      pages_ = 0;
      ended_ = true;  // but a look that goes on behind it may find what has come since
      return several;
    }
    if (page.events.back().seq <= furthest_) return false;
    furthest_ = page.events.back().seq;
    ++pages_;
    return true;
  }
  // It need not have seen everything.
  void begin_again(TrueTime now) { *this = OutboxLook(now); }
  // What it reads from now on it has not read before, if it begins at the beginning.
  void reads_anew() { anew_ = true; }

  // When it had seen everything last, and how many pages it has read since.
  TrueTime since() const { return since_; }
  std::int64_t pages() const { return pages_; }

 private:
  TrueTime since_;
  std::uint64_t furthest_ = 0;
  bool ended_ = false;
  bool anew_ = false;
  std::int64_t pages_ = 0;
};

}  // namespace tenure::sim
