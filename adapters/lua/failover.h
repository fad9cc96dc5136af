// What a design in Lua says of its failover: failover(p, d), a formula of its own.
//
// Thread rule: any thread.
#pragma once

#include "adapters/lua/design.h"
#include "sim/protocols/failover_form.h"

namespace tenure::lua {

// REQUIRES: the design has such a function.
SaidFailover failover_of(const Design& design, const Parameters& values, const FailoverTerms& terms);

}  // namespace tenure::lua
