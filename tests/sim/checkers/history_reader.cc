#include "tests/sim/checkers/history_reader.h"

#include <algorithm>

#include "sim/checkers/names.h"
#include "sim/checkers/oracle/slots.h"

namespace tenure::sim {
namespace {

std::vector<std::string> split(const std::string& text, char by) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, by);) parts.push_back(part);
  return parts;
}

struct Instant {
  std::string slot;
  Duration time;
};

// The times that a line begins with; none: it has none.
std::vector<Instant> instants_of(const HistoryState& state, const std::string& text) {
  if (text.starts_with("due-")) {  // of the report at that time
    const auto slot = duration_of(text.substr(4, text.find('s') - 3));
    const StoreTime due = Slots{state.definition_of(ScheduleId{1})}.due(ScheduleId{1}, store_at(*slot));
    return {{"", due - store_at({}) + *duration_of(text.substr(text.find('s') + 1))}};
  }
  if (text.starts_with("+")) {
    const auto later = duration_of(text.substr(1));
    return later ? std::vector<Instant>{{"", state.now() + *later}} : std::vector<Instant>{};
  }
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos && text.find(',') == std::string::npos) {
    const auto time = duration_of(text);
    return time ? std::vector<Instant>{{"", *time}} : std::vector<Instant>{};
  }
  const std::size_t plus = text.find('+');
  const Duration later = plus == std::string::npos ? Duration{} : *duration_of(text.substr(plus + 1));
  const std::string slots = text.substr(0, plus);
  std::vector<Instant> all;
  if (dots == std::string::npos) {
    for (const std::string& slot : split(slots, ',')) all.push_back({slot, *duration_of(slot) + later});
    return all;
  }
  const std::size_t slash = slots.find('/');
  const Duration step = slash == std::string::npos ? seconds(10) : *duration_of(slots.substr(slash + 1));
  const Duration to = *duration_of(slots.substr(dots + 2, slash - dots - 2));
  for (Duration slot = *duration_of(slots.substr(0, dots)); slot < to; slot += step)
    all.push_back({describe(slot), slot + later});
  return all;
}

std::string with_slot(Words words, const std::string& slot) {
  std::string text;
  while (!words.done()) {
    std::string word = words.next();
    if (word.starts_with("slot")) word.replace(0, 4, slot);
    text += word + " ";
  }
  return text;
}

std::string listed(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : ", ") + item;
  return text;
}

std::string described(const std::optional<WorstMoment>& worst) {
  return describe(worst->value) + " of " + who_text(worst->who.value_or(kClient)) + " to " +
         who_text(worst->next.value_or(kClient)) + " by fault " + std::to_string(worst->fault);
}

// What is not zero.
std::string described(const Metrics& metrics) {
  std::vector<std::string> items;
  const auto add = [&items](const char* name, const auto& value) {
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, Duration>) {
      if (value != Duration{}) items.push_back(std::string(name) + " " + describe(value));
    } else {
      if (value != 0) items.push_back(std::string(name) + " " + std::to_string(value));
    }
  };
  add("leaderless", metrics.leaderless);
  for (const auto& [cause, length] : metrics.leaderless_by_cause) add(("of " + cause).c_str(), length);
  if (metrics.useless != metrics.leaderless) add("useless", metrics.useless);
  add("failovers", metrics.failovers);
  if (metrics.failovers > 1) add("shortest", metrics.failover.min());
  add("longest", metrics.failover.max());
  add("false", metrics.false_failovers);
  add("overlap", metrics.believer_overlap);
  if (metrics.believer_overlap_longest != metrics.believer_overlap)
    add("at a time", metrics.believer_overlap_longest);
  if (metrics.acting_overlap != metrics.believer_overlap)
    items.push_back("acting " + describe(metrics.acting_overlap));
  add("work overlap", metrics.work_overlap);
  if (metrics.safety_margin) items.push_back("margin " + describe(*metrics.safety_margin));
  return listed(items);
}
std::string described_work(const Metrics& metrics) {
  return fmt::format(
      "fires {}, at most {} late, skipped {}, requests {}, stale writes rejected {}, epochs {}",
      metrics.fires, describe(metrics.fire_lateness.max()), metrics.skipped_slots, metrics.store_requests,
      metrics.stale_writes_rejected, metrics.epochs);
}

// The cells up to the last that differ from a standby's, and how often a leadership was lost in which.
std::string described(const std::vector<LeadershipTimeline>& strips) {
  std::string text;
  for (const LeadershipTimeline& strip : strips) {
    std::string cells;
    std::string lost;
    for (std::size_t i = 0; i < strip.cells.size(); ++i) {
      cells += ".Ls_"[static_cast<std::size_t>(strip.cells[i])];
      if (strip.lost[i] != 0) lost += fmt::format(", lost {} in cell {}", strip.lost[i], i);
    }
    text += strip.name + " " + cells + lost + "\n";
  }
  return text;
}

}  // namespace

Token HistoryState::token_of(Incarnation who) const {
  const auto found = shown.find(who);
  return found != shown.end() ? found->second : token(1);
}

bool HistoryState::is_schedule(const std::string& name) const {
  return name == "report" || name == "beside" ||
         std::any_of(scenario.schedules.begin(), scenario.schedules.end(),
                     [&name](const auto& schedule) { return schedule.name == name; });
}
ScheduleId HistoryState::schedule_of(const std::string& name) const {
  for (std::size_t i = 0; i < scenario.schedules.size(); ++i)
    if (scenario.schedules[i].name == name) return ScheduleId{static_cast<std::uint32_t>(i)};
  return ScheduleId{1};
}
Definition HistoryState::definition_of(ScheduleId schedule) const {
  if (const auto found = definitions.find(schedule); found != definitions.end()) return found->second;
  return schedule.value < scenario.schedules.size() ? scenario.schedules[schedule.value].definition
                                                    : every(seconds(10));
}

HistoryReader::HistoryReader(std::string title, std::optional<Recurrence> recurrence)
    : title_(std::move(title)), recurrence_(std::move(recurrence)) {
  const std::size_t colon = title_.find(':');
  Words words(title_.substr(0, colon));
  if (colon == std::string::npos || words.take("good")) {
    must_be_exact_ = words.done();
    return;
  }
  must_be_exact_ = words.take("bug");
  while (!words.done()) judges_.insert(words.next());
  for (const std::string& name : judges_) EXPECT_NE(find_checker_kind(name), nullptr) << name;
}

HistoryState& HistoryReader::state() {
  if (!state_) {
    if (recurrence_ && !scenario_.schedules.empty() &&
        std::holds_alternative<Interval>(scenario_.schedules.front().definition.recurrence) &&
        std::get<Interval>(scenario_.schedules.front().definition.recurrence).period == seconds(10))
      scenario_.schedules.front().definition.recurrence = *recurrence_;
    state_.emplace(scenario_);
  }
  return *state_;
}

std::string HistoryReader::say(const std::string& line) {
  Words words(line);
  if (words.take("in")) {
    EXPECT_FALSE(state_) << "a history is in one world";
    scenario_ = read_scenario(words);
    return "";
  }
  if (words.take("?")) {
    questions_.push_back(words.rest());
    return "";
  }
  std::string found;
  const std::vector<Instant> instants = instants_of(state(), words.peek());
  if (instants.empty()) {
    say_at_once(line);
    return findings("");
  }
  words.next();
  const Words rest{words.rest()};
  for (const Instant& instant : instants) {
    state().history.at(instant.time);
    say_at_once(instant.slot.empty() ? rest.all() : with_slot(rest, instant.slot));
    found += findings("");
  }
  return found;
}

void HistoryReader::say_at_once(const std::string& statements) {
  for (const std::string& statement : split(statements, ';')) {
    std::string subject;
    for (const std::string& deed : split(statement, ',')) {
      Words words(deed);
      if (words.done()) continue;
      if (words.peek().starts_with("+"))
        state().history.at(state().now() + *duration_of(words.next().substr(1)));
      if (subject.empty()) subject = words.next();
      read_deed(state(), subject, Words(words.rest()));
    }
  }
}

std::string HistoryReader::answer(Words words) {
  History& history = state().history;
  std::vector<std::string> items;
  const std::string what = words.next();
  if (what == "looked") {
    const bool all = words.take("all");
    for (const CheckerKind& kind : checker_kinds())
      if (all && history.applies_to(kind.name) && history.checker(kind.name).opportunities() > 0)
        items.push_back(std::string(kind.name) + " " +
                        std::to_string(history.checker(kind.name).opportunities()));
    while (!words.done()) {
      const std::string name = words.next();
      items.push_back(name + " " + std::to_string(history.checker(name).opportunities()));
    }
  }
  while (what == "sometimes" && !words.done()) {
    const std::string name = words.next();
    items.push_back(name + " " + std::to_string(history.sometimes(name)));
  }
  if (what == "work") items.push_back(described_work(history.metrics()));
  if (what == "measures") items.push_back(described(history.metrics()));
  if (what == "worst" && words.take("failover"))
    items.push_back("failover " + described(history.metrics().worst_failover));
  if (what == "worst" && words.take("overlap"))
    items.push_back("overlap " + described(history.metrics().worst_believer_overlap));
  if (what == "strips") return described(history.strips());
  return testing::wrapped(items, ", ");
}

std::vector<std::string> HistoryReader::judging() const {
  std::vector<std::string> names;
  for (const CheckerKind& kind : checker_kinds())
    if (state_->history.applies_to(kind.name) && (must_be_exact_ || judges_.contains(std::string(kind.name))))
      names.emplace_back(kind.name);
  return names;
}

// What was found since it was last asked.
std::string HistoryReader::findings(const char* when) {
  const History& history = state().history;
  std::string text;
  for (const std::string& name : judging()) {
    std::multiset<std::string>& told = told_[name];
    if (history.checker(name).violation_count() == told.size()) continue;
    std::multiset<std::string> before = told;
    for (const Violation& violation : history.checker(name).violations()) {
      EXPECT_LE(violation.at, history.now());
      EXPECT_FALSE(violation.message.empty());
      std::string line = name + ": " + violation.message;
      if (violation.at != history.now()) line += ", at " + time_text(violation.at);
      if (violation.since) line += ", since " + time_text(*violation.since);
      const std::string key = violation.message + std::to_string(violation.at.ns());
      if (const auto known = before.find(key); known != before.end()) {
        before.erase(known);
        continue;
      }
      told.insert(key);
      text += when + line + "\n";
    }
  }
  return text;
}

std::string HistoryReader::end() {
  state().history.finishes();
  std::string text = findings("at the end, ");
  for (const std::string& question : questions_) text += answer(Words(question));
  for (const std::string& name : judging())
    for (const std::string& what : state_->history.checker(name).not_judged())
      text += "not judged by " + name + ": " + what + "\n";
  if (must_be_exact_) {
    std::set<std::string> names;
    for (const std::string& name : state_->history.failing()) names.insert(name);
    EXPECT_EQ(names, judges_) << title_;
    if (!state_->healed) return text;  // it is no whole run
    for (const std::string& name : judges_)
      EXPECT_GT(state_->history.checker(name).opportunities(), 0u) << name;
  }
  return text;
}

}  // namespace tenure::sim
