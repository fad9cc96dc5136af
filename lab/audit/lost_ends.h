// Lives whose journal may have lost its last lines: it has no end, and the store granted the lease to somebody else
// after it.
//
// A journal without an end is that of a process that was killed, or one that was copied too early, cut off by a full
// disk or lost with its machine. The lines that are missing may have given the lease back. Nothing is missing if a line
// of the life comes after the other's grant, or if that grant has the position after a change that is known and that no
// release can follow unseen: a killed process stays guilty.
//
// Thread rule: pure functions and values.
#pragma once

#include <string>
#include <vector>

#include "core/base/time.h"
#include "lab/audit/history.h"

namespace tenure::sim {

struct LostEnd {
  Incarnation who;
  ResourceId resource;
  TrueTime since;       // its last line
  StoreTime lease_end;  // of its last grant that is known
  Incarnation next;     // to whom the lease was granted then
  StoreTime granted;    // by the store's clock
  TrueTime heard;
  bool contradicts() const { return granted < lease_end; }
};

std::vector<LostEnd> lost_ends(const JournalHistory& history);
// For `lacking`, of one that contradicts.
std::string text_of(const LostEnd& lost);

}  // namespace tenure::sim
