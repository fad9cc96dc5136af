// The lines, requests and work of each life: an index of the journals, made once, from which everything is judged.
//
// Thread rule: values; pointers are into the journals, which must outlive them.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lab/audit/journal_reader.h"
#include "sim/checkers/trackers/applied.h"
#include "sim/kernel/true_time.h"

namespace tenure::lab {

struct JournalCall {
  const journal::Asked* asked = nullptr;
  const journal::Answered* answered = nullptr;  // null: no answer came
  sim::TrueTime sent;
  sim::TrueTime heard;
  std::size_t line = 0;           // the request's line in its life, from 0
  std::size_t answered_line = 0;  // likewise
  // The latest time of the store's clock that the life had heard when it asked: the request was executed no earlier.
  StoreTime not_before = StoreTime::min();
  // Of a call in doubt that only the holder of a token, or who has seen its epoch, may make: when the next one was
  // granted. From then on the store refuses it.
  StoreTime not_after = StoreTime::max();

  Incarnation who() const { return asked->id.incarnation; }
  ResourceId resource() const { return sim::resource_of(asked->submission.request); }
  bool applied() const { return answered != nullptr && answered->outcome == RequestOutcome::applied; }
  // It is unknown whether it was executed.
  bool in_doubt() const { return answered == nullptr || answered->outcome == RequestOutcome::unknown; }
  StoreTime at() const { return answered->store_time; }  // REQUIRES: applied()
  // The request; or the reply to it, if it was applied. nullptr: it is of another kind.
  template <class Kind>
  const Kind* request() const {
    return sim::reference_request<Kind>(asked->submission.request);
  }
  template <class Kind>
  const Kind* reply() const {
    return applied() ? answered->reply_as<Kind>() : nullptr;
  }
};

struct JournalWork {
  const WorkItem* item = nullptr;
  const WorkDone* done = nullptr;  // null: no result came back
  std::size_t line = 0;            // where it began, in its life
  std::size_t done_line = 0;
  bool begun_again = false;  // before a result came back
};

// Whether it is for a lease, its renewal or its release.
bool is_about_the_lease(const Request& request);

// What a client changed, or may have changed, as the life that it asked tells.
struct JournalClientChange {
  Incarnation who;
  const journal::ClientChange* change = nullptr;
  sim::TrueTime told;  // when it was written, some time after its answer: no measure of the store's clock
  StoreTime not_before = StoreTime::min();  // as for a call; of one that is not known to have been executed
};

struct LifeLine {
  sim::TrueTime at;
  const journal::Line* line = nullptr;
  const NodeJournal* journal = nullptr;
  std::size_t number = 0;  // in its journal
  std::size_t call = 0;    // that it asks or answers, by its place in the life

  // nullptr: it is of another kind.
  template <class Event>
  const Event* as() const {
    return std::get_if<Event>(&line->event);
  }
  template <class Kind>
  const Kind* note() const {
    const auto* note = as<Note>();
    return note != nullptr ? std::get_if<Kind>(note) : nullptr;
  }
  MonoTime mono() const { return line->now.mono; }
};

// Whether it stands in the place of a life's beginning that is in no journal (begin_late): it has no number.
bool begins_late(const journal::Line& line);

struct LifeHistory {
  std::vector<LifeLine> lines;     // one at least
  std::vector<JournalCall> calls;  // in the order in which they were asked
  std::vector<JournalWork> works;  // in the order in which they began
  std::vector<JournalClientChange> client_changes;
  // Of the node. What clients change may be told after that.
  bool node_ended = false;  // the journal says so; otherwise its end may be lost
  bool stopped = false;     // by a regular stop
  sim::TrueTime ended_at;

  void end_node(sim::TrueTime at, bool in_good_order);
  // What it asks with this line, or hears the answer to; nullptr: nothing.
  const JournalCall* asked_at(std::size_t line) const {
    return lines[line].as<journal::Asked>() != nullptr ? &calls[lines[line].call] : nullptr;
  }
  const JournalCall* answered_at(std::size_t line) const {
    return lines[line].as<journal::Answered>() != nullptr ? &calls[lines[line].call] : nullptr;
  }
  // Its first line; nullptr: that does not say that it begins.
  const journal::LifeBegan* began() const { return lines.front().as<journal::LifeBegan>(); }
  // Whether its journal has its beginning; and whether another line stands in the place of that (begin_late).
  bool begins() const { return began() != nullptr && lines.front().line->seq > 0; }
  bool begins_late() const { return lab::begins_late(*lines.front().line); }
  // nullopt: it does not say.
  std::optional<std::int64_t> setting(const std::string& name) const;
};

// A row that a commit asked for.
struct JournalRow {
  reference::LedgerRow row;  // as the store wrote it
  bool covered = false;      // else it is unknown whether it was
};
// Without those of which the store answered that it did not write them.
std::vector<JournalRow> rows_of(const JournalCall& call);

struct JournalHistory {
  std::map<Incarnation, LifeHistory> lives;

  // Calls `see(const JournalCall&)` for each request; or for each about the resource.
  template <class See>
  void for_each_call(See&& see) const {
    for (const auto& [who, life] : lives)
      for (const JournalCall& call : life.calls) see(call);
  }
  template <class See>
  void for_each_call(ResourceId resource, See&& see) const {
    for_each_call([&](const JournalCall& call) {
      if (call.resource() == resource) see(call);
    });
  }
  // Likewise, for each change of a client.
  template <class See>
  void for_each_client_change(ResourceId resource, See&& see) const {
    for (const auto& [who, life] : lives)
      for (const JournalClientChange& one : life.client_changes)
        if (one.change->resource == resource) see(one);
  }
  // About which nodes asked.
  std::set<ResourceId> resources() const;
  // Whether a client changed something of this kind, or may have.
  bool has_client_change(std::string_view kind) const;
  // Whether journals can tell of clients at all: none before version 5 could.
  bool tells_of_clients() const;
};

// Work of a term of an election. All else is a fire's, whatever it says of itself.
inline bool is_of_a_term(const WorkItem& item) { return !item.once && item.event.slot == StoreTime{}; }

// BadJournal: something is answered or done that never began, or twice.
std::variant<JournalHistory, BadJournal> history_of(const std::vector<NodeJournal>& journals);

// "resource 2"; several resources are rare, but must be told apart.
std::string resource_text(ResourceId resource);

}  // namespace tenure::lab
