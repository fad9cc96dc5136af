// Everything that this instance has to deliver: work that its own program does, and events that it sends to
// destinations, which have a lane each.
//
// Work of its own shares its workers with the commits that fire it: an event is begun as soon as its commit is
// answered. A lane has places of its own, so no commit waits for one. The store is the only source of what a lane
// begins: after a commit, the leader reads on from the end of what it has seen. So events come in the order of their
// numbers, and a lane that has as many events as it takes leaves the others where they are.
//
// What waits is read in two ways, in turns: all of it, from where the last page ended; and for one lane, what that lane
// has left behind. A new leader reads for each lane that it knows of at once, so that none waits until it has read
// through the events of a destination that has been down for hours.
//
// A failover can lose the version that fired an event, and another one fires it for another destination, or as work
// of the leader's own. Then the attempt under way is disowned: what it ends as counts for nobody, and all is read once
// more.
//
//   1. An event is in one lane at most, or among the work; never in both.
//
// Thread rule: a value; one owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/hash.h"
#include "core/schedule/definition.h"
#include "core/scheduler/fenced_outbox/deliveries.h"
#include "core/scheduler/fenced_outbox/lane.h"
#include "core/store/reference/requests.h"

namespace tenure {

class Relay {
 public:
  // `running`: how many deliveries to one destination are under way at a time. `age`: how long an event is tried.
  Relay(const Deliveries::Policy& work, std::size_t running, Duration age)
      : work_(work), running_(running), age_(age) {}

  // False if the event is in hand, perhaps as one that is disowned, and is not to be begun now.
  bool begin_work(const reference::EventId& event, const Token& token);
  // The store shows an event that is work of its own: whether it is in hand already.
  bool holds_work(const reference::EventId& event);
  Deliveries& work() { return work_; }
  const Deliveries& work() const { return work_; }

  // ---- lanes: what is read ----

  // Events may wait for this destination.
  void knows(const std::string& destination);
  // A commit has added an event for it.
  void committed(const std::string& destination);
  // Something waits, perhaps what nobody has told of: manual runs, what was dead, and events for a destination that no
  // version names any more.
  void look() { behind_ = true; }
  // All is to be read from the beginning.
  void read_anew();

  // A page of what waits: for one destination, or for all of them.
  struct Page {
    std::optional<std::string> name;
    std::uint64_t after = 0;
    bool operator==(const Page&) const = default;
  };
  // The page to read next; nullopt when there is nothing to read, or no room for it.
  std::optional<Page> next_page() const;
  // The answer. What has been asked for since from another place on is not taken from it.
  void take(const Page& page, const reference::WaitingEvents& answer);

  // ---- lanes: what is begun ----

  struct Attempt {
    const std::string& destination;
    Deliveries::Attempt what;
  };
  // Calls begin(attempt) for each delivery that is to be begun now.
  template <class Begin>
  void begin(MonoTime now, const Token& token, Begin&& begin) {
    for (auto& [destination, lane] : lanes_) {
      if (lane.next(now) > now) continue;
      for (const Deliveries::Attempt& attempt : lane.begin(now, token)) begin(Attempt{destination, attempt});
    }
  }
  // When begin() has something to do at the latest, if nothing happens before; max() for never.
  MonoTime next_begin(MonoTime now) const;

  // ---- all of them, as in Deliveries ----

  // Work of its own asks for no wait: it has this process to say when.
  Deliveries::Finish finish(const WorkDone& done, const std::optional<Token>& token, MonoTime now);
  void forget_waiting();
  std::vector<reference::EventId> take_delivered(std::size_t limit);
  std::vector<reference::DeadEvent> take_given_up(std::size_t limit);
  void acknowledged();
  bool not_acknowledged(const std::optional<Token>& token);
  std::size_t running() const;
  std::size_t done() const;
  std::size_t given_up() const;
  bool empty() const;
  void hash(Hasher& hasher, const Canon& canon) const;

 private:
  using Lanes = std::map<std::string, Lane>;
  Lane& lane_of(const std::string& destination);
  void page_begins(const Page& page);
  bool is_wanted(const Page& page);
  void see(const reference::WaitingEvent& event, std::uint64_t before);
  void page_ends(const Page& page, std::uint64_t last, bool more);
  // Whether others than `owner` have an attempt at it under way. That counts no more.
  bool is_with_others(const reference::EventId& event, const Deliveries* owner);

  Deliveries work_;
  std::size_t running_;
  Duration age_;
  Lanes lanes_;
  std::uint64_t seen_ = 0;       // of all that waits, everything up to here was shown to the lanes
  bool behind_ = false;          // there may be more
  std::string read_last_;        // the lane for which a page was read last
  bool all_had_theirs_ = false;  // the next page is one for a lane, if one wants it
};

}  // namespace tenure
