// How long it takes from a crash of the leader to the next one, as a formula gives it.
//
// Thread rule: values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/time.h"

namespace tenure {

// A time that latency draws: at least, on average, at most.
struct Spread {
  Duration least;
  Duration mean;
  Duration most;
  Duration width() const { return most - least; }
};

// What such a formula may use, besides the parameters.
struct FailoverTerms {
  Spread trip;         // a request, from the step that asks to its answer: departure, network, store, network
  Spread back;         // the answer's part of it
  Duration departure;  // the longest: until a request has left, a crash still takes it back
  std::int64_t standbys = 0;
};

// From a crash of the leader, and nothing else, to the moment at which the next one knows that it leads. Least and most
// are bounds; the mean is exact for latencies that do not vary.
struct FailoverForm {
  Duration least;
  std::optional<Duration> mean;  // none: only the bounds are known, and the formula says why
  Duration most;
  std::string formula;
};

// What a design says of itself. Neither: nothing for these parameters.
struct SaidFailover {
  std::optional<FailoverForm> form;
  std::string problem = {};  // what is wrong with what it says, for people
};

}  // namespace tenure
