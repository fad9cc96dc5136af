// no-stale-act: nothing that a deposed leader did takes effect once its successor has acted.
//
// This is what a leader without a fencing token cannot prevent: it looks whether it leads, stands still, and goes on.
// By then another one leads and has acted, and the outside world takes what is late, since it cannot tell.
// An act belongs to the leadership in which it was asked for, however late it lands. Leaderships are ordered by when
// their belief began. An act outside any belief belongs to its node's last one (acts-within-belief looks at that).
// Reads: work and writes, from when they are asked for to when they are taken, against the beliefs in the journal
// (belief_tracker.h). Not events for destinations: those are sent at least once, whoever leads.
// Not applicable: protocols with tokens, whose acts fenced-writes judges by those; elections in which nobody acts.
// One opportunity: an act that is taken after another one of the same resource.
#include <fmt/format.h>

#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "sim/checkers/invariants/kinds.h"
#include "sim/checkers/names.h"
#include "sim/checkers/trackers/belief_tracker.h"

namespace tenure::sim {
namespace {

class NoStaleAct final : public Checker {
 public:
  explicit NoStaleAct(const CheckerSetup& setup)
      : names_(setup.scenario, setup.nodes), tracker_(setup.view) {}

  std::uint32_t wants() const override {
    return BeliefTracker::kReads | record_mask<WorkAsked, WriteAsked, WorkLanded, WriteLanded>();
  }

  void see(TrueTime now, const Record& record) override {
    if (!tracker_.passes_over(now, record)) {
      tracker_.see(now, record);
      for (const BeliefChange& change : tracker_.changes()) {
        const Belief& belief = change.belief;
        if (change.what == BeliefChange::What::began) leads_since_[{belief.resource, belief.who}] = change.at;
      }
    }
    if (const auto* asked = std::get_if<WorkAsked>(&record)) {
      ask(asked->who, asked->item.resource, act_of(asked->item));
    } else if (const auto* wants_to_write = std::get_if<WriteAsked>(&record)) {
      ask(wants_to_write->who, wants_to_write->item.resource, act_of(wants_to_write->item));
    } else if (const auto* landed = std::get_if<WorkLanded>(&record)) {
      land(now, landed->who, landed->item.resource, act_of(landed->item),
           landed->landing == DeliveryOutcome::begun);
    } else if (const auto* written = std::get_if<WriteLanded>(&record)) {
      land(now, written->who, written->item.resource, act_of(written->item), !written->fenced);
    }
  }

 private:
  // What tells the acts of one incarnation apart: the event of work, or the number of a write.
  struct Act {
    std::optional<reference::EventId> event;
    std::uint64_t number = 0;
    auto operator<=>(const Act&) const = default;
  };
  static Act act_of(const WorkItem& item) { return {item.event, item.attempt}; }
  static Act act_of(const WriteItem& item) { return {std::nullopt, item.number}; }

  // On its way. The same act, asked for again, belongs to the last leadership in which it was: so nobody is blamed
  // whose first attempt was lost.
  struct OnItsWay {
    TrueTime leads_since;
    std::uint64_t times = 0;
  };
  struct Taken {
    Incarnation who;
    TrueTime leads_since;
    TrueTime at;
  };
  // The newest leadership that has acted, and the newest one of anybody else.
  struct Newest {
    std::optional<Taken> first;
    std::optional<Taken> of_another;
  };

  void ask(Incarnation who, ResourceId resource, const Act& act) {
    const auto since = leads_since_.find({resource, who});
    OnItsWay& on_its_way = on_their_way_[{resource, who, act}];
    on_its_way.leads_since = since == leads_since_.end() ? TrueTime{} : since->second;
    ++on_its_way.times;
  }

  void land(TrueTime now, Incarnation who, ResourceId resource, const Act& act, bool taken) {
    const auto found = on_their_way_.find({resource, who, act});
    if (found == on_their_way_.end()) return;
    const Taken landed{who, found->second.leads_since, now};
    if (--found->second.times == 0) on_their_way_.erase(found);
    if (!taken) return;
    Newest& newest = newest_[resource];
    if (newest.first) examined();
    const std::optional<Taken>& other =
        newest.first && newest.first->who != who ? newest.first : newest.of_another;
    if (other && landed.leads_since < other->leads_since)
      violate([&] { return violation(landed, act, *other); });
    remember(landed, newest);
  }

  // An older act hides no newer one.
  static void remember(const Taken& landed, Newest& newest) {
    if (!newest.first || newest.first->who == landed.who) {
      if (!newest.first || newest.first->leads_since <= landed.leads_since) newest.first = landed;
    } else if (newest.first->leads_since <= landed.leads_since) {
      newest.of_another = std::exchange(newest.first, landed);
    } else if (!newest.of_another || newest.of_another->leads_since <= landed.leads_since) {
      newest.of_another = landed;
    }
  }

  Violation violation(const Taken& late, const Act& act, const Taken& other) const {
    const std::string what = act.event ? "began " + names_.event(*act.event) : "wrote to the resource";
    std::vector<ScheduleId> schedules;
    if (act.event) schedules.push_back(act.event->schedule);
    return {
        late.at,
        fmt::format("what {} had asked for as the leader since {} {} at {}, after {}, which led from {} on, "
                    "had acted at {}",
                    names_.who(late.who), time_text(late.leads_since), what, time_text(late.at),
                    names_.who(other.who), time_text(other.leads_since), time_text(other.at)),
        {late.who, other.who},
        std::move(schedules)};
  }

  Names names_;
  BeliefTracker tracker_;
  std::map<std::pair<ResourceId, Incarnation>, TrueTime> leads_since_;  // the last leadership of each
  // What never lands stays: it dies with its process, one or two of a life.
  std::map<std::tuple<ResourceId, Incarnation, Act>, OnItsWay> on_their_way_;
  std::map<ResourceId, Newest> newest_;
};

}  // namespace

const char* no_stale_act::not_applicable(const Scenario& scenario) {
  if (scenario.protocol->has_tokens) return "the protocol has tokens, by which `fenced-writes` judges";
  return leaders_write(scenario) ? nullptr : lacks_own_work(scenario);
}

std::unique_ptr<Checker> no_stale_act::make(const CheckerSetup& setup) {
  return std::make_unique<NoStaleAct>(setup);
}

}  // namespace tenure::sim
