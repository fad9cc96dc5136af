// The outbox: fires that were committed and whose delivery is not yet acknowledged.
//
// Events are kept in commit order and found again by their identity. An acknowledged one leaves a hole, and
// holes are swept once they outnumber what is pending, so that every operation costs little however long the
// oldest event waits.
//
// Thread rule: a value.
#pragma once

#include <cstdint>
#include <deque>
#include <map>

#include "core/base/hash.h"
#include "core/store/reference/requests.h"

namespace tenure::reference {

class OutboxQueue {
 public:
  // Appends an event under the next number. One that is pending already is the same event, and stays as it
  // is.
  void add(const EventId& id);
  // Removes an event; does nothing when it is not pending.
  void acknowledge(const EventId& id);
  // Fills `outbox` with the page that was asked for.
  void read(const ReadOutbox& asked, Outbox& outbox) const;

  std::size_t size() const { return seq_of_.size(); }
  void hash(Hasher& hasher) const;

 private:
  struct Entry {
    OutboxEvent event;
    bool pending = true;
  };
  // By time first: events come, and go, mostly in that order, so both ends of the index are where the work is.
  struct Soonest {
    bool operator()(const EventId& a, const EventId& b) const {
      return a.slot != b.slot ? a.slot < b.slot : a < b;
    }
  };
  void sweep();

  std::deque<Entry> entries_;  // by seq
  std::map<EventId, std::uint64_t, Soonest> seq_of_;
  std::uint64_t last_ = 0;
};

}  // namespace tenure::reference
