// destination-isolation: no destination delays another.
//
// A leader begins the first attempt at an event soon after it learns of it: after it has committed it, or the store has
// shown it. Soon: its requests take turns, and each of the others may come twice. What has only itself to blame waits
// longer: while its own destination has as many deliveries under way as may be (one is, until its sender hears of its
// end, or gives up waiting for that), or many that are not over, or while an earlier event of its schedule for that
// destination is in its way (strict order, as the version says that fired it). So does everything while another thing
// breaks than a destination, while the leader is paused or is asked to stop, and shortly after. A failover takes back
// no attempt: what an instance has begun, it need not begin again.
// Reads: commits, pages of what waits, deliveries, lives, faults.
// Not applicable: fewer than two destinations.
// One opportunity: the first attempt at an event, or one that should have been made.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/checkers/invariants/checker_of.h"
#include "sim/checkers/trackers/outbox_notes.h"
#include "sim/scenario/latencies.h"

namespace tenure::sim {
namespace {

class DestinationIsolation final : public CheckerOf<DestinationIsolation> {
 public:
  explicit DestinationIsolation(const CheckerSetup& setup)
      : CheckerOf(setup),
        rules_(run_.rules()),
        outbox_(run_.outbox()),
        most_(static_cast<std::size_t>(setup.scenario.scheduling.number("destination_running"))),
        soon_(worst_commit_wait(setup.scenario) * 2 + setup.scenario.scheduling.duration("retry_period") * 2),
        calms_(setup.scenario.scheduling.duration("stall_timeout") +
               setup.scenario.scheduling.duration("request_timeout") * 2) {
    for (const DestinationSetting& destination : setup.scenario.destinations)
      lanes_[destination.name].timeout = destination.timeout + Duration::seconds(1);
  }

  std::uint32_t wants() const override { return ~kForPictures; }
  void before(TrueTime now, const Record& record) {
    see_trouble(now, record);
    notes_.see(record, run_);
  }
  void on(TrueTime, const StoreFailedOver&) { fail_over(); }
  void on(TrueTime now, const Applied& applied) {
    for (const auto& [id, event] : run_.came()) {
      if (Lane* lane = lane_of(id)) lane->here.emplace(event.position, id);
      learns(now, event.who, id);
    }
    for (const auto& [id, event] : run_.left()) {
      Lane* lane = lane_of(id);
      if (lane == nullptr) continue;
      lane->here.erase(event.position);
      lane->left[id.schedule] = now;
    }
    const auto* page = reference_reply<reference::WaitingEvents>(applied.reply);
    if (page == nullptr) return;
    for (const reference::WaitingEvent& shown : page->events)
      if (outbox_.find(shown.id) != nullptr) learns(now, applied.who, shown.id);
  }
  void on(TrueTime now, const DeliveryAsked& asked) { begins(now, asked.who, asked.item); }
  void on(TrueTime now, const DeliveryArrived& landed) {
    if (landed.landing != DeliveryOutcome::begun) is_over(now, landed.item);
  }
  void on(TrueTime now, const DeliveryEnded& ended) {
    if (ended.answers) is_over(now, ended.item);
  }

  void finish(TrueTime now) override {
    for (auto& [name, lane] : lanes_) {
      see_room(now, lane);
      for (const auto& [position, id] : lane.here)
        if (const StoredEvent* event = outbox_.find(id)) judge(now, lane, id, *event);
    }
  }

 private:
  struct Knowledge {
    std::optional<Incarnation> who;  // knows of it last, and has not begun it
    TrueTime since;
  };
  struct Lane {
    Duration timeout;
    std::map<std::uint64_t, reference::EventId> here;  // in the outbox, by position
    std::map<reference::EventId, TrueTime> under_way;  // asked for
    TrueTime full = TrueTime::min();                   // when it was that last
    std::map<ScheduleId, TrueTime> left;               // when an event of it last left the outbox
  };
  // Of a lane, not over: with so many it may have to read what waits in parts.
  static constexpr std::size_t kMany = 400;

  Lane* lane_of(const reference::EventId& id) {
    const EventRules::Rules* rules = rules_.find(id);
    if (rules == nullptr || rules->delivery.kind != Delivery::Kind::push) return nullptr;
    const auto lane = lanes_.find(rules->delivery.destination);
    return lane != lanes_.end() ? &lane->second : nullptr;
  }

  // What is in the outbox now, is what is in the way.
  void fail_over() {
    for (auto& [name, lane] : lanes_) lane.here.clear();
    outbox_.for_each([&](const reference::EventId& id, const StoredEvent& event) {
      if (Lane* lane = lane_of(id)) lane->here.emplace(event.position, id);
      Knowledge* note = notes_.find(id);
      if (note != nullptr && note->who && begun_.contains({*note->who, id})) note->who.reset();
    });
  }

  void learns(TrueTime now, Incarnation who, const reference::EventId& id) {
    if (who.node == kClientNode || lane_of(id) == nullptr || begun_.contains({who, id})) return;
    Knowledge& note = notes_[id];
    if (note.who != who) note = {who, now};
  }

  void begins(TrueTime now, Incarnation who, const WorkItem& item) {
    Lane* lane = lane_of(item.event);
    const StoredEvent* event = outbox_.find(item.event);
    begun_.insert({who, item.event});
    if (lane == nullptr) return;
    if (Knowledge* note = notes_.find(item.event); event != nullptr && note != nullptr && note->who == who) {
      see_room(now, *lane);
      judge(now, *lane, item.event, *event);
      note->who.reset();
    }
    lane->under_way[item.event] = now;
    see_room(now, *lane);
  }
  void is_over(TrueTime now, const WorkItem& item) {
    Lane* lane = lane_of(item.event);
    if (lane == nullptr) return;
    see_room(now, *lane);
    lane->under_way.erase(item.event);
  }

  // Nothing tells when a place is free because its sender has waited for long enough.
  void see_room(TrueTime now, Lane& lane) const {
    if (lane.under_way.size() >= most_) {
      std::vector<TrueTime> asked;
      for (const auto& [event, at] : lane.under_way) asked.push_back(at);
      std::sort(asked.begin(), asked.end());
      lane.full = std::max(lane.full, std::min(now, asked[asked.size() - most_] + lane.timeout));
    }
    std::erase_if(lane.under_way, [&](const auto& each) { return each.second + lane.timeout < now; });
    if (lane.here.size() >= kMany) lane.full = now;
  }

  void judge(TrueTime now, const Lane& lane, const reference::EventId& id, const StoredEvent& event) {
    const Knowledge* note = notes_.find(id);
    if (note == nullptr || !note->who || broken_ > 0 || away_.contains(*note->who)) return;
    examined();
    const TrueTime since = std::max({note->since, lane.full, calm_, is_first_since(lane, id)});
    if (now <= since + soon_ || waits_for_its_schedule(lane, id, event)) return;
    violate({now,
             fmt::format("{} knew of {} since {}, and had not begun to send it by {}", names_.who(*note->who),
                         names_.event(id), time_text(note->since), time_text(now)),
             {*note->who},
             {id.schedule},
             since});
  }
  // Under strict order, what was in its way has left the outbox.
  TrueTime is_first_since(const Lane& lane, const reference::EventId& id) const {
    const auto left = lane.left.find(id.schedule);
    return is_strict(id) && left != lane.left.end() ? left->second : TrueTime::min();
  }
  bool waits_for_its_schedule(const Lane& lane, const reference::EventId& id,
                              const StoredEvent& event) const {
    if (!is_strict(id)) return false;
    return std::any_of(lane.here.begin(), lane.here.lower_bound(event.position),
                       [&](const auto& earlier) { return earlier.second.schedule == id.schedule; });
  }

  bool is_strict(const reference::EventId& id) const { return rules_.find(id)->delivery.strict_order; }

  // While it lasts, nobody is blamed; then all have time to calm down.
  void see_trouble(TrueTime now, const Record& record) {
    if (const auto* began = std::get_if<FaultBegan>(&record)) {
      if (is_about_destinations(began->action)) return;
      if (began->duration != Duration{}) ++broken_;
      lingers_ = std::max(lingers_, began->lingers);
      calm_ = std::max(calm_, now + calms_);
    } else if (const auto* ended = std::get_if<FaultEnded>(&record)) {
      if (is_about_destinations(ended->action)) return;
      --broken_;
      calm_ = std::max(calm_, now + lingers_ + calms_);
    } else if (const auto* heard = std::get_if<StopHeard>(&record)) {
      away_.insert(heard->who);
    } else if (const auto* died = std::get_if<NodeDied>(&record)) {
      away_.insert(died->who);
    } else if (const auto* noted = std::get_if<Noted>(&record)) {
      if (std::holds_alternative<StepsDown>(noted->note)) away_.insert(noted->who);
      if (std::holds_alternative<Believes>(noted->note)) leads(now, noted->who);
    } else if (std::holds_alternative<NodeResumed>(record) || std::holds_alternative<ClockChanged>(record)) {
      calm_ = std::max(calm_, now + calms_);
    }
  }
  void leads(TrueTime now, Incarnation who) {
    if (leader_ == who && !away_.contains(who)) return;
    leader_ = who;
    away_.erase(who);
    calm_ = std::max(calm_, now + calms_);  // it reads everything first
  }
  static bool is_about_destinations(std::string_view action) { return action.starts_with("destination-"); }

  const EventRules& rules_;
  const StoredEvents& outbox_;
  OutboxNotes<Knowledge> notes_;
  std::size_t most_;
  Duration soon_;
  Duration calms_;
  std::map<std::string, Lane> lanes_;
  std::set<std::pair<Incarnation, reference::EventId>> begun_;
  std::int64_t broken_ = 0;  // faults that last
  Duration lingers_;         // the longest of any so far
  TrueTime calm_ = TrueTime::min();
  std::optional<Incarnation> leader_;
  std::set<Incarnation> away_;  // that need not begin anything
};

}  // namespace

const char* destination_isolation::not_applicable(const Scenario& scenario) {
  if (const char* why = lacks_destinations(scenario)) return why;
  return scenario.destinations.size() > 1 ? nullptr : "the scenario has one destination";
}

TENURE_MADE_AS(destination_isolation, DestinationIsolation)

}  // namespace tenure::sim
