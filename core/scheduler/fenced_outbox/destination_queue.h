// The deliveries to one destination: events that wait for their first attempt, and those in hand. The leader's own
// program is such a destination, too: its work.
//
// Events wait in the order of their numbers, which is that of commits, and are begun in it. Those that failed and those
// that were never tried share the places: half for each, and a single one in turns. So a few events that always fail
// hold up nothing, and neither does a long queue hold up what is to be tried again. Under strict order, an event waits
// for all earlier ones of its schedule until they are delivered, or the store knows them as dead. One of which an
// attempt for another destination is under way, from before an edit or a failover, is an earlier one as well.
//
// A queue holds kMost events at most that are not over. When there are more, the rest stays in the store, and the queue
// remembers after which number: a destination that is down for hours takes no more memory than that, and no room from
// others.
//
// Own work shares its places with the commits that fire it. So its manual runs wait behind its slots, and share what
// is left with the fires that are due. All its slots are kept, because what is committed next must not overtake them;
// kMost is for its runs that wait.
//
//   1. Of the destination's events that the store has shown to this leader, all are here up to the number left().after,
//      and if left() has no more, all.
//
// Thread rule: a value; one owner.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/base/fold.h"
#include "core/base/function_ref.h"
#include "core/scheduler/fenced_outbox/deliveries.h"
#include "core/scheduler/fenced_outbox/page_reader.h"
#include "core/scheduler/fenced_outbox/round_robin.h"
#include "core/store/reference/requests.h"

namespace tenure {

class DestinationQueue {
 public:
  static constexpr std::size_t kMost = 1000;

  enum class Whose : bool { others, own };
  explicit DestinationQueue(Whose whose = Whose::others) : is_own_(whose == Whose::own) {}

  Deliveries& in_hand() { return in_hand_; }
  const Deliveries& in_hand() const { return in_hand_; }
  bool holds(const reference::EventId& event) const { return in_hand_.holds(event); }

  // When a waiting event begins. after_others: another destination's attempt at it is under way. When that is over,
  // read_anew() is called.
  enum class Begins : std::uint8_t { at_once, in_order, after_others };
  // The store shows an event of this destination that is not in hand. `before`: the position before it.
  void see(const reference::OutboxEvent& event, const Deliveries::Policy& policy, Begins begins,
           std::uint64_t before);
  // It shows one, perhaps of those in hand. After a failover its number may be another one.
  void saw(const reference::EventId& event, std::uint64_t number) {
    seen_ = std::max(seen_, number);
    in_hand_.shown(event, number);
  }
  // The greatest number that was shown.
  std::uint64_t seen() const { return seen_; }
  // What the store has for this destination that is not here.
  PageReader<std::uint64_t>& left() { return left_; }
  const PageReader<std::uint64_t>& left() const { return left_; }
  // Whether reading that is worth a request.
  bool wants_page() const;
  // Whether slots of own work wait for a worker.
  bool slots_wait() const { return is_own_ && waiting_.size() > runs_; }

  // Whether fires are due that want places: those of own work.
  using FiresWait = FunctionRef<bool(MonoTime now)>;
  // Begins what is to be begun now, in this order, in at most `room` places.
  using Attempts = Deliveries::Attempts;
  Attempts begin(MonoTime now, const Token& token, std::size_t room, FiresWait fires_wait);
  // When begin() has something more to do at the latest, if nothing happens before; max() for never.
  MonoTime next(MonoTime now, std::size_t room, FiresWait fires_wait) const;
  // The fires that were due had places.
  void fires_had_places();
  Deliveries::Finish finish(const WorkDone& done, const std::optional<Token>& token, MonoTime now);
  // The store has taken what was over: what waited for that may begin.
  void acknowledged();

  // Forgets what waits: the store will show it again, from its beginning.
  void read_anew();
  // Likewise, and what waits for another attempt: another leader may have it in hand.
  void forget_waiting();

  void hash(auto& sink) const { fold(sink, in_hand_, waiting_, left_, seen_, stuck_, shares_, work_shares_); }

 private:
  struct Waiting {
    reference::EventId event;
    Deliveries::Policy policy;
    Begins begins = Begins::at_once;
    void hash(auto& sink) const { fold(sink, event, begins); }
  };
  using Place = std::pair<bool, std::uint64_t>;  // whether it is a run of own work, and the number
  using Queue = std::map<Place, Waiting>;
  enum class Share : std::uint8_t { again, first };
  enum class WorkShare : std::uint8_t { runs, fires };

  // What is not over.
  std::size_t size() const { return waiting_.size() + in_hand_.size() - in_hand_.done(); }
  std::size_t kept() const { return is_own_ ? runs_ : size(); }
  bool has_fresh() const { return !waiting_.empty() && !stuck_; }
  std::size_t room_to_retry(MonoTime now, std::size_t room, FiresWait fires_wait) const;
  void begin_waiting(MonoTime now, const Token& token, std::size_t& room, FiresWait fires_wait,
                     Attempts& attempts);

  bool is_own_;
  Deliveries in_hand_;
  Queue waiting_;
  std::size_t runs_ = 0;  // of own work, that wait
  PageReader<std::uint64_t> left_;
  std::uint64_t seen_ = 0;
  bool stuck_ = false;  // all that waits does so for earlier events of its schedule
  RoundRobin<Share, 2> shares_{{Share::again, Share::first}};
  RoundRobin<WorkShare, 2> work_shares_{{WorkShare::runs, WorkShare::fires}};
};

}  // namespace tenure
