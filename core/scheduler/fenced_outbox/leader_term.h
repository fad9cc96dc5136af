// What the fenced outbox knows during one leadership: from the step that first sees it to the step that sees it gone.
//
// Thread rule: a value; one owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/scheduler/fenced_outbox/delivery_dispatcher.h"
#include "core/scheduler/fenced_outbox/due_queue.h"
#include "core/scheduler/fenced_outbox/page_reader.h"
#include "core/scheduler/fenced_outbox/round_robin.h"
#include "core/store/reference/fields.h"

namespace tenure {

struct LeaderTerm {
  // What has to be read before anything is committed.
  enum class Loading : std::uint8_t { due, outbox, nothing };
  enum class RequestKind : std::uint8_t { due, fires, set_hold, clear_hold, prune, page };
  // Whether it shows the token, and the store judges it.
  static bool is_protected(RequestKind kind) {
    return kind == RequestKind::fires || kind == RequestKind::set_hold || kind == RequestKind::clear_hold;
  }
  // What a leader that has read everything may do next; one request at a time.
  enum class TaskKind : std::uint8_t { fire, read_ahead, read_outbox, prune, read_waiting };
  struct InFlight {
    RequestId id;
    RequestKind kind = RequestKind::due;
    DeliveryDispatcher::Page page = {};  // that was asked for
    bool reads_outbox() const {
      return kind == RequestKind::page && page.source == DeliveryDispatcher::Source::outbox;
    }
    void hash(auto& sink) const { fold(sink, id, kind, page); }
  };
  using DuePosition =
      std::tuple<StoreTime, ScheduleId, std::uint32_t>;  // a segment's cursor, schedule and version

  explicit LeaderTerm(const Token& t) : token(t) { due.restart(); }

  // Everything due before this time is in the queue.
  StoreTime known_until() const { return due.more && due.after ? std::get<StoreTime>(*due.after) : horizon; }

  Token token;
  std::optional<InFlight> in_flight;
  MonoTime ready_at = MonoTime::min();  // no further request before this, after a failure

  Loading loading = Loading::due;
  bool reads_anew = true;        // from the beginning, and what is due then has not been looked at yet
  bool took_turns = false;       // since it was to read that: it had come as far as to do something else
  bool began_once_more = false;  // what is read anew, before it had all been read
  bool knows_outbox = false;     // nothing may be there that nobody has told the leader of
  RoundRobin<TaskKind, 5> tasks{
      {TaskKind::fire, TaskKind::read_ahead, TaskKind::read_outbox, TaskKind::prune, TaskKind::read_waiting}};

  PageReader<DuePosition> due;
  StoreTime horizon = StoreTime::min();  // everything due before it is in the queue, once all pages are read
  bool events_added = false;             // to the outbox, by clients
  MonoTime look_at = MonoTime::max();    // through the outbox again; max() during a look
  bool look_again = false;               // as soon as the look under way has ended
  MonoTime prune_at = MonoTime::max();   // when the store is to forget what is older than retention

  std::optional<std::uint64_t> due_seq;      // the change number with which the queue began
  std::uint64_t needed_seq = 0;              // the table must have come this far before segments are merged
  std::vector<reference::Segment> unmerged;  // read, and waiting for the table
  bool refetched = false;                    // the table was read again for a definition that it lacked

  bool commit_failed = false;  // and none has succeeded since

  DueQueue queue;
  std::vector<reference::Segment> unreadable;  // not in the queue: another instance may be able to read them
  std::vector<reference::LedgerRow> rows;      // of the commit under way, or of the latest one
  DueQueue::Routed routed;   // of the rows that fire: those that are no work of this process
  std::size_t reserved = 0;  // how many of the rows will need a worker
  bool fires_turn = false;   // the commit that was sent last is the fires' turn, and has not been made

  void hash(auto& sink) const {
    fold(sink, token, in_flight, ready_at, loading, reads_anew, took_turns, began_once_more, knows_outbox,
         tasks, due, horizon, events_added, look_at, look_again, prune_at, due_seq, needed_seq, unmerged,
         refetched, commit_failed, queue, unreadable, rows, reserved, fires_turn);
  }
};

}  // namespace tenure
