// Leaders that step down from a lease that has tokens although nothing was wrong, or do not renew it in time.
//
// It leaves when what it tried last has failed. So it is wrong only when everything that can be seen from outside was
// well for the `stall_timeout`, `poll_period`, two `request_timeout` and second before. No fault was there: the answers
// that a fault loses leave no trace. The store has executed each request of its elector and of its scheduler within
// half a `request_timeout`, and refused none. Its program reads every definition. Nobody asked it to stop.
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
// `after`: so long a reason lasts.
std::vector<Wrong> left_for_nothing(const Case& run, const std::vector<Led>& leaderships, Duration after);

}  // namespace tenure::judging
