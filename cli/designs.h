// Designs of users, as scenario files name them: protocol = "my-lease.lua", from the scenario's own folder, or node = {
// command = ["python3", "my_node.py"] }.
//
// Each is read once, and kept for as long as the program runs.
//
// Thread rule: any thread.
#pragma once

#include "sim/scenario/design_files.h"

namespace tenure::cli {

const sim::DesignFiles& design_files();

}  // namespace tenure::cli
