// The parameters of a design as Lua has them: `t.p`, and what `validate` is given.
//
// Thread rule: the thread of the lua_State.
#pragma once

#include <string>
#include <vector>

#include "adapters/lua/design.h"
#include "core/model/parameters.h"

struct lua_State;

namespace tenure::lua {

// Leaves a table of them on the stack. A name that is none is an error. `values` must outlive the state.
void push_parameters(lua_State* state, const Parameters& values);

// What the design's `validate` has against these values; none: it has no such function, or nothing.
std::vector<Complaint> complaints_of(const Design& design, const Parameters& values);

}  // namespace tenure::lua
