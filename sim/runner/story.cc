#include "sim/runner/story.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/model/describe.h"

namespace tenure::sim {
namespace {

constexpr std::size_t kEventsMax = 20'000;
constexpr std::size_t kLinesMax = 16;
constexpr std::ptrdiff_t kFirstLines = 4;
constexpr std::ptrdiff_t kLastLines = 10;

std::string quoted_token(const std::optional<Token>& token) {
  return token ? " (" + describe(*token) + ")" : "";
}

// Leaves out the middle of a long story, but none of the faults in it: they are what the reader looks for.
void shorten(std::vector<StoryLine>& lines) {
  if (lines.size() <= kLinesMax) return;
  std::vector<StoryLine> kept(lines.begin(), lines.begin() + kFirstLines);
  const auto last = lines.end() - kLastLines;
  std::size_t left_out = 0;
  const auto say_what_is_missing = [&](TrueTime at) {
    if (left_out > 0) kept.push_back({at, "", fmt::format("... {} more ...", left_out), false});
    left_out = 0;
  };
  for (auto line = lines.begin() + kFirstLines; line != last; ++line) {
    ++left_out;
    if (!line->is_fault) continue;
    --left_out;
    say_what_is_missing(line->at);
    kept.push_back(*line);
  }
  say_what_is_missing(last->at);
  kept.insert(kept.end(), last, lines.end());
  lines = std::move(kept);
}

}  // namespace

StoryTeller::StoryTeller(const Scenario& scenario, const Violation& violation)
    : violation_(violation), names_(scenario) {}

void StoryTeller::add(Event event) {
  // Of checks in a row by one node only the last one matters: the one before the act.
  if (event.is_check) {
    const auto before = std::find_if(events_.rbegin(), events_.rend(),
                                     [&](const Event& e) { return e.node == event.node && e.about_node; });
    if (before != events_.rend() && before->is_check) events_.erase(std::next(before).base());
  }
  events_.push_back(std::move(event));
  if (events_.size() > kEventsMax) events_.pop_front();
}

void StoryTeller::add_about(TrueTime now, Incarnation who, std::string text) {
  add({{now, describe(who.node), std::move(text), false}, who.node, true, false, false});
}

void StoryTeller::see(TrueTime now, const Record& record) {
  if (now > violation_.at) return;
  if (const auto* noted = std::get_if<Noted>(&record)) {
    see_note(now, *noted);
  } else if (const auto* applied = std::get_if<Applied>(&record)) {
    see_applied(now, *applied);
  } else if (const auto* landed = std::get_if<WorkLanded>(&record)) {
    see_landing(now, *landed);
  } else if (const auto* write = std::get_if<WriteLanded>(&record)) {
    const std::string under = write->item.token ? " under " + describe(*write->item.token) : "";
    add_about(now, write->who,
              (write->fenced ? "is fenced off by the resource: a write" : "writes to the resource") + under);
  } else if (const auto* ended = std::get_if<WorkEnded>(&record)) {
    if (ended->ending == Ending::stopped)
      add_about(now, ended->who, "stops " + names_.event(ended->item.event));
    if (ended->ending == Ending::failed)
      add_about(now, ended->who, "fails at " + names_.event(ended->item.event));
  } else if (const auto* resumed = std::get_if<NodeResumed>(&record)) {
    add_about(now, resumed->who, "resumes");
  } else if (const auto* died = std::get_if<NodeDied>(&record)) {
    std::erase_if(believing_, [&](const auto& b) { return b.first == died->who; });
    add_about(now, died->who, died->how == Death::stopped ? "has stopped" : "is dead");
  } else if (const auto* started = std::get_if<NodeStarted>(&record)) {
    if (started->who.number > 1) add_about(now, started->who, "starts again");
  } else if (const auto* began = std::get_if<FaultBegan>(&record)) {
    add({{now, "", std::string(began->what), true}, {}, false, false, false});
  } else if (const auto* over = std::get_if<FaultEnded>(&record)) {
    add({{now, "", std::string(over->action) + " is over", true}, {}, false, false, false});
  } else if (std::holds_alternative<StoreReplicaStalled>(record)) {
    replica_holder_ = holder_;
    add({{now, "store", "its replica stands still: what is committed from here on may be lost", true},
         {},
         false,
         false,
         false});
  } else if (const auto* failed = std::get_if<StoreFailedOver>(&record)) {
    holder_ = replica_holder_;
    add({{now, "store",
          fmt::format("fails over to its replica, branch {}: what was committed since it stood still is lost",
                      failed->branch),
          true},
         {},
         false,
         false,
         false});
  } else if (std::holds_alternative<Healed>(record)) {
    add({{now, "", "everything is healed; the tail begins", true}, {}, false, false, false});
  }
}

void StoryTeller::see_note(TrueTime now, const Noted& noted) {
  const auto known =
      std::find_if(believing_.begin(), believing_.end(), [&](const auto& b) { return b.first == noted.who; });
  if (const auto* believes = std::get_if<Believes>(&noted.note)) {
    if (known != believing_.end()) return;
    believing_.emplace_back(noted.who, true);
    add({{now, describe(noted.who.node), "leads" + quoted_token(believes->token), false},
         noted.who.node,
         true,
         true,
         false});
  } else if (const auto* down = std::get_if<StepsDown>(&noted.note)) {
    if (known != believing_.end()) believing_.erase(known);
    add_about(now, noted.who, "steps down: " + std::string(down->why));
  } else if (std::holds_alternative<LeadershipChecked>(noted.note)) {
    add({{now, describe(noted.who.node), "makes sure that it leads, and acts on it", false},
         noted.who.node,
         true,
         false,
         true});
  } else if (const auto* alarm = std::get_if<ClockAlarm>(&noted.note)) {
    add_about(now, noted.who, "sees the store's clock jump by " + describe(alarm->jump));
  }
}

void StoryTeller::see_applied(TrueTime now, const Applied& applied) {
  std::optional<Incarnation> holder;
  std::string token;
  if (const auto* reply = std::get_if<reference::Reply>(&applied.reply)) {
    if (const auto* granted = std::get_if<reference::Granted>(reply)) {
      holder = applied.who;
      token = quoted_token(granted->token);
    } else if (const auto* refused = std::get_if<reference::CommitRefused>(reply)) {
      add_about(now, applied.who,
                refused->held ? "is refused: firing is on hold"
                              : fmt::format("is refused by the store: {}", tenure::name_of(refused->why)));
    } else if (std::holds_alternative<reference::Released>(*reply)) {
      holder_ = {};
      add_about(now, applied.who, "releases the lease");
    }
  } else if (std::holds_alternative<lease_table::Reply>(applied.reply)) {
    if (std::holds_alternative<lease_table::Locked>(std::get<lease_table::Reply>(applied.reply)))
      holder = applied.who;
  } else if (const auto* written = std::get_if<record::Reply>(&applied.reply)) {
    if (std::holds_alternative<record::Stored>(*written)) holder = applied.who;
  }
  if (!holder || *holder == holder_) return;
  holder_ = *holder;
  add_about(now, applied.who, "is given the lease by the store" + token);
}

void StoryTeller::see_landing(TrueTime now, const WorkLanded& landed) {
  const auto& schedules = violation_.schedules;
  if (!schedules.empty() &&
      std::find(schedules.begin(), schedules.end(), landed.item.event.schedule) == schedules.end())
    return;
  const std::string what = names_.event(landed.item.event);
  switch (landed.landing) {
    case DeliveryOutcome::begun: return add_about(now, landed.who, "executes " + what);
    case DeliveryOutcome::fenced: return add_about(now, landed.who, "is fenced off by the resource: " + what);
    case DeliveryOutcome::running:
      return add_about(now, landed.who, "delivers " + what + " again; its work is still running");
    case DeliveryOutcome::duplicate:
      return add_about(now, landed.who, "delivers " + what + " again; it was begun before");
  }
}

bool StoryTeller::concerns(const Event& event) const {
  if (!event.about_node || violation_.who.empty()) return true;
  return std::any_of(violation_.who.begin(), violation_.who.end(),
                     [&](Incarnation who) { return who.node == event.node; });
}

Story StoryTeller::tell(const std::string& checker) const {
  // From the last time that each of those named began to lead, to the violation.
  TrueTime from = violation_.at;
  for (const Incarnation who : violation_.who) {
    const auto led = std::find_if(events_.rbegin(), events_.rend(),
                                  [&](const Event& e) { return e.begins_leadership && e.node == who.node; });
    if (led != events_.rend()) from = std::min(from, led->line.at);
  }
  if (violation_.who.empty() || from == violation_.at) from = violation_.at - Duration::minutes(2);

  Story story{checker, violation_.at, violation_.message, {}};
  for (const Event& event : events_)
    if (event.line.at >= from && concerns(event)) story.lines.push_back(event.line);
  shorten(story.lines);
  return story;
}

}  // namespace tenure::sim
