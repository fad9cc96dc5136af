// Journals of real processes, line by line, to be forged by somebody who numbers and chains all lines anew.
//
//   elections  three processes: one was killed, one stood still, one was stopped (docs/examples/leader.cc)
//   own_work   two schedulers on SQLite with the leader's own work: the first was killed (docs/examples/scheduler.cc)
//   kinds      two instances of tenured with schedules of all kinds: the first stood still and was late, then both were
//              stopped
//
// Thread rule: tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/journal/line.h"
#include "lab/audit/audit.h"

namespace tenure::sim {

using JournalLines = std::vector<journal::Line>;

class ForgedJournals {
 public:
  enum class Of : std::uint8_t { elections, own_work, kinds };
  explicit ForgedJournals(Of of);

  JournalLines& operator[](std::size_t journal) { return all_[journal]; }
  std::vector<JournalLines>& all() { return all_; }
  // Numbered and chained anew.
  std::vector<std::string> texts() const;
  std::variant<Audit, BadJournal> audit(bool start_missing = false) const;

 private:
  std::vector<JournalLines> all_;
};

// The place of the nth event of this kind of which `which(event)`, from 0.
template <class Event, class Which>
  requires std::is_invocable_r_v<bool, Which, const Event&> std::size_t find_event(const JournalLines& lines,
                                                                                   Which&& which,
                                                                                   std::size_t nth = 0) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const auto* event = std::get_if<Event>(&lines[i].event);
      if (event != nullptr && which(*event) && nth-- == 0) return i;
    }
    ADD_FAILURE() << "there is no such line";
    return 0;
  }
template <class Event>
std::size_t find_event(const JournalLines& lines, std::size_t nth = 0) {
  return find_event<Event>(
      lines, [](const Event&) { return true; }, nth);
}
template <class Kind>
std::size_t find_note(const JournalLines& lines, std::size_t nth = 0) {
  return find_event<Note>(
      lines, [](const Note& note) { return std::holds_alternative<Kind>(note); }, nth);
}
template <class Kind>
std::size_t find_request(const JournalLines& lines, std::size_t nth = 0) {
  return find_event<journal::Asked>(
      lines,
      [](const journal::Asked& asked) {
        return std::holds_alternative<Kind>(std::get<reference::Request>(asked.submission.request));
      },
      nth);
}
template <class Kind>
std::size_t find_reply(const JournalLines& lines, std::size_t nth = 0) {
  return find_event<journal::Answered>(
      lines, [](const journal::Answered& answered) { return answered.reply_as<Kind>() != nullptr; }, nth);
}
// What the line holds.
template <class Event>
Event& event_in(JournalLines& lines, std::size_t at) {
  return std::get<Event>(lines[at].event);
}
template <class Kind>
Kind& note_in(JournalLines& lines, std::size_t at) {
  return std::get<Kind>(event_in<Note>(lines, at));
}
template <class Kind>
Kind& request_in(JournalLines& lines, std::size_t at) {
  return std::get<Kind>(std::get<reference::Request>(event_in<journal::Asked>(lines, at).submission.request));
}
template <class Kind>
Kind& reply_in(JournalLines& lines, std::size_t at) {
  return *event_in<journal::Answered>(lines, at).template reply_as<Kind>();
}
// The answer to the request in that line.
inline std::size_t answer_to(const JournalLines& lines, std::size_t request) {
  const RequestId id = std::get<journal::Asked>(lines[request].event).id;
  return find_event<journal::Answered>(lines, [&](const journal::Answered& one) { return one.id == id; });
}

inline void take_out(JournalLines& lines, std::size_t at) {
  lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at));
}
template <class Which>
void take_out_all(JournalLines& lines, Which&& which) {
  std::erase_if(lines, which);
}
// A line with another event, after that one, at its time or later.
inline void put_in(JournalLines& lines, std::size_t after, journal::JournalEvent event, Duration later = {}) {
  journal::Line line = lines[after];
  line.event = std::move(event);
  line.now = {line.now.at + later, line.now.mono + later};
  lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(after) + 1, std::move(line));
}
inline bool is_work(const journal::Line& line) {
  return std::holds_alternative<WorkItem>(line.event) || std::holds_alternative<WorkDone>(line.event);
}

}  // namespace tenure::sim
