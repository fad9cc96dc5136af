// What `t` has that is itself written in Lua: events, deadlines, ticks.
//
// Thread rule: a constant.
#pragma once

#include <string>

namespace tenure::lua {

// What load_program() takes: a function of `t`, which it adds to. It takes t.wait_for and t.wake for itself.
const std::string& prelude();

}  // namespace tenure::lua
