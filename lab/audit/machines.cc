#include "lab/audit/machines.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "core/base/check.h"
#include "core/model/describe.h"

namespace tenure::lab {
namespace {

// The store tells whole microseconds, and reads its clock a moment before or after it does what it was asked.
constexpr Duration kSlack = Duration::micros(100);

Duration drift_in(Duration time) {
  const Duration length = time < Duration{} ? -time : time;
  return Duration::nanos(length.ns() / 1'000'000'000 * kDriftPerSecond.ns() +
                         length.ns() % 1'000'000'000 * kDriftPerSecond.ns() / 1'000'000'000 + 1);
}

Duration difference(StoreTime store, journal::BootTime at) {
  return Duration::nanos(store.ns()) - Duration::nanos(at.ns());
}

struct ClockSample {
  journal::BootTime sent;
  journal::BootTime heard;
  StoreTime store;
};

// The difference between the store's clock and one machine's clock: a range at each moment.
//
// A request was sent at s and answered at h by the machine's clock, and executed at x by the store's. So the difference
// was between x - h and x - s. The clocks drift apart by at most a thousandth (kDriftPerSecond), so each answer also
// bounds the difference at all other moments, less tightly the farther away.
class ClockEnvelope {
 public:
  explicit ClockEnvelope(const std::vector<ClockSample>& samples);

  bool known() const { return !low_.empty(); }
  // Whether a difference is possible at each moment; if not, one of the clocks was stepped.
  bool consistent() const;
  // The earliest and the latest that the store's clock can have shown when the machine's showed `at`. REQUIRES:
  // known().
  StoreTime earliest(journal::BootTime at) const;
  StoreTime latest(journal::BootTime at) const;
  // The span of the store's clock that was compared with this machine's.
  StoreTime first() const { return first_; }
  StoreTime last() const { return last_; }

 private:
  // A bound of the difference at one moment, tightened by the bounds at all other moments.
  struct Knot {
    journal::BootTime at;
    Duration difference;
  };
  static std::vector<Knot> tightened(std::vector<Knot> knots, bool lower);
  static Duration at(const std::vector<Knot>& knots, journal::BootTime when, bool lower);

  std::vector<Knot> low_;   // by time
  std::vector<Knot> high_;  // likewise
  StoreTime first_ = StoreTime::max();
  StoreTime last_ = StoreTime::min();
};

ClockEnvelope::ClockEnvelope(const std::vector<ClockSample>& samples) {
  std::vector<Knot> low;
  std::vector<Knot> high;
  for (const ClockSample& sample : samples) {
    low.push_back({sample.heard, difference(sample.store, sample.heard) - kSlack});
    high.push_back({sample.sent, difference(sample.store, sample.sent) + kSlack});
    first_ = std::min(first_, sample.store);
    last_ = std::max(last_, sample.store);
  }
  low_ = tightened(std::move(low), true);
  high_ = tightened(std::move(high), false);
}

std::vector<ClockEnvelope::Knot> ClockEnvelope::tightened(std::vector<Knot> knots, bool lower) {
  std::stable_sort(knots.begin(), knots.end(), [](const Knot& a, const Knot& b) { return a.at < b.at; });
  const auto tighten = [lower](Knot& knot, const Knot& by) {
    const Duration drift = drift_in(knot.at - by.at);
    knot.difference = lower ? std::max(knot.difference, by.difference - drift)
                            : std::min(knot.difference, by.difference + drift);
  };
  for (std::size_t i = 1; i < knots.size(); ++i) tighten(knots[i], knots[i - 1]);
  for (std::size_t i = knots.size(); i > 1; --i) tighten(knots[i - 2], knots[i - 1]);
  return knots;
}

Duration ClockEnvelope::at(const std::vector<Knot>& knots, journal::BootTime when, bool lower) {
  CHECK(!knots.empty());
  const auto after =
      std::upper_bound(knots.begin(), knots.end(), when,
                       [](journal::BootTime time, const Knot& knot) { return time < knot.at; });
  const auto by = [&](const Knot& knot) {
    const Duration drift = drift_in(when - knot.at);
    return lower ? knot.difference - drift : knot.difference + drift;
  };
  if (after == knots.begin()) return by(*after);
  const Duration before = by(*std::prev(after));
  if (after == knots.end()) return before;
  return lower ? std::max(before, by(*after)) : std::min(before, by(*after));
}

bool ClockEnvelope::consistent() const {
  const auto fits = [this](const Knot& knot) { return at(low_, knot.at, true) <= at(high_, knot.at, false); };
  return std::all_of(low_.begin(), low_.end(), fits) && std::all_of(high_.begin(), high_.end(), fits);
}

StoreTime ClockEnvelope::earliest(journal::BootTime when) const {
  return StoreTime::from_ns((Duration::nanos(when.ns()) + at(low_, when, true)).ns());
}
StoreTime ClockEnvelope::latest(journal::BootTime when) const {
  return StoreTime::from_ns((Duration::nanos(when.ns()) + at(high_, when, false)).ns());
}

enum class Side : std::uint8_t { early, middle, late };

struct Machine {
  std::vector<std::size_t> journals;
  std::string boot;  // empty: not known
  std::vector<ClockSample> samples;
  bool declares = false;  // a belief, or work: what others are held against
};

class Machines {
 public:
  Machines(const std::vector<NodeJournal>& journals, AuditFindings& findings)
      : journals_(journals), findings_(findings) {}

  std::variant<Orders, BadJournal> orders() {
    std::vector<Machine> parts = parts_that_share_lives();
    if (!bad_.empty()) return BadJournal{bad_};
    join_boots(std::move(parts));
    Orders orders;
    if (machines_.size() <= 1) {
      orders.possible.push_back(as_written());
      return orders;
    }
    if (contradiction_) {
      orders.possible.push_back(as_written());
      orders.first_decides = true;
    }
    std::vector<ClockEnvelope> clocks;
    for (const Machine& machine : machines_) clocks.emplace_back(machine.samples);
    if (!can_be_laid_on_the_store(clocks)) {
      if (contradiction_) return orders;
      orders.possible.push_back(as_written());
      for (const Machine& machine : machines_) orders.apart.push_back(machine.journals);
      return orders;
    }
    say_where_the_store_was_not_watched(clocks);
    add_orders(clocks, orders);
    orders.by_store = !contradiction_;
    return orders;
  }

 private:
  std::string names_of(const Machine& machine) const {
    std::string names;
    for (const std::size_t j : machine.journals) names += (names.empty() ? "" : ", ") + journals_[j].name;
    return names;
  }

  LineTimes as_written() const {
    LineTimes times;
    for (const NodeJournal& journal : journals_) {
      times.emplace_back();
      for (const PlacedLine& placed : journal.lines) times.back().push_back(placed.line.now.at);
    }
    return times;
  }

  // Journals that have a life in common.
  std::vector<Machine> parts_that_share_lives() {
    std::vector<std::size_t> part(journals_.size());
    for (std::size_t j = 0; j < part.size(); ++j) part[j] = j;
    std::map<Incarnation, std::size_t> first;
    for (std::size_t j = 0; j < journals_.size(); ++j)
      for (const PlacedLine& placed : journals_[j].lines) {
        const std::size_t other = part[first.try_emplace(placed.line.who, j).first->second];
        if (other == part[j]) continue;
        const std::size_t mine = part[j];
        std::replace(part.begin(), part.end(), std::max(mine, other), std::min(mine, other));
      }
    std::map<std::size_t, Machine> parts;
    for (std::size_t j = 0; j < journals_.size(); ++j) {
      if (journals_[j].lines.empty()) continue;
      Machine& machine = parts[part[j]];
      machine.journals.push_back(j);
      take_in(journals_[j], machine);
    }
    std::vector<Machine> all;
    for (auto& [root, machine] : parts) all.push_back(std::move(machine));
    return all;
  }

  void take_in(const NodeJournal& journal, Machine& machine) {
    for (const PlacedLine& placed : journal.lines) {
      const journal::Line& line = placed.line;
      if (const auto* began = std::get_if<journal::LifeBegan>(&line.event)) {
        if (began->boot.empty()) continue;
        if (!machine.boot.empty() && machine.boot != began->boot && bad_.empty())
          bad_ = fmt::format(
              "{}:{}: this was written in another boot, or on another machine, than what comes before it",
              journal.name, placed.number);
        machine.boot = began->boot;
      } else if (const auto* asked = std::get_if<journal::Asked>(&line.event)) {
        sent_[asked->id] = line.now.at;
      } else if (const auto* answered = std::get_if<journal::Answered>(&line.event)) {
        const auto call = sent_.find(answered->id);
        if (call != sent_.end() && answered->outcome == RequestOutcome::applied)
          machine.samples.push_back({call->second, line.now.at, answered->store_time});
      } else if (std::holds_alternative<WorkItem>(line.event)) {
        machine.declares = true;
      } else if (const auto* note = std::get_if<Note>(&line.event)) {
        machine.declares = machine.declares || std::holds_alternative<Believes>(*note);
      }
    }
  }

  // Parts that name one boot are one machine if their clocks agree; if they do not, and each by itself goes
  // with the store's, they are taken for several.
  void join_boots(std::vector<Machine> parts) {
    std::map<std::string, std::vector<Machine>> boots;
    for (Machine& part : parts) {
      if (part.boot.empty())
        machines_.push_back(std::move(part));
      else
        boots[part.boot].push_back(std::move(part));
    }
    const bool alone = boots.size() == 1 && machines_.empty();
    for (auto& [boot, same] : boots) {
      Machine joint;
      bool each_is_sound = true;
      for (const Machine& part : same) {
        joint.journals.insert(joint.journals.end(), part.journals.begin(), part.journals.end());
        joint.samples.insert(joint.samples.end(), part.samples.begin(), part.samples.end());
        joint.declares = joint.declares || part.declares;
        each_is_sound = each_is_sound && ClockEnvelope(part.samples).consistent();
      }
      joint.boot = boot;
      if (same.size() == 1 || !each_is_sound || ClockEnvelope(joint.samples).consistent()) {
        machines_.push_back(std::move(joint));
        continue;
      }
      findings_.lacks(
          fmt::format("{} name one boot, and their clocks do not agree with each other on the store's: they "
                      "are of several "
                      "machines with one boot id, or the store's clock was stepped in between; what is "
                      "ordered by their clocks is "
                      "not certain",
                      names_of(joint)));
      contradiction_ = contradiction_ || alone;
      for (Machine& part : same) machines_.push_back(std::move(part));
    }
  }

  bool can_be_laid_on_the_store(const std::vector<ClockEnvelope>& clocks) {
    bool can = true;
    for (std::size_t m = 0; m < clocks.size(); ++m) {
      if (!clocks[m].known()) {
        if (!machines_[m].declares) continue;
        findings_.lacks(
            fmt::format("{}: no answer of the store shows when this was, as seen from other machines: it is "
                        "judged by itself",
                        names_of(machines_[m])));
        can = false;
      } else if (!clocks[m].consistent()) {
        findings_.lacks(
            fmt::format("{}: the store's clock and this machine's do not keep step, as one of them was set: "
                        "there is no order "
                        "between this and other machines, and each is judged by itself",
                        names_of(machines_[m])));
        can = false;
      }
    }
    return can;
  }

  void say_where_the_store_was_not_watched(const std::vector<ClockEnvelope>& clocks) {
    std::vector<std::pair<StoreTime, StoreTime>> watched;
    for (const ClockEnvelope& clock : clocks)
      if (clock.known()) watched.emplace_back(clock.first(), clock.last());
    std::sort(watched.begin(), watched.end());
    StoreTime until = StoreTime::min();
    for (const auto& [first, last] : watched) {
      if (until != StoreTime::min() && first > until)
        findings_.lacks(
            fmt::format("from {} to {} no journal holds the store's clock against a machine's: if it was set "
                        "meanwhile, what comes "
                        "after on one machine was not after what came before on another, and no order "
                        "between them is certain",
                        describe(until), describe(first)));
      until = std::max(until, last);
    }
  }

  void add_orders(const std::vector<ClockEnvelope>& clocks, Orders& orders) const {
    const std::size_t n = clocks.size();
    std::vector<std::vector<Side>> sides{std::vector<Side>(n, Side::middle)};
    for (std::size_t m = 0; m < n; ++m)
      for (const auto& [mine, others] :
           {std::pair(Side::early, Side::late), std::pair(Side::late, Side::early)}) {
        std::vector<Side> one(n, others);
        one[m] = mine;
        if (std::find(sides.begin(), sides.end(), one) == sides.end()) sides.push_back(std::move(one));
      }
    for (const std::vector<Side>& one : sides) orders.possible.push_back(laid(clocks, one));
  }

  LineTimes laid(const std::vector<ClockEnvelope>& clocks, const std::vector<Side>& sides) const {
    LineTimes times(journals_.size());
    for (std::size_t m = 0; m < clocks.size(); ++m)
      for (const std::size_t j : machines_[m].journals)
        for (const PlacedLine& placed : journals_[j].lines)
          times[j].push_back(on_the_store(clocks[m], placed.line.now.at, sides[m], clocks));
    return times;
  }

  static journal::BootTime on_the_store(const ClockEnvelope& clock, journal::BootTime at, Side side,
                                        const std::vector<ClockEnvelope>& all) {
    if (!clock.known()) {  // it declares nothing: where it stands does not matter
      StoreTime first = StoreTime::max();
      for (const ClockEnvelope& other : all) first = std::min(first, other.first());
      return journal::BootTime::from_ns(first.ns());
    }
    const StoreTime early = clock.earliest(at);
    const StoreTime late = clock.latest(at);
    if (side == Side::early) return journal::BootTime::from_ns(early.ns());
    if (side == Side::late) return journal::BootTime::from_ns(late.ns());
    return journal::BootTime::from_ns((early + (late - early) / 2).ns());
  }

  const std::vector<NodeJournal>& journals_;
  AuditFindings& findings_;
  std::string bad_;
  std::map<RequestId, journal::BootTime> sent_;
  std::vector<Machine> machines_;
  bool contradiction_ = false;  // all name one boot, and it may be the truth
};

}  // namespace

std::variant<Orders, BadJournal> orders_of(const std::vector<NodeJournal>& journals,
                                           AuditFindings& findings) {
  return Machines(journals, findings).orders();
}

void set_times(std::vector<NodeJournal>& journals, const LineTimes& times) {
  for (std::size_t j = 0; j < journals.size(); ++j)
    for (std::size_t i = 0; i < journals[j].lines.size(); ++i) journals[j].lines[i].line.now.at = times[j][i];
}

}  // namespace tenure::lab
