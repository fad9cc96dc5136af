// begun-in-order: a leader begins the events of each schedule in the order of their commits.
//
// Asked is about the first attempt of an instance in one leadership: what failed is begun again when its time has come.
// A failover that loses an event takes back no attempt at it and no delivery: what commits it again does not make the
// next attempt the first.
// Of work of the leader's own process, only slots count, because slots and manual runs share the workers; of events for
// a destination, all of them. What an edit moves to another destination has an order of its own there. Under strict
// order, an event is not begun before all earlier ones of its schedule for its destination have left the outbox, or
// were delivered to it. What has left it on a branch that is lost is over for work under that branch's token. The
// version that fired an event says whether it is strict about it: one that is not does not wait for earlier ones that
// are.
// Reads: commits, accepted runs, what is asked for and taken from the outbox.
// Not applicable: no fires, or a scheduler without a ledger.
// One opportunity: the first attempt at an event.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/checkers/invariants/checker_of.h"
#include "sim/checkers/trackers/outbox_notes.h"
#include "sim/checkers/trackers/per_incarnation.h"

namespace tenure::sim {
namespace {

class BegunInOrder final : public CheckerOf<BegunInOrder> {
 public:
  explicit BegunInOrder(const CheckerSetup& setup)
      : CheckerOf(setup), rules_(run_.rules()), outbox_(run_.outbox()) {}

  std::uint32_t wants() const override {
    return record_mask<Applied, StoreReplicaStalled, StoreFailedOver>() | CheckerOf::wants();
  }
  void before(TrueTime, const Record& record) {
    if (std::holds_alternative<StoreReplicaStalled>(record)) may_be_lost_.emplace();
    if (const auto* failed = std::get_if<StoreFailedOver>(&record)) fail_over(failed->branch);
    notes_.see(record, run_);
    if (may_be_lost_)
      for (const auto& [id, event] : run_.left()) may_be_lost_->taken.insert(id);
  }
  void on(TrueTime now, const WorkAsked& asked) {
    if (asked.item.event.run == 0) begins(now, asked.who, asked.item);
  }
  void on(TrueTime now, const DeliveryAsked& sent) { begins(now, sent.who, sent.item); }
  void on(TrueTime, const DeliveryArrived& landed) {
    if (landed.landing == DeliveryOutcome::duplicate) delivered(landed.item);
  }
  void on(TrueTime, const DeliveryEnded& ended) {
    if (ended.ending == Ending::done) delivered(ended.item);
  }

 private:
  struct Begun {
    Incarnation by;                      // the first who did; number 0: nobody has
    std::vector<Incarnation> also = {};  // likewise
    bool delivered = false;

    // False if it has begun it before.
    bool begins(Incarnation who) {
      if (by == who || std::find(also.begin(), also.end(), who) != also.end()) return false;
      if (by.number == 0)
        by = who;
      else
        also.push_back(who);
      return true;
    }
  };
  struct Done {
    std::set<std::pair<reference::EventId, Incarnation>> begun;
    std::set<std::pair<reference::EventId, std::string>> delivered;  // to which destination
    std::set<reference::EventId> taken;                              // from the outbox
  };
  using Rules = EventRules::Rules;
  struct Place {
    std::uint64_t position = 0;
    reference::EventId event;
  };
  // Of those that one leadership has begun for one destination.
  struct Latest {
    std::optional<Token> token;
    std::string destination;  // empty: the leader's own work
    Place any = {};
    Place strict = {};
  };

  // What is committed anew is in an order of its own.
  void fail_over(std::uint32_t branch) {
    branch_ = branch;
    latest_ = {};
    has_failed_over_ = true;
    if (!may_be_lost_) return;
    before_.begun.merge(may_be_lost_->begun);
    before_.delivered.merge(may_be_lost_->delivered);
    before_.taken.merge(may_be_lost_->taken);
    may_be_lost_.reset();
  }
  void delivered(const WorkItem& item) {
    if (may_be_lost_) may_be_lost_->delivered.insert({item.event, item.destination});
    const StoredEvent* event = outbox_.find(item.event);
    // After a failover it may be lost, and on its way all the same.
    if (event == nullptr && has_failed_over_) before_.delivered.insert({item.event, item.destination});
    if (event != nullptr && item.destination == destination_of(rules_.find(item.event)))
      notes_[item.event].delivered = true;
  }

  void begins(TrueTime now, Incarnation who, const WorkItem& item) {
    const StoredEvent* event = outbox_.find(item.event);
    if (may_be_lost_) may_be_lost_->begun.insert({item.event, who});
    if (event == nullptr && has_failed_over_) before_.begun.insert({item.event, who});
    if (event == nullptr || !notes_[item.event].begins(who)) return;
    if (before_.begun.contains({item.event, who})) return;
    examined();
    const Rules* rules = rules_.find(item.event);
    const bool is_strict = rules != nullptr && rules->delivery.strict_order;
    Latest& latest = latest_of(who, item, destination_of(rules));
    const Place& before = is_strict ? latest.strict : latest.any;
    if (before.position > event->position)
      return blame(now, who, item.event, before.event, "although that was committed first");
    const Place here{event->position, item.event};
    if (latest.any.position < here.position) latest.any = here;
    if (!is_strict) return;
    latest.strict = here;
    // It knows of no failover yet, and that it had been over.
    const bool is_old = item.token && item.token->branch < branch_;
    std::optional<reference::EventId> first;
    outbox_.for_each_of(item.event.schedule, [&](const reference::EventId& id, const StoredEvent& each) {
      if (first || each.position >= event->position || is_delivered(id)) return;
      if (is_old && before_.taken.contains(id)) return;
      if (before_.delivered.contains({id, rules->delivery.destination})) return;
      if (waits_with(rules_.find(id), *rules)) first = id;
    });
    if (first) blame(now, who, *first, item.event, "although that was not over");
  }
  bool is_delivered(const reference::EventId& id) const {
    const Begun* begun = notes_.find(id);
    return begun != nullptr && begun->delivered;
  }
  static std::string_view destination_of(const Rules* rules) {
    return rules != nullptr ? std::string_view(rules->delivery.destination) : std::string_view{};
  }
  // For the same destination.
  static bool waits_with(const Rules* other, const Rules& rules) {
    return other != nullptr && other->delivery.kind == rules.delivery.kind &&
           other->delivery.destination == rules.delivery.destination;
  }
  // What is shown last may be a token of before.
  Latest& latest_of(Incarnation who, const WorkItem& item, std::string_view destination) {
    std::vector<std::vector<Latest>>& schedules = latest_[who];
    const ScheduleId schedule = item.event.schedule;
    if (schedules.size() <= schedule.value) schedules.resize(schedule.value + 1);
    std::vector<Latest>& latest = schedules[schedule.value];
    const auto same = std::find_if(latest.rbegin(), latest.rend(), [&](const Latest& each) {
      return each.token == item.token && each.destination == destination;
    });
    if (same != latest.rend()) return *same;
    latest.push_back({item.token, std::string(destination)});
    return latest.back();
  }

  // `first` should have come before `second`.
  void blame(TrueTime now, Incarnation who, const reference::EventId& first, const reference::EventId& second,
             std::string_view why) {
    violate(now, {who}, {first.schedule},
            fmt::format("at {}, {} had begun {} before {}, {}", time_text(now), names_.who(who),
                        names_.event(second), names_.event(first), why));
  }

  const EventRules& rules_;
  const StoredEvents& outbox_;
  OutboxNotes<Begun> notes_;
  std::optional<Done> may_be_lost_;  // since the replica stood still
  Done before_;                      // and a failover has lost the commits, or may have
  bool has_failed_over_ = false;
  std::uint32_t branch_ = 0;  // the store's, after a failover
  PerIncarnation<std::vector<std::vector<Latest>>>
      latest_;  // by schedule, one for each leadership and destination
};

}  // namespace

TENURE_MADE_UNLESS(lacks_ledger, begun_in_order, BegunInOrder)

}  // namespace tenure::sim
