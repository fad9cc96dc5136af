// The words of histories: durations, slots and rows, worlds and definitions; and the verbs of those who act in them.
//
// Thread rule: one test.
#pragma once

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/model/describe.h"
#include "core/store/message.h"
#include "tests/sim/checkers/history_reader.h"

namespace tenure::sim {

// The one whose name it is, with `_` for a space; says so if none is. `last`: they end with it.
template <class Enum>
Enum named(std::string name, Enum last) {
  using sim::name_of;
  using tenure::name_of;
  std::replace(name.begin(), name.end(), '_', ' ');
  for (int i = 0; i <= static_cast<int>(last); ++i)
    if (name_of(static_cast<Enum>(i)) == name) return static_cast<Enum>(i);
  ADD_FAILURE() << name << " is none of " << name_of(Enum{}) << " …";
  return Enum{};
}
template <class Enum>
Enum named(const std::string& name, std::initializer_list<std::pair<std::string_view, Enum>> all) {
  for (const auto& [known, value] : all)
    if (known == name) return value;
  ADD_FAILURE() << name << " is none of " << all.begin()->first << " …";
  return all.begin()->second;
}

Duration read_duration(Words& words);
// Changes the definition as the words say, as far as they do.
void read_definition(Words& words, Definition& definition);
Incarnation read_who(const std::string& text);
Token read_token(const std::string& text);

struct Event {
  reference::EventId id;
  std::uint32_t attempt = 1;
};

// What a subject does; `words` are what follows the verb.
struct Deed {
  HistoryState& state;
  History& h;
  Incarnation who;
  Words& words;
  std::optional<Token> as = {};  // said
  bool without_token = false;    // likewise
  ScheduleId schedule = kBilling;

  void take_token();
  Token token() const { return as.value_or(state.token_of(who)); }
  std::optional<Token> shown() const;
  void remember(const Token& token) { state.shown[who] = token; }

  ScheduleId named_schedule(ScheduleId by_default = kBilling);
  Event event();
  std::vector<Event> events();
  template <class Does>
  void each(const Does& does) {
    for (const Event& event : events()) does(event);
  }
  WorkItem item(const Event& event) const;
  reference::ExecutionToken attempt(const Event& event) const {
    return {event.id, event.attempt, who.node.value};
  }

  void submits(const Request& request, bool as_leader = true);
  void applies(const Request& request, const Reply& reply, std::uint32_t branch = 0) {
    h.applies(who, request, reply, branch);
  }
};

struct Row {
  reference::LedgerRow row;
  reference::RowResult result = reference::RowResult::covered;
};
Row read_row(Deed& deed);
// That all was well.
reference::Reply reply_to(const reference::Request& request);

using Verbs = std::map<std::string, std::function<void(Deed&)>, std::less<>>;
Verbs verbs_of_instances();

}  // namespace tenure::sim
