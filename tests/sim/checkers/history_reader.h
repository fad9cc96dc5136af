// Histories as text: what happens, a line an instant, and what the checkers find.
//
//   == bug never-early: a row is written before its slot
//   n1 leads and fires 0s..30s
//   29.99s  n1 extends, fires 30s; n2 steps down
//   n1 goes on from 40s
//     > never-early: billing 2026-01-01T00:00:30Z was committed by n1 at 29.990s, 10ms early
//
// A line begins with a time, or stays in the instant of the line before. `20s..60s/5s+100ms` and `20s,30s+100ms` are
// several: the rest is done at each, with the word `slot` for the time without `+…`. A statement is a subject (n1,
// n2#2, m1 for a worker, client, store, fault) and what it does; `;` parts statements, `,` parts what one subject
// does. `+3s` before one is time that passes. A slot is `[schedule] TIME[/run][#attempt]`; a token is its epoch,
// `epoch/nonce` or `branch:epoch/nonce`, by default the last that the instance was granted. history_words.cc,
// history_deeds.cc and history_others.cc have the words.
//
// A title says who judges: `bug X Y: …` that these checkers, all others being asked as well, find something and no
// other does; `good: …` that none does; `X Y: …` shows what these find, whatever others say. Findings are answers
// (tests/support/interaction.h); those at the end of a run say so. Lines `? looked X`, `? sometimes X`,
// `? measures`, `? work`, `? worst X` and `? strips` ask what checkers and measures say then.
//
// Thread rule: one test.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/sim/checkers/history.h"
#include "tests/support/interaction.h"

namespace tenure::sim {

using testing::duration_of;
using testing::Words;

// What a history reader knows, for its words.
struct HistoryState {
  explicit HistoryState(const Scenario& world) : history(world), scenario(world) {}

  History history;
  Scenario scenario;
  std::map<Incarnation, Token> shown = {};  // the last token of each
  std::optional<std::pair<Incarnation, Request>> submitted = {};
  std::map<ScheduleId, Definition> definitions = {};  // as clients put them
  std::map<std::uint64_t, std::string> faults = {};

  bool healed = false;

  Duration now() const { return history.now() - TrueTime{}; }
  void heal() {
    healed = true;
    history.heals();
  }
  Token token_of(Incarnation who) const;
  ScheduleId schedule_of(const std::string& name) const;
  bool is_schedule(const std::string& name) const;
  Definition definition_of(ScheduleId schedule) const;
};

Scenario read_scenario(Words words);

// What a subject does: `words` begin with the verb.
void read_deed(HistoryState& state, const std::string& subject, Words words);

class HistoryReader {
 public:
  // `recurrence`: of billing, if the history does not say another one.
  HistoryReader(std::string title, std::optional<Recurrence> recurrence);

  std::string say(const std::string& line);
  std::string end();

 private:
  HistoryState& state();
  void say_at_once(const std::string& statements);
  std::string answer(Words words);
  std::string findings(const char* when);
  std::vector<std::string> judging() const;

  std::string title_;
  std::set<std::string> judges_;  // none: all
  bool must_be_exact_ = false;
  std::optional<Recurrence> recurrence_;
  Scenario scenario_ = reference_scenario();
  std::optional<HistoryState> state_;
  std::vector<std::string> questions_;
  std::map<std::string, std::multiset<std::string>> told_;
};

}  // namespace tenure::sim
