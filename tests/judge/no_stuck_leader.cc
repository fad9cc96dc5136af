// No leader stays while what is due does not get done (docs/adr/0016-a-leader-that-cannot-fire-steps-aside.md).
//
// For each time in which an incarnation leads and does not stand still: some slot is due, and remains so, and no row
// covers it; meanwhile its leader covers no row, asks for no work, and yet stays, for stall_timeout and what it may
// take to learn of the slot. It is not stuck, and all begins anew afterwards, while a hold stands, while as much of
// its work runs as may, and while it asks the store for nothing and waits for its work, as one that stops does. A
// slot is nobody's to fire while its schedule is paused, while its own work is in hand that it must not overlap, and
// by a program that cannot read it.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/model/describe.h"
#include "tests/judge/beliefs.h"
#include "tests/judge/invariants.h"
#include "tests/judge/ledger.h"
#include "tests/judge/slots.h"
#include "tests/judge/tokens.h"
#include "tests/judge/work.h"

namespace tenure::judging {
namespace {

// A time in which one incarnation leads, and nothing happens that would begin its patience anew.
struct Stretch {
  Incarnation who;
  std::size_t from = 0;  // the fact that began it
  std::size_t to = 0;    // the fact that ended it, or the history's size
  sim::TrueTime begin;
  sim::TrueTime end;
};

Duration longest_stay(const Parameters& scheduling) {
  return scheduling.duration("stall_timeout") + scheduling.duration("poll_period") +
         scheduling.duration("request_timeout") * 2 + Duration::seconds(1);
}

// What each incarnation has running, and whether a hold stands, fact by fact.
class Hindrances {
 public:
  explicit Hindrances(const Case& run) : most_(run.scenario.scheduling.number("max_running")) {}

  void see(const Fact& fact) {
    if (const auto* asked = std::get_if<KeptWorkAsked>(&fact)) {
      running_[asked->who].insert(asked->item.event);
    } else if (const auto* landed = std::get_if<KeptLanding>(&fact)) {
      if (landed->landing != sim::DeliveryOutcome::begun) running_[landed->who].erase(landed->item.event);
    } else if (const auto* ended = std::get_if<KeptEnding>(&fact)) {
      running_[ended->who].erase(ended->item.event);
    } else if (const auto* applied = std::get_if<KeptApplied>(&fact)) {
      if (const auto* set = as_house<reference::HoldSet>(applied->reply)) held_ = set->hold.has_value();
    }
  }
  bool hold(Incarnation who) const {
    const auto running = running_.find(who);
    return held_ || (running != running_.end() && static_cast<std::int64_t>(running->second.size()) >= most_);
  }

 private:
  std::int64_t most_;
  bool held_ = false;
  std::map<Incarnation, std::set<reference::EventId>> running_;
};

// Did the leader get something done by this fact?
bool goes_on(const Fact& fact, Incarnation who) {
  if (const auto* asked = std::get_if<KeptWorkAsked>(&fact)) return asked->who == who;
  const auto* applied = std::get_if<KeptApplied>(&fact);
  if (applied == nullptr || applied->who != who) return false;
  const auto* committed = as_house<reference::Committed>(applied->reply);
  return committed != nullptr &&
         std::count(committed->rows.begin(), committed->rows.end(), reference::RowResult::covered) > 0;
}

bool stands_still(const Fact& fact, Incarnation who, bool before) {
  if (const auto* paused = std::get_if<sim::NodePaused>(&fact); paused != nullptr && paused->who == who)
    return true;
  if (const auto* resumed = std::get_if<sim::NodeResumed>(&fact); resumed != nullptr && resumed->who == who)
    return false;
  return before;
}

// The stretches of a belief: it is cut by what its leader gets done, by pauses, and by what holds it up.
void add_stretches(const Case& run, const Belief& belief, std::vector<Stretch>& all) {
  const std::vector<Kept>& facts = run.history.facts;
  Hindrances hindrances(run);
  bool paused = false;
  std::optional<Stretch> open;
  const auto close = [&](std::size_t place, sim::TrueTime at) {
    if (!open) return;
    open->to = place;
    open->end = at;
    all.push_back(*std::exchange(open, std::nullopt));
  };
  for (std::size_t place = 0; place < facts.size(); ++place) {
    const Kept& kept = facts[place];
    if (kept.at >= belief.end) break;
    const bool hindered = hindrances.hold(belief.who);
    hindrances.see(kept.fact);
    paused = stands_still(kept.fact, belief.who, paused);
    if (place < belief.from) continue;
    const bool may_go = !paused && !hindrances.hold(belief.who);
    if (open && (!may_go || hindered || goes_on(kept.fact, belief.who))) close(place, kept.at);
    if (!open && may_go) open = Stretch{belief.who, place, facts.size(), kept.at, belief.end};
  }
  close(belief.until, std::min(belief.end, run.history.end));
}

// An unbroken leadership is declared again and again: what follows at once is the same one.
std::vector<Belief> leaderships(const History& history) {
  std::vector<Belief> all;
  for (const Belief& belief : beliefs(history)) {
    const auto before = std::find_if(all.begin(), all.end(), [&](const Belief& other) {
      return other.who == belief.who && other.resource == belief.resource && other.end >= belief.begin;
    });
    if (before == all.end()) {
      all.push_back(belief);
    } else {
      before->end = std::max(before->end, belief.end);
      before->until = belief.until;
    }
  }
  return all;
}

bool asks_the_store(const History& history, const Stretch& stretch, std::size_t from, std::size_t to) {
  for (std::size_t place = from; place < to; ++place) {
    const auto* submitted = std::get_if<KeptSubmission>(&history.facts[place].fact);
    if (submitted != nullptr && submitted->who == stretch.who &&
        submitted->submission.part == Part::scheduler &&
        as_house<reference::AckEvents>(submitted->submission.request) == nullptr)
      return true;
  }
  return false;
}

struct Judge {
  const Case& run;
  Book book;
  std::vector<InHand> in_hand;
  std::map<std::pair<NodeId, ScheduleId>, std::vector<std::pair<std::size_t, bool>>> readable;
  Duration bound;

  bool can_read(NodeId node, ScheduleId schedule, std::size_t from, std::size_t to) const {
    const auto known = readable.find({node, schedule});
    if (known == readable.end()) return true;
    bool now = true;
    bool always = true;
    for (const auto& [place, can] : known->second) {
      if (place > to) break;
      if (place > from) always = always && now;
      now = can;
    }
    return always && now;
  }
  bool works(Incarnation who, ScheduleId schedule, sim::TrueTime from, sim::TrueTime to) const {
    return std::any_of(in_hand.begin(), in_hand.end(), [&](const InHand& work) {
      return work.who == who && work.event.schedule == schedule && work.from <= to && work.to >= from;
    });
  }
  // How far rows have carried the version by then.
  StoreTime reached(const Version& version, std::size_t place) const {
    StoreTime reached = version.begin;
    for (const LedgerRow& row : book.rows())
      if (row.row.schedule == version.schedule && row.row.version == version.number &&
          book.holds(row.place, place))
        reached = std::max(reached, row.row.to);
    return reached;
  }

  // Was something due at the fact `from`, and for the bound that follows, while the stretch went on?
  std::optional<Wrong> stuck_since(const Stretch& stretch, std::size_t from, sim::TrueTime since) const {
    const std::vector<Kept>& facts = run.history.facts;
    const sim::TrueTime at = since + bound;
    if (at > stretch.end) return std::nullopt;
    StoreTime due_at = facts[from].store_now;
    std::size_t to = from;
    for (; to < facts.size() && facts[to].at < at; ++to) due_at = std::min(due_at, facts[to].store_now);
    const std::size_t last = to == 0 ? 0 : to - 1;
    const bool waits = std::any_of(in_hand.begin(), in_hand.end(), [&](const InHand& work) {
      return work.who == stretch.who && work.from <= at && work.to >= at;
    });
    if (waits && !asks_the_store(run.history, stretch, from, to)) return std::nullopt;
    for (const ScheduleId schedule : book.schedules()) {
      if (!can_read(stretch.who.node, schedule, from, last)) continue;
      const std::vector<Version> versions = book.versions(schedule, last);
      const auto deleted = std::find_if(versions.rbegin(), versions.rend(),
                                        [](const Version& version) { return version.deleted; });
      // A delete has recorded what was left of the versions up to it.
      for (auto at_version = deleted.base(); at_version != versions.end(); ++at_version) {
        const Version& version = *at_version;
        if (version.definition.paused) continue;
        if (version.definition.overlap == Overlap::queue_one && works(stretch.who, schedule, since, at))
          continue;
        for (const StoreTime slot : slots_between(version.definition, reached(version, last),
                                                  std::min(version.end, due_at + Duration::micros(1))))
          if (due_of(version.definition, schedule, slot) <= due_at)
            return Wrong{at, describe(stretch.who) + " stays, and " + describe(slot) + " is not handled"};
      }
    }
    return std::nullopt;
  }
};

}  // namespace

std::vector<Wrong> no_stuck_leader(const Case& run) {
  const Duration bound = longest_stay(run.scenario.scheduling);
  Judge judge{.run = run,
              .book = Book(run.history),
              .in_hand = work_in_hand(run.history),
              .readable = {},
              .bound = bound};
  const std::vector<Kept>& facts = run.history.facts;
  for (std::size_t place = 0; place < facts.size(); ++place)
    if (const auto* read = std::get_if<sim::DefinitionRead>(&facts[place].fact))
      judge.readable[{read->node, read->schedule}].push_back({place, read->readable});
  std::vector<Stretch> stretches;
  for (const Belief& belief : leaderships(run.history)) add_stretches(run, belief, stretches);
  std::vector<Wrong> wrongs;
  for (const Stretch& stretch : stretches) {
    if (stretch.end - stretch.begin < bound) continue;
    for (std::size_t from = stretch.from; from < std::min(stretch.to, facts.size()); ++from) {
      const sim::TrueTime since = std::max(facts[from].at, stretch.begin);
      if (since + bound > stretch.end) break;
      if (const auto wrong = judge.stuck_since(stretch, from, since)) {
        wrongs.push_back(*wrong);
        break;
      }
    }
  }
  return wrongs;
}

}  // namespace tenure::judging
