// How quickly a scheduler can tell its store of what it fires.
//
// Thread rule: a value.
#pragma once

#include <cstdint>

#include "core/base/time.h"

namespace tenure {

struct CommitPace {
  Duration apart;         // from one commit to the next, in the mean
  std::int64_t rows = 0;  // that fire, of each, at most
  std::int64_t workers = 0;
};

}  // namespace tenure
