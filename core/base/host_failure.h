// The machine that runs a simulation fails, and not what is simulated: a program does not answer, descriptors run out.
//
// Nothing follows from it about a design. So nobody turns it into a finding or a verdict: it ends what was asked for.
//
// Thread rule: a value.
#pragma once

#include <stdexcept>

namespace tenure {

class HostFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace tenure
