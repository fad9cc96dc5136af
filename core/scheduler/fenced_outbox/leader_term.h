// What the fenced outbox knows during one leadership: from the step that first sees it to the step that sees it gone.
//
// Thread rule: a value; one owner.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/scheduler/fenced_outbox/backlog.h"
#include "core/scheduler/fenced_outbox/due_queue.h"
#include "core/scheduler/fenced_outbox/relay.h"
#include "core/store/reference/requests.h"

namespace tenure {

struct LeaderTerm {
  // What has to be read before anything is committed.
  enum class Loading : std::uint8_t { due, outbox, nothing };
  enum class Ask : std::uint8_t { due, outbox, fires, set_hold, clear_hold, prune, waiting };
  // What a leader that has read everything may do next; one request at a time.
  enum class Turn : std::uint8_t { fire, read_ahead, sweep, prune, read_waiting };
  struct Call {
    RequestId id;
    Ask what = Ask::due;
  };

  explicit LeaderTerm(const Token& t) : token(t) {}

  // Everything due before this time is in the queue.
  StoreTime known_until() const { return read_after ? read_after->cursor : horizon; }

  Token token;
  std::optional<Call> call;             // the request under way
  MonoTime ready_at = MonoTime::min();  // no further request before this, after a failure

  Loading loading = Loading::due;
  bool reads_anew = true;         // from the beginning, and what is due then has not been looked at yet
  bool polls_for_commit = false;  // the poll under way is for definitions of what is read anew
  bool took_turns = false;        // since it was to read that: it had come as far as to do something else
  bool knows_outbox = false;      // nothing may be there that nobody has told the leader of
  // The turn that has waited longest comes first.
  std::array<Turn, 5> turns{Turn::fire, Turn::read_ahead, Turn::sweep, Turn::prune, Turn::read_waiting};

  std::optional<reference::Segment>
      read_after;                        // the position after which the next page of what is due begins
  StoreTime horizon = StoreTime::min();  // everything due before it is in the queue, once all pages are read
  std::uint64_t outbox_after = 0;        // likewise, the position in the outbox; 0 between two sweeps
  std::uint64_t outbox_reached = 0;      // the furthest position since the outbox was looked through
  std::uint32_t due_pages = 0;           // of what is due, since it was read from the beginning
  std::uint32_t due_pages_reached = 0;   // the most of them since everything was known
  bool began_once_more = false;          // what is read anew, before it had all been read
  MonoTime sweep_at = MonoTime::min();   // when the outbox is to be looked through again
  bool sweep_again = false;              // from its beginning, as soon as the sweep under way has ended
  // After this position the outbox has manual runs for which the backlog had no room.
  std::optional<std::uint64_t> left_out;
  bool reads_left_out = false;  // the page that was asked for last begins there, and is none of the sweep
  Relay::Page page;             // of what waits for destinations: asked for last
  MonoTime prune_at = MonoTime::max();  // when the store is to forget what is older than retention

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

  Backlog backlog;
  bool runs_had_theirs = false;     // manual runs took workers while fires waited: the next are for fires
  bool is_their_turn = false;       // the commit that was sent last is the fires' turn, and has not been made
  bool retries_had_theirs = false;  // likewise retries: the next workers are for work that has not begun
};

}  // namespace tenure
