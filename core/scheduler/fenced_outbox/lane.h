// The deliveries to one destination: events that wait for their first attempt, and those in hand.
//
// Events wait in the order of their numbers, which is that of commits, and are begun in it. At most `running` are under
// way at a time. Those that failed and those that were never tried share the places: half for each, and a single one in
// turns. So a few events that always fail hold up nothing, and neither does a long queue hold up what is to be tried
// again. Under strict order, an event waits for all earlier ones of its schedule until they are delivered, or the store
// knows them as dead.
//
// A lane holds kMost events at most that are not over. When there are more, the rest stays in the store, and the lane
// remembers after which number: a destination that is down for hours takes no more memory than that, and no room from
// others.
//
//   1. Of the destination's events that the store has shown to this leader, all are here up to the number
//      unread_after(), and if that is nullopt, all.
//
// Thread rule: a value; one owner.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/base/hash.h"
#include "core/scheduler/fenced_outbox/deliveries.h"
#include "core/store/reference/requests.h"

namespace tenure {

class Lane {
 public:
  static constexpr std::size_t kMost = 1000;

  // `running`: how many are under way at a time.
  explicit Lane(std::size_t running) : running_(running) {}

  Deliveries& in_hand() { return in_hand_; }
  const Deliveries& in_hand() const { return in_hand_; }
  bool holds(const reference::EventId& event) const { return in_hand_.holds(event); }

  // The store shows an event of this destination. `before`: the position before it.
  void see(const reference::OutboxEvent& event, const Deliveries::Policy& policy, bool strict,
           std::uint64_t before);
  // It shows one, perhaps of those in hand. After a failover its number may be another one.
  void saw(const reference::EventId& event, std::uint64_t number) {
    seen_ = std::max(seen_, number);
    in_hand_.renumber(event, number);
  }
  // The greatest number that was shown.
  std::uint64_t seen() const { return seen_; }
  // The position after which the store has events for this lane that are not here.
  std::optional<std::uint64_t> unread_after() const { return unread_after_; }
  void unread_after(std::optional<std::uint64_t> position) { unread_after_ = position; }
  // Whether reading on is worth a request.
  bool has_room() const { return size() <= kMost / 2 && in_hand_.size() <= kMost * 10; }

  // Begins what is to be begun now, in this order.
  std::vector<Deliveries::Attempt> begin(MonoTime now, const Token& token);
  // When begin() has something to do at the latest, if nothing happens before; max() for never.
  MonoTime next(MonoTime now) const;
  Deliveries::Finish finish(const WorkDone& done, const std::optional<Token>& token, MonoTime now);
  // What waited may begin: the store has taken what went before.
  void settled() { stuck_ = false; }

  // Forgets what waits: the store will show it again, from its beginning.
  void read_anew();
  // Likewise, and what waits for another attempt: another leader may have it in hand.
  void forget_waiting();

  void hash(Hasher& hasher, const Canon& canon) const;

 private:
  struct Waiting {
    reference::EventId event;
    Deliveries::Policy policy;
    bool strict = false;
  };
  using Queue = std::map<std::uint64_t, Waiting>;  // by number

  // What is not over.
  std::size_t size() const { return waiting_.size() + in_hand_.size() - in_hand_.done(); }
  std::size_t free_places() const;
  using Attempts = std::vector<Deliveries::Attempt>;
  void begin_waiting(MonoTime now, const Token& token, std::size_t room, Attempts& attempts);
  void begin_again(const std::vector<reference::EventId>& events, Attempts& attempts) const;

  Deliveries in_hand_;
  std::size_t running_;
  Queue waiting_;
  std::optional<std::uint64_t> unread_after_;
  std::uint64_t seen_ = 0;
  bool stuck_ = false;  // all that waits does so for earlier events of its schedule
  bool retries_had_theirs_ = false;
};

}  // namespace tenure
