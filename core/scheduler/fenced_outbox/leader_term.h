// What the fenced outbox knows during one leadership, from the step that first sees it to the one that sees it gone.
//
// Thread rule: a value; one owner.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/scheduler/fenced_outbox/due_queue.h"
#include "core/store/house/requests.h"

namespace tenure {

struct LeaderTerm {
  // What has to be read before anything is committed.
  enum class Reading : std::uint8_t { due, outbox, nothing };
  enum class Ask : std::uint8_t { due, outbox, fires, set_hold, clear_hold };
  struct Call {
    RequestId id;
    Ask what = Ask::due;
  };

  explicit LeaderTerm(const Token& t) : token(t) {}

  Token token;
  std::optional<Call> call;             // the request under way
  MonoTime ready_at = MonoTime::min();  // no further request before this, after a failure

  Reading reading = Reading::due;
  std::optional<house::Segment> read_after;  // the position after which the next page of what is due begins
  StoreTime horizon = StoreTime::min();      // what is due before it is in the queue, once all pages are read
  std::uint64_t outbox_after = 0;            // likewise for the outbox
  bool sweep = false;                        // the outbox is to be looked at again

  std::optional<std::uint64_t> due_seq;  // the change number with which the queue began
  std::uint64_t needed_seq = 0;          // the table must have come this far before segments are merged
  std::vector<house::Segment> unmerged;  // read, and waiting for the table
  bool refetched = false;                // the table was read anew for a definition that it lacked

  DueQueue queue;
  std::vector<house::Covering> rows;  // of the commit under way
};

}  // namespace tenure
