// Hand-written histories for checkers: a small world of clocks, and the records of what happened in it.
//
// A History shows each record to every checker that applies to its scenario, to the metrics and to the sometimes
// counter, so that a test sees not only that a checker finds what is wrong but also that the others stay quiet.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/checkers/checker.h"
#include "sim/checkers/metrics/metrics.h"
#include "sim/checkers/metrics/sometimes.h"
#include "sim/checkers/trackers/run_history.h"

namespace tenure::sim {

// Clocks that run at the rate of true time, each with an offset that a test can change.
class TestView final : public View {
 public:
  TrueTime now;
  Duration store_ahead;
  std::map<NodeId, Duration> mono_ahead;
  std::map<NodeId, Duration> wall_ahead;

  TrueTime true_time_of(NodeId node, const Until& until) const override;
  StoreTime store_now(StoreId store) const override;
  MonoTime mono_now(NodeId node) const override;
};

// True time zero, on the store's and on everybody's wall clock: 2026-01-01T00:00:00Z.
inline constexpr std::int64_t kStartNs = 1'767'225'600'000'000'000;
inline constexpr ResourceId kResource{0};
inline constexpr ScheduleId kBilling{0};
inline constexpr Incarnation kN1{NodeId{0}, 1};
inline constexpr Incarnation kN2{NodeId{1}, 1};
inline constexpr Incarnation kN3{NodeId{2}, 1};
inline constexpr Incarnation kClient{kClientNode, 1};

constexpr Duration seconds(std::int64_t n) { return Duration::seconds(n); }
constexpr Duration millis(std::int64_t n) { return Duration::millis(n); }
constexpr TrueTime at_seconds(std::int64_t n) { return TrueTime{} + seconds(n); }
constexpr StoreTime store_at(Duration since_start) { return StoreTime::from_ns(kStartNs) + since_start; }
constexpr Token token(std::uint64_t epoch, std::uint64_t nonce = 0) {
  return {0, epoch, nonce != 0 ? nonce : 100 + epoch};
}
Definition every(Duration period, Misfire::Policy policy = Misfire::Policy::fire_all, bool paused = false);

// Scenarios of 60s and a tail of 60s, with three instances.
Scenario reference_scenario();  // fenced-lease and fenced-outbox, one schedule: billing, every 10s
Scenario table_scenario();      // db-lease and ticker, the same schedule
Scenario ring_scenario();       // token-ring and ticker
Scenario
design_scenario();  // a design in a file, with the reference store, fenced-outbox and the same schedule
Scenario placement_scenario();  // an election on a record, and placement: three items
Scenario election_scenario();   // a lease on a versioned record, no scheduler
Scenario writing_scenario();    // fenced-lease, whose leaders write to the resource, no scheduler

// Schedules that are there from 50.3s on: each second, up to 59s, orders go to the destination crm and mails to erp.
// They are sent twice at most, a second apart.
inline constexpr ScheduleId kOrders{1};
inline constexpr ScheduleId kMails{2};
Scenario pushing_scenario();  // fenced-lease and fenced-outbox, with these schedules beside billing
// In an acknowledgement, that what it was sent to has had it.
inline reference::DeliveredEvent had(const WorkItem& item) {
  return {item.event, item.destination.empty() ? Delivery::Kind::work : Delivery::Kind::push,
          item.destination};
}

// The same schedules, pulled: orders by the topic "post", mails by "letters", in strict order. Workers claim their
// events for 2s, work for 1s, and make two attempts, a second apart.
inline constexpr Incarnation kMailer1{kFirstWorkerNode, 1};
inline constexpr Incarnation kMailer2{NodeId{kFirstWorkerNode.value + 1}, 1};
Scenario pulling_scenario();

class History {
 public:
  explicit History(Scenario scenario);
  History(const History&) = delete;

  TestView view;

  // ---- time ----
  void at(Duration since_start) { view.now = TrueTime{} + since_start; }
  TrueTime now() const { return view.now; }

  // ---- records ----
  void see(const Record& record);
  void note(Incarnation who, const Note& note) { see(Noted{who, note}); }
  void believes(Incarnation who, const Until& until, std::optional<Token> shown = {});
  void believes_for(Incarnation who, Duration length,
                    std::optional<Token> shown = {});  // on its monotonic clock
  void steps_down(Incarnation who) { note(who, StepsDown{kResource, "test"}); }
  RequestId submits(Incarnation who, const Request& request, bool as_leader = true);
  // The store executes a request now.
  void applies(Incarnation who, const Request& request, const Reply& reply, std::uint32_t branch = 0);
  void asks_for(Incarnation who, Duration slot, std::optional<Token> shown = {});
  void lands(Incarnation who, Duration slot, std::optional<Token> shown = {},
             DeliveryOutcome landing = DeliveryOutcome::begun);
  void work_ends(Incarnation who, Duration slot, Ending ending = Ending::done,
                 std::optional<Token> shown = {});
  void work_is_done(Incarnation who, Duration slot,
                    std::optional<Token> shown = {});  // lands, and ends at once

  // ---- what belongs together ----
  void puts(ScheduleId schedule, std::uint32_t version, const Definition& definition);  // in whichever store
  void granted(Incarnation who, const Token& shown, Duration lease = seconds(15));
  void renewed(Incarnation who, const Token& shown, Duration lease = seconds(15));
  void leads(Incarnation who, const Token& shown, Duration lease = seconds(15));  // granted, and believes it
  void extends(Incarnation who, const Token& shown, Duration lease = seconds(15));
  // A row of billing's version 1, submitted and written at once.
  void covers(Incarnation who, const Token& shown, reference::LedgerRow row,
              reference::RowResult result = reference::RowResult::covered);
  static reference::LedgerRow fired_row(Duration slot, std::uint32_t version = 1);
  static reference::LedgerRow range_row(Duration from, Duration to, reference::Disposition what,
                                        std::uint32_t version = 1);
  void heals() { see(Healed{}); }
  void finishes();  // at 120s

  // ---- deliveries: of pushing_scenario() ----
  // The schedules are put at 50.3s, and at 52.1s their slots of 51s and 52s are committed. The time is 52.2s.
  void commits_orders_and_mails();
  void sends(Incarnation who, const WorkItem& item) { see(DeliveryAsked{who, item}); }
  void arrives(Incarnation who, const WorkItem& item, std::optional<DeliveryOutcome> landing,
               Duration retry_after = {}) {
    see(DeliveryArrived{who, item, landing, view.store_now(StoreId{}), retry_after});
  }
  void takes_from_the_outbox(Incarnation who, const WorkItem& item);
  void gives_up(Incarnation who, const WorkItem& item);
  // The whole of a delivery: it is sent, done, and taken from the outbox.
  void delivers(Incarnation who, const WorkItem& item);

  // ---- executions: of pulling_scenario(), whose events are committed as those of deliveries ----
  // An attempt of `who`, whose nonce is the worker's own.
  static reference::ExecutionToken attempt(Incarnation who, ScheduleId schedule, Duration slot,
                                           std::uint32_t number = 1);
  // The store hands out these, in the order of slots, to one who asked for `max` of their topic.
  void hands_out(Incarnation who, const std::vector<reference::ExecutionToken>& tokens, std::uint32_t max,
                 std::optional<std::string> topic = {}, std::uint32_t version = 1, Duration longer = {});
  // The worker has done its work, or has failed at it.
  void works(Incarnation who, const reference::ExecutionToken& token, Ending ending = Ending::done);
  // The worker says so, and is answered; nullopt: for no attempt.
  void extends(Incarnation who, const reference::ExecutionToken& token,
               std::optional<reference::Standing> answer, Duration longer = {});
  void gives_back(Incarnation who, const reference::ExecutionToken& token,
                  std::optional<reference::Standing> answer = reference::Standing::released);
  // It is handed nothing of the schedule's topic.
  void claims_in_vain(Incarnation who, ScheduleId schedule = kOrders);
  void ends(Incarnation who, const reference::ExecutionToken& token,
            std::optional<reference::Standing> answer, bool failed = false, Duration back_off = seconds(1));

  // ---- verdicts ----
  const Checker& checker(std::string_view name) const;
  bool applies_to(std::string_view name) const;
  std::set<std::string> failing() const;
  const Metrics& metrics() const { return metrics_->metrics(); }
  std::vector<LeadershipTimeline> strips() const { return metrics_->strips(); }
  std::uint64_t sometimes(std::string_view name) const { return sometimes_->count(name, metrics()); }

 private:
  Scenario scenario_;
  std::unique_ptr<RunHistory> history_;
  std::vector<std::pair<std::string, std::unique_ptr<Checker>>> checkers_;
  std::unique_ptr<MetricsCollector> metrics_;
  std::unique_ptr<SometimesCounter> sometimes_;
  std::map<Incarnation, std::uint32_t> requests_;
};

}  // namespace tenure::sim
