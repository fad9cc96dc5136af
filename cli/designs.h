// Designs in Lua, as scenario files name them: protocol = "my-lease.lua", from the scenario's own folder.
//
// Each file is read once, and kept for as long as the program runs.
//
// Thread rule: any thread.
#pragma once

#include "sim/scenario/design_files.h"

namespace tenure::cli {

const sim::DesignFiles& design_files();

}  // namespace tenure::cli
