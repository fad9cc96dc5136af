// no-stale-act: nothing that a deposed leader did takes effect once its successor has acted; and the sitting leader is
// not refused.
//
// A leader looks whether it leads, stands still, and goes on. By then another one leads and has acted, and the outside
// world takes what is late: it cannot tell without a fencing token, or the token does not tell it.
// The other way round, a leader that alone believes, under the newest token, and asked for an act as such, is refused
// only if somebody has shown a token that no leader had.
// An act belongs to the leadership in which it was asked for, however late it lands. Leaderships are ordered by when
// their belief began. An act outside any belief belongs to its node's last one (acts-within-belief looks at that).
// Reads: work and writes, from when they are asked for to when they are taken, against the beliefs in the journal
// (belief_tracker.h). Not events for destinations: those are sent at least once, whoever leads.
// Not applicable: elections in which nobody acts.
// One opportunity: an act that is taken after another one of the same resource, or refused by its token.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/model/describe.h"
#include "core/store/reference/event_map.h"
#include "sim/checkers/invariants/checker_of.h"
#include "sim/checkers/trackers/per_incarnation.h"

namespace tenure::sim {
namespace {

class NoStaleAct final : public CheckerOf<NoStaleAct> {
 public:
  using CheckerOf::CheckerOf;

  void on(const BeliefChange& change) {
    const Belief& belief = change.belief;
    if (change.what == BeliefChange::What::began) leads_since_[{belief.resource, belief.who}] = change.at;
    if (belief.token) note(belief.resource, *belief.token);
  }
  void on(TrueTime, const WorkAsked& asked) { ask(asked.who, act_of(asked.item)); }
  void on(TrueTime, const WriteAsked& asked) { ask(asked.who, act_of(asked.item)); }
  void on(TrueTime now, const WorkArrived& landed) {
    land({landed.who, landed.item.resource, landed.item.token}, now, act_of(landed.item), landed.landing);
  }
  void on(TrueTime now, const WriteLanded& written) {
    land({written.who, written.item.resource, written.item.token}, now, act_of(written.item),
         written.fenced ? DeliveryOutcome::fenced : DeliveryOutcome::begun);
  }

 private:
  // What tells the acts of one incarnation apart: the event of work, or the number of a write.
  struct Act {
    ResourceId resource;
    std::optional<reference::EventId> event;
    std::uint64_t number = 0;
  };
  static Act act_of(const WorkItem& item) { return {item.resource, item.event, item.attempt}; }
  static Act act_of(const WriteItem& item) { return {item.resource, std::nullopt, item.number}; }

  // On its way. The same act, asked for again, belongs to the last leadership in which it was: so nobody is blamed
  // whose first attempt was lost.
  struct OnItsWay {
    ResourceId resource;
    std::uint64_t number = 0;
    TrueTime leads_since;
    std::uint64_t times = 0;

    bool is(const Act& act) const { return resource == act.resource && number == act.number; }
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

  // Of one life. What never lands stays: it dies with its process, one or two of a life.
  struct LifeActs {
    reference::EventMap<OnItsWay> work;
    std::vector<std::pair<std::optional<reference::EventId>, OnItsWay>>
        others;  // writes, and second attempts

    // nullptr: it is not on its way.
    OnItsWay* find(const Act& act) {
      if (OnItsWay* first = act.event ? work.find(*act.event) : nullptr; first != nullptr && first->is(act))
        return first;
      const auto other = std::find_if(others.begin(), others.end(), [&act](const auto& each) {
        return each.first == act.event && each.second.is(act);
      });
      return other != others.end() ? &other->second : nullptr;
    }
    OnItsWay& add(const Act& act) {
      const OnItsWay fresh{act.resource, act.number, {}, 0};
      if (act.event && work.find(*act.event) == nullptr) return work.add(*act.event) = fresh;
      return others.emplace_back(act.event, fresh).second;
    }
    void erase(const Act& act, const OnItsWay& it) {
      if (act.event && work.find(*act.event) == &it) return static_cast<void>(work.erase(*act.event));
      std::erase_if(others, [&it](const auto& each) { return &each.second == &it; });
    }
  };

  void ask(Incarnation who, const Act& act) {
    const auto since = leads_since_.find({act.resource, who});
    LifeActs& life = asked_[who];
    OnItsWay* const known = life.find(act);
    OnItsWay& asked = known != nullptr ? *known : life.add(act);
    asked.leads_since = since == leads_since_.end() ? TrueTime{} : since->second;
    ++asked.times;
  }
  // When the leadership of an act that has landed began; nullopt: nobody has asked for it.
  std::optional<TrueTime> leads_since(Incarnation who, const Act& act) {
    LifeActs& life = asked_[who];
    OnItsWay* const known = life.find(act);
    if (known == nullptr) return std::nullopt;
    const TrueTime since = known->leads_since;
    if (--known->times == 0) life.erase(act, *known);
    return since;
  }

  void note(ResourceId resource, const Token& token) {
    const auto [newest, first] = newest_token_.try_emplace(resource, token);
    if (!first && newest->second.older_than(token)) newest->second = token;
  }

  // An act as its resource sees it.
  struct Shown {
    Incarnation who;
    ResourceId resource;
    std::optional<Token> token;
  };

  void land(const Shown& shown, TrueTime now, const Act& act, DeliveryOutcome landing) {
    const auto& [who, resource, token] = shown;
    const std::optional<TrueTime> since = leads_since(who, act);
    if (!since) return;
    const Taken landed{who, *since, now};
    if (landing == DeliveryOutcome::fenced) return refused(landed, shown, act);
    if (landing != DeliveryOutcome::begun) return;
    Newest& newest = newest_[resource];
    if (newest.first) examined();
    const std::optional<Taken>& other =
        newest.first && newest.first->who != who ? newest.first : newest.of_another;
    if (other && landed.leads_since < other->leads_since) violate(late(landed, act, *other));
    remember(landed, newest);
  }

  void refused(const Taken& landed, const Shown& shown, const Act& act) {
    examined();
    const ResourceId resource = shown.resource;
    const Belief* belief = run_.beliefs().lasting(landed.who, resource);
    if (belief == nullptr || belief->since > landed.leads_since) return;
    if (!belief->token || shown.token != belief->token) return;
    if (belief->token->older_than(newest_token_[resource])) return;
    const auto beside = [&](const Belief& other) {
      return other.lasts && other.resource == resource && other.who != landed.who;
    };
    if (std::ranges::any_of(run_.beliefs().beliefs(), beside)) return;
    violate(landed.at, {landed.who}, schedules(act),
            fmt::format("{} was refused at {}: {}, although it alone has believed to lead since {}, "
                        "under {}, and nobody ever led under a newer one",
                        names_.who(landed.who), time_text(landed.at), what(act), time_text(belief->since),
                        describe(*belief->token)));
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

  std::string what(const Act& act) const {
    return act.event ? "the work of " + names_.event(*act.event) : "a write to the resource";
  }
  static std::vector<ScheduleId> schedules(const Act& act) {
    return act.event ? std::vector{act.event->schedule} : std::vector<ScheduleId>{};
  }
  Violation late(const Taken& late, const Act& act, const Taken& other) const {
    return {
        late.at,
        fmt::format("{}, which {} had asked for as the leader since {}, was taken at {}, after {}, which led "
                    "from {} on, had acted at {}",
                    what(act), names_.who(late.who), time_text(late.leads_since), time_text(late.at),
                    names_.who(other.who), time_text(other.leads_since), time_text(other.at)),
        {late.who, other.who},
        schedules(act)};
  }

  std::map<std::pair<ResourceId, Incarnation>, TrueTime> leads_since_;  // the last leadership of each
  PerIncarnation<LifeActs> asked_;
  std::map<ResourceId, Newest> newest_;
  std::map<ResourceId, Token> newest_token_;  // that anybody believed under
};

}  // namespace

const char* no_stale_act::not_applicable(const Scenario& scenario) {
  return leaders_write(scenario) ? nullptr : lacks_own_work(scenario);
}

TENURE_MADE_AS(no_stale_act, NoStaleAct)

}  // namespace tenure::sim
