// Everything that this instance has to deliver: work that its own program does, and events that it sends to
// destinations. There is a queue for each destination, and the own program is one of them.
//
// The store is the source of what a queue begins. So events come in the order of their numbers, and a queue that has as
// many events as it takes leaves the others where they are. Only own work begins as soon as its commit is answered,
// since it shares its places with commits. A destination has places of its own, so no commit waits for one.
//
// There are two sources: the outbox, which has own work, and what waits for all others. Each is read in two ways, in
// turns: all of it, from where the last page ended; and for one queue, what that has left behind. A new leader reads
// for each destination that it knows of at once, so that none waits until it has read through the events of another
// that has been down for hours.
//
// A failover can lose the version that fired an event, and another one fires it for another destination, or as work
// of the leader's own. Then the attempt under way is disowned: what it ends as counts for nobody, and all is read once
// more.
//
//   1. An event is in one queue at most.
//
// Thread rule: a value; one owner.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/fold.h"
#include "core/schedule/definition.h"
#include "core/scheduler/fenced_outbox/deliveries.h"
#include "core/scheduler/fenced_outbox/destination_queue.h"
#include "core/scheduler/fenced_outbox/page_reader.h"
#include "core/scheduler/fenced_outbox/round_robin.h"
#include "core/store/reference/requests.h"

namespace tenure {

class DeliveryDispatcher {
 public:
  // `running`: how many deliveries to one destination are under way at a time. `age`: how long an event is tried.
  DeliveryDispatcher(const Deliveries::Policy& work, std::size_t running, Duration age)
      : work_(work), running_(running), age_(age) {
    queues_.emplace(kOwn, DestinationQueue::Whose::own);
  }

  // A commit has added this event, which is own work. False if it is in hand, perhaps as one that is disowned, and is
  // not to be begun now.
  bool begin_work(const reference::EventId& event, const Token& token);
  DestinationQueue& own() { return queues_.begin()->second; }
  const DestinationQueue& own() const { return queues_.begin()->second; }

  // ---- what is read ----

  enum class Source : std::uint8_t { outbox, waiting };
  // A page of it: of all there is, or of what one queue has left behind. The own queue has an empty name.
  struct Page {
    std::optional<std::string> name = {};
    std::uint64_t after = 0;
    Source source = Source::waiting;
    bool operator==(const Page&) const = default;
    void hash(auto& sink) const { fold(sink, name, after, source); }
  };

  // Events may wait for this destination.
  void knows(const std::string& destination);
  // A commit has added an event for it.
  void committed(const std::string& destination);
  // Something may wait behind what was read: manual runs, what was dead, and events for a destination that no version
  // names any more.
  void read_on(Source source) { reading(source).all.more = true; }
  // The outbox is to be looked through from its beginning.
  void look_through() { reading(Source::outbox).all.restart(); }
  // Everything is to be read from the beginning. `anew`: and no page was read before.
  void read_anew(bool anew);
  bool has_more(Source source) const { return reading(source).all.more; }

  // The next page of all there is.
  Page page_of_all(Source source) const {
    return {std::nullopt, reading(source).all.after.value_or(0), source};
  }
  // The page to read next; nullopt when there is nothing to read, or no room for it.
  std::optional<Page> next_page(Source source) const;
  // The answer. What has been asked for since from another place on is not taken from it. Whether it brought the
  // reading of all further than ever, and there is more.
  bool take(const Page& page, const reference::Outbox& answer);
  bool take(const Page& page, const reference::WaitingEvents& answer);

  // ---- what is begun ----

  struct Attempt {
    const std::string& destination;  // empty: own work
    Deliveries::Attempt what;
  };
  // Calls begin(attempt) for each delivery that is to be begun now. `room`: the places for own work.
  template <class Begin>
  void begin(MonoTime now, const Token& token, std::size_t room, DestinationQueue::FiresWait fires_wait,
             Begin&& begin) {
    for (auto& [name, queue] : queues_)
      for (const Deliveries::Attempt& attempt :
           queue.begin(now, token, name.empty() ? room : places(queue), name.empty() ? fires_wait : kNoFires))
        begin(Attempt{name, attempt});
  }
  // When begin() has something more to do at the latest, if nothing happens before; max() for never.
  MonoTime next_begin(MonoTime now, std::size_t room, DestinationQueue::FiresWait fires_wait) const;

  // ---- all of them, as in Deliveries ----

  // `lost`: all that may have the event is to be read once more; of the outbox, that is up to the caller.
  Deliveries::Finish finish(const WorkDone& done, const std::optional<Token>& token, MonoTime now);
  void forget_waiting() {
    for (auto& [name, queue] : queues_) queue.forget_waiting();
  }
  std::vector<reference::DeliveredEvent> take_delivered(std::size_t limit);
  std::vector<reference::DeadEvent> take_given_up(std::size_t limit);
  void acknowledged() {
    for (auto& [name, queue] : queues_) queue.acknowledged();
  }
  bool not_acknowledged(const std::optional<Token>& token);
  std::size_t running() const { return sum(&Deliveries::running); }
  std::size_t done() const { return sum(&Deliveries::done); }
  std::size_t given_up() const { return sum(&Deliveries::given_up); }
  bool lacks_numbers() const { return own().in_hand().lacks_numbers(); }
  bool empty() const { return sum(&Deliveries::size) == 0; }
  void hash(auto& sink) const { fold(sink, queues_, readings_); }

 private:
  enum class What : std::uint8_t { all, left };
  struct Reading {
    PageReader<std::uint64_t> all;
    RoundRobin<What, 2> turns{{What::all, What::left}};
    std::string last = {};  // the queue for which a page was read last
    void hash(auto& sink) const { fold(sink, all, turns, last); }
  };
  static inline const std::string kOwn;
  static constexpr DestinationQueue::FiresWait kNoFires{[](MonoTime) { return false; }};

  Reading& reading(Source source) { return readings_[static_cast<std::size_t>(source)]; }
  const Reading& reading(Source source) const { return readings_[static_cast<std::size_t>(source)]; }
  std::size_t places(const DestinationQueue& queue) const {
    return running_ - std::min(running_, queue.in_hand().running());
  }
  // The next queue of the source that is to read what it has left behind.
  const std::string* next_to_read(Source source) const;
  void read_destinations_anew();
  template <class Events>
  bool take_events(const Page& page, const Events& events, bool more);
  void see(const reference::OutboxEvent& event, std::uint64_t before);
  void see(const reference::WaitingEvent& event, std::uint64_t before);
  // Whether others than `owner` have an attempt at it under way. That counts no more.
  bool is_with_others(const reference::EventId& event, const DestinationQueue& owner);
  std::size_t sum(std::size_t (Deliveries::*count)() const) const;

  Deliveries::Policy work_;
  std::size_t running_;
  Duration age_;
  std::map<std::string, DestinationQueue> queues_;  // by destination; that of own work is the first
  std::array<Reading, 2> readings_;                 // by source
};

}  // namespace tenure
