// The checks of every state and of every move.
//
// The definitions are those of sim/checkers. Those read a history; these read a state, so that a state need not contain
// a history.
//
//   one-believer          no two running instances whose declared belief has not ended; a paused one counts
//   one-holder-per-epoch  a grant is never of an epoch that another has; nobody declares a token that is the newest
//                         grant's to another, that was never granted, or that another declares too
//   epochs-increase       each grant that extends nothing is greater than all before it
//   acts-within-belief    a leader's act is decided while its declared belief lasts
//   no-stale-act          work is not taken from a leader once the work of a later one was. (Here also of those with
//                         tokens, for which fenced-writes says it. There are no times between which a worker works
//                         here, so one-worker has nothing to judge.)
//
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <string_view>

namespace tenure::lab::explore {

enum class Check : std::uint8_t {
  none,
  one_believer,
  one_holder_per_epoch,
  epochs_increase,
  acts_within_belief,
  no_stale_act,
};

constexpr std::string_view name_of(Check check) {
  switch (check) {
    case Check::none: return "none";
    case Check::one_believer: return "one-believer";
    case Check::one_holder_per_epoch: return "one-holder-per-epoch";
    case Check::epochs_increase: return "epochs-increase";
    case Check::acts_within_belief: return "acts-within-belief";
    case Check::no_stale_act: return "no-stale-act";
  }
  return "?";
}

}  // namespace tenure::lab::explore
