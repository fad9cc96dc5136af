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

  // It has read this page. Pages that it had read before are no way forward.
  void read(TrueTime now, const reference::Outbox& page) {
    if (!page.more || page.events.empty()) return begin_again(now);
    if (page.events.back().seq <= furthest_) return;
    furthest_ = page.events.back().seq;
    ++pages_;
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
