#include "sim/runner/story.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace tenure::sim {
namespace {

constexpr std::size_t kToldMax = 20'000;
constexpr std::size_t kLinesMax = 16;
constexpr std::ptrdiff_t kFirstLines = 4;
constexpr std::ptrdiff_t kLastLines = 10;

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
    : violation_(violation), narrator_(scenario) {}

void StoryTeller::see(TrueTime now, const Record& record) {
  if (now > violation_.at) return;
  if (std::optional<NarratedEvent> told = narrator_.tell(now, record)) add(std::move(*told));
}

void StoryTeller::add(NarratedEvent told) {
  // Of the work that nodes do, only that of the schedules in question.
  const auto& schedules = violation_.schedules;
  if (told.schedule && !schedules.empty() &&
      std::find(schedules.begin(), schedules.end(), *told.schedule) == schedules.end())
    return;
  // Of checks in a row by one node only the last one matters: the one before the act.
  if (told.kind == StoryKind::check) {
    const auto before = std::find_if(told_.rbegin(), told_.rend(),
                                     [&](const NarratedEvent& t) { return t.node == told.node; });
    if (before != told_.rend() && before->kind == StoryKind::check) told_.erase(std::next(before).base());
  }
  told_.push_back(std::move(told));
  if (told_.size() > kToldMax) told_.pop_front();
}

bool StoryTeller::concerns(const NarratedEvent& told) const {
  if (!told.node || violation_.who.empty()) return true;
  return std::any_of(violation_.who.begin(), violation_.who.end(),
                     [&](Incarnation who) { return who.node == *told.node; });
}

Story StoryTeller::tell(const std::string& checker) const {
  // From the last time that each of those named began to lead, to the violation.
  TrueTime from = violation_.at;
  for (const Incarnation who : violation_.who) {
    const auto led = std::find_if(told_.rbegin(), told_.rend(), [&](const NarratedEvent& t) {
      return t.begins_leadership && t.node == who.node;
    });
    if (led != told_.rend()) from = std::min(from, led->line.at);
  }
  if (violation_.who.empty() || from == violation_.at) from = violation_.at - Duration::minutes(2);

  Story story{checker, violation_.at, violation_.message, {}};
  for (const NarratedEvent& told : told_)
    if (told.line.at >= from && concerns(told)) story.lines.push_back(told.line);
  shorten(story.lines);
  return story;
}

}  // namespace tenure::sim
