// No destination delays another: a leader begins the first attempt at an event soon after it learns of it. What waits
// for its own destination, or behind an earlier event of its schedule, may take longer; and so may everything while
// something else than a destination breaks, and shortly after.
#include <algorithm>
#include <set>

#include "core/model/describe.h"
#include "sim/scenario/latencies.h"
#include "tests/judge/invariants.h"
#include "tests/judge/outbox.h"
#include "tests/judge/tokens.h"

namespace tenure::judging {
namespace {

using reference::EventId;

// Whoever was told that an event waits, and where.
struct Told {
  std::size_t place = 0;
  Incarnation who;
};

// What the whole history says, by what is asked for.
struct Book {
  std::map<EventId, std::vector<Told>> told;  // shown by the store, or committed
  std::map<std::pair<Incarnation, EventId>, std::vector<std::size_t>> begun;  // by sender
  std::map<EventId, std::vector<std::size_t>> asked, over;  // by anybody; over, as its sender hears
  std::vector<std::size_t> unrest;                          // after which all needs time
  std::vector<std::pair<std::size_t, int>> faults;          // that last: +1 and -1
  std::map<Incarnation, std::vector<std::pair<std::size_t, bool>>> away;  // from where on, or not any more
};

bool is_about_others(const KeptFault& fault) { return !fault.action.starts_with("destination-"); }

void read_trouble(Book& book, const History& history) {
  std::optional<Incarnation> leader;
  std::set<Incarnation> stopped;
  const auto goes = [&](Incarnation who, std::size_t place) { book.away[who].emplace_back(place, true); };
  for (std::size_t place = 0; place < history.facts.size(); ++place) {
    const Fact& fact = history.facts[place].fact;
    if (const auto* fault = std::get_if<KeptFault>(&fact); fault != nullptr && is_about_others(*fault)) {
      book.unrest.push_back(place);
      if (!fault->begins || fault->lasts) book.faults.emplace_back(place, fault->begins ? 1 : -1);
    } else if (const auto* heard = std::get_if<sim::StopHeard>(&fact)) {
      goes(heard->who, place);
      stopped.insert(heard->who);
    } else if (const auto* died = std::get_if<sim::NodeDied>(&fact)) {
      goes(died->who, place);
    } else if (std::holds_alternative<sim::NodeResumed>(fact) ||
               std::holds_alternative<KeptClockChange>(fact)) {
      book.unrest.push_back(place);
    } else if (const auto* note = std::get_if<KeptNote>(&fact)) {
      if (std::holds_alternative<StepsDown>(note->note)) goes(note->who, place);
      if (!std::holds_alternative<Believes>(note->note)) continue;
      const auto known = book.away.find(note->who);
      const bool was_away = known != book.away.end() && known->second.back().second;
      if (leader == note->who && !was_away) continue;
      leader = note->who;
      book.unrest.push_back(place);
      // A life hears once that it is to stop, and is asked nothing more.
      if (was_away && !stopped.contains(note->who)) known->second.back() = {place, false};
    }
  }
}

Book read(const History& history, const std::map<ScheduleId, std::vector<Waiting>>& waiting) {
  Book book;
  for (const auto& [schedule, events] : waiting)
    for (const Waiting& event : events)
      if (!event.given_back && event.who.node != sim::kClientNode)
        book.told[event.event].push_back({event.from, event.who});
  for (std::size_t place = 0; place < history.facts.size(); ++place) {
    const Fact& fact = history.facts[place].fact;
    if (const auto* applied = std::get_if<KeptApplied>(&fact)) {
      if (const auto* page = as_reference<reference::WaitingEvents>(applied->reply))
        for (const reference::WaitingEvent& shown : page->events)
          book.told[shown.id].push_back({place, applied->who});
    } else if (const auto* asked = std::get_if<KeptDeliveryAsked>(&fact)) {
      book.begun[{asked->who, asked->item.event}].push_back(place);
      book.asked[asked->item.event].push_back(place);
    } else if (const auto* landed = std::get_if<KeptDeliveryLanding>(&fact)) {
      if (landed->landing != sim::DeliveryOutcome::begun) book.over[landed->item.event].push_back(place);
    } else if (const auto* ended = std::get_if<KeptDeliveryEnding>(&fact)) {
      if (ended->answers) book.over[ended->item.event].push_back(place);
    }
  }
  for (auto& [event, told] : book.told)
    std::stable_sort(told.begin(), told.end(),
                     [](const Told& a, const Told& b) { return a.place < b.place; });
  read_trouble(book, history);
  return book;
}

// A time in which a lane is taken by something, from a place on.
struct Busy {
  std::size_t from_place = 0;
  sim::TrueTime from;
  sim::TrueTime to;
};
// When so many of them are at once.
std::vector<Busy> crowded(const std::vector<Busy>& all, std::size_t most) {
  struct Edge {
    sim::TrueTime at;
    int by;
    std::size_t place;
    auto key() const { return std::tuple(at, by, place); }
  };
  std::vector<Edge> edges;
  for (const Busy& each : all) {
    edges.push_back({each.from, 1, each.from_place});
    edges.push_back({each.to, -1, 0});
  }
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
    return a.at != b.at ? a.at < b.at : a.by != b.by ? a.by > b.by : a.place < b.place;
  });
  std::vector<Busy> crowds;
  std::size_t count = 0;
  for (const Edge& edge : edges) {
    count += static_cast<std::size_t>(edge.by);
    if (edge.by > 0 && count == most) crowds.push_back({edge.place, edge.at, sim::TrueTime::max()});
    if (edge.by < 0 && count + 1 == most) crowds.back().to = edge.at;
  }
  return crowds;
}

struct Lane {
  std::vector<Busy> crowds;
  // When it was full last, before this place.
  sim::TrueTime full_before(std::size_t place, sim::TrueTime now) const {
    sim::TrueTime latest = sim::TrueTime::min();
    for (const Busy& crowd : crowds)
      if (crowd.from_place < place) latest = std::max(latest, std::min(crowd.to, now));
    return latest;
  }
};

// With so many that are not over, a leader may have to read what waits in parts.
constexpr std::size_t kMany = 400;

Lane lane_of(const Case& run, const Book& book, const std::map<ScheduleId, std::vector<Waiting>>& waiting,
             const sim::DestinationSetting& destination) {
  const auto& facts = run.history.facts;
  const auto at = [&](std::size_t place) { return place < facts.size() ? facts[place].at : run.history.end; };
  const auto goes_here = [&](const Rules& rules) {
    return rules.is_pushed() && rules.delivery.destination == destination.name;
  };
  std::vector<Busy> sent;
  std::vector<Busy> here;
  for (const auto& [event, asked] : book.asked) {
    const auto known = book.over.find(event);
    for (std::size_t i = 0; i < asked.size(); ++i) {
      const auto rules = rules_before(waiting, event, asked[i]);
      if (!rules || !goes_here(*rules)) continue;
      sim::TrueTime to = at(asked[i]) + destination.timeout + Duration::seconds(1);
      if (i + 1 < asked.size()) to = std::min(to, at(asked[i + 1]));
      if (known != book.over.end()) {
        const auto over = std::upper_bound(known->second.begin(), known->second.end(), asked[i]);
        if (over != known->second.end()) to = std::min(to, at(*over));
      }
      sent.push_back({asked[i], at(asked[i]), to});
    }
  }
  for (const auto& [schedule, events] : waiting)
    for (const Waiting& event : events)
      if (goes_here(event.rules)) here.push_back({event.from, at(event.from), at(event.to)});
  Lane lane;
  lane.crowds =
      crowded(sent, static_cast<std::size_t>(run.scenario.scheduling.number("destination_running")));
  for (const Busy& crowd : crowded(here, kMany)) lane.crowds.push_back(crowd);
  return lane;
}

// Since when the last one that was told of the event knows of it, and has not begun it.
std::optional<Told> who_knows(const Book& book, const Waiting& event, std::size_t before) {
  std::optional<Told> knows;
  const auto told = book.told.find(event.event);
  if (told == book.told.end()) return knows;
  const auto begun_before = [&](Incarnation who, std::size_t place) {
    const auto begun = book.begun.find({who, event.event});
    return begun != book.begun.end() && begun->second.front() < place;
  };
  for (const Told& each : told->second) {
    if (each.place >= before) break;
    if (!event.was_here(each.place) || begun_before(each.who, each.place)) continue;
    if (!knows || knows->who != each.who || begun_before(knows->who, each.place)) knows = each;
  }
  if (knows && begun_before(knows->who, before)) knows.reset();
  return knows;
}

bool is_away(const Book& book, Incarnation who, std::size_t place) {
  const auto known = book.away.find(who);
  bool away = false;
  if (known != book.away.end())
    for (const auto& [since, gone] : known->second)
      if (since < place) away = gone;
  return away;
}

}  // namespace

std::vector<Wrong> destinations_apart(const Case& run) {
  const auto& facts = run.history.facts;
  const auto waiting = waiting_events(run.history);
  const Book book = read(run.history, waiting);
  const Duration soon =
      sim::longest_turn(run.scenario) * 2 + run.scenario.scheduling.duration("retry_period") * 2;
  const Duration calms = run.scenario.scheduling.duration("stall_timeout") +
                         run.scenario.scheduling.duration("request_timeout") * 2;
  std::map<std::string, Lane> lanes;
  for (const sim::DestinationSetting& each : run.scenario.destinations)
    lanes[each.name] = lane_of(run, book, waiting, each);
  std::vector<Wrong> wrongs;
  const auto judge = [&](const Waiting& event, const Told& knows, std::size_t place) {
    const sim::TrueTime now = place < facts.size() ? facts[place].at : run.history.end;
    int broken = 0;
    for (const auto& [since, by] : book.faults)
      if (since < place) broken += by;
    if (broken > 0 || is_away(book, knows.who, place)) return;
    sim::TrueTime since =
        std::max(facts[knows.place].at, lanes.at(event.rules.delivery.destination).full_before(place, now));
    Duration lingers;  // a fault that is over: as long as the longest so far
    for (const std::size_t unrest : book.unrest) {
      const auto* fault = std::get_if<KeptFault>(&facts[unrest].fact);
      if (fault != nullptr) lingers = std::max(lingers, fault->lingers);
      const bool is_over = fault != nullptr && !fault->begins;
      if (unrest < place)
        since = std::max(since, facts[unrest].at + calms + (is_over ? lingers : Duration{}));
    }
    if (event.rules.delivery.strict_order)
      for (const Waiting& other : waiting.at(event.event.schedule)) {
        if (!other.rules.shares_queue(event.rules)) continue;
        if (other.taken && other.to < place) since = std::max(since, facts[other.to].at);
        if (other.is_here(place) && other.position < event.position) return;
      }
    if (now > since + soon)
      wrongs.push_back({now, describe(event.event) + " was not begun by " + describe(knows.who)});
  };
  for (const auto& [schedule, events] : waiting) {
    for (const Waiting& event : events) {
      if (!event.rules.is_pushed() || !lanes.contains(event.rules.delivery.destination)) continue;
      if (const auto asked = book.asked.find(event.event); asked != book.asked.end())
        for (const std::size_t place : asked->second) {
          if (!event.is_here(place)) continue;
          const auto knows = who_knows(book, event, place);
          if (knows && knows->who == std::get<KeptDeliveryAsked>(facts[place].fact).who)
            judge(event, *knows, place);
        }
      if (event.to != kNoPlace) continue;
      if (const auto knows = who_knows(book, event, facts.size())) judge(event, *knows, facts.size());
    }
  }
  return wrongs;
}

}  // namespace tenure::judging
