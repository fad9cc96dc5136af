// What a change of the clocks has made of a slot, in words.
//
// Thread rule: pure functions.
#pragma once

#include <string>

#include "core/base/time.h"
#include "core/schedule/cron_rule.h"

namespace tenure::cli {

// "gap: 02:30 does not exist, fires at the end of the gap", "overlap: first of two"; empty for most.
// REQUIRES: `slot` is one of the rule's.
std::string note_on(const CronRule& rule, StoreTime slot);

}  // namespace tenure::cli
