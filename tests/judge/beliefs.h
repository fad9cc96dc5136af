// When who believed to lead: declarations, mapped to true time.
//
// A belief begins with a declaration. It ends at the earliest of: its `until`, by the clock that it names; a step-down;
// the death of the incarnation. A further declaration while it lasts replaces its end, and its token. A clock that is
// changed moves the end; and where a clock is set back before it, what was declared holds again.
//
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "tests/judge/history.h"

namespace tenure::judging {

// A time of belief under one token: from the fact at `from` on, up to `end`.
struct Belief {
  Incarnation who;
  ResourceId resource;
  std::optional<Token> token;
  sim::TrueTime begin;
  sim::TrueTime end;          // belief does not hold at this instant any more
  std::size_t declared = 0;   // the declaration's place in the history
  std::size_t from = 0;       // of the fact that began it: the declaration, or a clock that was set back
  std::size_t until = 0;      // the place of the fact that ended it, if one did; else the history's size
  sim::TrueTime leads_since;  // its begin, or that of the belief that it goes on from

  // False: its time was over when it was declared.
  bool began() const { return until > from; }
};
// In the order in which they began.
std::vector<Belief> beliefs(const History& history);

// Belief that lasts at the fact `place`.
bool lasts_at(const Belief& belief, const History& history, std::size_t place);
// That of `who`; nullptr when there is none.
const Belief* belief_at(const std::vector<Belief>& beliefs, const History& history, Incarnation who,
                        ResourceId resource, std::size_t place);

}  // namespace tenure::judging
