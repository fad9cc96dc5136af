// dead-or-delivered: an event for a destination leaves the outbox when it was delivered, or is dead: and it is dead
// only after as many failed attempts of one leadership as the version that fired it allows, or when it has been tried
// for `destination_age`, or will have been so by the time until which its destination has asked to wait. An attempt has
// not failed if its destination refused its token, or works on another one, and could say so in time.
//
// Nor is it sent again in that leadership after so many failures, or sooner than half of its back-off after it was sent
// before. Of a destination that works on another attempt it may be asked soon again.
//
// Delivered means that the destination that is named as having had it has finished it, or said that it had it before.
// What the sender has heard does not matter. The store takes no event from another destination than that.
//
// A leader delivers what others deliver by the rules of the version that fired it. It sends an event to the destination
// that this version names; it does nothing itself that goes to a destination, or waits for workers; and it acknowledges
// nothing for workers, unless one of them has done it, and gives nothing up for them. Who asks under a token of an
// earlier branch than the store's may go by what a failover has lost.
//
// An event for workers is over when one has done its work, and said so; or it is dead, after as many attempts as that
// version allows. An attempt that was lost in a failover does not count, nor does one that was given back.
// Reads: deliveries, work of leaders; what is submitted to take events from the outbox; what workers do, and what they
// are answered; failovers.
// Not applicable: no schedule names a destination, and there are no workers.
// One opportunity: an event that is sent, is to be taken from the outbox, or is over.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "core/model/describe.h"
#include "core/store/reference/event_map.h"
#include "sim/checkers/invariants/checker_of.h"
#include "sim/checkers/trackers/applied.h"

namespace tenure::sim {
namespace {

class DeadOrDelivered final : public CheckerOf<DeadOrDelivered> {
 public:
  explicit DeadOrDelivered(const CheckerSetup& setup)
      : CheckerOf(setup),
        rules_(run_.rules()),
        executions_(run_.executions()),
        age_(Duration::nanos(setup.scenario.scheduling.duration("destination_age").ns() / 1'000 * 999)) {}

  void on(TrueTime, const StoreFailedOver& failed_over) { branch_ = failed_over.branch; }
  void on(TrueTime now, const WorkAsked& work) { judge_work(now, work); }
  void on(TrueTime now, const DeliveryAsked& asked) {
    judge_destination(now, asked);
    judge_again(now, asked);
  }
  void on(TrueTime, const DeliveryArrived& landed) {
    if (landed.landing == DeliveryOutcome::duplicate)
      delivered_[landed.item.destination].insert(landed.item.event);
  }
  void on(TrueTime, const DeliveryEnded& ended) {
    if (ended.ending == Ending::done) delivered_[ended.item.destination].insert(ended.item.event);
  }
  void on(TrueTime now, const Submitted& submitted) { judge(now, submitted); }
  void on(TrueTime, const WorkerExecution& execution) {
    if (execution.ending == Ending::done) delivered_[{}].insert(execution.token.event);
  }
  void on(TrueTime now, const Applied& applied) { judge_ends(now, applied); }

 private:
  // ---- who delivers it, and where ----

  bool is_of_an_earlier_branch(const WorkItem& item) const {
    return item.token && item.token->branch < branch_;
  }
  void judge_work(TrueTime now, const WorkAsked& asked) {
    own_.add(asked.item.event);
    const EventRules::Rules* rules = rules_.find(asked.item.event);
    if (rules == nullptr || is_of_an_earlier_branch(asked.item)) return;
    examined();
    const std::string whose = rules->delivery.kind == Delivery::Kind::push
                                  ? "which goes to " + rules->delivery.destination
                                  : "which is for workers";
    violate(now, {asked.who}, {asked.item.event.schedule},
            fmt::format("{} began {} itself at {}, {}", names_.who(asked.who), names_.event(asked.item.event),
                        time_text(now), whose));
  }
  void judge_destination(TrueTime now, const DeliveryAsked& asked) {
    examined();
    const EventRules::Rules* rules = rules_.find(asked.item.event);
    const bool is_right = rules != nullptr && rules->delivery.destination == asked.item.destination;
    if (is_right || is_of_an_earlier_branch(asked.item)) return;
    violate(now, {asked.who}, {asked.item.event.schedule},
            fmt::format("{} sent {} to {} at {}, which the version that fired it does not name",
                        names_.who(asked.who), names_.event(asked.item.event), asked.item.destination,
                        time_text(now)));
  }

  // ---- how often, and how soon ----

  void judge_again(TrueTime now, const DeliveryAsked& asked) {
    const reference::EventId& event = asked.item.event;
    const SentEvent* sent = run_.sent().find(asked.who, event, asked.item.token);
    const EventRules::Rules* rules = rules_.find(event);
    if (sent == nullptr || !sent->is_in_hand || sent->works_on_another) return;
    if (rules == nullptr || !rules_.is_sure(event)) return;
    examined();
    const MonoTime mono = view_.mono_now(asked.who.node);
    const Delivery& delivery = rules->delivery;
    const Duration wait = back_off_after(delivery, std::max(sent->in_a_row, 1U)) / 2;
    if (sent->failures >= delivery.attempts)
      blame_again(now, asked,
                  fmt::format("after {} attempts of {} had failed", sent->failures, delivery.attempts));
    else if (mono < sent->last_mono + wait)
      blame_again(now, asked, fmt::format("{} too early", describe(sent->last_mono + wait - mono)));
  }
  void blame_again(TrueTime now, const DeliveryAsked& asked, const std::string& how) {
    violate(now, {asked.who}, {asked.item.event.schedule},
            fmt::format("{} sent {} to {} again at {}, {}", names_.who(asked.who),
                        names_.event(asked.item.event), asked.item.destination, time_text(now), how));
  }

  // ---- how it ends ----

  // For workers: to none.
  bool is_delivered(const reference::EventId& event, const std::string& destination) const {
    const auto there = delivered_.find(destination);
    return there != delivered_.end() && there->second.contains(event);
  }
  void judge(TrueTime now, const Submitted& submitted) {
    const Request& request = submitted.submission.request;
    if (const auto* ack = reference_request<reference::AckEvents>(request)) {
      for (const reference::DeliveredEvent& had : ack->events) {
        const bool is_own = had.kind == Delivery::Kind::work;
        if (is_own && rules_.find(had.id) == nullptr) continue;
        examined();
        if (is_own ? own_.find(had.id) == nullptr : !is_delivered(had.id, had.to))
          blame(now, submitted.who, had.id, "as delivered, and it was not");
      }
    } else if (const auto* given_up = reference_request<reference::GiveUpEvents>(request)) {
      for (const reference::DeadEvent& dead : given_up->events) {
        const EventRules::Rules* rules = rules_.find(dead.id);
        if (rules == nullptr) continue;
        // On its branch, it may have been work of the leader's own.
        const bool is_old = given_up->token.branch < branch_;
        if (rules->delivery.kind == Delivery::Kind::pull && is_old) continue;
        examined();
        judge_dead(now, submitted.who, given_up->token, dead.id);
      }
    }
  }
  void judge_dead(TrueTime now, Incarnation who, const Token& token, const reference::EventId& event) {
    const std::uint32_t attempts = rules_.least_attempts(event);
    const SentEvent* sent = run_.sent().find(who, event, token);
    const std::uint32_t count = sent != nullptr ? sent->attempts : 0;
    if (count >= attempts || (sent != nullptr && now - sent->first + sent->wait >= age_)) return;
    blame(now, who, event, fmt::format("as dead, after {} attempts of {}", count, attempts));
  }
  void judge_ends(TrueTime now, const Applied& applied) {
    for_each_end(applied, [&](const reference::ExecutionToken& token, reference::Standing standing) {
      if (standing == reference::Standing::completed) {
        examined();
        if (!is_delivered(token.event, {})) blame_end(now, token, "as completed, and nobody had done it");
      } else if (standing == reference::Standing::dead) {
        examined();
        const KnownAttempt* last = executions_.find(token.event);
        if (last == nullptr) return;  // it was over before
        const std::uint32_t spent = last->spent_of(token.attempt);
        const std::uint32_t attempts = executions_.rules(token.event).delivery.attempts;
        if (spent < attempts)
          blame_end(now, token, fmt::format("as dead, after {} attempts of {}", spent, attempts));
      }
    });
  }
  void blame_end(TrueTime now, const reference::ExecutionToken& token, const std::string& how) {
    violate(now, {}, {token.event.schedule},
            fmt::format("{} was over at {}, {}", names_.event(token.event), time_text(now), how));
  }
  void blame(TrueTime now, Incarnation who, const reference::EventId& event, const std::string& how) {
    violate(now, {who}, {event.schedule},
            fmt::format("{} took {} from the outbox at {}, {}", names_.who(who), names_.event(event),
                        time_text(now), how));
  }

  const EventRules& rules_;
  const ExecutionTracker& executions_;
  Duration age_;                                                   // by the slowest clock
  reference::EventsInHand own_;                                    // that a leader has begun itself
  std::map<std::string, std::set<reference::EventId>> delivered_;  // by destination; by workers: to none
  std::uint32_t branch_ = 0;                                       // the store's
};

}  // namespace

TENURE_MADE_UNLESS(lacks_destinations_and_workers, dead_or_delivered, DeadOrDelivered)

}  // namespace tenure::sim
