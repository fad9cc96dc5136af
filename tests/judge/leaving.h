// Leaders that give their lease back although nothing was wrong.
//
// It is wrong only when everything that can be seen from outside was well, from the beginning of the leadership on. No
// fault was there, nor in the `stall_timeout`, `poll_period`, two `request_timeout` and second before it: the answers
// that a fault loses leave no trace. The store has executed each request of its scheduler within half a
// `request_timeout`, and has covered something with each commit. Its program reads every definition. Nobody asked it
// to stop.
//
// Thread rule: pure functions.
#pragma once

#include <vector>

#include "tests/judge/invariants.h"

namespace tenure::judging {

struct Led {
  Incarnation who;
  sim::TrueTime begin;
  sim::TrueTime end;
};
// `after`: so long after a fault nobody can tell.
std::vector<Wrong> left_for_nothing(const Case& run, const std::vector<Led>& leaderships, Duration after);

}  // namespace tenure::judging
